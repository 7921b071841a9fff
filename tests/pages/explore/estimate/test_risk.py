"""What one report gives away, beside the error: the sentence, against users who are simulated."""

import re

import numpy as np
import pytest
from app_steps import ESTIMATE, QUICK, open_page

import ldpcore as ldp
from pages.explore.estimate.risk import Risk, risk


@pytest.fixture(scope="module")
def result():
    return ldp.run(ldp.Setting(data="poisson", mechanism="OUE", eps=2.0, n=2_000, k=12, runs=2, max_iter=5))


def test_the_guesses_are_right_as_often_as_said(result):
    rng, users = np.random.default_rng(1), 40_000
    guess = risk(result)
    assert (guess.blind, guess.knowing) == (1 / 12, result.true.max())
    for prior, said in ((np.full(12, 1 / 12), guess.seen), (result.true, guess.knowing_seen)):
        values = rng.choice(12, users, p=prior)
        supports = result.mechanism.supports(result.mechanism.privatize(values, rng))
        # The likeliest value given the report; ties go to the first, which is as good as any.
        likeliest = np.argmax(prior * np.where(supports, result.mechanism.likelihood_ratio, 1.0), axis=1)
        # 4.5 standard errors: less than 1 in 100 000 goes wrong by chance.
        assert np.mean(likeliest == values) == pytest.approx(said, abs=4.5 * np.sqrt(said * (1 - said) / users))


def test_the_sentence_has_all_four_chances(result):
    guess = risk(result)
    chances = [float(c) for c in re.findall(r"([\d.]+)%", str(guess))]
    expected = [guess.blind, guess.seen, guess.knowing, guess.knowing_seen]
    assert chances == pytest.approx([100 * c for c in expected], rel=0.06)


def test_a_report_that_changes_no_guess_is_said_to_change_none():
    assert "not at all, it stays at 70%" in str(Risk(0.25, 0.4754, 0.7, 0.7))
    assert "bin hardly at all, it stays at 1%" in str(Risk(0.01, 0.010001, 0.7, 0.8))


def test_a_chance_below_one_is_not_called_certain():
    """ACS income in two bins: 99.5 % of the users are in the first, which was written as 100 %."""
    r = ldp.run(ldp.Setting(data="acs-income", mechanism="OUE", eps=2.0, n=20_000, k=2, runs=1, max_iter=5))
    assert 0.995 < r.true.max() < 1
    sentence = str(risk(r))
    said = re.search(r"not at all, it stays at (over )?([\d.]+)%", sentence)
    assert float(said[2]) < 100
    assert float(said[2]) == pytest.approx(100 * r.true.max(), abs=0.05)
    assert "stays at 100%" in str(Risk(0.5, 0.7, 1.0, 1.0))


def test_the_risk_stands_beside_the_error_and_moves_with_eps():
    said = []
    for eps in ("0.5", "4"):
        words = [m.value for m in open_page(ESTIMATE, QUICK | {"eps": eps}).main.markdown]
        (sentence,) = [w for w in words if "**Risk:**" in w]
        assert any("percentage points with MI" in w for w in words)
        said.append([float(c) for c in re.findall(r"([\d.]+)%", sentence)])
    low, high = said
    assert low[0] == high[0] == 10
    assert high[1] > 2 * low[1]


def test_no_report_makes_certain_what_was_not():
    """At ε = 50 one report in 10²² is wrong, and the chance is rounded to 1."""
    r = ldp.run(ldp.Setting(data="uniform", mechanism="GRR", eps=50.0, n=100, k=4, runs=1, max_iter=5))
    assert risk(r).seen == 1
    assert str(risk(r)).count("to **over 99.99%**") == 2
    assert "100%" not in str(risk(r))
