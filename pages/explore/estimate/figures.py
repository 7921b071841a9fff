"""Below the chart: the figures of the setting, and the errors as a table."""

from __future__ import annotations

import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpui import glossary, theme
from ldpui.format import one_exponent, significant, times, with_error


def tiles(result: ldp.Result) -> None:
    """Draw the figures one by one."""
    done = int(result.converged.sum())
    with st.container(horizontal=True, key="figures"):
        for label, shown, what in (
            ("Gain Γ (MSE)", _gain(result.gain("mse")), glossary.GAMMA + "\n\n" + glossary.MSE),
            ("Gain Γ (MAE)", _gain(result.gain("mae")), glossary.GAMMA + "\n\n" + glossary.MAE),
            ("IBU iterations", f"{result.iterations.mean():,.0f}", glossary.ITERATIONS),
            ("Runs converged", f"{done} of {result.setting.runs}", glossary.CONVERGED),
            ("Effective ε", significant(result.mechanism.effective_eps), glossary.EFFECTIVE),
            ("Bits per report", significant(result.mechanism.report_bits), glossary.BITS),
        ):
            st.metric(label, shown, help=what, border=True, width="content")
    st.caption(how_counted(result.setting.runs))


def _gain(gain: ldp.Summary) -> str:
    """Write a gain; what rounding numbers leaves is none."""
    return "0%" if max(gain.values) < 1e-4 else with_error(gain, "%")


def how_counted(runs: int) -> str:
    """Say why Γ is not the percentage of the verdict, and what ± is."""
    if runs == 1:
        return "Γ is the percentage of the verdict, as the paper counts it: a loss is 0."
    return (
        f"Γ is counted as in the paper: each run's own gain, a loss as 0, then the mean over the {runs} runs. The "
        "verdict compares the mean errors, losses included, so the two may differ. ±: standard error over the runs."
    )


def table_of_errors(result: ldp.Result) -> None:
    """Draw the table of MSE and MAE."""
    rows = {look.name: key for look, key in ((theme.MI, "mi"), (theme.IBU, "ibu"), (theme.LIMIT, "limit"))}
    table = {}
    for metric in ("mse", "mae"):
        title, cells = one_exponent(metric.upper(), [result.error(key, metric) for key in rows.values()])
        table[title] = cells
    st.table(pd.DataFrame(table, index=list(rows)), border="horizontal", width=480)
    runs = result.setting.runs
    st.caption(f"Errors: mean over {times(runs, 'run')}" + (" ± standard error." if runs > 1 else "."))
