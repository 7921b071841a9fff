"""Advice before a collection: how accurate it will be, the ε or number of users that an accuracy needs, and why."""

from ldpcore.advisor.accuracy import (
    ADVISED,
    KINDS,
    RANGES,
    RUNS,
    SOUGHT,
    Accuracy,
    Measured,
    achieved,
    quantile,
    raw_error,
    raw_is_enough,
)
from ldpcore.advisor.every_bin import round_down, round_up
from ldpcore.advisor.needed import Answer, at, needed, needed_users, possible_eps, scaled, smallest_eps
from ldpcore.advisor.why import (
    FLOAT_NOISE,
    Candidate,
    are_equal,
    as_good,
    as_good_estimators,
    best_of_each,
    close,
    equal,
    listed,
    name_with_ties,
    ranked,
    why,
)

ESTIMATORS = ADVISED
"""The old name of `ADVISED`, for programs that use it."""

__all__ = [
    "ADVISED",
    "ESTIMATORS",
    "FLOAT_NOISE",
    "KINDS",
    "RANGES",
    "RUNS",
    "SOUGHT",
    "Accuracy",
    "Answer",
    "Candidate",
    "Measured",
    "achieved",
    "are_equal",
    "as_good",
    "as_good_estimators",
    "at",
    "best_of_each",
    "close",
    "equal",
    "listed",
    "name_with_ties",
    "needed",
    "needed_users",
    "possible_eps",
    "quantile",
    "ranked",
    "raw_error",
    "raw_is_enough",
    "round_down",
    "round_up",
    "scaled",
    "smallest_eps",
    "why",
]
