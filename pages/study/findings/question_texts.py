"""What the paper's open questions came to. Every number is computed from the shipped results."""

from __future__ import annotations

from typing import Any

import numpy as np

import ldpcore as ldp
from ldpcore import tournament
from ldpui.format import factor
from pages.study import standings
from pages.study.findings import tournament_pictures as pictures
from pages.study.findings.finding import Finding


def findings() -> list[Finding]:
    """Return the findings on the open questions."""
    return [_clock(), _order(), _several()]


def _clock() -> Finding:
    frame = standings.question("many bins")
    series = frame[(frame["part"] == "OUE acs-income") & (frame["series"] == "IBU")].set_index("x")["y"]
    way = frame[(frame["part"] == "OUE acs-income") & (frame["series"] == "way gone")].set_index("x")["y"]
    small, large = (ldp.mechanism("OUE", k=k, eps=1.0) for k in (200, 1_000))
    text = (
        "Near its uniform start, t steps of IBU go the share 1 − (1 − 1/T)^t of the way to its limit, with T = ((p + "
        "(k−1)q)/(p−q))², which grows like k². For OUE at ε = 1 the paper's 10,000 steps are by this clock "
        f"{100 * small.share_of_the_way(10_000):.0f}% of the way at k = 200 and "
        f"{100 * large.share_of_the_way(10_000):.1f}% at k = 1,000; far from uniform IBU moves otherwise (measured on "
        f"ACS income: {100 * float(way[200]):.0f}% and {100 * float(way[1_000]):.1f}%). On ACS income with "
        f"{tournament.MANY_BINS.n:,} users that IBU has {factor(series[200])} times MI's squared error at k = 200, "
        f"and {factor(series[1_000])} times at k = 1,000."
    )
    words = {"data": "ACS income", "mechanism": "OUE", "eps": "1", "n": "1M", "k": "200", "limit": "true"}
    return Finding(
        "clock", "IBU has a clock, and 10,000 steps are early for many bins", text, pictures.clock,
        "Squared error of IBU after 10,000 steps and of its limit, relative to MI's, against the number of bins.",
        words,
        "which_estimator",
    )  # fmt: skip


def _order() -> Finding:
    cells = standings.select(standings.ALL_BUT_UNIFORM, ordered=True)
    gained, se = cells.log_ratio("auto-ordered", "auto")
    mixed = standings.shuffled()
    lost, lost_se = mixed.log_ratio("auto-ordered-shuffled", "auto")
    wrong, blind = (mixed.errors[:, mixed.contestants.index(key)] for key in ("auto-ordered-shuffled", "auto"))
    harm = wrong / blind
    text = (
        "Where neighbouring bins are alike, smoothing over them is worth more than any choice that is blind to the "
        f"order: told of the order, auto has {factor(np.exp(gained))} of its squared error without (± "
        f"{100 * se:.1f}%, without Uniform data). Told of an order that is not there, bins shuffled, its error changes "
        f"by {100 * np.expm1(lost):+.1f}% on the whole (± {100 * lost_se:.1f}%, {len(harm):,} settings); in "
        f"{int((harm > 1.1).sum())} of them it is more than 1.1 times, at worst {factor(harm.max())} times "
        f"({standings.setting_words(mixed, int(harm.argmax()))}). "
        f"{_wave()}"
    )
    words = {
        "data": "Gaussian",
        "mechanism": "OUE",
        "eps": "0.5",
        "k": "100",
        "slow": "true",
        "closer": "All estimators",
    }
    return Finding(
        "order", "An order among the bins is worth using", text, pictures.order,
        "auto's error with the order of the bins, and with an order that is not there, relative to auto without.",
        words,
        "which_estimator",
    )  # fmt: skip


def _wave() -> str:
    """Say how Square Wave with EMS compares with OUE and auto, in squared error and in Wasserstein distance."""
    frame = standings.question("ordered")
    wide = frame.pivot_table(index=["part", "x"], columns="series", values="y")
    squared, moved = (wide[f"{m}: Square Wave, EMS"] / wide[f"{m}: OUE, auto"] for m in ("MSE", "Wasserstein"))
    ahead: dict[str, list[str]] = {}
    for data, eps in squared[squared < 1].index:
        ahead.setdefault(tournament.DATA[data], []).append(f"{eps:g}")
    where = "; ".join(f"{data} at ε = {', '.join(eps)}" for data, eps in ahead.items()) or "nowhere"
    at: Any = squared.idxmax()
    return (
        "Square Wave with EMS, made for ordered values, has less squared error than OUE with auto in "
        f"{int((squared < 1).sum())} of {len(squared)} settings ({where}), and at worst {factor(squared.max())} "
        f"times as much ({tournament.DATA[at[0]]} at ε = {at[1]:g}); its Wasserstein distance is less in "
        f"{int((moved < 1).sum())} of {len(moved)}."
    )


def _several() -> Finding:
    frame = standings.question("several")
    wide = frame.pivot_table(index=["part", "x"], columns="series", values="y")
    mean = np.exp(np.log(wide).mean())
    text = (
        "If users choose their own ε, one estimate of all comes from full-report IBU, with a likelihood ratio for "
        "each user. But most of what is to be won, a weight for each group by its precision wins: MI "
        f"{factor(mean['MI, weighted'])} and Norm-Sub {factor(mean['Norm-Sub, weighted'])} of the squared error of MI "
        f"that counts every user alike, against {factor(mean['full-report IBU'])} of full-report IBU (geometric means "
        f"over {len(wide)} settings with ε = 0.5 and 4). Estimate has one ε for all users; *Your reports* has an "
        "example in which they differ."
    )
    return Finding(
        "several", "Different ε: the weights win most of it", text, pictures.several,
        "Error of weighted MI, weighted Norm-Sub, full-report IBU and auto, where users have two ε.",
        page="which_estimator",
    )  # fmt: skip
