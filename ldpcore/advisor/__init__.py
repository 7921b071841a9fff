"""Advice before a collection: how accurate it will be, the ε or number of users that an accuracy needs, and why."""

from ldpcore.advisor.accuracy import (
    ESTIMATORS,
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
from ldpcore.advisor.every_bin import round_up
from ldpcore.advisor.needed import Answer, at, needed, needed_users, possible_eps, scaled, smallest_eps
from ldpcore.advisor.why import Candidate, as_good, close, listed, ranked, why

__all__ = [
    "ESTIMATORS",
    "KINDS",
    "RANGES",
    "RUNS",
    "SOUGHT",
    "Accuracy",
    "Answer",
    "Candidate",
    "Measured",
    "achieved",
    "as_good",
    "at",
    "close",
    "listed",
    "needed",
    "needed_users",
    "possible_eps",
    "quantile",
    "ranked",
    "raw_error",
    "raw_is_enough",
    "round_up",
    "scaled",
    "smallest_eps",
    "why",
]
