"""Memos: nothing else makes a report, one hash function a user, and old values find their old first round again."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from mechanism_cases import HASHING, LONGITUDINAL_CASES, case_id, chi2, chi2_limit, frequency_z, make, z_limit

from ldpcore import Memo, Refused
from ldpcore.mechanisms import LONGITUDINAL, hash_cells, mechanism

every_case = pytest.mark.parametrize("case", LONGITUDINAL_CASES, ids=case_id)
every_chain = pytest.mark.parametrize("name", LONGITUDINAL)


def rng(seed=1):
    return np.random.default_rng(seed)


# ---- only a memo makes a report -----------------------------------------------------


@every_chain
def test_true_values_are_no_memo(name):
    """A second round of the value itself would cost more than ε₁: 2.36 for L-SUE with ε∞ = 2."""
    m = mechanism(name, k=4, eps=1.0, eps_inf=2.0)
    values = np.array([0, 3, 1])
    memo = m.memoize(values, rng())
    for wrong in (
        values,
        np.eye(4, dtype=np.bool_)[values],
        (np.arange(3), values),
        memo.as_report,
        memo.answers,
        None,
    ):
        with pytest.raises(Refused, match=r"^memo must be what memoize or update returned.*; got "):
            m.report(wrong, rng())
        with pytest.raises(Refused, match=r"^memo must be what memoize or update returned.*; got "):
            m.update(wrong, values, rng())


@every_chain
def test_a_memo_of_another_mechanism_is_refused(name):
    m = mechanism(name, k=4, eps=1.0, eps_inf=2.0)
    others = [
        mechanism(name, k=4, eps=0.9, eps_inf=2.0),
        mechanism(name, k=4, eps=1.0, eps_inf=2.1),
        mechanism(name, k=5, eps=1.0, eps_inf=2.0),
        mechanism("L-OSUE" if name != "L-OSUE" else "L-SUE", k=4, eps=1.0, eps_inf=2.0),
    ]
    for other in others:
        with pytest.raises(Refused, match=r"^memo must be one of .*; got one of "):
            m.report(other.memoize([0, 1], rng()), rng())
    again = mechanism(name, k=4, eps=1.0, eps_inf=2.0)
    assert m.report_kind.length(m.report(again.memoize([0, 1], rng()), rng())) == 2


def test_a_memo_is_not_made_by_hand():
    m = mechanism("L-GRR", k=4, eps=1.0)
    with pytest.raises(Refused, match=r"^a memo is made by memoize"):
        Memo(m, np.array([0, 1]), None, ())
    with pytest.raises(Refused, match=r"^a memo is made by memoize"):
        Memo(m, np.array([0, 1]), None, (np.array([0, 1]),))


@every_chain
def test_a_memo_can_be_kept_and_not_changed(name):
    m = mechanism(name, k=4, eps=1.0)
    memo = m.memoize([2, 2, 0], rng())
    assert repr(memo) == f"<memo of 3 users for {name}>"
    assert len(memo) == 3
    with pytest.raises(ValueError, match="read-only"):
        memo.answers[0] = 0
    with pytest.raises(AttributeError):
        memo.answers = np.zeros(3)
    again = pickle.loads(pickle.dumps(memo))  # noqa: S301 - our own bytes
    np.testing.assert_array_equal(np.array(again.as_report), np.array(memo.as_report))
    np.testing.assert_array_equal(np.array(m.report(again, rng(5))), np.array(m.report(memo, rng(5))))


def test_the_caller_s_array_stays_writable():
    for name in LONGITUDINAL:
        values = np.array([0, 1, 1])
        m = mechanism(name, k=4, eps=1.0)
        m.update(m.memoize(values, rng()), values, rng())
        values[0] = 2


# ---- values that change -------------------------------------------------------------


@every_case
def test_a_user_who_returns_finds_the_old_memo(case):
    m, users = make(case, 5, 1.0, 2.5), 200
    r = rng(2)
    first = r.integers(0, 5, users)
    second = np.where(np.arange(users) % 2 == 0, first, (first + 1) % 5)
    monday = m.memoize(first, r)
    tuesday = m.update(monday, second, r)
    wednesday = m.update(tuesday, (first + 2) % 5, r)
    np.testing.assert_array_equal(np.array(m.update(wednesday, first, r).as_report), np.array(monday.as_report))
    np.testing.assert_array_equal(np.array(m.update(wednesday, second, r).as_report), np.array(tuesday.as_report))
    np.testing.assert_array_equal(tuesday.answers[::2], monday.answers[::2])
    assert (tuesday.answers[1::2] != monday.answers[1::2]).any()


@every_chain
def test_nothing_is_drawn_for_known_values(name):
    m = mechanism(name, k=5, eps=1.0)
    r = rng(3)
    memo = m.memoize(np.arange(5), r)
    state = r.bit_generator.state
    m.update(memo, np.arange(5), r)
    assert r.bit_generator.state == state


@pytest.mark.parametrize("name", [name for name in LONGITUDINAL if name in HASHING])
def test_one_hash_function_a_user_and_a_memo_for_each_cell(name):
    """Two values of a user in one cell share the first round, so there are no more than g of them."""
    m, users = mechanism(name, k=30, eps=1.0, eps_inf=4.0), 50
    r = rng(4)
    memo = m.memoize(np.zeros(users, dtype=np.int64), r)
    seeds, answers = memo.seeds, {}
    for value in range(30):
        memo = m.update(memo, np.full(users, value), r)
        np.testing.assert_array_equal(memo.seeds, seeds)
        cells = hash_cells(seeds, np.full(users, value), m.g)
        for user, (cell, answer) in enumerate(zip(cells.tolist(), memo.answers.tolist(), strict=True)):
            assert answers.setdefault((user, cell), answer) == answer
    assert sum(draws.users.size for draws in memo.history) == len(answers) <= users * m.g


@every_case
def test_the_memo_of_a_new_value_has_the_first_round_s_probabilities(case):
    """20 000 users a value; a right library fails with a chance of 1e-6 over all cases (Bonferroni)."""
    m, each = make(case, 4, 1.0, 2.5), 20_000
    r = rng(6)
    old, new = np.repeat([1, 2, 3, 0], each), np.repeat([0, 1, 2, 3], each)
    reports = m.update(m.memoize(old, r), new, r).as_report
    frequency = m.supports(reports).reshape(4, each, 4).mean(axis=1)
    q1 = m.q1 if m.g is None else 1 / m.g
    expected = np.where(np.eye(4, dtype=bool), m.p1, q1)
    assert np.abs(frequency_z(frequency, expected, each)).max() < z_limit(16 * len(LONGITUDINAL_CASES))


def test_first_rounds_of_two_values_are_independent():
    """All pairs of answers of 90 000 users of L-GRR; a right library fails with a chance of 1e-6."""
    m, users = mechanism("L-GRR", k=3, eps=1.0, eps_inf=2.0), 90_000
    r = rng(7)
    first = m.memoize(np.zeros(users, dtype=np.int64), r)
    second = m.update(first, np.ones(users, dtype=np.int64), r)
    pairs = np.bincount(3 * first.answers + second.answers, minlength=9)
    zero, one = (np.where(np.arange(3) == own, m.p1, m.q1) for own in (0, 1))
    assert chi2(pairs, users * np.outer(zero, one).ravel()) < chi2_limit(8)


def test_two_cells_of_a_user_are_independent_too():
    """L-BLH, users whose values 0 and 1 fall into different cells; a right library fails with a chance of 1e-6."""
    m, users = mechanism("L-BLH", k=2, eps=1.0, eps_inf=2.0), 90_000
    r = rng(8)
    first = m.memoize(np.zeros(users, dtype=np.int64), r)
    second = m.update(first, np.ones(users, dtype=np.int64), r)
    cells = [hash_cells(first.seeds, np.full(users, value), 2) for value in (0, 1)]
    apart = cells[0] != cells[1]
    # 1 where the answer is the true cell.
    right = 2 * (first.answers == cells[0]) + (second.answers == cells[1])
    expected = np.outer([1 - m.p1, m.p1], [1 - m.p1, m.p1]).ravel() * apart.sum()
    assert chi2(np.bincount(right[apart], minlength=4), expected) < chi2_limit(3)
    np.testing.assert_array_equal(first.answers[~apart], second.answers[~apart])


@every_chain
def test_bad_updates_are_refused(name):
    m = mechanism(name, k=4, eps=1.0)
    memo = m.memoize([0, 1], rng())
    with pytest.raises(Refused, match=r"^values must be one for each of the 2 users of the memo; got 3"):
        m.update(memo, [0, 1, 2], rng())
    with pytest.raises(Refused, match=r"^values must"):
        m.update(memo, [0, 4], rng())
    with pytest.raises(Refused, match=r"^rng must"):
        m.update(memo, [0, 1], None)
