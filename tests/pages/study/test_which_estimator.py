"""Which estimator?: the page says what the results say, and a square opens in Estimate where that can show it."""

import doctest
import re

import numpy as np
import pytest
from app_steps import assert_calm, charts, open_page

from ldpcore import tournament
from ldpui import glossary
from ldpui.address import opening
from pages.explore.tradeoff import sweep
from pages.study import standings
from pages.study.findings import finding
from pages.study.which_estimator import chosen, gains, headline, maps, paper_part, questions, regret, squares
from pages.study.which_estimator.maps import Choice

ALL = Choice(standings.ALL, standings.EVERY, True, "n", None)


MODULES = (chosen, gains, headline, paper_part, regret, standings, finding, sweep)


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_examples_in_the_docstrings(module):
    tested = doctest.testmod(module)
    assert tested.attempted > 0
    assert tested.failed == 0


def test_the_page_opens_with_a_figure_for_everything():
    at = open_page("which_estimator")
    assert_calm(at)
    assert not at.error
    shown = charts(at)
    # The first sentence speaks of MI and IBU; what they are is one click away.
    assert glossary.MI in [markdown.value for markdown in at.main.markdown]
    assert set(shown) == {"winners", "regret", "gains", *(f"question_{q.key}" for q in questions.QUESTIONS)}
    names = {word for line in shown["winners"]["data"][0]["text"] for word in line}
    known = {name.removesuffix(" bins") for name in tournament.NAMES.values()}
    assert {name.removeprefix("≈ ").replace("<br>", " ") for name in names} <= known
    # On a phone a cell is 50 pixels wide.
    assert max(len(line) for name in names for line in name.split("<br>")) <= 8
    assert list(shown["winners"]["data"][0]["y"]) == ["1k", "10k", "100k", "1M", "10M"]


def test_a_link_opens_another_choice():
    query = {"arena_data": "Poisson", "arena_bins": "categories", "arena_rows": "bins k", "arena_gain": "MAE"}
    at = open_page("which_estimator", query=query)
    assert_calm(at)
    rows = charts(at)["winners"]["data"][0]
    assert list(rows["y"]) == ["10", "50", "200", "1,000", "5,000"]
    assert not any("ordered" in word or "smoothed" in word for line in rows["text"] for word in line)


def test_the_sentences_say_what_the_cells_say():
    cells = standings.select()
    ratio = cells.errors / cells.errors.min(axis=1, keepdims=True)
    scores = np.exp(np.log(cells.errors / cells.errors[:, [cells.contestants.index("mi")]]).mean(axis=0))
    best = int(scores.argmin())
    said = " ".join(regret.sentences(ALL))
    assert f"**{tournament.NAMES[cells.contestants[best]]}**" in said
    assert f"**{len(cells.settings):,} settings**" in said
    cost = float(re.search(r"IBU ([\d.]+) ×", said)[1])
    assert cost == pytest.approx(np.exp(np.log(ratio[:, cells.contestants.index("ibu")]).mean()), rel=0.06)
    frame = regret.frame(ALL).set_index("Estimator")
    assert frame["at worst ×"].to_dict() == pytest.approx(
        {tournament.NAMES[key]: ratio[:, i].max() for i, key in enumerate(cells.contestants)}
    )


def test_categories_leave_out_whoever_needs_an_order():
    ranked = regret.table(Choice("poisson", "GRR", False, "n", 50)).ranked
    assert not {s.key for s in ranked} & set(tournament.ORDERED)
    assert "safest" in " ".join(regret.sentences(Choice("poisson", "GRR", False, "n", 50)))


@pytest.mark.parametrize(
    "choice",
    [
        ALL,
        Choice("poisson", "L-OUE", True, "n", 200),
        Choice("uniform", "GRR", True, "k", None),
        Choice(standings.ALL_BUT_UNIFORM, "OUE", False, "k", None),
        Choice("zipf", "GRR", True, "n", 10),
    ],
    ids=str,
)
def test_a_square_opens_a_setting_that_it_holds_and_estimate_can_show(monkeypatch, choice):
    cells, went = standings.select(choice.data, choice.mechanism, ordered=choice.ordered, k=choice.shown_k), []
    monkeypatch.setattr(opening, "in_estimate", lambda s, **controls: went.append((s, controls)))
    for row, level in enumerate(maps.levels(choice)):
        for column, eps in enumerate(tournament.EPS):
            monkeypatch.setattr(opening, "clicked", lambda key, at=(row, column): {"customdata": list(at)})
            went.clear()
            more = squares.on_square("winners", choice)
            if more:
                more["on_select"]()
            here = cells.settings[(cells.settings[choice.rows] == level) & (cells.settings["eps"] == eps)]
            possible = here[~here["data"].isin(list(tournament.SHAPES)) & (here["k"] <= 1_000)]
            assert len(went) == bool(len(possible))
            for s, controls in went:
                # All estimators are shown, those that take seconds too: the winner is in the table.
                assert controls == {"closer": "All estimators", "slow": True}
                same = [possible[name] == getattr(s, name) for name in ("mechanism", "data", "eps", "n", "k")]
                assert np.logical_and.reduce(same).any()


def test_of_the_settings_of_a_square_that_opens_in_which_the_winner_does_best():
    cells = standings.select()
    s = cells.settings
    key = maps.winners(ALL)[10_000, 1.0].key
    behind = cells.behind[:, cells.contestants.index(key)]
    square = (s["n"] == 10_000) & (s["eps"] == 1.0)
    possible = square & ~s["data"].isin(list(tournament.SHAPES)) & (s["k"] <= 1_000)
    best = s[possible & (behind == behind[possible].min())]
    opened = squares.shown_in_estimate(ALL)[10_000, 1.0]
    assert (opened.data, opened.mechanism, opened.k) in set(
        zip(best["data"], best["mechanism"], best["k"], strict=True)
    )


def test_a_map_says_how_thin_it_is():
    assert "fewer than" not in squares.how_thin(ALL)
    assert squares.how_thin(Choice("poisson", "GRR", True, "n", 50)).startswith("Every square is one setting of 2 rep")
    few = Choice("poisson", "GRR", True, "n", None)
    numbers = [w.settings for w in maps.winners(few).values()]
    assert f"{min(numbers)} to {max(numbers)} settings" in squares.how_thin(few)
    assert "for fewer than 5" in squares.how_thin(few)
    # All nine data sets and all mechanisms, and yet few: the number of settings decides, not the controls.
    most_bins = Choice(standings.ALL, standings.EVERY, True, "n", 5_000)
    thin = any(w.settings < 5 for w in maps.winners(most_bins).values())
    assert thin
    assert "decide much" in squares.how_thin(most_bins)


def test_no_click_opens_nothing(monkeypatch):
    monkeypatch.setattr(opening, "clicked", lambda key: None)
    monkeypatch.setattr(opening, "in_estimate", pytest.fail)
    squares.on_square("winners", ALL)["on_select"]()


def test_so_many_bins_do_not_open():
    so_many = squares.opens(Choice("poisson", "GRR", True, "n", 5_000))
    assert "more than 1,000 bins, so these squares do not open" in so_many
    assert "do not open" not in squares.opens(ALL)


def test_an_empty_square_is_one_that_was_not_run():
    choice = Choice("poisson", "GRR", True, "n", 200)
    won = maps.winners(choice)
    s = standings.select("poisson", "GRR", k=200).settings
    assert set(won) == set(zip(s["n"].tolist(), s["eps"].tolist(), strict=True))
    words = maps.figure(choice, dark=True).data[0].text
    assert sum(word != "" for line in words for word in line) == len(won)


def numbers(text):
    return [float(word.replace("−", "-").replace(",", "")) for word in re.findall(r"(−?[\d.,]*\d)%", text)]


@pytest.mark.parametrize("table", [1, 2])
def test_what_is_said_of_the_paper_s_grid_is_in_the_results(table):
    rows = tournament.load("paper")[0]
    rows = rows[(rows["table"] == table) & (rows["metric"] == "mse")].astype({"estimator": str})
    keys = ["mechanism", "data", "eps", "n", "k"]
    errors = rows.pivot_table(index=keys, columns="estimator", values="error", observed=True)
    over = errors.div(errors["mi"], axis=0)
    geometric = 100 * (1 - np.exp(np.log(over).mean()))
    losses, others, _ = gains.sentences(table, "mse")
    part = rows[rows["estimator"] == "ibu"]
    worse = 100 * (over["ibu"] > 1.05).mean()
    expected = [part["gain"].mean(), part["reduction"].mean(), worse, 5, geometric["ibu"]]
    assert numbers(losses) == pytest.approx(expected, abs=0.5)
    assert f"more than 5% above, and up to {over['ibu'].max():.2g} times" in losses
    means = rows.groupby("estimator")[["gain", "reduction"]].mean().loc[list(gains.OTHERS)]
    assert numbers(others)[:8] == pytest.approx([*means["gain"], *means["reduction"]], abs=0.06)
    # Of auto the error is of fewer runs than MI's.
    assert numbers(others)[8:11] == pytest.approx(geometric[list(gains.OTHERS[:3])].tolist(), abs=0.1)
    # Norm-Sub's largest error, and what one mechanism makes of its mean in Table 2.
    worst, sub = over["norm-sub"].idxmax(), rows[rows["estimator"] == "norm-sub"]
    assert f"({worst[0]}, k = {worst[4]})" in others.split("Norm-Sub's largest")[1]
    without = sub[sub["mechanism"] != "L-GRR"]["reduction"].mean()
    said = f"without L-GRR its mean would be {without:.1f}%" in others.split("PowerNS's")[0]
    assert said == (table == 2)


def test_ibu_against_every_baseline_is_in_the_table():
    table = gains.against("mae").set_index("IBU against")
    rows = tournament.load("paper")[0]
    part = rows[(rows["table"] == 2) & (rows["metric"] == "mae") & (rows["estimator"] == "norm-sub")]
    assert table.loc["Norm-Sub", "Table 2, losses as 0"] == pytest.approx(part["ibu_gain"].mean(), rel=1e-4)
    assert table.loc["Norm-Sub", "Table 2, losses counted"] == pytest.approx(part["ibu_reduction"].mean(), rel=1e-4)
    assert len(table) == 13
    assert "IBU" not in table.index


def test_the_opening_says_it_with_uniform_data_and_without():
    said = headline.sentences()
    rows = re.findall(r"^\| \*\*(.+?)\*\*: .{20,} \| ([\d.]+) \| ([\d.]+) \|$", said, re.MULTILINE)
    names = ["auto-ordered", "auto", "power-ns", "mi", "ibu"]
    assert [name for name, *_ in rows] == ["auto, told of the order", "auto", "PowerNS", "MI", "IBU"]
    for data, place in ((standings.ALL, 1), (standings.ALL_BUT_UNIFORM, 2)):
        there = standings.select(data)
        mi = there.errors[:, there.contestants.index("mi")]
        expected = [np.exp(np.log(there.errors[:, there.contestants.index(key)] / mi).mean()) for key in names]
        assert [float(row[place]) for row in rows] == pytest.approx(expected, abs=0.006)
    cells = standings.select()
    steep = cells.where(~cells.settings["data"].isin(["uniform", "spike"]))
    ratio = steep.errors[:, steep.contestants.index("auto")] / steep.errors[:, steep.contestants.index("power-ns")]
    away = 100 * (np.exp(np.log(ratio).mean()) - 1)
    last = said.split("without Uniform data and ")[1]
    assert f"{abs(away):.1f}%" in last


def test_the_opening_says_what_its_numbers_mean_before_it_has_any():
    """Its first sentence had six numbers, four names and a geometric mean, and none of them was explained."""
    said = headline.sentences()
    table = said.index("| estimator |")
    assert all(said.index(words) < table for words in ("*estimator*", "1 is as good as MI", "Small is good"))
    score, away, more = re.search(r"([\d.]+) \(IBU\) is (\d+)% (more|less)", said[:table]).groups()
    assert (float(score) > 1) == (more == "more")
    assert float(away) == pytest.approx(abs(100 * float(score) - 100), abs=1)
    assert not re.search(r"\d\.\d", said.partition(". ")[0])


def test_where_standard_errors_are_not_below_three_percent_is_said():
    said = regret.how_sure()
    for level in tournament.LEVELS:
        largest = max(s.se for s in standings.select(k=level.k).standings())
        told = re.search(rf"([\d.]+)% at k = {level.k:,}(?!\d|,\d)", said)
        assert float(told[1]) == pytest.approx(100 * largest, abs=0.051)
        assert (told.start() > said.find("but") > 0) == (largest >= 0.03)


def test_the_marks_of_the_stops_stand_where_they_were_measured():
    frame = standings.question("stopping")
    question = next(q for q in questions.QUESTIONS if q.key == "stopping")
    marks = [t for t in question.figure(False).data if t.mode == "markers" and t.legendgroup == "best in hindsight"]
    stored = frame[(frame["series"] == "best in hindsight") & frame["part"].str.startswith("OUE")].set_index("part")
    expected = [stored.loc[f"OUE {data}", "x"] for data in ("uniform", "gaussian", "poisson", "zipf")]
    assert [float(mark.x[0]) for mark in marks] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("question", questions.QUESTIONS, ids=lambda question: question.key)
def test_every_question_is_answered_in_words_and_drawn(question):
    assert "nan" not in question.text()
    assert len(question.figure(True).data) >= 4


def said(key, pattern):
    """Return the numbers of a question's text, as they are written."""
    (text,) = [question.text() for question in questions.QUESTIONS if question.key == key]
    return [float(word.replace(",", "")) for word in re.search(pattern, text).groups()]


def shipped(question, metric=""):
    """Return a question's numbers, straight from the results: a row for each panel and place, a column a series."""
    rows = tournament.load("questions")[0]
    rows = rows[(rows["question"] == question) & rows["series"].astype(str).str.startswith(metric)]
    rows = rows.astype({"part": str, "series": str}).assign(y=rows["y"].astype(float))
    return rows[["part", "series", "x", "y"]]


def geometric_mean(values):
    return float(np.prod(np.asarray(values)) ** (1 / len(values)))


def rounded(numbers):
    """Two digits leave 5 % at most."""
    return pytest.approx(numbers, rel=0.051)


def test_what_is_said_of_stopping_is_in_the_results():
    rows = shipped("stopping")
    for series, words in (
        ("10 000 steps", "after 10,000 steps"),
        ("stopped by cross-validation", "stopped by two-fold"),
    ):
        part = rows[rows["series"] == series]
        means = [geometric_mean(part["y"]), geometric_mean(part["y"][~part["part"].str.endswith("uniform")])]
        assert len(part) == 12
        assert said("stopping", rf"([\d.]+) \(([\d.]+)\) {words}") == rounded(means)


def test_what_is_said_of_many_bins_is_in_the_results():
    rows = shipped("many bins")
    rows = rows[rows["part"] == "OUE acs-income"].set_index(["series", "x"])["y"]
    few, many, limit, auto = (rows[at] for at in (("IBU", 200), ("IBU", 5_000), ("limit", 5_000), ("auto", 5_000)))
    pattern = (
        r"error is ([\d.,]+) times that of MI at k = 200 and ([\d.,]+) times at k = 5,000, where the limit has "
        r"([\d.]+) and auto, which is not told of the order, ([\d.]+)\."
    )
    assert said("many_bins", pattern) == rounded([few, many, limit, auto])


def test_what_is_said_of_ordered_bins_is_in_the_results():
    squared, moved = (shipped("ordered", metric).set_index("series")["y"] for metric in ("MSE", "Wasserstein"))
    for series, words in (("OUE, smoothed", "then Norm-Sub, has"), ("OUE, auto", "auto, told of the order,")):
        means = [geometric_mean(squared[f"MSE: {series}"]), geometric_mean(moved[f"Wasserstein: {series}"])]
        assert said("ordered", rf"{words} ([\d.]+) and ([\d.]+)[;.]") == rounded(means)


def test_what_is_said_of_several_epsilon_is_in_the_results():
    wide = shipped("several").pivot_table(index=["part", "x"], columns="series", values="y")
    ratio = wide["full-report IBU"] / wide["Norm-Sub, weighted"]
    means = [geometric_mean(wide[series]) for series in ("Norm-Sub, weighted", "full-report IBU", "auto")]
    assert said("several", r"with Norm-Sub ([\d.]+), full-report IBU ([\d.]+), auto ([\d.]+)\.") == rounded(means)
    # A ratio near 1 has a third digit, or it would not be seen on which side of 1 it is.
    ends = said("several", r"from ([\d.]+) to ([\d.]+) times")
    assert ends == pytest.approx([ratio.min(), ratio.max()], abs=0.0051)


@pytest.mark.parametrize("key", [question.key for question in questions.QUESTIONS])
def test_no_number_is_cut_in_two_at_the_end_of_a_line(key):
    """10 000 with a space was: a line ended with 10, and the next began with 000."""
    (question,) = [question for question in questions.QUESTIONS if question.key == key]
    assert not re.search(r"\d \d{3}\b", question.text())


@pytest.mark.parametrize("rows", ["users n", "bins k"])
def test_what_the_menus_offer_and_nobody_ran_is_said_calmly(rows):
    state = {"arena_data": "Uniform", "arena_mechanism": "SS", "arena_k": "5,000", "arena_rows": rows}
    at = open_page("which_estimator", state)
    assert_calm(at)
    (box,) = at.info
    assert box.value.startswith("SS was not run on Uniform with 5,000 bins.")
    assert "regret" not in charts(at)
    # The paper's questions follow as ever.
    assert any(key.startswith("question_") for key in charts(at))


def test_only_what_nobody_ran_is_said_to_be_missing():
    ran = set(standings.cells().settings[["data", "mechanism", "k"]].itertuples(index=False, name=None))
    for data in ("uniform", "poisson"):
        for mechanism in tournament.MECHANISMS:
            for level in tournament.LEVELS:
                said = chosen.not_run(Choice(data, mechanism, True, "n", level.k))
                assert bool(said) != ((data, mechanism, level.k) in ran), (data, mechanism, level.k)
