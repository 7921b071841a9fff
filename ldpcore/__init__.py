"""Local differential privacy for frequency estimation: fourteen mechanisms, MI, IBU, and what lies beyond.

The mathematics of Arcolezi, Cerna and Palamidessi, "On the Utility Gain of Iterative Bayesian
Update for Locally Differentially Private Mechanisms" (DBSec 2023), exact and fast.
"""

from ldpcore import advisor, paper, theory
from ldpcore.collected import Collected, estimate, estimate_groups, estimate_mixed, estimate_reports, split_by_eps
from ldpcore.collected.fit import Fit, check_fit
from ldpcore.collected.report_tables import counts_of_table, estimate_table
from ldpcore.datasets import (
    BINNINGS,
    DATASETS,
    Histogram,
    OwnBinning,
    acs_records,
    bin_edges,
    categories_from,
    distribution,
    download_acs,
    histogram,
    numbers_from,
    sample,
    sample_histogram,
)
from ldpcore.errors import InfeasibleError, Refused
from ldpcore.estimators import (
    ESTIMATORS,
    POSTPROCESSINGS,
    STOPS,
    Estimator,
    IBURun,
    IBUTrace,
    estimator,
    ibu,
    ibu_full,
    ibu_limit,
    ibu_run,
    ibu_supports,
    mi,
    postprocess,
)
from ldpcore.experiment import OWN_DATA, STARTS, Result, Setting, Summary, run, run_full
from ldpcore.mechanisms import (
    CALIBRATIONS,
    HASH_FAMILIES,
    LONGITUDINAL,
    ONE_TIME,
    HashedReports,
    LongitudinalMechanism,
    Mechanism,
    max_eps,
    mechanism,
    mechanism_class,
)
from ldpcore.metrics import METRICS, gain
from ldpcore.sweep import SWEEP_METRICS, Chunk, cross, run_together, sweep, sweep_frame, sweep_iter
from ldpcore.tables import Table, read_table

__version__ = "0.1.0"

__all__ = [
    "BINNINGS",
    "CALIBRATIONS",
    "DATASETS",
    "ESTIMATORS",
    "HASH_FAMILIES",
    "LONGITUDINAL",
    "METRICS",
    "ONE_TIME",
    "OWN_DATA",
    "POSTPROCESSINGS",
    "STARTS",
    "STOPS",
    "SWEEP_METRICS",
    "Chunk",
    "Collected",
    "Estimator",
    "Fit",
    "HashedReports",
    "Histogram",
    "IBURun",
    "IBUTrace",
    "InfeasibleError",
    "LongitudinalMechanism",
    "Mechanism",
    "OwnBinning",
    "Refused",
    "Result",
    "Setting",
    "Summary",
    "Table",
    "acs_records",
    "advisor",
    "bin_edges",
    "categories_from",
    "check_fit",
    "counts_of_table",
    "cross",
    "distribution",
    "download_acs",
    "estimate",
    "estimate_groups",
    "estimate_mixed",
    "estimate_reports",
    "estimate_table",
    "estimator",
    "gain",
    "histogram",
    "ibu",
    "ibu_full",
    "ibu_limit",
    "ibu_run",
    "ibu_supports",
    "max_eps",
    "mechanism",
    "mechanism_class",
    "mi",
    "numbers_from",
    "paper",
    "postprocess",
    "read_table",
    "run",
    "run_full",
    "run_together",
    "sample",
    "sample_histogram",
    "split_by_eps",
    "sweep",
    "sweep_frame",
    "sweep_iter",
    "theory",
]
