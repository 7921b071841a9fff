"""What a reader can take away: tables, JSON, figures, and a script that gives the very numbers on screen."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

import ldpcore as ldp
from ldpui.charts import band

ESTIMATORS = ("mi", "ibu", "limit")


def csv(frame: pd.DataFrame) -> bytes:
    """Write a frame as CSV, with the mark that makes spreadsheets read it as UTF-8."""
    return frame.to_csv(index=False).encode("utf-8-sig")


def estimates(result: ldp.Result) -> pd.DataFrame:
    """Return a row for each bin: its edges, the truth, and each estimator's mean and band over the runs."""
    columns: dict[str, Any] = {
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


def script(setting: ldp.Setting) -> str:
    """Write a program that reproduces a setting's numbers."""
    fields = setting.as_dict()
    lines = ",\n    ".join(f"{name}={value!r}" for name, value in fields.items())
    return f'''"""Made by LDP Explorer {ldp.__version__}; prints the numbers that were on screen."""

import json

import ldpcore as ldp

setting = ldp.Setting(
    {lines},
)
result = ldp.run(setting)
print(json.dumps(result.summary(), indent=1))

# result.true, result.mi, result.ibu, result.limit hold the histograms: (k,) and (runs, k).
'''
