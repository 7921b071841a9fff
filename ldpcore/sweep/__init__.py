"""Many settings at once: grids of them, run on all cores or on a cluster, and stored so that a sweep can go on."""

from ldpcore.sweep.sweep import (
    COLUMNS,
    DEFAULT_ESTIMATORS,
    DEFAULT_METRICS,
    ESTIMATORS,
    SETTING_COLUMNS,
    SWEEP_METRICS,
    Chunk,
    Row,
    cross,
    estimator_keys,
    gather,
    run_together,
    sweep,
    sweep_frame,
    sweep_iter,
)

__all__ = [
    "COLUMNS",
    "DEFAULT_ESTIMATORS",
    "DEFAULT_METRICS",
    "ESTIMATORS",
    "SETTING_COLUMNS",
    "SWEEP_METRICS",
    "Chunk",
    "Row",
    "cross",
    "estimator_keys",
    "gather",
    "run_together",
    "sweep",
    "sweep_frame",
    "sweep_iter",
]
