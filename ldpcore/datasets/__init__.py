"""User values: five synthetic distributions, ACS income, and their histograms over k bins."""

from ldpcore.datasets.acs import acs_records, download_acs
from ldpcore.datasets.base import Distribution, Parameter
from ldpcore.datasets.binning import BINNINGS, Histogram, bin_edges, histogram
from ldpcore.datasets.sampling import (
    DATASETS,
    DISTRIBUTIONS,
    data_rng,
    distribution,
    sample,
    sample_histogram,
    sample_records,
)

__all__ = [
    "BINNINGS",
    "DATASETS",
    "DISTRIBUTIONS",
    "Distribution",
    "Histogram",
    "Parameter",
    "acs_records",
    "bin_edges",
    "data_rng",
    "distribution",
    "download_acs",
    "histogram",
    "sample",
    "sample_histogram",
    "sample_records",
]
