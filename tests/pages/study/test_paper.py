"""The paper: numbers on the page are those of the paper, of the results, and of a fresh run."""

import dataclasses
import re

import numpy as np
import pytest
from app_steps import PAPER, assert_calm, charts, names, numbers, open_page, sentences

import ldpcore as ldp
from pages.study import results
from pages.study.paper import controls, figures, tables

TABLES = {1: controls.TABLES[0], 2: controls.TABLES[1]}
BOTH = [(table, metric) for table in TABLES for metric in ("mse", "mae")]


def opened(**state):
    at = open_page(PAPER, state)
    assert_calm(at)
    assert not sentences(at)
    return at


def captions(at):
    return " ".join(caption.value for caption in at.main.caption)


# ---- the tables ---------------------------------------------------------------------


def test_the_defaults_are_calm_and_described():
    at = opened()
    assert tables.provenance(1) in captions(at)
    assert set(charts(at)) == {"paper_table", "paper_figure_1", "paper_figure_2", "paper_figure_3"}
    assert all(len(element.proto.alt) > 20 for element in at.main.get("plotly_chart"))
    for text in tables.explanations(1, "mse"):
        assert f"- {text}" in [markdown.value for markdown in at.main.markdown]


@pytest.mark.parametrize(("table", "metric"), BOTH)
def test_published_numbers_are_the_printed_ones(table, metric):
    shown = results.grid(table, metric, "published")
    printed = ldp.paper.published(table).set_index(["metric", "data", "mechanism"])["gain"]
    about = ldp.paper.TABLES[table]
    assert shown.rows == [*(results.LABELS[data] for data in about.data), "Average"]
    assert shown.columns == [*about.mechanisms, "Average"]
    for i, data in enumerate(about.data):
        for j, name in enumerate(about.mechanisms):
            assert shown.gain[i, j] == printed[metric, data, name]
    assert np.isnan(shown.sd).all()


@pytest.mark.parametrize("value", list(controls.VALUES.values())[1:])
@pytest.mark.parametrize("table", TABLES)
def test_reproduced_numbers_are_means_over_the_settings_and_draws(table, value):
    details = results.results().details
    for metric, data, name in (("mse", "uniform", 0), ("mae", "acs-income", -1)):
        mechanism = ldp.paper.TABLES[table].mechanisms[name]
        wanted = {"table": table, "metric": metric, "data": data, "mechanism": mechanism, "variant": value}
        mine = details[np.logical_and.reduce([details[key] == word for key, word in wanted.items()])]
        assert len(mine) == 5 * 24
        shown = results.grid(table, metric, value)
        i, j = shown.rows.index(results.LABELS[data]), shown.columns.index(mechanism)
        assert shown.gain[i, j] == pytest.approx(mine["gain"].mean())
        assert shown.sd[i, j] == pytest.approx(mine.groupby("draw")["gain"].mean().std())


@pytest.mark.parametrize("value", controls.VALUES.values())
def test_averages_are_means(value):
    for table, metric in BOTH:
        gain = results.grid(table, metric, value).gain
        np.testing.assert_allclose(gain[-1], gain[:-1].mean(axis=0))
        np.testing.assert_allclose(gain[:, -1], gain[:, :-1].mean(axis=1))


@pytest.mark.parametrize("minus", ["nothing", "published", "exact channel"])
@pytest.mark.parametrize("value", controls.VALUES.values())
@pytest.mark.parametrize(("table", "metric"), BOTH)
def test_the_heat_map_has_the_numbers_of_the_grid(table, metric, value, minus):
    shown = results.grid(table, metric, value)
    less = None if minus == "nothing" else results.grid(table, metric, minus)
    heat = figures.table_figure(shown, less, dark=False).data[0]
    expected = shown.gain if less is None else shown.gain - less.gain
    assert list(heat.y) == shown.rows[::-1]
    assert list(heat.x) == shown.columns
    np.testing.assert_array_equal(heat.z, expected[::-1])
    # What is written in the cells, and what pointing at them says, is that number.
    np.testing.assert_allclose(np.array(heat.text, dtype=float), expected[::-1], atol=0.5 + 1e-9)
    told = [[float(word.split(",")[0]) for word in line] for line in heat.customdata]
    np.testing.assert_allclose(told, expected[::-1], atol=0.05 + 1e-9)


@pytest.mark.parametrize(
    ("table", "metric", "value", "minus"),
    [(1, "mae", "published", "nothing"), (2, "mse", "exact channel", "as published")],
)
def test_the_page_draws_what_was_chosen(table, metric, value, minus):
    words = {name: word for word, name in controls.VALUES.items()} | {"nothing": "nothing"}
    at = opened(table=TABLES[table], gain_metric=metric.upper(), value=words[value], minus=words[minus])
    expected = results.grid(table, metric, value).gain
    if minus != "nothing":
        expected = expected - results.grid(table, metric, minus).gain
    np.testing.assert_allclose(numbers(charts(at)["paper_table"]["data"][0]["z"]), expected[::-1])


@pytest.mark.parametrize("table", TABLES)
def test_provenance_says_all_that_is_needed_to_repeat_it(table):
    about = results.results().about[str(table)]
    text = tables.provenance(table)
    more = about["more"]["exponential"]
    assert f"5 draws of the data sets, {more['draws']} of that of Exponential, 20 runs each" in text
    assert f"`{more['command']}`" in text
    for word in (about["acs_income"], f"seed {about['seed']}", f"version {about['version']}", f"`{about['command']}`"):
        assert word in text
    assert f"--table {table} " in about["command"]


@pytest.mark.parametrize(("table", "metric"), BOTH)
def test_explanations_name_the_cells_that_they_speak_of(table, metric):
    text = " ".join(tables.explanations(table, metric))
    mine, theirs = (results.grid(table, metric, value).gain[:-1, :-1] for value in ("as published", "published"))
    assert f"every cell within {np.abs(mine - theirs).max():.1f}" in text
    # It says what an average is of: that of a row may be off by more than any mechanism's.
    of_mechanisms, of_data = (np.abs((mine - theirs).mean(axis=axis)) for axis in (0, 1))
    assert f"the averages of the mechanisms within {of_mechanisms.max():.1f} points" in text
    farthest = list(results.LABELS.values())[of_data.argmax()]
    assert f"those of the distributions within {of_data.max():.1f} ({farthest})" in text
    if (table, metric) == (1, "mse"):
        assert (farthest, of_data.max() > of_mechanisms.max()) == ("Exponential", True)
    name = "BLH" if table == 1 else "L-GRR"
    before, after = ("as published", "at convergence") if table == 1 else ("as published", "exact channel")
    cells = [results.cell(table, metric, "poisson", name, value) for value in (before, after)]
    assert f"from {cells[0]:.0f}% to {cells[1]:.0f}%" in text


@pytest.mark.parametrize(("table", "metric"), [(1, "mse"), (2, "mae")])
def test_the_page_says_how_far_the_averages_of_the_shipped_results_are_off(table, metric):
    at = opened(table=TABLES[table], gain_metric=metric.upper())
    text = next(markdown.value for markdown in at.main.markdown if "comes out again" in markdown.value)
    number = r"(\d+\.\d)"
    pattern = rf"mechanisms within {number} points, those of the distributions within {number} \((.+?)\), every cell"
    *told, farthest = re.search(pattern, text).groups()
    # From the details, settings and draws one by one: a draw counts as much as any other of its distribution.
    details = ldp.paper.load_results().details
    mine = details[(details["table"] == table) & (details["metric"] == metric) & (details["variant"] == "as published")]
    gain = mine.groupby(["data", "mechanism"])["gain"].mean()
    printed = ldp.paper.published(table)
    away = gain - printed[printed["metric"] == metric].set_index(["data", "mechanism"])["gain"]
    by_mechanism, by_data = (away.groupby(level).mean().abs() for level in ("mechanism", "data"))
    assert [float(t) for t in told] == pytest.approx([by_mechanism.max(), by_data.max()], abs=0.05 + 1e-9)
    assert farthest == results.LABELS[by_data.idxmax()]
    assert mine[mine["data"] == "exponential"]["draw"].nunique() == 40
    assert "40 of that of Exponential" in captions(at)


@pytest.mark.parametrize(
    ("value", "minus", "has_spread"),
    [
        ("reproduced", "nothing", True),
        ("printed in the paper", "nothing", False),
        ("reproduced", "printed in the paper", True),
        ("printed in the paper", "at convergence", True),
        ("at convergence", "exact channel", False),
    ],
)
def test_a_spread_is_promised_where_there_is_one(value, minus, has_spread):
    """A difference had the spread of its first number."""
    at = opened(table=TABLES[2], value=value, minus=minus)
    told = [word for line in charts(at)["paper_table"]["data"][0]["customdata"] for word in line]
    assert any("±" in word for word in told) == has_spread == ("for its spread over the draws" in captions(at))
    assert ("means of the printed cells" in captions(at)) == ("printed in the paper" in (value, minus))


def test_printed_averages_are_a_point_from_the_papers_own_at_most():
    """The paper rounds its averages once; those of its rounded cells can come out otherwise, as for BLH: 27, not 26."""
    own = {1: {"mse": [14, 28, 26, 20, 29, 26, 26], "mae": [10, 17, 16, 12, 18, 16, 16]}}
    own[2] = {"mse": [15, 30, 24, 26, 26, 17, 23], "mae": [8, 19, 15, 17, 16, 11, 15]}
    for table, metric in BOTH:
        mine = results.grid(table, metric, "published").gain[-1, :-1]
        assert np.abs(mine - own[table][metric]).max() <= 1


# ---- the figures --------------------------------------------------------------------


@pytest.mark.parametrize("figure", controls.FIGURES)
def test_figures_have_their_panels(figure):
    at = opened(figure=figure, value="at convergence")
    panels = [charts(at)[f"paper_figure_{i}"] for i in (1, 2, 3)]
    number = controls.FIGURES.index(figure)
    for panel in panels:
        expected = ["MI", "IBU"] if number < 2 else list(results.LABELS.values())
        assert names(panel) == expected
        if number < 2:
            gains = [int(note["text"][:-1]) for note in panel["layout"]["annotations"]]
            assert len(gains) == 7
            told = int(re.search(r"AvgGain (\d+)%", panel["layout"]["title"]["text"])[1])
            assert told == pytest.approx(np.mean(gains), abs=1)
    assert ("bars of spread" in captions(at)) == (number >= 2)


def test_bars_are_the_errors_of_the_results():
    details = results.results().details
    mine = details[(details["table"] == 1) & (details["metric"] == "mae") & (details["variant"] == "as published")]
    mine = mine[(mine["data"] == "acs-income") & (mine["n"] == 20_000) & (mine["k"] == 100) & (mine["eps"] == 2)]
    panel = figures.bars_figure(1, "mae", "as published", 1, dark=False)
    for trace, column in zip(panel.data, ("mi", "ibu"), strict=True):
        means = mine.groupby("mechanism")[column].mean()
        np.testing.assert_allclose(trace.y, [means[name] for name in trace.x])
    # Above the bars stands the gain of the errors that they show, as in the authors' code; its mean is in the title.
    mi, ibu = (np.asarray(trace.y) for trace in panel.data)
    gains = 100 * np.maximum(1 - ibu / mi, 0)
    assert [note.text for note in panel.layout.annotations] == [f"{gain:.0f}%" for gain in gains]
    assert f"AvgGain {gains.mean():.0f}%" in panel.layout.title.text


@pytest.mark.parametrize("figure", controls.FIGURES)
def test_figures_that_are_reproduced_are_not_said_to_be_printed(figure):
    """The numbers that the paper prints in its figures are not among the results."""
    at = opened(figure=figure, value="printed in the paper")
    assert "Shown: reproduced, for what the paper prints in its figures is not here" in captions(at)
    alts = [element.proto.alt for element in at.main.get("plotly_chart") if element.key.startswith("paper_figure")]
    assert len(alts) == 3
    assert all(alt.endswith("reproduced.") for alt in alts)
    assert "Shown: exact channel" in captions(opened(figure=figure, value="exact channel"))


# ---- run it yourself ----------------------------------------------------------------


@pytest.mark.parametrize(("table", "mechanism"), [(1, "SS"), (2, "L-SUE"), (2, "L-GRR")])
def test_a_cell_run_afresh_is_the_mean_of_its_settings(monkeypatch, table, mechanism):
    own = [s for s in ldp.paper.settings(table, runs=2, seed=5) if (s.data, s.mechanism) == ("poisson", mechanism)]
    keep = [dataclasses.replace(s, max_iter=50) for s in own if s.n == 20_000 and s.k == 50 and s.eps < 3]
    other = dataclasses.replace(keep[0], data="uniform")
    monkeypatch.setattr("ldpcore.paper.reproduction.settings", lambda table, runs, seed: [other, *keep])
    seen = []
    frame = tables.rerun(table, ["poisson"], [mechanism], 5, lambda done, total: seen.append((done, total)))
    assert seen[-1] == (len(keep), len(keep))
    exact = [ldp.run(s) for s in keep if s.channel == "exact"]
    published = [ldp.run(s) for s in keep if s.channel == "published"] or exact
    assert len(exact) == len(published) == 2
    assert (published is exact) == (mechanism != "L-GRR")
    assert set(frame["Distribution"]) == {"Poisson"}
    for metric in ("mse", "mae"):
        expected = {
            "printed": results.cell(table, metric, "poisson", mechanism, "published"),
            "reproduced": np.mean([r.gain(metric) for r in published]),
            "exact channel": np.mean([r.gain(metric) for r in exact]),
            "at convergence": np.mean([r.gain(metric, estimator="limit") for r in exact]),
        }
        part = frame[frame["Γ of"] == metric].iloc[0]
        assert part[list(expected)].to_dict() == pytest.approx(expected, rel=1e-5)


def test_the_button_runs_the_part(monkeypatch):
    short = [ldp.Setting(data="uniform", mechanism="GRR", n=1000, k=5, runs=2, max_iter=5)]
    monkeypatch.setattr(
        "ldpcore.paper.reproduction.settings", lambda table, runs, seed: [dataclasses.replace(short[0], seed=seed)]
    )
    at = opened(paper_seed=3.0)
    assert not at.dataframe
    next(b for b in at.main.button if "Run this part" in b.label).click().run()
    assert_calm(at)
    gain = ldp.run(dataclasses.replace(short[0], seed=3)).gain("mse")
    # The commands that are printed below are those that made what ships.
    about = results.results().about["1"]
    for notes in (about, about["more"]["exponential"]):
        assert f"`{notes['command']}`" in at.main.caption[-1].value
    frame = at.dataframe[0].value
    assert frame["reproduced"][0] == pytest.approx(gain, rel=1e-5)
    assert frame["printed"][0] == results.cell(1, "mse", "uniform", "GRR", "published")
