"""Below the chart: the figures of the setting, and the errors as a table."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

import ldpcore as ldp
from ldpcore.metrics import RECORDS
from ldpui import cache, clock, glossary, theme
from ldpui.computing import work
from ldpui.format import budget, significant, times
from ldpui.own import Upload
from pages.explore.estimate.digits import one_exponent, with_error

_ROWS = {look.name: key for look, key in ((theme.MI, "mi"), (theme.IBU, "ibu"), (theme.LIMIT, "limit"))}


@dataclass(frozen=True)
class Figures:
    """The figures of a setting in words: label, number and explanation of each; and the errors, as a table."""

    tiles: tuple[tuple[str, str, str], ...]
    errors: str


@cache.by_setting(400, 20)
def figures_of(s: ldp.Setting, data: Upload | None) -> Figures:
    """Return the figures of a setting."""
    result = cache.run(s, data)
    done, steps = int(result.converged.sum()), result.iterations.mean()
    way = clock.words(result.mechanism, round(steps), s.start, s.channel)
    tiles = (
        ("Gain Γ (MSE)", _gain(result.gain("mse")), glossary.GAMMA + "\n\n" + glossary.MSE),
        ("Gain Γ (MAE)", _gain(result.gain("mae")), glossary.GAMMA + "\n\n" + glossary.MAE),
        ("IBU iterations", f"{steps:,.0f}", "\n\n".join((glossary.ITERATIONS, way, glossary.CLOCK))),
        ("Runs converged", f"{done} of {s.runs}", glossary.CONVERGED),
        ("Effective ε", budget(result.mechanism.effective_eps), glossary.EFFECTIVE),
        ("Bits per report", significant(result.mechanism.report_bits), glossary.BITS),
    )
    return Figures(tiles, _table_of_errors(result))


def draw(s: ldp.Setting, data: Upload | None) -> None:
    """Draw the figures one by one, and the errors as a table."""
    figures = figures_of(s, data)
    with st.container(horizontal=True, key="figures"):
        for label, shown, what in figures.tiles:
            st.metric(label, shown, help=what, border=True, width="content")
    st.caption(how_counted(s.runs))
    st.markdown(figures.errors, width=480)


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


def _error(result: ldp.Result, key: str, metric: str) -> ldp.Summary:
    """Return an error, and 0 for what rounding numbers leaves."""
    return ldp.Summary(work.but_for_rounding(RECORDS[metric], result.error(key, metric).values))


def _table_of_errors(result: ldp.Result) -> str:
    """Write MSE and MAE of the estimators as a table; as a frame it would take longer to send than to compute."""
    columns = [
        one_exponent(metric.upper(), [_error(result, key, metric) for key in _ROWS.values()])
        for metric in ("mse", "mae")
    ]
    # The page says above the table what the numbers after ± are.
    rows = [
        (f"Mean over {times(result.setting.runs, 'run')}", *(title for title, _ in columns)),
        ("---",) * (1 + len(columns)),
    ]
    rows += [(name, *cells) for name, *cells in zip(_ROWS, *(cells for _, cells in columns), strict=True)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
