"""A made-up survey, to try the page with."""

from __future__ import annotations

import numpy as np

NAME = "example.csv"
_ROWS, _SEED, _GAPS = 3_000, 7, 0.01
_FIRST_DAY = np.datetime64("2024-03-04")
_WAYS = {"car": 0.45, "bus": 0.2, "train": 0.15, "bicycle": 0.12, "on foot": 0.07, "ferry": 0.01}


def as_csv() -> bytes:
    """Return the survey as CSV, with the gaps that real ones have."""
    rng = np.random.default_rng(_SEED)
    age = np.clip(rng.normal(41, 14, _ROWS), 16, 90).astype(int)
    minutes = np.round(rng.lognormal(3.1, 0.6, _ROWS), 1)
    ways = rng.choice(list(_WAYS), _ROWS, p=list(_WAYS.values()))
    gap = rng.random((_ROWS, 4)) < _GAPS
    days = _FIRST_DAY + rng.gamma(2.0, 9.0, _ROWS).astype("timedelta64[D]")
    lines = ["age,minutes to work,way to work,answered on"]
    for i in range(_ROWS):
        cells = (str(age[i]), f"{minutes[i]:g}", str(ways[i]), str(days[i]))
        lines.append(",".join("" if gap[i, j] else cell for j, cell in enumerate(cells)))
    return ("\n".join(lines) + "\n").encode()
