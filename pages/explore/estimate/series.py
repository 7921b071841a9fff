"""The series that the chart of Estimate can show: how each looks, and what its switch says of it."""

from __future__ import annotations

from dataclasses import dataclass

from ldpui import glossary, theme
from ldpui.theme import Look


@dataclass(frozen=True)
class Series:
    """A series: how it looks, and its switch, if it has one; without one it is always drawn."""

    look: Look
    label: str = ""
    meaning: str = ""

    @property
    def switched(self) -> bool:
        return bool(self.label)


def _estimate(key: str, meaning: str) -> Series:
    look = theme.of_estimator(key)
    return Series(look, look.name, meaning)


# By the key of the estimator, which is also that of the switch and the word of a link; always in this order.
SERIES: dict[str, Series] = {
    "mi": Series(theme.MI),
    "ibu": Series(theme.IBU),
    "limit": _estimate("limit", glossary.LIMIT),
    "raw": _estimate("raw", glossary.RAW),
    "auto": _estimate("auto", glossary.AUTO),
    "full": _estimate("full", glossary.FULL),
    "observed": Series(theme.OBSERVED, "What the server saw", glossary.OBSERVED),
}
SWITCHED = {key: series for key, series in SERIES.items() if series.switched}
ALWAYS = tuple(key for key, series in SERIES.items() if not series.switched)
