"""Where auto loses: how often, on which data, and what is left of the worst when it is run again."""

from __future__ import annotations

import numpy as np

import ldpcore as ldp
from ldpcore import tournament
from ldpcore.tournament import Cells
from ldpui.computing import compute
from pages.study import standings
from pages.study.findings import tournament_pictures as pictures
from pages.study.findings.finding import Finding, two

FIXED = ("mi", "norm-sub", "power-ns", "ibu", "limit")
# So many of the worst settings are run again, of so many bins at most: a few seconds in all.
WORST, _QUICK = 8, 200


def auto_loses() -> Finding:
    cells = standings.select(standings.ALL_BUT_UNIFORM, ordered=False)
    auto = cells.errors[:, cells.contestants.index("auto")]
    best = cells.errors[:, [cells.contestants.index(key) for key in FIXED]].min(axis=1)
    ratio = auto / best
    behind = ratio > 1.5
    at = int(np.argmax(ratio))
    eps = cells.settings["eps"].to_numpy()
    paper = standings.paper()
    rows = paper[(paper["metric"] == "mse") & (paper["estimator"] == "auto")].to_dict("records")
    worst = max(rows, key=lambda row: row["worst"])
    low, high = (float(np.mean(behind[keep])) for keep in (eps <= 0.5, eps >= 4))
    text = (
        "auto is not the best of its candidates, only a guess at it. Outside Uniform data its error is more than 1.5 "
        f"times that of the best of MI, Norm-Sub, PowerNS, IBU and its limit in {100 * behind.mean():.0f}% of the "
        f"settings ({100 * low:.0f}% at ε ≤ 0.5, {100 * high:.0f}% at ε ≥ 4), more than 3 times in "
        f"{int((ratio > 3).sum())} of {len(ratio):,}, and at most {two(float(ratio.max()))} "
        f"times ({standings.setting_words(cells, at)}; its repeats: {_repeats(cells, at)}). It is below that best in "
        f"{100 * (ratio < 1).mean():.0f}%. {_behind_power(cells)} "
        f"On the paper's grid it has up to {two(worst['worst'])} times MI's error, at k = {worst['worst_k']:.0f}. It "
        "loses in two ways: where a signal is just too weak to be told from the noise it stays with the steadiest, "
        "which is near flat; and once in a while it takes noise for a signal."
    )
    said, words = _again()
    return Finding(
        "auto-loses", "Where auto loses", f"{text} {said}", pictures.auto_loses,
        "How often auto's error is how many times that of the best fixed estimator.", words, "which_estimator",
    )  # fmt: skip


def _repeats(cells: Cells, number: int) -> str:
    """Write auto's error over that of the best fixed estimator in each repeat of a setting."""
    here = cells.cell == number
    errors = (1 + cells.spread[here]) * cells.errors[number]
    best = errors[:, [cells.contestants.index(key) for key in FIXED]].min(axis=1)
    return " and ".join(two(float(x)) for x in errors[:, cells.contestants.index("auto")] / best)


def _again() -> tuple[str, dict[str, str]]:
    """Run the worst settings that Estimate can show as Estimate does; say what is left, and how to open the worst."""
    cells = standings.select(standings.ALL_BUT_UNIFORM)
    s = cells.settings
    auto = cells.errors[:, cells.contestants.index("auto-ordered")]
    ratio = auto / cells.errors[:, [cells.contestants.index(key) for key in FIXED]].min(axis=1)
    ratio = np.where(standings.in_estimate(s) & (s["k"] <= _QUICK).to_numpy(), ratio, 0)
    again = {int(i): _over_best(standings.setting_of(s.iloc[i])) for i in np.argsort(-ratio)[:WORST].tolist()}
    at = max(again, key=lambda i: again[i])
    runs = standings.setting_of(s.iloc[at]).runs
    text = (
        f"Two repeats leave much to chance: of the {WORST} worst settings that Estimate can show, with up to {_QUICK} "
        f"bins, whose order auto is told, {runs} runs of each leave at most {two(again[at])} times "
        f"({standings.setting_words(cells, at)})."
    )
    return text, standings.words_of(s.iloc[at]) if again[at] > 1.05 else {}


def _over_best(setting: ldp.Setting) -> float:
    return compute.run(tournament.auto_over_best, setting, FIXED)


def _behind_power(cells: Cells) -> str:
    """Say on which data, and with how many users, auto without the order is behind PowerNS beyond the noise."""
    parts = []
    for by in ("data", "n"):
        found = standings.apart("auto", "power-ns", by, cells)
        worse = sorted(((away, value) for value, away, se in found if away > 2 * se), reverse=True)
        names = [tournament.DATA[value] if by == "data" else f"n = {value:,}" for _, value in worse]
        parts += [f"{name} {100 * away:.1f}%" for name, (away, _) in zip(names, worse, strict=True)]
    if not parts:
        return "Beside PowerNS alone it is behind on no data set and at no number of users."
    return f"Beside PowerNS alone, it is behind on: {', '.join(parts)}."
