"""One user's life: beliefs are Bayes' rule over all memos, and memos are kept."""

from __future__ import annotations

import math

import numpy as np
import pytest
from exact_channels import channel_of, memo_channel_of, second_channel
from mechanism_cases import CASES, HASHING, KNOWN_CASES, case_id, make, z_limit
from strangers import HadamardResponse

import ldpcore as ldp
from ldpcore.theory import live

UNHASHED = [case for case in KNOWN_CASES if case[0] not in HASHING]


def posterior(prior, likelihood):
    weights = prior * likelihood
    return weights / weights.sum()


@pytest.mark.parametrize("case", UNHASHED, ids=case_id)
@pytest.mark.parametrize("memo", [True, False])
def test_beliefs_are_the_bayes_rule(case, memo):
    m, prior = make(case, 3, 1.2), np.array([0.5, 0.2, 0.3])
    life = live(m, [2, 2, 2, 2, 0, 0, 0], np.random.default_rng(4), prior, memo=memo)
    channel, supports = channel_of(m)
    sent = [int(np.flatnonzero((supports == row).all(axis=1))[0]) for row in life.supports]
    for start, stop in ((0, 4), (4, 7)):
        for t in range(start, stop):
            seen = sent[start : t + 1]
            if memo and m.longitudinal:
                likelihood = memo_channel_of(m)[0] @ second_channel(m)[:, seen].prod(axis=1)
            else:
                likelihood = channel[:, seen[:1] if memo else seen].prod(axis=1)
            np.testing.assert_allclose(life.beliefs[t], posterior(prior, likelihood), rtol=1e-9)


@pytest.mark.parametrize("name", ["BLH", "OLH", "L-BLH", "L-OLH"])
@pytest.mark.parametrize("memo", [True, False])
def test_beliefs_after_hashed_reports_keep_their_promise(name, memo):
    """Belief in the true value and the mean of all beliefs, weighed by themselves, are equal on average."""
    m, rng = ldp.mechanism(name, k=4, eps=1.4), np.random.default_rng(6)
    prior = np.array([0.4, 0.3, 0.2, 0.1])
    apart = []
    for value in rng.choice(4, 250, p=prior):
        last = live(m, [value] * 3, rng, prior, memo=memo).beliefs[-1]
        apart.append(last[value] - (last**2).sum())
    z = np.mean(apart) / (np.std(apart) / math.sqrt(len(apart)))
    assert abs(z) < z_limit(8)


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_an_old_value_finds_its_old_memo(case):
    m = make(case, 4, 1.0)
    life = live(m, [1, 1, 2, 1], np.random.default_rng(8))
    np.testing.assert_array_equal(life.memos[0], life.memos[1])
    np.testing.assert_array_equal(life.memos[0], life.memos[3])
    if not m.longitudinal:
        np.testing.assert_array_equal(life.supports, life.memos)
    assert live(m, [1, 1], np.random.default_rng(8), memo=False).memos is None


def test_a_stranger_lives_with_fresh_noise():
    life = live(HadamardResponse(k=3, eps=1.0), [0] * 300, np.random.default_rng(9), memo=False)
    assert life.beliefs[-1].argmax() == 0
    assert life.beliefs[-1].max() > 0.99


@pytest.mark.parametrize("values", [[], [[1, 2]], [4], "x"])
def test_bad_lives_are_named(values):
    with pytest.raises(ldp.Refused, match=r"^values must"):
        live(ldp.mechanism("OUE", k=3, eps=1.0), values, np.random.default_rng())
