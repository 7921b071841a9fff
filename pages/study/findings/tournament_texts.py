"""What the tournament found. Every number is computed from the shipped results, none is written down here."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpcore import tournament
from pages.study import standings
from pages.study.findings import question_texts
from pages.study.findings import tournament_pictures as pictures
from pages.study.findings.finding import Finding, two

FIXED = ("mi", "norm-sub", "power-ns", "ibu", "limit")


@st.cache_resource(show_spinner="Reading the shipped results…")
def findings() -> list[Finding]:
    """Return the findings on estimators, the paper's grid first."""
    return [_baseline(), _no_winner(), _auto_loses(), *question_texts.findings()]


def _baseline() -> Finding:
    rows = {
        (row["table"], row["estimator"]): row for row in standings.paper().to_dict("records") if row["metric"] == "mse"
    }
    parts = []
    for table in (1, 2):
        ibu, sub, power = (rows[table, key] for key in ("ibu", "norm-sub", "power-ns"))
        parts.append(
            f"Table {table}: Γ of IBU {ibu['gain']:.1f}%, of Norm-Sub {sub['gain']:.1f}%, of PowerNS "
            f"{power['gain']:.1f}%; with losses counted IBU's mean error is {ibu['reduction']:.1f}% below MI's, and "
            f"above it in {100 * ibu['worse']:.0f}% of the settings"
        )
    text = (
        "The paper measures IBU from MI that is clipped and rescaled, and counts a run in which IBU loses as 0. Both "
        f"flatter it. On the paper's own grid, with the exact channel: {'; '.join(parts)}. Norm-Sub and PowerNS are "
        "closed forms on the same counts."
    )
    words = {"data": "Gaussian", "mechanism": "OUE", "eps": "1", "k": "200", "closer": "All estimators"}
    return Finding(
        "baseline", "Another baseline, and most of the gain is gone", text, pictures.baseline,
        "Gain over MI of IBU, Norm-Sub and PowerNS on the paper's grid, with losses clipped and counted.", words,
        "which_estimator",
    )  # fmt: skip


def _no_winner() -> Finding:
    cells = standings.select(standings.ALL_BUT_UNIFORM, ordered=False)
    by_key = {s.key: s for s in cells.standings()}
    stays = ", ".join(
        f"{tournament.NAMES[key]} {two(by_key[key].cost)} (at worst {two(by_key[key].worst)})" for key in FIXED
    )
    auto = by_key["auto"]
    text = (
        f"On {len(cells.settings):,} settings without Uniform data, no estimator is best everywhere. Staying with one "
        f"of them costs, as a geometric mean over the best of each setting in hindsight: {stays}. auto, which chooses "
        f"from the counts alone and is not told of any order, costs {two(auto.cost)}, and at worst "
        f"{two(auto.worst)} times. Its squared error is {two(auto.score)} of MI's (± {100 * auto.se:.1f}%)."
    )
    words = {"data": "Poisson", "mechanism": "GRR", "eps": "1", "k": "100", "slow": "true", "closer": "All estimators"}
    return Finding(
        "choice", "No estimator wins everywhere", text, pictures.no_winner,
        "What staying with one estimator costs over the best in hindsight, on the whole and at worst.", words,
        "which_estimator",
    )  # fmt: skip


def _auto_loses() -> Finding:
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
        f"settings ({100 * low:.0f}% at ε ≤ 0.5, {100 * high:.0f}% at ε ≥ 4), and at most {two(float(ratio.max()))} "
        f"times ({standings.setting_words(cells, at)}). It is below that best in {100 * (ratio < 1).mean():.0f}%. "
        f"On the paper's grid it has up to {two(worst['worst'])} times MI's error, at k = {worst['worst_k']:.0f}. It "
        "loses where a signal is just too weak to be told from the noise: unless another estimator is ahead beyond "
        "doubt, auto stays with the steadiest, which is near flat."
    )
    s = cells.settings.iloc[at]
    opens = s["data"] not in tournament.SHAPES and s["k"] <= 1_000
    return Finding(
        "auto-loses", "Where auto loses", text, pictures.auto_loses,
        "How often auto's error is how many times that of the best fixed estimator.",
        _words(cells.settings.iloc[at]) if opens else {},
        "which_estimator",
    )  # fmt: skip


def _words(row: Any) -> dict[str, str]:
    """Return the words of a link to a setting of the tournament."""
    longitudinal = ldp.mechanism_class(row["mechanism"]).longitudinal
    words = {"data": tournament.DATA[row["data"]], "eps": f"{row['eps']:g}", "n": str(row["n"]), "k": str(row["k"])}
    words |= {"closer": "All estimators", "slow": "true"}
    if longitudinal:
        return words | {"reports": "repeatedly", "chain": row["mechanism"], "eps_inf": f"{2 * row['eps']:g}"}
    return words | {"mechanism": row["mechanism"]}
