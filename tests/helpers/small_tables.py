"""The paper's tables, shrunk."""

from __future__ import annotations

import dataclasses

import ldpcore as ldp
from ldpcore import paper
from ldpcore.paper import experiment, figures

STEPS = 300  # of IBU, where the tables are shrunk


def small(monkeypatch, **change):
    """Shrink the tables to something that takes a second, and their runs to a few steps."""
    monkeypatch.setattr(experiment, "Setting", lambda **fields: ldp.Setting(**fields | {"max_iter": STEPS}))
    tables = {n: dataclasses.replace(t, **change) for n, t in paper.TABLES.items()}
    for module in (paper, experiment, figures):
        monkeypatch.setattr(module, "TABLES", tables)
