"""One experiment: a setting, its run, and the result."""

from ldpcore.experiment.result import Result, Summary
from ldpcore.experiment.run import Collection, collect, run, run_full
from ldpcore.experiment.setting import OWN_DATA, RUNS_MAX, STARTS, Setting

__all__ = [
    "OWN_DATA",
    "RUNS_MAX",
    "STARTS",
    "Collection",
    "Result",
    "Setting",
    "Summary",
    "collect",
    "run",
    "run_full",
]
