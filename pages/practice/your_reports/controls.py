"""What the page Your reports asks, and the words to choose from."""

from __future__ import annotations

import ldpcore as ldp
from ldpui.address import links, vocabulary

REPORTS, COUNTS = "reports", "support counts"
SAME, COLUMN = "the same for all", "in a column"
OWN_HASH, PEERS_HASH = "splitmix64 (this project)", "xxh32 (multi-freq-ldpy, pure-ldp)"
SEED_VALUE, VALUE_SEED = "seed, value", "value, seed"
REPORT_BINS_MAX, REPORT_USERS_MAX = 10_000, 10**12
# The estimates that can be drawn beside raw MI: their words in the list and in links, and their keys.
LINES = {name: key for key, name in (vocabulary.HISTOGRAMS | vocabulary.SLOW).items()}

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
    links.switch("r_ordered"),
    links.one_of("r_lines", (vocabulary.HISTOGRAMS["ibu"], vocabulary.SLOW["full"]), LINES, page=True),
)
