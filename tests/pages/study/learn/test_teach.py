"""The teacher's page: plans that fill their time, and solutions that are right."""

import math
import re
from urllib.parse import parse_qsl

import pytest
from app_steps import assert_calm, open_page, session_of

import ldpcore as ldp
from ldpui.address import links
from ldpui.format import percent
from ldpui.navigation import Page
from pages import table
from pages.study.learn import teach
from pages.study.learn.teach.exercises import exercises
from pages.study.learn.teach.plan import PLANS

SOLUTIONS = {exercise.title: exercise.solution for exercise in exercises()}


@pytest.mark.parametrize("minutes", PLANS)
def test_a_plan_fills_its_time(minutes):
    assert sum(step.minutes for step in PLANS[minutes]) == int(minutes)
    lessons = [step.lesson for step in PLANS[minutes] if step.lesson]
    assert lessons == sorted(lessons)
    assert set(lessons) <= set(range(1, 8))


def test_the_long_plan_has_every_lesson():
    assert {step.lesson for step in PLANS["90"]} - {None} == set(range(1, 8))


def test_the_page_opens_lessons_and_settings():
    at = open_page("teach", query={"minutes": "90", "solutions": "true"})
    assert_calm(at)
    assert all(expander.proto.expanded for expander in at.main.expander)
    assert "CC BY 4.0" in at.main.markdown[-1].value
    at = at.button(key="to_lesson_3").click().run()
    assert at.header[0].value.startswith("2.")
    at = open_page("teach").button(key="setting_4").click().run()
    assert at.title[0].value == "Estimate"
    s = session_of(at).setting
    assert (s.mechanism, s.eps, s.k) == ("GRR", 1.0, 100)


@pytest.mark.parametrize("minutes", PLANS)
def test_every_step_opens_something(minutes):
    at = open_page("teach", query={"minutes": minutes})
    assert_calm(at)
    buttons = [button.key for button in at.main.button if button.key.startswith("to_lesson_")]
    addresses = [box.value for box in at.main.caption if not box.value.startswith("?")]
    assert len(buttons) + len(at.main.get("page_link")) == len(addresses) == len(PLANS[minutes])
    # On paper a setting is left as its address.
    settings = [box.value for box in at.main.caption if box.value.startswith("?")]
    assert [dict(parse_qsl(box[1:])) for box in settings] == [dict(exercise.words) for exercise in exercises()]


def test_the_live_class_is_offered_where_there_is_one(monkeypatch):
    others = tuple(page for page in table.PAGES if page.address != "class")
    live = Page(lambda: None, "Study", "Live class", "class", "groups", needs="nothing")
    for pages, offered in ((others, False), ((*others, live), True)):
        monkeypatch.setattr(table, "PAGES", pages)
        at = open_page("teach")
        assert_calm(at)
        assert bool([link for link in at.main.get("page_link") if "own phones" in link.proto.label]) == offered


def test_every_setting_is_one_of_a_link():
    for exercise in exercises():
        assert exercise.text.endswith("?") or "?" in exercise.text
        for key, word in exercise.words.items():
            assert links.CONTROLS[key].allows(word), (exercise.title, key)


def strong(title):
    return re.findall(r"\*\*(.+?)\*\*", SOLUTIONS[title])


def test_solutions_by_hand():
    assert strong("Count the hands") == ["42%"]
    assert "2.7 percentage points" in SOLUTIONS["Count the hands"]  # √(0.25·0.75/1000)/0.5
    assert strong("What one report can do") == [f"{100 * math.e / (math.e + 99):.1f}%"]
    # GRR: p = e/(e+19), q = 1/(e+19); f = 5 %.
    p, q = math.e / (math.e + 19), 1 / (math.e + 19)
    n = (0.05 * p * (1 - p) + 0.95 * q * (1 - q)) / (p - q) ** 2 / 1e-4
    assert strong("How many users?") == [f"{math.ceil(n):,}"]
    assert strong("Is 10,000 steps much?") == ["17%", "52%"]  # 1 - exp(-10⁴/54 658) and 1 - exp(-10⁴/13 782)
    assert strong("Less than promised") == ["0.896"]


def test_solutions_by_simulation():
    def off(name, k):
        s = ldp.Setting(data="uniform", mechanism=name, eps=1.0, n=20_000, k=k, runs=20, max_iter=1)
        return 100 * math.sqrt(ldp.run(s).error("raw").mean)

    grr, oue = (float(number) for number in strong("GRR or OUE?"))
    # 2,000 bars: the root mean square scatters by 1.6 %, and what is written is rounded by 4 %.
    assert off("GRR", 100) == pytest.approx(grr, rel=0.12)
    assert off("OUE", 100) == pytest.approx(oue, rel=0.12)


def test_thirty_days_by_hand():
    """The best guess is the bar named most often; chance decides between those that are level.

    Bits are independent: f₁ and f₀ are the laws of how often the true bar and another one are named.
    """

    def binomial(t, p):
        return [math.comb(t, s) * p**s * (1 - p) ** (t - s) for s in range(t + 1)]

    def right(own, other, k=20):
        upto = [sum(other[:s]) for s in range(len(other) + 1)]
        level = [(upto[s + 1] ** k - upto[s] ** k) / (k * other[s]) for s in range(len(own))]
        return sum(f * g for f, g in zip(own, level, strict=True))

    def kept(p, t):
        return [p * one + (1 - p) * zero for one, zero in zip(binomial(t, p2), binomial(t, 1 - p2), strict=True)]

    a, b = math.exp(2), math.e
    p2 = (a * b - 1) / (a * b + a - b - 1)
    fresh = [right(binomial(t, 0.5), binomial(t, 1 / (b + 1))) for t in (1, 30)]
    memo = right(kept(0.5, 30), kept(1 / (a + 1), 30))
    ever = right([0.5, 0.5], [a / (a + 1), 1 / (a + 1)])
    assert strong("Thirty days") == [percent(fresh[1]), percent(memo)]
    assert f"After one report {percent(fresh[0])}." in SOLUTIONS["Thirty days"]
    assert f"never gets above {percent(ever)}." in SOLUTIONS["Thirty days"]


def test_a_question_is_not_ended_twice():
    assert teach._ended("Who pays?") == "Who pays?"
    assert teach._ended("Every day") == "Every day."
