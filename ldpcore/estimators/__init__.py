"""Estimators: from support counts, or from full reports, to frequencies."""

from ldpcore.estimators.full import FULL_MAX_ENTRIES, ibu_full, ibu_supports
from ldpcore.estimators.ibu import MAX_ITER, STOPS, TOL, IBURun, IBUTrace, ibu, ibu_limit, ibu_run
from ldpcore.estimators.inversion import mi
from ldpcore.estimators.postprocess import DISTRIBUTIONS, POSTPROCESSINGS, postprocess
from ldpcore.estimators.records import ESTIMATORS, Estimator, Options, estimator

__all__ = [
    "DISTRIBUTIONS",
    "ESTIMATORS",
    "FULL_MAX_ENTRIES",
    "MAX_ITER",
    "POSTPROCESSINGS",
    "STOPS",
    "TOL",
    "Estimator",
    "IBURun",
    "IBUTrace",
    "Options",
    "estimator",
    "ibu",
    "ibu_full",
    "ibu_limit",
    "ibu_run",
    "ibu_supports",
    "mi",
    "postprocess",
]
