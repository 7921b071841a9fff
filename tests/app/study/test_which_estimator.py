"""Which estimator?: the page says what the results say, and a square opens in Estimate where that can show it."""

import re

import numpy as np
import pytest
from app_steps import assert_calm, charts, open_page

from ldpcore import tournament
from ldpui import opening
from pages.study import standings
from pages.study.which_estimator import gains, maps, questions, regret
from pages.study.which_estimator.maps import Choice

ALL = Choice(standings.ALL, standings.EVERY, True, "n", None)


def test_the_page_opens_with_a_figure_for_everything():
    at = open_page("which_estimator")
    assert_calm(at)
    assert not at.error
    shown = charts(at)
    assert set(shown) == {"winners", "regret", "gains", *(f"question_{q.key}" for q in questions.QUESTIONS)}
    names = {word for line in shown["winners"]["data"][0]["text"] for word in line}
    known = {name.replace(", ordered bins", ",<br>ordered") for name in tournament.NAMES.values()}
    assert {name.removeprefix("≈ ") for name in names} <= known


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
    assert frame["never worse than ×"].to_dict() == pytest.approx(
        {tournament.NAMES[key]: ratio[:, i].max() for i, key in enumerate(cells.contestants)}
    )


def test_categories_leave_out_whoever_needs_an_order():
    ranked, _, _ = regret.table(Choice("poisson", "GRR", False, "n", 50))
    assert not {s.key for s in ranked} & set(tournament.ORDERED)
    assert "safest" in " ".join(regret.sentences(Choice("poisson", "GRR", False, "n", 50)))


@pytest.mark.parametrize(
    ("choice", "place", "opened"),
    [
        (Choice("poisson", "L-OUE", True, "n", 200), (2, 1), ("poisson", "L-OUE", 0.5, 100_000, 200)),
        (ALL, (0, 5), ("gaussian", "OUE", 8.0, 1_000, 50)),
        (Choice("uniform", "GRR", True, "k", None), (3, 0), ("uniform", "GRR", 0.25, 10_000, 1_000)),
        (Choice("uniform", "GRR", True, "k", None), (4, 0), None),
        (Choice("zipf", "GRR", True, "n", 10), (0, 0), None),
    ],
)
def test_a_square_opens_in_estimate_where_that_can_show_it(monkeypatch, choice, place, opened):
    went = []
    monkeypatch.setattr(opening, "clicked", lambda key: {"customdata": list(place)})
    monkeypatch.setattr(opening, "in_estimate", went.append)
    more = maps.on_square("winners", choice)
    if more:
        more["on_select"]()
    said = [(s.data, s.mechanism, s.eps, s.n, s.k) for s in went]
    assert said == ([] if opened is None else [opened])
    assert ("do not open" in maps.opens(choice)) == (opened is None or choice.rows == "k")


def test_no_click_opens_nothing(monkeypatch):
    monkeypatch.setattr(opening, "clicked", lambda key: None)
    monkeypatch.setattr(opening, "in_estimate", pytest.fail)
    maps.on_square("winners", ALL)["on_select"]()


def test_so_many_bins_do_not_open():
    assert "up to 1,000 bins" in maps.opens(Choice("poisson", "GRR", True, "n", 5_000))


def test_an_empty_square_is_one_that_was_not_run():
    choice = Choice("poisson", "GRR", True, "n", 200)
    won = maps.winners(choice)
    s = standings.select("poisson", "GRR", k=200).settings
    assert set(won) == set(zip(s["n"].tolist(), s["eps"].tolist(), strict=True))
    words = maps.figure(choice, dark=True).data[0].text
    assert sum(word != "" for line in words for word in line) == len(won)


def test_what_is_said_of_the_paper_s_grid_is_in_the_results():
    rows = tournament.load("paper")[0]
    part = rows[(rows["table"] == 1) & (rows["metric"] == "mse") & (rows["estimator"] == "ibu")]
    said = gains.sentences(1, "mse")[0]
    numbers = [float(word.replace("−", "-")) for word in re.findall(r"(−?[\d.]+)%", said)]
    expected = [part["gain"].mean(), part["reduction"].mean(), 100 * (part["reduction"] < 0).mean()]
    assert numbers == pytest.approx(expected, abs=0.5)


@pytest.mark.parametrize("question", questions.QUESTIONS, ids=lambda question: question.key)
def test_every_question_is_answered_in_words_and_drawn(question):
    text = question.text()
    assert len(text) > 200
    assert "nan" not in text
    assert len(question.figure(True).data) >= 4
