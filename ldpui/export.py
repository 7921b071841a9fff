"""What a reader can take away: tables, JSON and figures, each with the setting that it belongs to."""

from __future__ import annotations

import re
from collections.abc import Collection
from html import escape
from typing import Any

import pandas as pd
from plotly.basedatatypes import BaseFigure

import ldpcore as ldp
from ldpui.address import vocabulary
from ldpui.charts.common import band
from ldpui.format import significant, times

# How a formula begins, perhaps after spaces or quotes, and in the wide characters that some spreadsheets take as well.
_FORMULA = re.compile(r"""[\t\n]|[\s"']*[=+\-@＝＋－＠]""")
# What a spreadsheet reads as the number that it is: names of categories may be below 0.
_NUMBER = re.compile(r"-[0-9]+(\.[0-9]+)?")


def csv(frame: pd.DataFrame) -> bytes:
    """Write a frame as CSV, with the mark that makes spreadsheets read it as UTF-8.

    Text that a spreadsheet would run as a formula gets an apostrophe in front; numbers stay numbers.
    """
    safe = frame.copy(deep=False)
    for i, kind in enumerate(frame.dtypes):
        if not (pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_datetime64_any_dtype(kind)):
            safe.isetitem(i, [_harmless(cell) for cell in frame.iloc[:, i]])
    safe.columns = pd.Index([_harmless(name) for name in frame.columns])
    return safe.to_csv(index=False).encode("utf-8-sig")


def _harmless(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    # pandas does not quote a lone carriage return, and what follows it would begin a row of its own.
    text = cell.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def estimates(result: ldp.Result) -> pd.DataFrame:
    """Return a row for each bin: its edges, the truth, and each estimator's mean and band over the runs.

    Categories have no order, and so no columns of estimators that use it.
    """
    columns: dict[str, Any] = {"label": result.labels} if result.labels else {}
    columns |= {
        "bin_from": result.edges[:-1],
        "bin_to": result.edges[1:],
        "users": result.histogram,
        "true": result.true,
    }
    for name in vocabulary.HISTOGRAMS:
        if ldp.estimator(name).ordered and not result.ordered:
            continue
        over_runs = band(result.estimate(name))
        columns |= {f"{name}_mean": over_runs.mean, f"{name}_q05": over_runs.low, f"{name}_q95": over_runs.high}
    return pd.DataFrame(columns)


def html(figure: BaseFigure, title: str = "LDP Explorer") -> str:
    """Write a figure as a page that needs nothing else, not even a network."""
    page = str(figure.to_html(include_plotlyjs=True, full_html=True))
    return page.replace("<head>", f"<head><title>{escape(title)}</title>", 1)


# ---- the setting, in words, in names of files and in tables -------------------------


def described(setting: ldp.Setting, mechanisms: str | None = None, without: Collection[str] = ()) -> tuple[str, str]:
    """Write a setting in two lines: what was asked, and how it was computed.

    `mechanisms` stands in place of the setting's own; `without` are fields ("eps", "n", "k") that a chart goes along.

    >>> setting_line, how = described(ldp.Setting(data="poisson", mechanism="OUE", runs=1))
    >>> setting_line, how.partition(" · ")[0]
    ('OUE on Poisson, ε = 1, n = 20,000, k = 100', '1 run, seed 0, ≤ 10,000 iterations (0.73 T)')
    >>> described(ldp.Setting(data="poisson"), "GRR, SS", without=["eps"])[0]
    'GRR, SS on Poisson, n = 20,000, k = 100'
    """
    data = "own data" if setting.data == ldp.OWN_DATA else ldp.distribution(setting.data).label
    privacy = f"ε = {setting.eps:g}" if setting.eps_inf is None else f"ε₁ = {setting.eps:g}, ε∞ = {setting.eps_inf:g}"
    how = f"{times(setting.runs, 'run')}, seed {setting.seed}, ≤ {times(setting.max_iter, 'iteration')}"
    if mechanisms is None and not without and setting.start == "uniform":
        # In units of IBU's own time, as wherever iterations are named.
        how += f" ({significant(setting.max_iter / setting.make_mechanism().ibu_time_of(setting.channel), 2)} T)"
    parts = {"eps": privacy, "n": f"n = {setting.n:,}", "k": f"k = {setting.k:,}"}
    setting_parts = [
        f"{mechanisms or setting.mechanism} on {data}",
        *(part for key, part in parts.items() if key not in without),
    ]
    return ", ".join(setting_parts), f"{how} · LDP Explorer {ldp.__version__}"


def file_name(setting: ldp.Setting, what: str = "", without: Collection[str] = ()) -> str:
    """Return a name for files on a setting, without an ending.

    `what` says what is in the file; `without` are fields ("mechanism", "eps", "n", "k") that differ within it.

    >>> file_name(ldp.Setting(data="poisson", mechanism="L-SUE", eps=0.5, n=5_000, seed=3))
    'ldp-poisson-L-SUE-eps0.5-inf1-n5000-k100-seed3'
    >>> file_name(ldp.Setting(data="poisson", mechanism="SS"), "compare", without=["mechanism"])
    'ldp-compare-poisson-eps1-n20000-k100'
    """
    inf = "" if setting.eps_inf is None else f"-inf{setting.eps_inf:g}"
    parts = {
        "what": what,
        "data": setting.data,
        "mechanism": setting.mechanism,
        "eps": f"eps{setting.eps:g}{inf}",
        "n": f"n{setting.n}",
        "k": f"k{setting.k}",
        "seed": f"seed{setting.seed}" if setting.seed else "",
    }
    return "-".join(["ldp", *(part for key, part in parts.items() if part and key not in without)])


def with_setting(frame: pd.DataFrame, setting: ldp.Setting, without: Collection[str] = ()) -> pd.DataFrame:
    """Return a table with the setting in every row, as sweeps have it; `without` are fields that differ by row.

    In columns, not in lines above the table: every reader of CSV takes columns, and few skip lines.
    """
    fields = setting.as_dict()
    fields["params"] = "; ".join(f"{name}={value!r}" for name, value in setting.params)
    fields["made_by"] = f"LDP Explorer {ldp.__version__}"
    return frame.assign(**{name: v for name, v in fields.items() if name not in without and name not in frame})
