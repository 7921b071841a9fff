"""Where auto loses: how often, on which data, and what is left of the worst when it is run again."""

from __future__ import annotations

import numpy as np

import ldpcore as ldp
from ldpcore import tournament
from ldpcore.arrays import BoolArray, FloatArray
from ldpcore.tournament import Cells, Match
from ldpui.computing import compute
from ldpui.format import factor
from pages.study import standings
from pages.study.findings import tournament_pictures as pictures
from pages.study.findings.finding import Finding

FIXED = ("mi", "norm-sub", "power-ns", "ibu", "limit")
# So many of the worst settings are run again, and so many of those that Estimate can show, of so many bins at most:
# some seconds in all.
_WORST, _SHOWN, _QUICK = 6, 4, 200
RERUN = _WORST + _SHOWN
_RUNS = 20
# From here on a loss is called one.
_LOSS = 1.5


def auto_loses() -> Finding:
    cells = standings.select(standings.ALL_BUT_UNIFORM, ordered=False)
    ratio = _over_best(cells, "auto")
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
        "auto-loses", "Where auto loses", f"{text} {_again(cells, ratio)} {shown}", pictures.auto_loses,
        "How often auto's error is how many times that of the best fixed estimator.", words, "which_estimator",
    )  # fmt: skip


def _over_best(cells: Cells, key: str) -> FloatArray:
    """Return the error of auto over that of the best fixed estimator, of each setting."""
    best = cells.errors[:, [cells.contestants.index(fixed) for fixed in FIXED]].min(axis=1)
    return np.asarray(cells.errors[:, cells.contestants.index(key)] / best)


def _on_shapes(cells: Cells, which: BoolArray) -> str:
    """Say how many of these settings have data that Estimate cannot show."""
    number = int(cells.settings["data"][which].isin(list(tournament.SHAPES)).sum())
    *some, last = (tournament.DATA[name] for name in tournament.SHAPES)
    return f" ({number} of them on {', '.join(some)} and {last} data)" if number else ""


def _repeats(cells: Cells, number: int) -> str:
    """Write auto's error over that of the best fixed estimator in each repeat of a setting."""
    here = cells.cell == number
    errors = (1 + cells.spread[here]) * cells.errors[number]
    best = errors[:, [cells.contestants.index(key) for key in FIXED]].min(axis=1)
    return " and ".join(factor(x) for x in errors[:, cells.contestants.index("auto")] / best)


def _again(cells: Cells, ratio: FloatArray) -> str:
    """Run the worst settings of all again, with users and noise drawn anew; say what is left."""
    s = cells.settings
    ratio = np.where(s["k"] <= _QUICK, ratio, 0)
    left = {}
    for i in np.argsort(-ratio)[:_WORST].tolist():
        mechanism, eps, n, k, data = (s.iloc[i][name] for name in ("mechanism", "eps", "n", "k", "data"))
        match = Match(str(mechanism), float(eps), int(n), int(k), (str(data),))
        left[i] = compute.run(tournament.auto_again, match, str(data), FIXED, _RUNS)
    ranked = sorted(left, key=lambda i: -left[i])
    lasting = [f"{factor(left[i])} times with {standings.setting_words(cells, i)}" for i in ranked if left[i] > _LOSS]
    text = (
        f"Two repeats leave much to chance, and these were picked for the worst. {_RUNS} fresh runs of each of the "
        f"{_WORST} worst settings of up to {_QUICK} bins give {factor(left[ranked[-1]])} to {factor(left[ranked[0]])} "
        "times that best"
    )
    return f"{text}; what lasts: {'; '.join(lasting)}." if lasting else f"{text}."


def _in_estimate() -> tuple[str, dict[str, str]]:
    """Run the worst settings that Estimate can show as Estimate does; say what is left, and how to open the worst."""
    cells = standings.select(standings.ALL_BUT_UNIFORM)
    s = cells.settings
    possible = standings.in_estimate(s) & (s["k"] <= _QUICK).to_numpy()
    ratio = np.where(possible, _over_best(cells, "auto-ordered"), 0)
    worst = {i: _as_estimate(standings.setting_of(s.iloc[i])) for i in np.argsort(-ratio)[:_SHOWN].tolist()}
    at = max(worst, key=lambda i: worst[i])
    text = (
        f"Of the {_SHOWN} worst that Estimate can show, where auto is told of the order, "
        f"{standings.setting_of(s.iloc[at]).runs} runs leave at most {factor(worst[at])} times "
        f"({standings.setting_words(cells, at)})."
    )
    return text, standings.words_of(s.iloc[at]) if worst[at] > 1.05 else {}


def _as_estimate(setting: ldp.Setting) -> float:
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
