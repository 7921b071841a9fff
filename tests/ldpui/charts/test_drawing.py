"""Drawings go to the browser without Plotly's checks, and are what Plotly would send."""

import json

import numpy as np
import pytest
from small_results import series, small_result

from ldpui import theme
from ldpui.bins import bins_of
from ldpui.charts import finished
from ldpui.charts.common import sourced
from pages.explore.estimate import charts


@pytest.fixture(scope="module")
def result():
    return small_result()


@pytest.mark.parametrize("log", [False, True])
def test_a_drawing_is_sent_as_plotly_would_send_it(result, log):
    """Nothing of it is of a kind that Plotly would refuse or change, and lines and sizes are added in the same way."""
    drawing = charts.estimate(result, series(result), bins_of(result), log=log, dark=True)
    checked = sourced(drawing.figure(), ["a", "b"])
    for sent, expected in (
        (drawing.sourced(["a", "b"]), checked),
        (drawing.sourced(["a", "b"]).enlarged(), theme.enlarged(checked)),
    ):
        parts = json.loads(finished.as_text(sent))
        assert parts == json.loads(json.dumps(plain_parts(expected)))


def plain_parts(figure):
    """Return a figure as plain lists; Plotly adds a template of its own, which nothing here hangs on."""
    layout = {key: part for key, part in figure.layout.to_plotly_json().items() if key != "template"}
    return {"data": plain([trace.to_plotly_json() for trace in figure.data]), "layout": plain(layout)}


def plain(part):
    if isinstance(part, dict):
        return {key: plain(inner) for key, inner in part.items()}
    if isinstance(part, list | tuple):
        return [plain(inner) for inner in part]
    return part.tolist() if isinstance(part, np.ndarray) else part
