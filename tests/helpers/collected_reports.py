"""Reports as somebody collects them, and as a table."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa

import ldpcore as ldp


def collect_reports(name, *, n, k, eps, seed, **more):
    """Return a mechanism and the reports of n users, who hold the lower half of the values."""
    rng = np.random.default_rng(seed)
    m = ldp.mechanism(name, k=k, eps=eps, **more)
    return m, m.privatize(rng.integers(0, k // 2, n), rng)


def frame_of(reports):
    """Return reports as a frame, one a row; of pairs the value first, as the other packages have it."""
    if isinstance(reports, tuple):
        return pd.DataFrame({"value": reports.value, "seed": reports.seed})
    wide = reports[:, None] if reports.ndim == 1 else reports
    return pd.DataFrame(wide.astype(int), columns=[f"c{i}" for i in range(wide.shape[1])])


def table(columns, name="mine.csv", words=False):
    """Return columns as a table that was read; with `words` every cell as text."""
    arrays = {c: pa.array([str(v) for v in cells] if words else cells) for c, cells in columns.items()}
    data = pa.table(arrays)
    return SimpleNamespace(name=name, columns=tuple(columns), rows=data.num_rows, data=data)


def columns_of(reports):
    """Return reports as columns, by name."""
    return {name: column.to_numpy() for name, column in frame_of(reports).items()}


def assert_same(found, expected):
    """Compare two results in all but how full-report IBU came to rest."""
    for name in ("n", "counts", "raw", "mi", "ibu", "limit", "full", "noise", "population"):
        a, b = getattr(found, name), getattr(expected, name)
        assert (a is None) == (b is None), name
        if a is not None:
            # Full-report IBU stops where steps are small; where exactly hangs on the order of the users.
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-7 if name == "full" else 1e-12, err_msg=name)
    assert [fit.sentence for fit in found.fit] == [fit.sentence for fit in expected.fit]
