"""A click on a point or on a cell opens that very setting in Estimate."""

from dataclasses import replace

import pytest
from app_steps import ESTIMATE, PAPER, QUICK, assert_calm, open_page, session_of

import ldpcore as ldp
from ldpui import grids
from ldpui.address import opening
from ldpui.charts import maps
from pages.explore import compare
from pages.explore.tradeoff import clicks as tradeoff
from pages.study import results
from pages.study.paper import clicks as paper
from pages.study.paper import figures

BASE = ldp.Setting(data="gaussian", mechanism="OUE", eps=2.0, n=1000, k=10, runs=2, max_iter=30)
CHAIN = replace(BASE, mechanism="L-SUE", eps=1.0, eps_inf=2.0)


@pytest.fixture
def click(monkeypatch):
    """Click on a point; return the setting that is opened, and the switches."""
    opened = []
    monkeypatch.setattr(opening, "in_estimate", lambda s, **switches: opened.append((s, switches)))

    def do(callback, **point):
        monkeypatch.setattr(opening, "clicked", lambda key: point)
        callback()
        return opened.pop() if opened else None

    return do


@pytest.mark.parametrize(
    "setting",
    [
        BASE,
        replace(BASE, eps=0.25, n=12_345, k=37),
        replace(BASE, data="exponential", params=(("rate", 3.0),), seed=7),
        replace(CHAIN, eps=0.25, eps_inf=0.5),
        replace(CHAIN, mechanism="L-GRR", eps=0.75, eps_inf=3.0, channel="published", calibration="tight"),
        replace(BASE, data="acs-income", binning="paper", start="mi", n=100_000_000, k=100),
    ],
    ids=lambda s: s.title,
)
def test_the_controls_stand_where_the_setting_is(setting):
    at = open_page(ESTIMATE, QUICK | {"exponential_rate": 2.0, "seed": 3.0} | opening.words(setting))
    assert_calm(at)
    assert session_of(at).setting == setting


def test_a_point_of_compare_opens_its_mechanism(click):
    for base in (BASE, CHAIN):
        for name, eps_inf in (("SS", None), ("L-OLH", 2 * base.eps)):
            wanted = replace(base, mechanism=name, eps_inf=eps_inf)
            assert click(lambda base=base: compare._open_clicked(base, "compare_once"), x=name)[0] == wanted
    assert click(lambda: compare._open_clicked(BASE, "compare_once"), x="no mechanism") is None


@pytest.mark.parametrize(("against", "value"), [("eps", 0.7), ("n", 30_000), ("k", 3)])
def test_a_point_of_a_curve_opens_its_place(click, against, value):
    on_point = tradeoff.on_point(CHAIN, against)["on_select"]
    s, _ = click(on_point, x=float(value), customdata=["L-OSUE"])
    assert s in grids.along(CHAIN, against, ["L-OSUE"])[0]
    assert (s.mechanism, getattr(s, against)) == ("L-OSUE", value)
    # A line of theory is nobody's result.
    assert click(on_point, x=1.0) is None


def test_a_cell_of_a_map_opens_its_place(click):
    gains = grids.gain_cells([], BASE, "n")
    figure = maps.heat(gains.x, gains.y, [[1.0] * 8] * 6, [["1"] * 8] * 6, titles=("", "", ""), dark=False)
    points = maps.clickable(figure).data[1]
    on_cell = tradeoff.on_cell(BASE, "n", gains)["on_select"]
    for i in (0, 17, 47):
        s, _ = click(on_cell, customdata=list(points.customdata[i]))
        assert (points.x[i], points.y[i]) == (f"{s.eps:g}", f"{s.n:,}")
        assert s == replace(BASE, eps=s.eps, n=s.n)
    best = grids.Best([1.0, 2.0], [100], [["GRR", "SS"]], [["", ""]])
    s, _ = click(tradeoff.on_cell(BASE, "k", best)["on_select"], customdata=[0, 1])
    assert s == replace(BASE, mechanism="SS", k=100)


@pytest.mark.parametrize(
    ("table", "value", "mechanism", "channel"),
    [
        (1, "as published", "OUE", "exact"),
        (2, "published", "L-GRR", "published"),
        (2, "exact channel", "L-GRR", "exact"),
        (2, "at convergence", "L-OLH", "exact"),
    ],
)
def test_a_cell_of_the_paper_opens_one_of_its_settings(click, table, value, mechanism, channel):
    shown = results.grid(table, "mse", value)
    on_cell = paper.on_cell(table, value, shown)["on_select"]
    points = maps.clickable(figures.table_figure(shown, None, dark=False)).data[1]
    assert ("Poisson", mechanism) in set(zip(points.y, points.x, strict=True))
    s, switches = click(on_cell, x=mechanism, y="Poisson")
    assert s in ldp.paper.settings(table)
    assert (s.data, s.mechanism, s.channel, s.eps) == ("poisson", mechanism, channel, 2.0)
    assert switches == {"limit": value == "at convergence"}
    assert click(on_cell, x="Average", y="Poisson") is None
    assert click(on_cell, x=mechanism, y="Average") is None


@pytest.mark.parametrize(("table", "eps"), [(1, 4.0), (2, 1.0)])
def test_a_bar_of_the_paper_opens_what_it_shows(click, table, eps):
    mechanism = ldp.paper.TABLES[table].mechanisms[0]
    s, _ = click(paper.on_bar("paper_figure_1", table, "as published", eps)["on_select"], x=mechanism)
    assert s in ldp.paper.settings(table)
    assert (s.data, s.mechanism, s.n, s.k, s.eps) == ("acs-income", mechanism, 20_000, 100, eps)


def test_the_paper_says_what_a_click_opens():
    at = open_page(PAPER)
    told = " ".join(caption.value for caption in at.main.caption)
    assert "at ε = 2, n = 20,000 and k = 100" in told
    assert "**Click a bar**" in told
