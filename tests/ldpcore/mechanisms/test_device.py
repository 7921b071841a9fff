"""One user's device sends what the mechanism's own functions give, and keeps what it says it keeps."""

import contextlib
import copy

import numpy as np
import pytest
from mechanism_cases import PAPERS

import ldpcore as ldp
from ldpcore.mechanisms.reports import VALUES


def make(name):
    return ldp.mechanism(name, k=5, eps=1.0)


def same(m, one, other):
    return bool((m.supports(one) == m.supports(other)).all())


def two_generators(seed=3):
    return np.random.default_rng(seed), np.random.default_rng(seed)


@pytest.mark.parametrize("name", ldp.ONE_TIME + ldp.LONGITUDINAL)
def test_without_a_memo_every_report_is_fresh(name):
    m, (rng, other) = make(name), two_generators()
    phone = m.device(2, rng, memo=False)
    assert phone.memo is None
    for value in (2, 2, 4):
        phone.hold(value, rng)
        assert same(m, phone.report(rng), m.privatize([value], other))


@pytest.mark.parametrize("name", ldp.LONGITUDINAL)
@pytest.mark.parametrize("memo", [None, True])
def test_a_chain_keeps_its_memo(name, memo):
    m, (rng, other) = make(name), two_generators()
    phone, expected = m.device(2, rng, memo=memo), m.memoize([2], other)
    for value in (2, 4, 2):
        phone.hold(value, rng)
        expected = m.update(expected, [value], other)
        assert same(m, phone.memo, expected.as_report)
        assert same(m, phone.report(rng), m.report(expected, other))


@pytest.mark.parametrize("name", ldp.ONE_TIME)
def test_a_one_time_mechanism_keeps_nothing_or_sends_its_report_again(name):
    m, rng = make(name), np.random.default_rng(5)
    assert m.device(0, rng).memo is None
    phone = m.device(0, rng, memo=True)
    assert phone.memo is None  # nothing was sent yet
    first = phone.report(rng)
    phone.hold(3, rng)
    phone.report(rng)
    phone.hold(0, rng)
    for _ in range(5):
        assert same(m, phone.report(rng), first)
    assert same(m, phone.memo, first)


@pytest.mark.parametrize("name", ldp.ONE_TIME + ldp.LONGITUDINAL)
def test_what_is_done_to_a_report_does_not_change_what_is_kept(name):
    """A report that was written to was sent as it was then, again and again; so was the hash function of a memo."""
    m, rng = make(name), np.random.default_rng(8)
    phone = m.device(1, rng, memo=True)
    phone.report(rng)
    kept = copy.deepcopy(phone.memo)
    for _ in range(2):
        for given in (phone.report(rng), phone.memo):
            for array in given if isinstance(given, tuple) else (given,):
                with contextlib.suppress(ValueError):  # a memo's answers can't be written to
                    array[...] = 0
        assert same(m, phone.memo, kept)
        assert name in ldp.LONGITUDINAL or same(m, phone.report(rng), kept)


@pytest.mark.parametrize("name", ["GRR", "L-OLH"])
@pytest.mark.parametrize("value", [-1, 5, 1.5, "a"])
def test_a_value_that_is_none_is_refused(name, value):
    with pytest.raises(ldp.Refused, match="value must"):
        make(name).device(value, np.random.default_rng())


@pytest.mark.parametrize("name", ldp.ONE_TIME + ldp.LONGITUDINAL)
def test_counts_come_at_once_but_for_sets(name):
    cls = ldp.mechanism_class(name)
    if name in PAPERS:
        assert cls.counts_come_at_once() == (name != "SS")
    assert cls.counts_come_at_once() == (cls.support_law == "independent" or cls.report_kind is VALUES)


@pytest.mark.parametrize("memo", [None, True, False])
@pytest.mark.parametrize("name", ["GRR", "OLH", "L-GRR", "L-OSUE"])
def test_what_is_no_value_is_not_held(name, memo):
    rng = np.random.default_rng(1)
    phone = ldp.mechanism(name, k=4, eps=50.0 if not name.startswith("L") else 1.0).device(2, rng, memo=memo)
    for wrong in ("x", 99, [1], None, -1, 1.5):
        with pytest.raises(ldp.Refused, match=r"^value must be a whole number from 0 to 3; got "):
            phone.hold(wrong, rng)
    if name == "GRR":
        assert phone.report(rng).tolist() == [2]


def test_a_memo_is_left_out_by_any_false():
    m, rng = ldp.mechanism("L-GRR", k=4, eps=1.0), np.random.default_rng(1)
    assert m.device(2, rng, memo=np.False_).memo is None
    assert m.device(2, rng, memo=np.True_).memo is not None
