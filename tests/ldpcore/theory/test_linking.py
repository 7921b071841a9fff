"""Recognising users and noticing changes: against the laws of all pairs of sets of reports, enumerated."""

from __future__ import annotations

import math

import numpy as np
import pytest
from exact_channels import channel_of
from mechanism_cases import KNOWN_CASES, case_id, cells, make, z_limit
from repeated_reports import fresh, with_memo

import ldpcore as ldp
from ldpcore.theory import change_noticed, linkability
from ldpcore.theory.linking import _another

every_case = pytest.mark.parametrize("case", KNOWN_CASES, ids=case_id)
Z = z_limit(400)
PRIORS = [(1 / 3, 1 / 3, 1 / 3), (0.6, 0.3, 0.1)]


def told(same, other):
    """Return the chance of the best guess between two laws, each as likely as the other."""
    return float(np.maximum(same, other).sum() / 2)


def change_of(theta):
    """Return Pr[v, w]: a value, and another one as the others are common."""
    pairs = theta[:, None] * theta / (1 - theta[:, None])
    np.fill_diagonal(pairs, 0.0)
    return pairs


def laws(m, reports, theta, memo):
    """Return for each hash function its weight and the laws of two sets: one user, two users, a change."""
    if not memo:
        law = fresh(m, reports)
        same = np.einsum("v,vy,vz->yz", theta, law, law)
        apart = np.outer(theta @ law, theta @ law)
        return [(1.0, same, apart, np.einsum("vw,vy,wz->yz", change_of(theta), law, law))]
    found = []
    for weight, first, second in with_memo(m, reports):
        one = np.einsum("vm,my,mz->vyz", first, second, second)
        law = first @ second
        apart = np.outer(theta @ law, theta @ law)
        pairs = change_of(theta)
        # Two values with the same law of the memo are in one cell, and have one memo.
        together = np.all(first[:, None] == first[None], axis=2) if m.g else np.zeros_like(pairs, dtype=bool)
        changed = np.einsum("vw,vy,wz->yz", np.where(together, 0, pairs), law, law)
        changed += np.einsum("v,vyz->yz", np.where(together, pairs, 0).sum(axis=1), one)
        found.append((weight, np.einsum("v,vyz->yz", theta, one), apart, changed))
    return found


# A report that is sent again has a test of its own; fresh hash functions of many cells are too many to enumerate.
WAYS = [(case, True) for case in KNOWN_CASES if case[1]] + [
    (case, False) for case in KNOWN_CASES if cells(case[0]) <= 2
]


@pytest.mark.parametrize(
    ("case", "memo"), WAYS, ids=lambda part: case_id(part) if isinstance(part, tuple) else str(part)
)
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("reports", [1, 2])
def test_the_best_guess_from_all_pairs_of_sets(case, prior, memo, reports):
    """Simulated pairs: one false alarm in 10⁶ over all of them."""
    m = make(case, 3, 1.1, 2.4 if case[1] else None)
    theta = np.array(prior)
    parts = laws(m, reports, theta, memo)
    noticed = change_noticed(m, reports, theta, memo=memo)
    expected = sum(weight * told(same, changed) for weight, same, _, changed in parts)
    assert noticed.se < 0.02
    assert noticed.chance == pytest.approx(expected, abs=Z * noticed.se)
    linked = linkability(m, reports, theta, memo=memo)
    if memo and m.g:
        assert linked.chance == pytest.approx(1, abs=1e-9)
        return
    assert linked.chance == pytest.approx(sum(w * told(a, b) for w, a, b, _ in parts), abs=Z * linked.se)


@every_case
@pytest.mark.parametrize("prior", PRIORS)
def test_who_sees_the_memos_themselves(case, prior):
    """Memos are seen as they are: the second round is that of no noise. One-time reports are their own memos."""
    k, theta = 3, np.array(prior)
    m = make(case, k, 1.1)
    if m.g is not None and not m.longitudinal:
        assert linkability(m, 5).chance == pytest.approx(1) == change_noticed(m, 5).chance
        return
    channels = [(1.0, channel_of(m)[0], None)] if not m.longitudinal else with_memo(m, 1)
    linked = noticed = 0.0
    for weight, first, _ in channels:
        memos, pairs = theta @ first, change_of(theta)
        linked += weight * told(np.diag(memos), np.outer(memos, memos))
        together = np.all(first[:, None] == first[None], axis=2) if m.g else np.zeros_like(pairs, dtype=bool)
        changed = np.einsum("vw,vy,wz->yz", np.where(together, 0, pairs), first, first)
        changed += np.diag(np.where(together, pairs, 0).sum(axis=1) @ first)
        noticed += weight * told(np.diag(memos), changed)
    reports = math.inf if m.longitudinal else 1
    assert change_noticed(m, reports, theta).chance == pytest.approx(noticed, rel=1e-9)
    if not m.g:
        assert linkability(m, reports, theta).chance == pytest.approx(linked, rel=1e-9)


def test_fresh_noise_leaves_the_value_to_go_by():
    theta = np.array([0.6, 0.3, 0.1])
    m = ldp.mechanism("OUE", k=3, eps=2.0)
    assert linkability(m, math.inf, theta, memo=False).chance == pytest.approx(1 - (0.36 + 0.09 + 0.01) / 2)
    many = linkability(m, 400, theta, memo=False)
    assert many.chance == pytest.approx(1 - 0.46 / 2, abs=Z * many.se + 1e-3)
    assert change_noticed(m, math.inf, memo=False).chance == 1


@pytest.mark.parametrize("name", ["L-SUE", "L-GRR", "L-OLH", "GRR", "SS"])
def test_many_reports_tend_to_the_memos(name):
    m = ldp.mechanism(name, k=20, eps=2.0)
    for function in (linkability, change_noticed):
        memo = m.longitudinal
        many, end = function(m, 3_000, memo=memo), function(m, math.inf, memo=memo)
        assert many.chance == pytest.approx(end.chance, abs=Z * many.se + 0.02)


def test_bits_that_say_nothing_of_the_value_are_a_fingerprint():
    """At so small an ε the bits of a memo are fair coins but for some thousandths; only bits that agree count."""
    m = ldp.mechanism("L-OSUE", k=50, eps=0.01, eps_inf=0.02)
    # Fresh reports: the laws of one user and of two have a ratio of e^ε at most, by the definition of ε.
    assert linkability(m, 1, memo=False).chance <= 1 / (1 + math.exp(-0.01))
    agree = m.p2**2 + (1 - m.p2) ** 2
    same, other = (np.array([math.comb(50, a) * p**a * (1 - p) ** (50 - a) for a in range(51)]) for p in (agree, 0.5))
    one = linkability(m, 1)
    assert one.chance == pytest.approx(told(same, other), abs=Z * one.se + 0.003)
    assert linkability(m, math.inf).chance > 0.999


def test_what_can_not_be_asked_is_said():
    m = ldp.mechanism("L-GRR", k=3, eps=1.0)
    with pytest.raises(ldp.Refused, match="one value has all users"):
        change_noticed(m, 3, [1.0, 0.0, 0.0])
    with pytest.raises(ldp.Refused, match="5,000 cells"):
        change_noticed(ldp.mechanism("L-OLH", k=3, eps=1.0, g=5_000), 3)
    with pytest.raises(ldp.Refused, match="reports must be"):
        linkability(m, 0)


@pytest.mark.parametrize("prior", [(0.6, 0.3, 0.1), (0.0, 0.5, 0.5), (0.0, 1 - 1e-9, 1e-9)])
def test_a_new_value_is_another_one_whatever_the_shares(prior):
    """The law of 30 000 new values of each old one; a right library fails with a chance of 1e-6."""
    theta, users, rng = np.array(prior), 30_000, np.random.default_rng(12)
    pairs = change_of(theta)
    for value in np.flatnonzero(theta).tolist():
        after = _another(np.full(users, value), theta, rng)
        assert (after != value).all()
        expected = pairs[value] / pairs[value].sum()
        spread = np.sqrt(expected * (1 - expected) / users)
        # Where a share is a billionth, another value than that of nearly all would be a wonder.
        assert (np.abs(np.bincount(after, minlength=3) / users - expected) <= z_limit(18) * spread + 1e-5).all()
    m = ldp.mechanism("L-GRR", k=3, eps=1.0)
    noticed = change_noticed(m, 3, theta)
    expected = sum(weight * told(same, changed) for weight, same, _, changed in laws(m, 3, theta, True))
    assert noticed.chance == pytest.approx(expected, abs=Z * noticed.se)
