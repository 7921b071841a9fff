"""User values: five synthetic distributions, ACS income, and their histograms over k bins."""

from ldpcore.datasets.acs import acs_records, download_acs
from ldpcore.datasets.base import Distribution, Parameter
from ldpcore.datasets.binning import BINNINGS, Histogram, bin_edges, histogram
from ldpcore.datasets.own import OwnCategories, OwnNumbers
from ldpcore.datasets.own_binning import OwnBinning
from ldpcore.datasets.own_columns import categories_from, dates_from, kind_of, numbers_from
from ldpcore.datasets.own_dates import OwnDates
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
    "OwnBinning",
    "OwnCategories",
    "OwnDates",
    "OwnNumbers",
    "Parameter",
    "acs_records",
    "bin_edges",
    "categories_from",
    "data_rng",
    "dates_from",
    "distribution",
    "download_acs",
    "histogram",
    "kind_of",
    "numbers_from",
    "sample",
    "sample_histogram",
    "sample_records",
]
