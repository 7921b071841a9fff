"""One experiment: a setting, its run, and the result."""

from ldpcore.experiment.result import Result
from ldpcore.experiment.run import Collection, collect, run, run_full
from ldpcore.experiment.setting import OWN_DATA, RUNS_MAX, STARTS, Setting, check_setting
from ldpcore.experiment.summary import Summary

__all__ = [
    "OWN_DATA",
    "RUNS_MAX",
    "STARTS",
    "Collection",
    "Result",
    "Setting",
    "Summary",
    "check_setting",
    "collect",
    "run",
    "run_full",
]
