"""A result to read: as text at the console, as a table in a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from ldpcore.estimators import estimator
from ldpcore.metrics import RECORDS

if TYPE_CHECKING:
    from ldpcore.experiment.result import Result

SHOWN = ("mi", "ibu", "limit")
_METRICS = ("mse", "mae")


def as_text(r: Result) -> str:
    """Return what `python -m ldpcore run` prints."""
    lines = [r.setting.title, f"p = {r.mechanism.p:.6g}, q = {r.mechanism.q:.6g}", ""]
    lines.append(f"{'':12}" + "".join(f"{RECORDS[metric].name:>12}{'± se':>10}" for metric in _METRICS))
    for key in SHOWN:
        errors = (r.error(key, metric) for metric in _METRICS)
        lines.append(f"{estimator(key).name:12}" + "".join(f"{error:12.3g}{error.se:10.1g}" for error in errors))
    for label, key in (("gain of IBU", "ibu"), ("of its limit", "limit")):
        gains = (r.gain(metric, estimator=key) for metric in _METRICS)
        lines.append(f"{label:12}" + "".join(f"{gain:10.1f} %{gain.se:10.1f}" for gain in gains))
    return "\n".join([*lines, "", _how_it_went(r)])


def as_html(r: Result) -> str:
    """Return the errors and gains as a table."""
    head = ["", *(RECORDS[metric].name for metric in _METRICS), *(f"gain in {RECORDS[m].name}" for m in _METRICS)]
    rows = "".join(_row("td", [estimator(key).name, *_cells(r, key)]) for key in SHOWN)
    return (
        f"<p><b>{escape(r.setting.title)}</b></p>"
        f"<table><thead>{_row('th', head)}</thead><tbody>{rows}</tbody></table>"
        f"<p>{escape(_how_it_went(r))}</p>"
    )


def _cells(r: Result, key: str) -> Iterator[str]:
    for metric in _METRICS:
        error = r.error(key, metric)
        yield f"{error:.3g} ± {error.se:.1g}"
    for metric in _METRICS:
        gain = r.gain(metric, estimator=key)
        yield "" if key == "mi" else f"{gain:.1f} ± {gain.se:.1f} %"


def _row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _how_it_went(r: Result) -> str:
    most = int(r.iterations.max())
    stops = f"{int(r.converged.sum())} of {r.setting.runs} runs converged"
    return f"IBU: {most:,} iterations at most{_way(r, most)}, {stops}."


def _way(r: Result, steps: int) -> str:
    """Say how far that is by IBU's clock, which is known near a uniform start."""
    clock = r.mechanism.ibu_time_of(r.setting.channel)
    if r.setting.start != "uniform" or not math.isfinite(clock):
        return ""
    share = r.mechanism.share_of_the_way(steps, r.setting.channel)
    way = f"{100 * share:.2g} %" if share < 0.995 else "nearly all"
    return f" (t/T = {steps / clock:.3g}: {way} of the way by its clock)"
