"""The mechanisms under test, and limits for random tests, shared by the tests of the mechanisms."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from ldpcore.mechanisms import CALIBRATIONS, LONGITUDINAL, ONE_TIME, mechanism

# Every mechanism, the longitudinal ones in both calibrations: (name, calibration).
CASES = [(name, None) for name in ONE_TIME] + [(name, c) for name in LONGITUDINAL for c in CALIBRATIONS]
LONGITUDINAL_CASES = [case for case in CASES if case[1]]
MECHANISMS = ONE_TIME + LONGITUDINAL
UNARY = ("SUE", "OUE", "THE", "L-SUE", "L-OUE", "L-SOUE", "L-OSUE")
HASHING = ("BLH", "OLH", "L-BLH", "L-OLH")

# Chance that a correct library fails one random test. All random tests have fixed seeds, so
# a test that passes keeps passing until the code draws its random numbers in another way.
ALARM = 1e-6


def case_id(case):
    return "-".join(part for part in case if part)


def make(case, k, eps, eps_inf=None):
    name, calibration = case
    return mechanism(name, k=k, eps=eps, eps_inf=eps_inf, calibration=calibration)


def z_limit(comparisons, alarm=ALARM):
    """Return the |z| that `comparisons` standard normals stay below but for a chance of `alarm` (Bonferroni)."""
    return -NormalDist().inv_cdf(alarm / (2 * comparisons))


def chi2_limit(freedom, tests=1, alarm=ALARM):
    """Return the (1 - alarm/tests)-quantile of χ², by Wilson and Hilferty's cube-root approximation."""
    z = -NormalDist().inv_cdf(alarm / tests)
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + z * math.sqrt(spread)) ** 3


def chi2(observed, expected):
    return float(((observed - expected) ** 2 / expected).sum())


def frequency_z(frequency, probability, n):
    """Return the standardized distance of observed frequencies from probabilities, n draws each."""
    probability = np.asarray(probability, dtype=float)
    return (frequency - probability) / np.sqrt(probability * (1 - probability) / n)
