"""Estimators: from support counts, or from full reports, to frequencies."""

from ldpcore.estimators.auto import auto, choices, choose, choose_groups, choose_reports, smooth
from ldpcore.estimators.candidates import Candidate
from ldpcore.estimators.channel import ChannelRun, channel_eps, ibu_channel
from ldpcore.estimators.choice import Choice, Score
from ldpcore.estimators.full import FULL_MAX_ENTRIES, FullRun, ibu_full, ibu_full_run, ibu_supports, ibu_supports_run
from ldpcore.estimators.ibu import MAX_ITER, STOPS, TOL, IBURun, IBUTrace, ibu, ibu_run
from ldpcore.estimators.inversion import mi
from ldpcore.estimators.likelihood import likelihood_gap
from ldpcore.estimators.limit import ibu_limit
from ldpcore.estimators.postprocess import DISTRIBUTIONS, POSTPROCESSINGS, postprocess
from ldpcore.estimators.records import ESTIMATORS, Estimator, Options, estimator
from ldpcore.estimators.trace import ibu_trace

__all__ = [
    "DISTRIBUTIONS",
    "ESTIMATORS",
    "FULL_MAX_ENTRIES",
    "MAX_ITER",
    "POSTPROCESSINGS",
    "STOPS",
    "TOL",
    "Candidate",
    "ChannelRun",
    "Choice",
    "Estimator",
    "FullRun",
    "IBURun",
    "IBUTrace",
    "Options",
    "Score",
    "auto",
    "channel_eps",
    "choices",
    "choose",
    "choose_groups",
    "choose_reports",
    "estimator",
    "ibu",
    "ibu_channel",
    "ibu_full",
    "ibu_full_run",
    "ibu_limit",
    "ibu_run",
    "ibu_supports",
    "ibu_supports_run",
    "ibu_trace",
    "likelihood_gap",
    "mi",
    "postprocess",
    "smooth",
]
