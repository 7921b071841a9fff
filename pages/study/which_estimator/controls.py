"""What the page Which estimator? asks, and the words to choose from."""

from __future__ import annotations

from ldpcore import tournament
from ldpui.address import links
from pages.study.results import TABLES
from pages.study.standings import ALL, ALL_BUT_UNIFORM, EVERY

DATA = {ALL: ALL, ALL_BUT_UNIFORM: ALL_BUT_UNIFORM} | {label: name for name, label in tournament.DATA.items()}
MECHANISMS = (EVERY, *tournament.MECHANISMS)
ORDERED, CATEGORIES = "ordered", "categories"
ROWS = {"users n": "n", "bins k": "k"}
K = {"all": None} | {f"{level.k:,}": level.k for level in tournament.LEVELS}
GAINS = ("MSE", "MAE")

links.declare(
    links.one_of("arena_data", ALL, DATA, page=True),
    links.one_of("arena_mechanism", EVERY, MECHANISMS, page=True),
    links.one_of("arena_bins", ORDERED, (ORDERED, CATEGORIES), page=True),
    links.one_of("arena_rows", "users n", ROWS, page=True),
    links.one_of("arena_k", "all", K, page=True),
    links.one_of("arena_table", TABLES[0], TABLES, page=True),
    links.one_of("arena_gain", GAINS[0], GAINS, page=True),
    live=True,
)
