"""What the page Your reports asks, and the words to choose from."""

from __future__ import annotations

import ldpcore as ldp
from ldpui import links

REPORTS, COUNTS = "reports", "support counts"
SAME, COLUMN = "the same for all", "in a column"
OWN_HASH, PEERS_HASH = "splitmix64 (this project)", "xxh32 (multi-freq-ldpy, pure-ldp)"
SEED_VALUE, VALUE_SEED = "seed, value", "value, seed"
REPORT_BINS_MAX, REPORT_USERS_MAX = 10_000, 10**12
REPORT_LINES = ("MI", "IBU", "IBU limit", "Full-report IBU")
REPORT_EXAMPLES = (
    "chosen mechanism",
    "support counts",
    "GRR values",
    "bits in columns",
    "bits as strings",
    "subsets",
    "hashed pairs",
    "noisy histograms",
    "multi-freq-ldpy, hashed pairs",
    "multi-freq-ldpy, bits",
    "pure-ldp, hashed pairs",
    "users with different ε",
    "a wrong ε",
)

links.declare(
    links.one_of("r_mechanism", "OUE", ldp.ONE_TIME + ldp.LONGITUDINAL, page=True),
    links.number("r_k", 20, 2, REPORT_BINS_MAX, page=True),
    links.number("r_eps", 1.0, 1e-4, 50, page=True),
    links.number("r_eps_inf", 2.0, 1e-4, 100, page=True),
    links.one_of("r_calibration", "published", ldp.CALIBRATIONS, page=True),
    links.one_of("r_family", OWN_HASH, (OWN_HASH, PEERS_HASH), page=True),
    links.one_of("r_holds", REPORTS, (REPORTS, COUNTS), page=True),
    links.number("r_n", 0, 0, REPORT_USERS_MAX, page=True),
    links.one_of("r_each", SAME, (SAME, COLUMN), page=True),
    links.one_of("r_pair", VALUE_SEED, (SEED_VALUE, VALUE_SEED), page=True),
    links.switch("r_bare"),
    links.one_of("r_lines", ("IBU", "Full-report IBU"), REPORT_LINES, page=True),
    links.one_of("r_example", REPORT_EXAMPLES[0], REPORT_EXAMPLES, page=True),
)
