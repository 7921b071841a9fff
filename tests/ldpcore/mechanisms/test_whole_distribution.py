"""Three users, four values: the whole distribution of the counts, not only its moments.

The probability of every possible vector of counts follows from the enumerated channels by
convolution; χ² compares it with both paths. False-alarm rate 10⁻⁶ a test.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from exact_channels import channel_of
from mechanism_cases import KNOWN_CASES, case_id, chi2, chi2_limit, make

HISTOGRAM = np.array([2, 0, 1, 0])
REPEATS = 40_000
# ε = 0.3 makes subsets of two values; ε = 1.2 gives the optimized hashing mechanisms 3 and 4 cells.
BUDGETS = (0.3, 1.2)


def user_distribution(probabilities, supports):
    """Return {support vector: probability} of one user, adding up reports with equal supports."""
    codes = supports @ (10 ** np.arange(supports.shape[1]))
    distribution = defaultdict(float)
    for code, probability in zip(codes.tolist(), probabilities.tolist(), strict=True):
        distribution[code] += probability
    return distribution


def count_distribution(m, histogram):
    """Convolve the users. A vector of counts below 10 is written as one decimal number."""
    probabilities, supports = channel_of(m)
    total = {0: 1.0}
    for value in np.repeat(np.arange(m.k), histogram):
        user, longer = user_distribution(probabilities[value], supports), defaultdict(float)
        for sum_so_far, weight in total.items():
            for code, probability in user.items():
                longer[sum_so_far + code] += weight * probability
        total = longer
    return total


def pooled_chi2(codes, distribution):
    """Return χ² and its degrees of freedom; outcomes expected fewer than 10 times share one cell."""
    outcomes = np.array(sorted(distribution))
    expected = np.array([distribution[code] for code in outcomes]) * codes.size
    places = np.searchsorted(outcomes, codes)
    assert (outcomes[np.minimum(places, outcomes.size - 1)] == codes).all(), "an impossible outcome"
    observed = np.bincount(places, minlength=outcomes.size)
    rare = expected < 10
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
        if expected[-1] < 10:
            observed, expected = observed[:-1], expected[:-1]
    return chi2(observed, expected), observed.size - 1


def draw(m, path):
    rng = np.random.default_rng(21)
    if path == "sampled":
        return m.sample_counts(HISTOGRAM, REPEATS, rng)
    values = np.tile(np.repeat(np.arange(m.k), HISTOGRAM), REPEATS)
    return m.supports(m.privatize(values, rng)).reshape(REPEATS, -1, m.k).sum(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("path", ["sampled", "simulated"])
@pytest.mark.parametrize("eps", BUDGETS)
@pytest.mark.parametrize("case", KNOWN_CASES, ids=case_id)
def test_three_users(case, eps, path):
    m = make(case, HISTOGRAM.size, eps)
    distribution = count_distribution(m, HISTOGRAM)
    assert sum(distribution.values()) == pytest.approx(1, abs=1e-12)
    codes = draw(m, path) @ (10 ** np.arange(m.k))
    value, freedom = pooled_chi2(codes, distribution)
    assert value < chi2_limit(freedom)


def test_a_slightly_wrong_channel_is_caught():
    # Counts of SS at ε = 0.3 against the distribution at ε = 0.4: close, yet well above the limit.
    codes = draw(make(("SS", None), 4, 0.3), "sampled") @ (10 ** np.arange(4))
    value, freedom = pooled_chi2(codes, count_distribution(make(("SS", None), 4, 0.4), HISTOGRAM))
    assert value > 1.5 * chi2_limit(freedom)
