"""The words of the shared controls: scales, lists to choose from, and the examples to start from."""

from __future__ import annotations

import ldpcore as ldp
from ldpcore.metrics import RECORDS
from ldpui.address.scales import Scale
from ldpui.format import short

DATA = {ldp.distribution(name).label: name for name in ldp.DATASETS}
OWN = "Your data"
# What the library calls the data; links may say it too.
DATA_NAMES = {name: label for label, name in DATA.items()} | {ldp.OWN_DATA: OWN}
ONE_TIME, REPEATED = "once", "repeatedly"
EPS = ("0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 1.25 1.5 1.75 2 2.5 3 3.5 4 4.5 5 6 7 8 9 10").split()
EPS_INF = ("0.2 0.4 0.6 0.8 1 1.2 1.4 1.6 1.8 2 2.5 3 3.5 4 5 6 7 8 9 10 12 14 16 18 20").split()
SHARES = [f"{share}%" for share in range(10, 100, 5)]
USERS = [short(digit * 10**power) for power in range(2, 9) for digit in (1, 2, 5)] + ["1B"]
BINS = ("2 3 4 5 6 8 10 12 15 20 25 30 40 50 60 70 80 90 100 120 150 200 250 300 400 500 600 700 800 900 1000").split()
RUNS = "1 2 5 10 20 50 100".split()
ITERATIONS = "1 3 10 30 100 300 1k 3k 10k 30k 100k 300k 1M".split()
TOLERANCES = "0.001 1e-6 1e-9 1e-12 1e-15 0".split()
SEED_MAX = 2**31 - 1
# What takes any legal number, typed or by a link. Pages go no further than is drawn within seconds.
SCALES = {
    "eps": Scale(tuple(EPS), 1e-4, 50),
    "eps_inf": Scale(tuple(EPS_INF), 0.01, 50),
    "share": Scale(tuple(SHARES), 1, 99, sign="%"),
    "n": Scale(tuple(USERS), 1, 10**9, whole=True),
    "k": Scale(tuple(BINS), 2, 1000, whole=True),
    "iterations": Scale(tuple(ITERATIONS), 1, 10**6, whole=True),
}
# The estimators whose estimates are histograms and stand in every table; and those that take long, when asked for.
HISTOGRAMS = {e.key: e.name for e in ldp.ESTIMATORS.values() if e.tabled and e.distribution}
SLOW = {key: ldp.ESTIMATORS[key].name for key in ("full", "auto")}
METRICS = {record.name: record for record in RECORDS.values()}
