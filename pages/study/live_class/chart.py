"""What the chart on the wall shows: for each answer MI and IBU, and the interval that the truth of the room lies in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ldpui import theme
from ldpui.format import percent
from pages.study.live_class.numbers import Estimates
from pages.study.live_class.rooms import RoundView

_LOOKS = {"truth": theme.TRUTH, "interval": theme.RAW, "mi": theme.MI, "ibu": theme.IBU}
_NAMES = {"truth": "Truth (simulated students)", "interval": "95% interval", "mi": theme.MI.name, "ibu": theme.IBU.name}


def data(view: RoundView, answers: Sequence[str], estimates: Estimates | None, dark: bool) -> dict[str, Any]:
    """Return what the chart is told, shares in percent; what is not known is None."""
    rows = []
    for value, answer in enumerate(answers):
        row: dict[str, Any] = dict.fromkeys(("truth", "low", "high", "mi", "ibu"), None)
        if estimates is not None:
            low, high = estimates.interval[:, value]
            shares = {"low": low, "high": high, "mi": estimates.mi[value], "ibu": estimates.ibu[value]}
            # The truth is known of simulated students only: shown where there are no others.
            shares |= {"truth": view.truth[value] / view.n} if view.simulated == view.n else {}
            row |= {name: round(100 * float(share), 2) for name, share in shares.items()}
        words = "" if estimates is None else f"{100 * estimates.ibu[value]:.0f}%"
        rows.append(row | {"name": answer, "words": words})
    colors = {name: look.color(dark) for name, look in _LOOKS.items()}
    return {"rows": rows, "names": _NAMES, "colors": colors, "alt": alt(view, answers, estimates)}


def alt(view: RoundView, answers: Sequence[str], estimates: Estimates | None) -> str:
    """Describe the chart for readers who can't see it."""
    if estimates is None:
        return "An empty chart of the answers: no report has arrived yet."
    shares = ", ".join(
        f"{answer} {percent(float(share))}" for answer, share in zip(answers, estimates.ibu, strict=True)
    )
    return f"Estimates from {view.n:,} reports with 95% intervals. IBU: {shares}."
