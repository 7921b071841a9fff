"""What the views of Over time share: numbers in words, and a figure with its lines below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

import ldpcore as ldp
from ldpcore.theory import Chance
from ldpui import export, widgets
from ldpui.charts import show
from ldpui.charts.common import sourced
from ldpui.format import percent, points, times
from pages.study.over_time import controls
from pages.study.over_time.followed import Followed

# A chance above this is written as more than it.
_SURE = 0.999


def share(chance: Chance) -> str:
    """Write a chance in percent, with an error where it was simulated; one that rounds to 1 need not be certain.

    >>> share(Chance(0.04182)), share(Chance(0.53112, 2e-3)), share(Chance(0.99999)), share(Chance(1.0))
    ('4.18%', '53.1 ± 0.2%', 'over 99.9%', 'over 99.9%')
    """
    if chance.chance > _SURE:
        return "over 99.9%"
    if chance.se < 5e-5 * max(chance.chance, 0.02):
        return percent(chance.chance, 3)
    return f"{100 * chance.chance:.1f} ± {max(100 * chance.se, 0.1):.1f}%"


def bound(most: float) -> str:
    """Write what a chance comes to at most; of one that is written as more than a number there is no such bound.

    >>> bound(0.04182), bound(0.99999)
    ('never more than **4.18%**', 'in the end **over 99.9%**')
    """
    return f"{'in the end' if most > _SURE else 'never more than'} **{share(Chance(most))}**"


def error(se: float) -> str:
    """Write a standard error in percentage points, in plain digits.

    >>> error(0.31234), error(8.4e-06)
    ('0.31', '0.0000084')
    """
    return points(se, 2)


def reports(number: int) -> str:
    """Write a number of reports.

    >>> reports(1), reports(10_000)
    ('1 report', '10,000 reports')
    """
    return times(number, "report")


def noise(memo: bool) -> str:
    """Say which noise is meant, after the name of a mechanism."""
    return controls.MEMO if memo else f"with {controls.FRESH}"


def figure(
    fig: go.Figure, key: str, alt: str, s: ldp.Setting, followed: Sequence[Followed], without: Sequence[str]
) -> None:
    """Draw a figure with the setting below it."""
    lines = export.described(s, ", ".join(one.label for one in followed), without)
    short = [lines[0], f"LDP Explorer {ldp.__version__}"]
    show.chart(sourced(fig, short), key, alt, name=file_name(s, key, without))


def file_name(s: ldp.Setting, what: str, without: Sequence[str] = ()) -> str:
    return export.file_name(s, what.replace("_", "-"), without=["mechanism", *without])


def table(parts: Sequence[pd.DataFrame], s: ldp.Setting, what: str, without: Sequence[str] = ()) -> None:
    """Offer the parts as one table to take away, with the setting in each row."""
    differ = ("mechanism", "eps", "eps_inf", "calibration", "runs", "max_iter", "tol", "stop", "start", "channel")
    frame = export.with_setting(pd.concat(parts, ignore_index=True), s, (*differ, *without))
    widgets.download("Curves (CSV)", lambda: export.csv(frame), f"{file_name(s, what, without)}.csv")


def curve(of: Followed, memo: bool, **columns: Any) -> pd.DataFrame:
    """Return the part of a table that is one curve: which mechanism and which noise, and columns of its points."""
    s = of.setting
    first = {"mechanism": s.mechanism, "calibration": s.calibration, "eps": s.eps}
    return pd.DataFrame(first | {"eps_inf": np.nan if s.eps_inf is None else s.eps_inf, "memo": memo} | columns)
