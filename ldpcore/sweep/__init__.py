"""Many settings at once: grids of them, run on all cores or on a cluster, and stored so that a sweep can go on."""

from ldpcore.sweep.grid import cross
from ldpcore.sweep.pieces import run_together
from ldpcore.sweep.rows import (
    COLUMNS,
    DEFAULT_ESTIMATORS,
    DEFAULT_METRICS,
    MEASURABLE,
    SETTING_COLUMNS,
    SWEEP_METRICS,
    Chunk,
    Measures,
    Row,
    sweep_frame,
)
from ldpcore.sweep.run import measure, sweep, sweep_iter
from ldpcore.sweep.store import Store

ESTIMATORS = MEASURABLE
"""The old name of `MEASURABLE`, for programs that use it."""

__all__ = [
    "COLUMNS",
    "DEFAULT_ESTIMATORS",
    "DEFAULT_METRICS",
    "ESTIMATORS",
    "MEASURABLE",
    "SETTING_COLUMNS",
    "SWEEP_METRICS",
    "Chunk",
    "Measures",
    "Row",
    "Store",
    "cross",
    "measure",
    "run_together",
    "sweep",
    "sweep_frame",
    "sweep_iter",
]
