"""The mechanisms under test, and limits for random tests, shared by the tests of the mechanisms."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from ldpcore import paper
from ldpcore.mechanisms import CALIBRATIONS, LONGITUDINAL, ONE_TIME, mechanism, mechanism_class

# Every mechanism, the longitudinal ones in both calibrations: (name, calibration).
CASES = [(name, None) for name in ONE_TIME] + [(name, c) for name in LONGITUDINAL for c in CALIBRATIONS]
LONGITUDINAL_CASES = [case for case in CASES if case[1]]
MECHANISMS = ONE_TIME + LONGITUDINAL
# The fourteen whose formulas are published, whatever was registered since.
PAPERS = paper.ONE_TIME + paper.LONGITUDINAL
PAPERS_CASES = [case for case in CASES if case[0] in PAPERS]


def sending(key, names=MECHANISMS):
    """Return the mechanisms whose reports are of this kind."""
    return tuple(name for name in names if mechanism_class(name).report_kind.key == key)


def says_its_law(name):
    """Tell whether a mechanism says which sets its reports support, and a longitudinal one what its rounds are."""
    m = mechanism(name, k=4, eps=1.0)
    return m.support_law != "unknown" and (m.rounds is not None or not m.longitudinal)


def cells(name):
    """Return how many cells a mechanism hashes to where ε is large, 0 if it hashes nothing."""
    return mechanism(name, k=4, eps=3.0).g or 0


UNARY, HASHING = sending("bits"), sending("pairs")
# Those that offer the choice of a family of hash functions.
CHOOSING = tuple(name for name in HASHING if "hash_family" in mechanism_class(name).options)
# So many hash functions that only the smallest problems can be enumerated.
MANY_CELLS = tuple(name for name in HASHING if cells(name) > 3)
# Those whose outputs can be enumerated: all but those that say no more of themselves than they must.
KNOWN_CASES = [case for case in CASES if says_its_law(case[0])]
KNOWN = tuple(dict.fromkeys(name for name, _ in KNOWN_CASES))
KNOWN_CHAINS = [case for case in KNOWN_CASES if case[1]]
# Those whose counts are drawn without users, so that there may be a billion of them.
DRAWN = [name for name in MECHANISMS if name in PAPERS or mechanism_class(name).counts_come_at_once()]
DRAWN_CASES = [case for case in CASES if case[0] in DRAWN]

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
