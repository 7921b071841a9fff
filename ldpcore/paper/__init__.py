"""The paper's experiment: its Tables 1 and 2, and the numbers behind its Figures 1 to 4.

A cell of a table is Γ of IBU over MI in percent, for one distribution and mechanism: of each run,
clipped at 0, averaged over 20 runs and over all k, n and ε. It is computed in three variants:

- "as published": the paper's binning, the paper's IBU channel, at most 10 000 iterations, tolerance 10⁻¹²;
- "exact channel": the same with the exact channel, which differs for L-GRR, L-BLH and L-OLH;
- "at convergence": the exact channel, and the limit of IBU in place of its 10 000 iterations.

The data sets are drawn anew in every draw; one data set a distribution and n is shared by all else. The results that
come with the library have a few draws of both tables, and more of the rows that move most from draw to draw.
"""

from ldpcore.paper.experiment import (
    ACS_BRACKETS,
    ACS_SURVEY,
    DATA,
    GAIN_METRICS,
    KEYS,
    LABELS,
    LONGITUDINAL,
    MEASURED,
    ONE_TIME,
    OTHER_CHANNEL,
    TABLES,
    VARIANTS,
    Table,
    published,
    settings,
    table_of,
)
from ldpcore.paper.figures import MORE_DRAWS, Results, averages, bars, cells, lines, load_results
from ldpcore.paper.reproduction import AcsRecords, Detail, details, reproduce, reproduce_part

__all__ = [
    "ACS_BRACKETS",
    "ACS_SURVEY",
    "DATA",
    "GAIN_METRICS",
    "KEYS",
    "LABELS",
    "LONGITUDINAL",
    "MEASURED",
    "MORE_DRAWS",
    "ONE_TIME",
    "OTHER_CHANNEL",
    "TABLES",
    "VARIANTS",
    "AcsRecords",
    "Detail",
    "Results",
    "Table",
    "averages",
    "bars",
    "cells",
    "details",
    "lines",
    "load_results",
    "published",
    "reproduce",
    "reproduce_part",
    "settings",
    "table_of",
]
