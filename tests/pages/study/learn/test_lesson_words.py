"""What the lessons say: no word before it is explained, and nothing that the numbers do not say."""

import math
import pickle
import re
from types import SimpleNamespace

import numpy as np
import pytest
from mechanism_cases import z_limit

import ldpcore as ldp
from ldpcore.theory import observer_beliefs
from ldpui.format import percent
from pages.study.learn import (
    again,
    arriving,
    choosing,
    collection,
    journey,
    life,
    life_words,
    plain,
    stepping,
    undoing,
)
from pages.study.learn.population import NAMES, SHARES
from pages.study.learn.sender import Sender


def test_lesson_5_does_not_shrink_what_is_at_0():
    """Whatever the draw: a bar that is written as 0.0% neither shrinks, nor is said to."""
    seen = 0
    for number in range(12):
        estimates = stepping.trace(number)
        for frame, estimate in zip(stepping.frames(number, estimates, False).frames, estimates, strict=True):
            name = frame.text.partition("“")[2].partition("”")[0]
            written = collection.shares(estimate)[NAMES.index(name)]
            at_0, said = written == "0.0%", "can't shrink any more" in frame.text
            assert not said or at_0
            assert not (at_0 and "so its bar shrinks" in frame.text)
            seen += said
    assert seen


def test_lesson_3_says_how_the_noise_is_undone():
    """The three numbers of the story turn a count into the estimate of lesson 3."""
    m = collection.mechanism()
    told = arriving.story()
    away, scale = 0.103, 0.177
    assert f"named by {100 * away:.1f}% of" in told.replace("\n", " ")
    assert f"divides by {100 * scale:.1f}%" in told.replace("\n", " ")
    counts = np.array([400, 100, 100, 100, 100, 100, 50, 50])
    np.testing.assert_allclose((counts / 1000 - away) / scale, ldp.mi(counts, 1000, m, post="none"), atol=0.005)


@pytest.mark.parametrize("name", life.MECHANISMS)
def test_lesson_2_has_a_plain_line_for_every_mechanism_and_says_what_can_not_be_done(name):
    unexplained = ("Laplace", "RAPPOR", "ε", "best of", "hash", "random bit", "unary", "rounds", "boxes")
    for eps in map(float, life.STRENGTHS):
        m = life.make(name, eps)
        assert name in plain.LINES
        assert not [word for word in unexplained if word.lower() in plain.line(m).lower()]
        never = "never happens" in life_words.task(m)
        assert ("memo" in life_words.task(m)) <= (m.eps_inf is not None)
        # Over all reports no belief of one in eight gets above this, by the definition of ε∞.
        assert never == (m.eps_inf is not None and 1 / (1 + 7 * math.exp(-m.eps_inf)) < life_words.SURE)


@pytest.mark.parametrize("eps", [float(eps) for eps in life.STRENGTHS])
def test_lesson_2_says_of_a_mechanism_what_it_does_at_this_eps(eps):
    """Sizes of reports, and a bit that flips, by the published formulas."""
    e, set_size = math.exp(eps), max(1, round(8 / (math.exp(eps) + 1)))
    line = {name: plain.line(life.make(name, eps)) for name in life.MECHANISMS}
    assert line["SS"].startswith("Names one thing:" if set_size == 1 else f"Names {set_size} things at once")
    assert f"a no becomes a yes with a chance of {percent(1 / (e + 1))}." in line["OUE"]
    assert f"a no becomes a yes with a chance of {percent(1 / (e * e + 1))}." in line["L-OSUE"]
    assert "into 2 cells" in line["BLH"]
    assert line["BLH"].endswith("by chance the other.")
    assert f"into {round(e + 1)} cells" in line["OLH"]
    assert ("by chance the other" in line["OLH"]) == (round(e + 1) == 2)


@pytest.mark.parametrize("name", ldp.LONGITUDINAL)
def test_lesson_2_says_how_often_its_task_can_be_done(name):
    """40 000 memos: those that speak for the own value alone. One false alarm in 10⁶ over all seven."""
    m, users = life.make(name, 4.0), 40_000
    memos = m.supports(m.memoize(np.full(users, 3), np.random.default_rng(4)).as_report)
    alone = memos[:, 3] & (memos.sum(axis=1) == 1)
    expected = life_words.given_away(m)
    assert abs(alone.mean() - expected) < z_limit(7) * math.sqrt(expected * (1 - expected) / users)
    task = life_words.task(m)
    assert f"in about {100 * expected:.1f}% of all attempts" in task
    assert ("hardly ever" in task) == (name == "L-BLH")
    assert ("shares a cell" in task) == (name in ("L-BLH", "L-OLH"))
    # What the server believes in the long run. 150 reports tell any memo but for a chance below 10⁻⁶.
    rng = np.random.default_rng(5)
    for _ in range(20):
        phone = m.device(3, rng)
        kept = m.supports(phone.memo)[0]
        last = observer_beliefs(m, [phone.report(rng) for _ in range(150)])[-1, 3]
        assert (last >= life_words.SURE) == bool(kept[3] and kept.sum() == 1)


def test_lessons_4_and_5_speak_of_the_first_collection_whichever_is_shown(monkeypatch):
    because = undoing._because()
    raw = (collection.counts(500, 4, 0) / 500 - 0.10293) / 0.17687  # by hand: 1/(e+7) and (e-1)/(e+7)
    assert f"In the first collection {(raw < 0).sum()} shares are below 0;" in because
    assert f"sum to **{100 * raw[raw > 0].sum():.0f}%**" in because
    assert (undoing.steps(1)[1] < 0).sum() != (raw < 0).sum()  # which would be said of the wrong one otherwise
    asked = []
    monkeypatch.setattr(stepping.progress, "guess", lambda *parts: asked.append(parts[-1]))
    monkeypatch.setattr(stepping.st, "markdown", lambda text: None)
    stepping.draw()
    assert asked[0].startswith("in the first collection equal bars are off by")


def test_lesson_5_grows_and_shrinks_the_bars_that_it_says():
    """One step of IBU by hand, from every histogram shown: of single bars as said, of all of them mostly."""
    m = collection.mechanism()
    channel, said, all_bars = np.full((8, 8), m.q) + (m.p - m.q) * np.eye(8), [], []
    for number in range(12):
        counts, estimates = stepping.observed_counts(number), stepping.trace(number)
        for frame, theta in zip(stepping.frames(number, estimates, False).frames, estimates, strict=True):
            expected = channel @ theta
            grown = channel @ (counts / counts.sum() / expected)
            all_bars += ((grown > 1) == (counts > counts.sum() * expected)).tolist()
            bar = NAMES.index(frame.text.partition("“")[2].partition("”")[0])
            if "so its bar grows" in frame.text:
                said.append(grown[bar] > 1)
            elif "shrink" in frame.text:
                said.append(grown[bar] < 1)
    assert len(said) > 150
    assert all(said)
    # What the story says of all bars holds of most of them, and not of all.
    assert 0.85 < np.mean(all_bars) < 1
    assert "mostly gets a larger bar" in stepping._STORY


@pytest.mark.parametrize("number", [0, 3])
def test_lesson_5_says_where_cross_validation_stops(number):
    """The number of steps is that at which the histogram said to be reached is reached, by hand."""
    told = stepping.blind(number)
    steps, off, best = re.search(r"after \*\*(\d+) steps?\*\*.* off by ([\d.]+) .* shown has ([\d.]+)\.", told).groups()
    m, counts = collection.mechanism(), stepping.observed_counts(number)
    channel, theta = np.full((8, 8), m.q) + (m.p - m.q) * np.eye(8), np.full(8, 1 / 8)
    for _ in range(int(steps)):
        theta = theta * (channel @ (counts / counts.sum() / (channel @ theta)))
    assert off == collection.in_points(100 * math.sqrt(((theta - SHARES) ** 2).mean()))
    assert float(best) <= float(off)
    assert best == collection.in_points(min(stepping.errors(stepping.trace(number))))


@pytest.mark.parametrize("name", ["OLH", "SS", "L-OUE"])
def test_lesson_2_keeps_little_of_a_thousand_reports(name):
    alive, rng = life.Life(), np.random.default_rng(6)
    alive.rng, alive.sender = rng, Sender.new(life.make(name, 1.0), 2, NAMES, rng)
    for _ in range(10):
        life.send(alive, 100)
    assert len(alive.reports) == len(alive.beliefs) == life.REPORTS_MAX
    np.testing.assert_allclose(alive.beliefs, observer_beliefs(alive.sender.mechanism, alive.reports))
    assert len(alive.last) == 100
    assert alive.last[-1].report is alive.reports[-1]
    # Whole lives of a thousand reports were 2 to 5 MB.
    assert len(pickle.dumps((alive.reports, alive.beliefs, alive.last))) < 700_000


def test_a_mechanism_that_the_lesson_does_not_know_speaks_for_itself():
    m = life.make("GRR", 1.0)
    assert plain.line(m) == plain.LINES["GRR"](m) != m.summary

    stranger = SimpleNamespace(name="NEW", summary="Something new.")
    assert plain.line(stranger) == "Something new."


def test_no_chance_of_a_best_guess_without_what_is_known_beforehand():
    assert "if all bars are equally likely beforehand" in choosing.sentence(1.0, 1_000, 10)
    assert "equally likely before" in again._STORY
    assert all("every value equally likely" in frame.text for frame in again.frames(0, False).frames)


@pytest.mark.parametrize("name", life.MECHANISMS)
def test_lesson_2_bounds_no_belief_below_what_can_be_seen(name):
    """No value could get "above 51%", and was seen at 51.4%; at ε∞ = 8 none "above 100%"."""
    for eps in map(float, life.STRENGTHS):
        m = life.make(name, eps)
        bounds = [(m.likelihood_ratio, life_words.because(m))]
        bounds += [(math.exp(m.eps_inf), life_words.summary(m, np.array([0.2])))] if m.eps_inf else []
        for odds, text in bounds:
            told = float(re.search(r"can get above \*\*([\d.]+)%", text)[1])
            seen = float(life_words.chance(odds / (odds + 7)).removesuffix("%"))
            assert seen <= told < 100
            assert told <= 100 * odds / (odds + 7) + 0.1


@pytest.mark.parametrize("name", life.MECHANISMS)
def test_lesson_2_calls_no_chance_certain(name):
    """The memo of L-GRR at ε∞ = 8 was kept with a chance of 100%, which is 99.77%."""
    rng = np.random.default_rng(7)
    sender = Sender.new(life.make(name, 4.0), 3, NAMES, rng)
    texts = [stage.text for _ in range(5) for stage in journey.send(sender, rng).stages]
    assert any("with a chance of" in text for text in texts) == (name != "THE")
    assert not [text for text in texts if re.search(r"\b(0|100)%", text)]
