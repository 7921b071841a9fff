"""Where auto loses: how often, on which data, and what was left of the worst when it was run again."""

from __future__ import annotations

from typing import Any

import numpy as np

from ldpcore import tournament
from ldpcore.arrays import BoolArray
from ldpcore.tournament import Cells
from ldpcore.tournament.losses import ANEW, BINS, ESTIMATE
from ldpui.format import factor
from pages.study import standings
from pages.study.findings import tournament_pictures as pictures
from pages.study.findings.finding import Finding

# An error of auto is called a loss from this ratio to the best on.
_LOSS = 1.5


def auto_loses() -> Finding:
    cells = standings.select(standings.ALL_BUT_UNIFORM, ordered=False)
    ratio = tournament.over_best(cells, "auto")
    behind = ratio > _LOSS
    at = int(np.argmax(ratio))
    eps = cells.settings["eps"].to_numpy()
    paper = standings.paper()
    rows = paper[(paper["metric"] == "mse") & (paper["estimator"] == "auto")].to_dict("records")
    worst = max(rows, key=lambda row: row["worst"])
    low, high = (float(np.mean(behind[keep])) for keep in (eps <= 0.5, eps >= 4))
    text = (
        "auto is not the best of its candidates, only a guess at it. Outside Uniform data its error is more than "
        f"{_LOSS} times that of the best of MI, Norm-Sub, PowerNS, IBU and its limit in {100 * behind.mean():.1f}% of "
        f"the settings ({100 * low:.1f}% at ε ≤ 0.5, {100 * high:.1f}% at ε ≥ 4), more than 3 times in "
        f"{int((ratio > 3).sum())} of {len(ratio):,}{_on_shapes(cells, ratio > 3)}, and at most {factor(ratio.max())} "
        f"times ({standings.setting_words(cells, at)}; its repeats: {_repeats(cells, at)}). It is below that best in "
        f"{100 * (ratio < 1).mean():.0f}%. {_behind_power(cells)} "
        f"On the paper's grid it has up to {factor(worst['worst'])} times MI's error, at k = {worst['worst_k']:.0f}. "
        "It loses in two ways: where a signal is just too weak to be told from the noise it stays with the steadiest, "
        "which is near flat; and once in a while it takes noise for a signal."
    )
    shown, words = _in_estimate()
    return Finding(
        "auto-loses", "Where auto loses", f"{text} {_anew()} {shown}", pictures.auto_loses,
        "How often auto's error is how many times that of the best fixed estimator.", words, "which_estimator",
    )  # fmt: skip


def _on_shapes(cells: Cells, which: BoolArray) -> str:
    """Say how many of these settings have data that Estimate cannot show."""
    number = int(cells.settings["data"][which].isin(list(tournament.SHAPES)).sum())
    *some, last = (tournament.DATA[name] for name in tournament.SHAPES)
    return f" ({number} of them on {', '.join(some)} and {last} data)" if number else ""


def _repeats(cells: Cells, number: int) -> str:
    """Write auto's error over that of the best fixed estimator in each repeat of a setting."""
    here = cells.cell == number
    errors = (1 + cells.spread[here]) * cells.errors[number]
    best = errors[:, [cells.contestants.index(key) for key in tournament.FIXED]].min(axis=1)
    return " and ".join(factor(x) for x in errors[:, cells.contestants.index("auto")] / best)


def _anew() -> str:
    """Say what is left of the worst settings of all, run again with users and noise drawn anew."""
    rows = _losses(ANEW)
    lasting = [f"{factor(row['ratio'])} times with {standings.row_words(row)}" for row in rows if row["ratio"] > _LOSS]
    text = (
        f"Two repeats leave much to chance, and these were picked for the worst. {rows[0]['runs']} fresh runs of each "
        f"of the {len(rows)} worst settings of up to {BINS} bins give {factor(rows[-1]['ratio'])} to "
        f"{factor(rows[0]['ratio'])} times that best"
    )
    return f"{text}; what lasts: {'; '.join(lasting)}." if lasting else f"{text}."


def _in_estimate() -> tuple[str, dict[str, str]]:
    """Say what is left of the worst settings that Estimate can show, and how to open the worst of them."""
    rows = _losses(ESTIMATE)
    worst = rows[0]
    text = (
        f"Of the {len(rows)} worst that Estimate can show, where auto is told of the order, {worst['runs']} runs leave "
        f"at most {factor(worst['ratio'])} times ({standings.row_words(worst)})."
    )
    return text, standings.words_of(worst) if worst["ratio"] > 1.05 else {}


def _losses(kind: str) -> list[dict[Any, Any]]:
    """Return the losses that were run again, the largest that is left first."""
    frame = tournament.load("losses")[0]
    return frame[frame["kind"] == kind].sort_values("ratio", ascending=False).to_dict("records")


def _behind_power(cells: Cells) -> str:
    """Say on which data, and with how many users, auto without the order is behind PowerNS beyond the noise."""
    parts = []
    for by in ("data", "n"):
        differences = standings.apart("auto", "power-ns", by, cells)
        worse = sorted(((d.excess, d.value) for d in differences if d.excess > 2 * d.se), reverse=True)
        names = [tournament.DATA[value] if by == "data" else f"n = {value:,}" for _, value in worse]
        parts += [f"{name} {100 * away:.1f}%" for name, (away, _) in zip(names, worse, strict=True)]
    if not parts:
        return "Beside PowerNS alone it is behind on no data set and at no number of users."
    return f"Beside PowerNS alone, it is behind on: {', '.join(parts)}."
