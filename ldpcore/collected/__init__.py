"""What collected reports say: counted, estimated, with intervals, and checked for fit."""

from ldpcore.collected.counted import Counted, split_by_eps
from ldpcore.collected.estimates import (
    Collected,
    estimate,
    estimate_groups,
    estimate_mixed,
    estimate_reports,
)
from ldpcore.collected.fit import FIT_ALARM, VERDICTS, Fit, check_fit
from ldpcore.collected.intervals import INTERVALS, intervals
from ldpcore.collected.report_tables import counts_of_table, estimate_counts, estimate_table

__all__ = [
    "FIT_ALARM",
    "INTERVALS",
    "VERDICTS",
    "Collected",
    "Counted",
    "Fit",
    "check_fit",
    "counts_of_table",
    "estimate",
    "estimate_counts",
    "estimate_groups",
    "estimate_mixed",
    "estimate_reports",
    "estimate_table",
    "intervals",
    "split_by_eps",
]
