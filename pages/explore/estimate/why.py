"""Why one estimator is better: what each does to the largest bin, computed, and said only where it is so."""

from __future__ import annotations

import math

import ldpcore as ldp
from ldpui.format import significant

# Percentage points below which an error is what is left by rounding numbers, and not the mechanism's.
_DUST = 1e-9


def points(r: ldp.Result, key: str, collection: int | None = None) -> float:
    """Return what a bin is off by, in percentage points: the root of the mean squared error over bins and runs.

    With the number of a collection, from 1, over the bins of that run alone.
    """
    error = r.error(key)
    off = 100 * math.sqrt(error.mean if collection is None else float(error.values[collection - 1]))
    return off if off > _DUST else 0.0


def why(r: ldp.Result) -> str:
    """Say in a sentence what makes the difference at the largest bin; nothing where it makes none."""
    better = r.error("ibu").mean < r.error("mi").mean
    return _taken_by_mi(r) if better else _still_at_the_start(r)


def _taken_by_mi(r: ldp.Result) -> str:
    """Raw MI is right on average: what MI has less than it in a bin is what clipping and rescaling took there."""
    largest = int(r.true.argmax())
    raw, mi, ibu = (100 * float(r.estimate(key)[:, largest].mean()) for key in ("raw", "mi", "ibu"))
    # This is said only where MI takes more than its usual error, and IBU at most half as much.
    if raw - mi < points(r, "mi") or abs(raw - ibu) > (raw - mi) / 2:
        return ""
    spared = raw - ibu
    if abs(spared) < 0.05 * (raw - mi):
        at_ibu = "IBU leaves it as it is"
    else:
        at_ibu = f"IBU {'takes' if spared > 0 else 'adds'} {significant(abs(spared), 2)}"
    return (
        "Why: MI sets negative bins to 0 and rescales, which takes "
        f"**{significant(raw - mi, 2)} points** from the largest bin; {at_ibu}."
    )


def _still_at_the_start(r: ldp.Result) -> str:
    """IBU that starts from equal bins and stops early leaves the largest bin too low."""
    if r.setting.start != "uniform" or r.converged.any():
        return ""
    largest = int(r.true.argmax())
    lacks = {key: 100 * float(r.true[largest] - r.estimate(key)[:, largest].mean()) for key in ("mi", "ibu", "limit")}
    # Where the limit lacks as much, as with a channel that is not the mechanism's, it is not for having stopped.
    if lacks["ibu"] < points(r, "ibu") or max(abs(lacks["mi"]), abs(lacks["limit"])) > lacks["ibu"] / 2:
        return ""
    return (
        "Why: IBU starts from equal bins and stopped on its way, with the largest bin still "
        f"**{significant(lacks['ibu'], 2)} points** too low."
    )
