"""What the tournament found. Every number is computed from the shipped results, none is written down here."""

from __future__ import annotations

import itertools
from typing import Any

import streamlit as st

from ldpcore import tournament
from ldpui.format import factor
from pages.study import standings
from pages.study.findings import auto_texts, question_texts
from pages.study.findings import tournament_pictures as pictures
from pages.study.findings.finding import Finding, percent

BASELINES = ("ibu", "norm-sub", "power-ns")
# By so many points a mechanism has to move a mean to be named for it.
DECIDES = 5.0


@st.cache_resource(show_spinner="Reading the shipped results…")
def findings() -> list[Finding]:
    """Return the findings on estimators, the paper's grid first."""
    return [_baseline(), _no_winner(), auto_texts.auto_loses(), *question_texts.findings()]


def _baseline() -> Finding:
    rows = {
        (row["table"], row["estimator"]): row for row in standings.paper().to_dict("records") if row["metric"] == "mse"
    }

    lines = ["| | losses as 0 | losses counted | geometric mean |", "|---" * 4 + "|"]
    for number, key in itertools.product((1, 2), BASELINES):
        cells = [percent(rows[number, key][column]) for column in ("gain", "reduction", "geometric")]
        lines.append(f"| {' | '.join([f'Table {number}, {tournament.NAMES[key]}', *cells])} |")
    table = "\n".join(lines)
    causes = [_cause(rows[number, key]) for number in (1, 2) for key in BASELINES]
    subs = [rows[number, "norm-sub"] for number in (1, 2)]
    against = " and ".join(
        f"{percent(row['ibu_gain'])} with losses as 0 and {percent(row['ibu_geometric'])} as a geometric mean in Table "
        f"{row['table']}"
        for row in subs
    )
    text = (
        "The paper measures IBU from MI that is clipped and rescaled, and counts a run in which IBU loses as 0. The "
        "second flatters everybody. Γ over MI on the paper's own grid, with the exact channel, losses as 0, losses "
        f"counted, and as a geometric mean of the ratios of errors:\n\n{table}\n\n"
        f"{' '.join(filter(None, causes))} Norm-Sub and PowerNS "
        f"take the same counts, and neither iterates. Measured from Norm-Sub in place of MI, IBU's Γ is {against}."
    )
    words = {"data": "Gaussian", "mechanism": "OUE", "eps": "1", "k": "200", "closer": "All estimators"}
    return Finding(
        "baseline", "Another baseline, and much of the gain is gone", text, pictures.baseline,
        "Gain over MI of IBU, Norm-Sub and PowerNS on the paper's grid, with losses as 0 and counted.", words,
        "which_estimator",
    )  # fmt: skip


def _cause(row: dict[Any, Any]) -> str:
    """Say which mechanism a mean of losses hangs on, where it hangs on one."""
    if row["without"] - row["reduction"] < DECIDES:
        return ""
    name = tournament.NAMES[row["estimator"]]
    return (
        f"In Table {row['table']} {name} has up to {factor(row['worst'])} times MI's error ({row['worst_mechanism']}, "
        f"k = {row['worst_k']}); without {row['cause']} its counted mean would be {percent(row['without'])}."
    )


def _no_winner() -> Finding:
    cells = standings.select(standings.ALL_BUT_UNIFORM, ordered=False)
    by_key = {s.key: s for s in cells.standings()}
    stays = ", ".join(
        f"{tournament.NAMES[key]} {factor(by_key[key].cost)} (at worst {factor(by_key[key].worst)})"
        for key in tournament.FIXED
    )
    auto = by_key["auto"]
    text = (
        f"On {len(cells.settings):,} settings without Uniform data, no estimator is best everywhere. Staying with one "
        f"of them costs, as a geometric mean over the best of each setting in hindsight: {stays}. auto, which chooses "
        f"from the counts alone and is not told of any order, costs {factor(auto.cost)}, and at worst "
        f"{factor(auto.worst)} times. Its squared error is {factor(auto.score)} of MI's (± {100 * auto.se:.1f}%)."
    )
    words = {"data": "Poisson", "mechanism": "GRR", "eps": "1", "k": "100", "slow": "true", "closer": "All estimators"}
    return Finding(
        "choice", "No estimator wins everywhere", text, pictures.no_winner,
        "What staying with one estimator costs over the best in hindsight, on the whole and at worst.", words,
        "which_estimator",
    )  # fmt: skip
