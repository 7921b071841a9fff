"""One user's report, told."""

import numpy as np
import pytest

import ldpcore as ldp
from pages.explore.estimate import one_report

NAMES = ldp.ONE_TIME + ldp.LONGITUDINAL


def make(name, k=12, eps=1.0):
    return ldp.mechanism(name, k=k, eps=eps, eps_inf=None if name in ldp.ONE_TIME else 2 * eps)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("k", "eps"), [(2, 0.1), (12, 1.0), (300, 4.0)])
def test_a_story_is_consistent(name, k, eps):
    m = make(name, k, eps)
    for seed in range(20):
        own = seed % k
        story = one_report.tell(m, own, seed, 1)
        assert story.belief.sum() == pytest.approx(1)
        assert story.supported.shape == story.belief.shape == (k,)
        # No value can rise above `most`, and supported ones never fall below the others.
        assert story.belief.max() <= story.most * (1 + 1e-9)
        if 0 < story.supported.sum() < k:
            assert story.belief[story.supported].min() > story.belief[~story.supported].max()
            ratio = story.belief.max() / story.belief.min()
            assert ratio == pytest.approx(m.likelihood_ratio)
        else:
            assert story.belief == pytest.approx(1 / k)
        told = story.steps[-1][1]
        assert f"supports {story.supported.sum()} of {k}" in told
        assert ("the true one among them" in told) == story.supported[own]


@pytest.mark.parametrize("name", NAMES)
def test_a_story_has_its_steps_and_can_be_repeated(name):
    tell = [one_report.tell(make(name), 3, 5, 1) for _ in range(2)]
    assert tell[0].steps == tell[1].steps
    # Other reports of the same user are other reports, but what was kept for good is the same.
    others = [dict(one_report.tell(make(name), 3, 5, number).steps) for number in range(2, 30)]
    assert {steps.get("Kept for good") for steps in others} == {dict(tell[0].steps).get("Kept for good")}
    assert len({str(steps) for steps in others}) > 1
    titles = [title for title, _ in tell[0].steps]
    assert len(titles) == len(set(titles)) >= 3
    assert ("Kept for good" in titles) == (name in ldp.LONGITUDINAL)
    assert all(text.strip().endswith(".") for _, text in tell[0].steps)


@pytest.mark.parametrize("name", NAMES)
def test_reports_support_the_true_value_as_often_as_p_says(name):
    m = make(name, 6)
    often = 400  # enough to tell p from q
    hits = sum(one_report.tell(m, 2, seed, 1).supported[2] for seed in range(often))
    noise = 4.5 * np.sqrt(m.p * (1 - m.p) / often)
    assert hits / often == pytest.approx(m.p, abs=noise)
    assert m.p - m.q > 1.5 * noise
