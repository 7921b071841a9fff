"""Figures are drawn once and written once."""

import json

import plotly.graph_objects as go
import plotly.io

from ldpui.charts import finished


def test_a_finished_figure_is_written_once_and_the_same(monkeypatch):
    drawn = go.Figure(go.Scatter(x=[1.0, 2.0], y=[0.1, float("nan")]), go.Layout(title="<b>x</b>"))
    text = plotly.io.to_json(drawn, validate=False)
    figure = finished.Finished(text)
    assert json.loads(plotly.io.to_json(figure.to_dict(), validate=False)) == json.loads(text)
    monkeypatch.setattr(plotly.io, "to_json", plotly.io.to_json)
    finished.write_once()
    assert plotly.io.to_json(figure.to_dict(), validate=False) is text
    assert plotly.io.to_json(drawn, validate=False) == text
    assert "Plotly.newPlot" in figure.to_html(include_plotlyjs=False)


def test_only_short_figures_of_nobody_s_own_data_are_kept_as_dicts():
    finished._read.cache_clear()
    short, long = '{"data": [], "layout": {}}', '{"data": [], "layout": {"title": "%s"}}' % ("x" * finished._LONGEST)
    for text, own, kept in ((short, True, 0), (long, False, 0), (short, False, 1), (short, False, 1)):
        assert finished.Finished(text, own).to_dict() == json.loads(text)
        assert finished._read.cache_info().currsize == kept
    assert finished._read.cache_info().hits == 1


def test_a_figure_is_drawn_once_for_each_of_its_arguments_and_for_an_audience(monkeypatch):
    drawn, audience = [], []

    @finished.by_words(8)
    def figure(number: int, dark: bool) -> go.Figure:
        drawn.append((number, dark))
        return go.Figure([{"type": "bar", "y": [number]}], {"font": {"size": 10}, "title": {"text": str(dark)}})

    monkeypatch.setattr(finished.links, "value", lambda key: bool(audience))
    for _ in range(2):
        for number, dark in ((1, False), (2, False), (1, True)):
            shown = figure(number, dark).to_dict()
            assert (shown["data"][0]["y"], shown["layout"]["title"]["text"]) == ([number], str(dark))
            assert shown["layout"]["font"]["size"] == 10
    assert drawn == [(1, False), (2, False), (1, True)]
    audience.append("here")
    assert figure(1, dark=False).to_dict()["layout"]["font"]["size"] == 13.5
    assert len(drawn) == 4
