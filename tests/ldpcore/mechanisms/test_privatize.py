"""Real reports: how often they support each value, exact random bits, THE's reals, memos.

Limits come from the normal approximation of frequencies, with a false-alarm rate of 10⁻⁶ a test.
"""

from __future__ import annotations

import numpy as np
import pytest
from mechanism_cases import CASES, HASHING, LONGITUDINAL_CASES, case_id, frequency_z, make, z_limit

from ldpcore.mechanisms import HashedReports, mechanism
from ldpcore.mechanisms._random import randomize_bits

USERS = 100_000


def support_frequencies(m, reports, users=USERS):
    """Return how often a report supports each value, one row for each true value."""
    return m.supports(reports).reshape(m.k, users, m.k).mean(axis=1)


def truth(m, users=USERS):
    return np.repeat(np.arange(m.k), users)


def expected_supports(m):
    return m.q + (m.p - m.q) * np.eye(m.k)


def assert_frequencies(frequencies, probabilities, users=USERS):
    z = frequency_z(frequencies, probabilities, users)
    assert np.abs(z).max() < z_limit(z.size)


@pytest.mark.parametrize("eps", [0.4, 2.0])
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_every_true_value_is_supported_with_p_and_q(case, eps):
    m = make(case, 4, eps)
    reports = m.privatize(truth(m), np.random.default_rng(41))
    frequencies = support_frequencies(m, reports)
    assert_frequencies(frequencies, expected_supports(m))
    # All true values together: sharp enough to notice a p that is 2 % off.
    p, n = np.diag(frequencies).mean(), m.k * USERS
    assert abs(frequency_z(p, m.p, n)) < z_limit(1)
    assert abs(frequency_z(p, 1.02 * m.p, n)) > z_limit(1)


def test_reports_have_the_documented_shape():
    values, rng = [0, 1, 2, 3, 3], np.random.default_rng(42)
    for case in CASES:
        m = make(case, 4, 1.0)
        reports = m.privatize(values, rng)
        kind = m.report_kind.key
        if kind == "pairs":
            assert isinstance(reports, HashedReports)
            assert reports.seed.shape == reports.value.shape == (5,)
        elif kind == "bits":
            assert reports.shape == (5, 4)
            assert reports.dtype == np.bool_
        else:
            assert reports.shape == ((5, m.support_size) if kind == "sets" else (5,))


# ---- random bits ------------------------------------------------------------------

# At and just beside multiples of 1/256, where the first random byte decides or almost decides.
PROBABILITIES = (0.5, 3 / 256, 3 / 256 + 1e-4, 3 / 256 - 1e-4, 1 / 256, 255 / 256, 1 - 1e-3, 1 / 3, 2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("p", PROBABILITIES)
def test_random_bits_have_their_probabilities(p):
    # 6 and 18 million bits: a probability cut off to whole bytes would be far outside.
    bits = np.zeros((24_000, 1000), dtype=bool)
    q = 1 - p
    bits[:, ::4] = True
    out = randomize_bits(bits, p, q, np.random.default_rng(43))
    ones, zeros = out[:, ::4], np.delete(out, np.s_[::4], axis=1)
    assert abs(frequency_z(ones.mean(), p, ones.size)) < z_limit(2)
    assert abs(frequency_z(zeros.mean(), q, zeros.size)) < z_limit(2)


def test_fine_steps_beside_a_byte_boundary_are_seen():
    # 10⁻⁴ is 8 standard deviations of the frequency of 80 million bits.
    bits = np.ones((40_000, 2000), dtype=bool)
    frequency = randomize_bits(bits, 3 / 256 + 1e-4, 0.5, np.random.default_rng(44)).mean()
    assert abs(frequency_z(frequency, 3 / 256 + 1e-4, bits.size)) < z_limit(1)
    assert abs(frequency_z(frequency, 3 / 256, bits.size)) > z_limit(1)


def test_certain_and_nearly_impossible_bits():
    bits = np.zeros((4000, 1000), dtype=bool)
    bits[:, 500:] = True
    out = randomize_bits(bits, 1.0, 1e-9, np.random.default_rng(45))
    assert out[:, 500:].all()
    # Two million bits at 10⁻⁹: two or more ones have a chance of 2·10⁻⁶, three of 10⁻⁹.
    assert out[:, :500].sum() <= 2
    assert not randomize_bits(~bits, 1.0, 0.0, np.random.default_rng(45))[:, 500:].any()


def test_random_bits_do_not_depend_on_their_place():
    # Blocks of rows are drawn one after the other: neither rows nor columns may differ.
    out = randomize_bits(np.zeros((6000, 300), dtype=bool), 0.5, 0.3, np.random.default_rng(46))
    for axis in (0, 1):
        z = frequency_z(out.mean(axis=axis), 0.3, out.shape[axis])
        assert np.abs(z).max() < z_limit(z.size)


# ---- THE's reals --------------------------------------------------------------------


@pytest.mark.parametrize("eps", [0.5, 3.0])
def test_noisy_histograms_above_the_threshold_have_p_and_q(eps):
    m = mechanism("THE", k=4, eps=eps)
    reals = m.noisy_histograms(truth(m), np.random.default_rng(47), accept_leak=True)
    above = (reals > m.theta).reshape(4, USERS, 4).mean(axis=1)
    assert_frequencies(above, expected_supports(m))
    np.testing.assert_array_equal(m.supports(reals), reals > m.theta)
    np.testing.assert_array_equal(m.support_counts(reals), (reals > m.theta).sum(axis=0))
    # Laplace noise of scale 2/ε has mean 0 and variance 8/ε²; excess kurtosis 3 gives s² the variance 5σ⁴/n.
    noise = reals.reshape(4, USERS, 4) - np.eye(4)[:, None, :]
    variance = 8 / eps**2
    assert abs(noise.mean()) / np.sqrt(variance / noise.size) < z_limit(2)
    assert abs(noise.var() / variance - 1) / np.sqrt(5 / noise.size) < z_limit(2)


def test_reports_of_the_are_bits_or_reals():
    m = mechanism("THE", k=3, eps=1, theta=0.6)
    assert m.support_counts([[0.59, 0.61, -3.0], [7.5, 0.6, 0.7]]).tolist() == [1, 1, 1]
    for dtype in (bool, int, float, np.uint8):
        assert m.support_counts(np.array([[0, 1, 1], [0, 0, 1]], dtype=dtype)).tolist() == [0, 1, 2]


# ---- memos ------------------------------------------------------------------------


def memo_supports(m):
    """Return Pr[the memo supports w | true value v], which the first round alone decides."""
    q1 = 1 / m.g if m.name in HASHING else m.q1
    return q1 + (m.p1 - q1) * np.eye(m.k)


@pytest.mark.parametrize("case", LONGITUDINAL_CASES, ids=case_id)
def test_memo_and_report_have_their_probabilities(case):
    m = make(case, 4, 1.0, 2.5)
    rng = np.random.default_rng(48)
    memo = m.memoize(truth(m), rng)
    assert_frequencies(support_frequencies(m, memo.as_report), memo_supports(m))
    assert_frequencies(support_frequencies(m, m.report(memo, rng)), expected_supports(m))


@pytest.mark.slow
@pytest.mark.parametrize("case", LONGITUDINAL_CASES, ids=case_id)
def test_many_reports_of_one_memo_show_the_memo(case):
    """Averaging removes the second round's noise, and no more than that: what is left is the memo."""
    m = make(case, 5, 1.0, 2.5)
    rng = np.random.default_rng(49)
    users, times = 100, 1000
    memo = m.memoize(rng.integers(0, 5, users), rng)
    collections = [m.report(memo, rng) for _ in range(times)]
    if case[0] in HASHING:
        assert all((reports.seed == memo.seeds).all() for reports in collections), "the function is kept"
        held = memo.answers[:, None] == np.arange(m.g)
        sent = np.mean([reports.value[:, None] == np.arange(m.g) for reports in collections], axis=0)
    else:
        held = m.supports(memo.as_report)
        sent = np.mean([m.supports(reports) for reports in collections], axis=0)
    assert_frequencies(sent, np.where(held, m.p2, m.q2), times)
    # All users together: what each holds is sent independently.
    assert_frequencies(sent[held].mean(), m.p2, times * int(held.sum()))
    first, second = collections[:2]
    assert not np.array_equal(np.asarray(first), np.asarray(second)), "fresh noise at every collection"


@pytest.mark.parametrize("case", LONGITUDINAL_CASES, ids=case_id)
def test_reporting_leaves_the_memo_alone(case):
    m = make(case, 5, 1.0)
    rng = np.random.default_rng(50)
    memo = m.memoize(np.arange(5), rng)
    before = np.array(memo.as_report)
    m.report(memo, rng)
    np.testing.assert_array_equal(np.array(memo.as_report), before)
