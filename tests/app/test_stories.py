"""One user's report, told; and mechanisms compared at the same privacy."""

from dataclasses import replace

import numpy as np
import pytest

import ldpcore as ldp
from ldpui import links, privacy, vocabulary
from pages.explore.compare import controls
from pages.explore.compare import rows as compared
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
    hits = sum(one_report.tell(m, 2, seed, 1).supported[2] for seed in range(1000))
    assert hits / 1000 == pytest.approx(m.p, abs=4.5 * np.sqrt(m.p * (1 - m.p) / 1000))


# ---- comparing ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def rows():
    base = ldp.Setting(data="poisson", mechanism="OUE", eps=1.0, n=2000, k=10, runs=3, max_iter=30)
    return [compared.row(ldp.run(privacy.same_privacy(base, name)), "mse") for name in NAMES]


def test_ordered_by_each_key(rows):
    shuffled = rows[::-1]
    paper, by_mi, by_ibu, by_gain = (compared.ordered(shuffled, order) for order in controls.SORTS)
    assert [row.mechanism for row in paper] == list(NAMES)
    assert [row.mi.mean for row in by_mi] == sorted(row.mi.mean for row in rows)
    assert [row.ibu.mean for row in by_ibu] == sorted(row.ibu.mean for row in rows)
    assert [row.gain.mean for row in by_gain] == sorted((row.gain.mean for row in rows), reverse=True)


def test_same_privacy_changes_the_mechanism_only():
    once = ldp.Setting(mechanism="SS", eps=1.5, k=20, seed=4)
    chain = privacy.same_privacy(once, "L-SUE")
    assert (chain.mechanism, chain.eps, chain.eps_inf, chain.k, chain.seed) == ("L-SUE", 1.5, 3.0, 20, 4)
    assert privacy.same_privacy(chain, "SS") == once
    chosen = ldp.Setting(mechanism="L-OSUE", eps=1.0, eps_inf=7.0)
    assert privacy.same_privacy(chosen, "L-OLH").eps_inf == 7.0


def test_log_range_holds_every_error(rows):
    low, high = compared.log_range(rows)
    errors = np.log10([error.mean for row in rows for error in (row.mi, row.ibu)])
    assert low < errors.min()
    assert high > errors.max()


def test_log_range_of_nothing_to_draw(rows):
    zero = replace(rows[0], mi=ldp.Summary([0.0]), ibu=ldp.Summary([np.inf]))
    assert compared.log_range([zero]) is None
    assert compared.log_range([]) is None
    one = compared.log_range([replace(rows[0], mi=ldp.Summary([0.1]), ibu=ldp.Summary([0.1]))])
    assert one[0] < -1 < one[1]


def test_flat_rows_are_plain_numbers(rows):
    flat = compared.flat(rows[0])
    assert all(isinstance(value, str | float | int) for value in flat.values())


# ---- controls and words -------------------------------------------------------------


@pytest.mark.parametrize("key", links.CONTROLS)
def test_every_default_is_allowed(key):
    default = links.CONTROLS[key].default
    for part in default if isinstance(default, tuple) else [default]:
        if part is None:
            continue  # nothing is said, and nothing is what is meant
        word = str(part).lower() if isinstance(part, bool) else str(part)
        assert links.CONTROLS[key].allows(word)
    assert not links.CONTROLS[key].allows("no such word")


@pytest.mark.parametrize("name", NAMES)
def test_the_sliders_can_show_the_privacy_of_a_comparison(name):
    found = privacy.privacy_words(1.0, 2.0, name)
    expected = {"eps": "1"} if name in ldp.ONE_TIME else {"eps_inf": "2", "share": "50%"}
    assert found == expected
    assert all(links.CONTROLS[key].allows(word) for key, word in found.items())


def test_every_mechanism_metric_and_estimator_has_words():
    for name in NAMES:
        assert ldp.mechanism_class(name).summary.endswith(".")
    assert {record.key for record in vocabulary.METRICS.values()} == set(ldp.METRICS)
    assert all(record.name and record.summary.endswith(".") for record in ldp.ESTIMATORS.values())
