"""What the paper's open questions came to. Every number is computed from the shipped results."""

from __future__ import annotations

import numpy as np

import ldpcore as ldp
from ldpcore import tournament
from pages.study import standings
from pages.study.findings import tournament_pictures as pictures
from pages.study.findings.finding import Finding, two


def findings() -> list[Finding]:
    """Return the findings on the open questions."""
    return [_clock(), _order(), _several()]


def _clock() -> Finding:
    frame = standings.question("many bins")
    series = frame[(frame["part"] == "OUE acs-income") & (frame["series"] == "IBU")].set_index("x")["y"]
    small, large = (ldp.mechanism("OUE", k=k, eps=1.0) for k in (200, 1_000))
    text = (
        "Near its uniform start, t steps of IBU go the share 1 − (1 − 1/T)^t of the way to its limit, with T = ((p + "
        "(k−1)q)/(p−q))², which grows like k². For OUE at ε = 1 the paper's 10 000 steps are "
        f"{100 * small.share_of_the_way(10_000):.0f}% of the way at k = 200 and "
        f"{100 * large.share_of_the_way(10_000):.1f}% at k = 1,000. On ACS income with {tournament.MANY_BINS.n:,} "
        f"users that IBU has {two(float(series[200]))} times MI's squared error at k = 200, and "
        f"{two(float(series[1_000]))} times at k = 1,000."
    )
    words = {"data": "ACS income", "mechanism": "OUE", "eps": "1", "n": "1M", "k": "200", "limit": "true"}
    return Finding(
        "clock", "IBU has a clock, and 10 000 steps are early for many bins", text, pictures.clock,
        "IBU's squared error relative to MI's against the number of bins, with its limit and auto.", words,
        "which_estimator",
    )  # fmt: skip


def _order() -> Finding:
    cells = standings.select(standings.ALL_BUT_UNIFORM, ordered=True)
    gained, se = cells.log_ratio("auto-ordered", "auto")
    mixed = standings.shuffled()
    lost, lost_se = mixed.log_ratio("auto-ordered-shuffled", "auto")
    text = (
        "Where neighbouring bins are alike, smoothing over them is worth more than any choice that is blind to the "
        f"order: told of the order, auto has {two(float(np.exp(gained)))} of its squared error without (± "
        f"{100 * se:.1f}%, without Uniform data). Told of an order that is not there, bins shuffled, its error changes "
        f"by {100 * np.expm1(lost):+.1f}% (± {100 * lost_se:.1f}%, {len(mixed.settings)} settings). Square Wave with "
        "EMS, made for ordered values, does better still on smooth data at ε ≥ 1, and far worse on data that are "
        "not smooth."
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


def _several() -> Finding:
    frame = standings.question("several")
    wide = frame.pivot_table(index=["part", "x"], columns="series", values="y")
    mean = np.exp(np.log(wide).mean())
    text = (
        "If users choose their own ε, one estimate of all comes from full-report IBU, with a likelihood ratio for "
        "each user. But most of what is to be won, a weight for each group by its precision wins: MI "
        f"{two(mean['MI, weighted'])} and Norm-Sub {two(mean['Norm-Sub, weighted'])} of the squared error of MI "
        f"that counts every user alike, against {two(mean['full-report IBU'])} of full-report IBU (geometric means "
        f"over {len(wide)} settings with ε = 0.5 and 4)."
    )
    return Finding(
        "several", "Different ε: the weights win most of it", text, pictures.several,
        "Error of weighted MI, weighted Norm-Sub, full-report IBU and auto, where users have two ε.",
        page="which_estimator",
    )  # fmt: skip
