"""Reports as somebody collects them, and as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

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
