"""What a reader can take away: tables, JSON, figures, and a script that gives the very numbers on screen."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

import ldpcore as ldp
from ldpui.charts.common import band

ESTIMATORS = ("mi", "ibu", "limit")
# How a formula begins, perhaps after spaces or quotes, and in the wide characters that some spreadsheets take as well.
_FORMULA = re.compile(r"""[\t\n]|[\s"']*[=+\-@＝＋－＠]""")


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
    return f"'{text}" if _FORMULA.match(text) else text


def estimates(result: ldp.Result) -> pd.DataFrame:
    """Return a row for each bin: its edges, the truth, and each estimator's mean and band over the runs."""
    columns: dict[str, Any] = {"label": result.labels} if result.labels else {}
    columns |= {
        "bin_from": result.edges[:-1],
        "bin_to": result.edges[1:],
        "users": result.histogram,
        "true": result.true,
    }
    for name in ESTIMATORS:
        mean, low, high = band(result.estimate(name))
        columns |= {f"{name}_mean": mean, f"{name}_q05": low, f"{name}_q95": high}
    return pd.DataFrame(columns)


def as_json(result: ldp.Result) -> str:
    """Write setting and results as JSON; what is not a number in JSON becomes null."""
    frame = estimates(result)
    content = {
        "made_by": f"LDP Explorer {ldp.__version__}",
        "setting": result.setting.as_dict(),
        "summary": {name: _plain(value) for name, value in result.summary().items()},
        "bins": {name: [_plain(v) for v in frame[name].tolist()] for name in frame},
    }
    return json.dumps(content, indent=1)


def _plain(value: float) -> float | None:
    return value if np.isfinite(value) else None


def html(figure: go.Figure) -> str:
    """Write a figure as a page that needs nothing else, not even a network."""
    return str(figure.to_html(include_plotlyjs=True, full_html=True))


def script(result: ldp.Result) -> str:
    """Write a program that reproduces a result's numbers; data of one's own goes with it, as a histogram."""
    fields = result.setting.as_dict()
    given, data = "", ""
    if result.setting.data == ldp.OWN_DATA:
        given = (
            f"data = ldp.Histogram(\n    np.array({result.histogram.tolist()}),\n"
            f"    np.array({result.edges.tolist()}),\n    {result.labels!r},\n)\n"
        )
        data = ", data"
    numpy = "import numpy as np\n\n" if given else ""
    lines = ",\n    ".join(f"{name}={value!r}" for name, value in fields.items())
    return f'''"""Made by LDP Explorer {ldp.__version__}; prints the numbers that were on screen."""

import json

{numpy}import ldpcore as ldp

setting = ldp.Setting(
    {lines},
)
{given}result = ldp.run(setting{data})
print(json.dumps(result.summary(), indent=1))

# result.true, result.mi, result.ibu, result.limit hold the histograms: (k,) and (runs, k).
'''
