"""What the choice of the estimator costs beside IBU as published, and how fast sets are counted."""

from __future__ import annotations

import math
from functools import partial
from unittest.mock import patch

import numpy as np

import ldpcore as ldp
from benchmarks.speed import RUNS, SETTING, USERS, Bench, K, make, poisson_values
from benchmarks.table import Row, Table, best_pair_ms
from ldpcore.estimators import batch
from ldpcore.mechanisms._set_counts import set_counts
from ldpcore.mechanisms.subset import _holding_sets, _scanned_sets

# Of each family one: single values, bits, sets, cells of hash functions, two rounds.
NAMES = ("GRR", "OUE", "SS", "OLH", "L-OSUE")
VALUES, SIZE = 1_000, 269


def section(bench: Bench) -> list[Table]:
    """Time `auto` and strides against IBU's single iterations, and the counts of sets by halving against one by one."""
    return [_auto(bench, 1), _auto(bench, RUNS), _strides(bench, 1), _strides(bench, RUNS), _sets(bench)]


def single_iterations(counts: np.ndarray, m: ldp.Mechanism) -> np.ndarray:
    """Do what `ldpcore.ibu` does, without a stride."""
    with patch.object(batch, "_WORTH", math.inf):
        return ldp.ibu(counts, m)


def _strides(bench: Bench, runs: int) -> Table:
    rows = []
    for name in NAMES:
        m = make(name, K)
        counts = m.sample_counts(np.bincount(poisson_values(K), minlength=K), runs, np.random.default_rng(4))
        pair = best_pair_ms(
            partial(single_iterations, counts, m),
            partial(ldp.ibu, counts, m),
            bench.repeats,
        )
        rows.append(Row(name, *pair, target=1.5))
    what = "one collection" if runs == 1 else f"{runs} collections in a batch"
    note = "IBU as published, at most 10 000 iterations: single, and many at once in strides."
    return Table(f"strides: {what}, k = {K}, {SETTING}", "single ms", "strides ms", rows, note)


def _auto(bench: Bench, runs: int) -> Table:
    rows = []
    for name in NAMES:
        m = make(name, K)
        counts = m.sample_counts(np.bincount(poisson_values(K), minlength=K), runs, np.random.default_rng(4))
        pair = best_pair_ms(
            partial(single_iterations, counts, m),
            partial(ldp.auto, counts, USERS, m, ordered=True),
            bench.repeats,
        )
        rows.append(Row(name, *pair, target=10, at_most=True))
    note = (
        "IBU as published, at most 10 000 single iterations; auto with smoothing among its candidates, eight splits. "
        "The ratio is the time of auto over that of IBU."
    )
    what = "one collection" if runs == 1 else f"{runs} collections in a batch"
    return Table(f"auto: {what}, k = {K}, {SETTING}", "IBU ms", "auto ms", rows, note)


def one_by_one(users: np.ndarray, holders: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw the counts of sets by going through the values."""
    return np.asarray(_scanned_sets(users, VALUES, SIZE, rng) + _holding_sets(holders, SIZE, rng))


def _sets(bench: Bench) -> Table:
    rows = []
    for runs in (1, RUNS):
        rng = np.random.default_rng(5)
        holders = rng.multinomial(USERS // 2, np.full(VALUES, 1 / VALUES), size=runs)
        users = np.full(runs, USERS - USERS // 2)
        pair = best_pair_ms(
            partial(one_by_one, users, holders, rng),
            partial(set_counts, users, holders, SIZE, rng),
            bench.repeats,
        )
        rows.append(Row(f"SS, {runs} run{'s' if runs > 1 else ''}", *pair, target=3))
    note = "The support counts of Subset Selection: values gone through one by one, as before, and halved, as now."
    return Table(f"sets: k = {VALUES:,}, ω = {SIZE}, n = {USERS:,}", "one by one ms", "halved ms", rows, note)
