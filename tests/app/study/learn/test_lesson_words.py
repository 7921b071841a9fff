"""What the lessons say: no word before it is explained, and nothing that the numbers do not say."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import ldpcore as ldp
from pages.study.learn import again, arriving, choosing, collection, life, life_words, plain, stepping
from pages.study.learn.population import NAMES


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
    unexplained = ("Laplace", "RAPPOR", "ε", "best of", "hash", "random bit", "unary", "rounds")
    assert not [word for word in unexplained if word.lower() in plain.LINES[name].lower()]
    for eps in map(float, life.STRENGTHS):
        m = life.make(name, eps)
        never = "never happens" in life_words.task(m)
        assert ("memo" in life_words.task(m)) <= (m.eps_inf is not None)
        # Over all reports no belief of one in eight gets above this, by the definition of ε∞.
        assert never == (m.eps_inf is not None and 1 / (1 + 7 * math.exp(-m.eps_inf)) < life_words.SURE)


def test_a_mechanism_that_the_lesson_does_not_know_speaks_for_itself():
    m = life.make("GRR", 1.0)
    assert plain.line(m) == plain.LINES["GRR"] != m.summary

    stranger = SimpleNamespace(name="NEW", summary="Something new.")
    assert plain.line(stranger) == "Something new."


def test_no_chance_of_a_best_guess_without_what_is_known_beforehand():
    assert "if all bars are equally likely beforehand" in choosing.sentence(1.0, 1_000, 10)
    assert "equally likely before" in again._STORY
    assert all("every value equally likely" in frame.text for frame in again.frames(0, False).frames)
