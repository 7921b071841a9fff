"""The rounds of a room as a table."""

from __future__ import annotations

import pandas as pd

from ldpui import export
from pages.study.live_class import numbers
from pages.study.live_class.rooms import RoomView
from pages.study.live_class.store import rooms


def frame(room: RoomView) -> pd.DataFrame:
    """Return one row for each round, with IBU and the 95 % interval of each answer in words."""
    rows = []
    for view in room.rounds:
        estimates = numbers.estimates(view)
        row: dict[str, object] = {"round": view.number, "mechanism": view.mechanism, "ε": view.eps, "reports": view.n}
        for value, answer in enumerate(room.question.answers):
            # In quotes, so that an answer may be called like a column.
            row[f"“{answer}”"] = "–"
            if estimates is not None:
                low, high = estimates.interval[:, value]
                row[f"“{answer}”"] = f"{100 * estimates.ibu[value]:.0f}% ({100 * low:.0f}–{100 * high:.0f}%)"
        rows.append(row)
    return pd.DataFrame(rows)


def csv(code: str, key: str | None) -> bytes:
    """Return counts and estimates of all rounds, one row for each round and answer, as they are at this moment."""
    room = rooms().watch(code, key)
    rows = []
    for view in room.rounds if room else ():
        estimates = numbers.estimates(view)
        for value, answer in enumerate(room.question.answers if room else ()):
            row: dict[str, object] = {"round": view.number, "mechanism": view.mechanism, "eps": view.eps}
            row |= {"reports": view.n, "simulated": view.simulated, "answer": answer, "count": view.counts[value]}
            if estimates is not None:
                low, high = estimates.interval[:, value]
                row |= {"mi": estimates.mi[value], "ibu": estimates.ibu[value], "low": low, "high": high}
            rows.append(row)
    return export.csv(pd.DataFrame(rows))
