"""How often the 95 % intervals of MI hold the truth: `python -m benchmarks.coverage [collections]`.

In every collection new users are drawn from a population, and every user sends a report. The noise interval must hold
the frequencies among those users, the population interval those of the population. Counted over all values and
collections.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import ldpcore as ldp
from benchmarks.speed import Bench
from benchmarks.table import markdown

COLLECTIONS, QUICK_COLLECTIONS = 2_000, 20
LEVELS = (94.0, 96.0)
# Mechanism, n, k, ε (ε₁, with ε∞ twice as large), and what the population looks like.
SETTINGS: list[dict[str, Any]] = [
    {"mechanism": "GRR", "n": 20_000, "k": 20, "eps": 1.0, "data": "zipf"},
    {"mechanism": "OUE", "n": 1_000, "k": 100, "eps": 2.0, "data": "zipf"},
    {"mechanism": "OLH", "n": 100_000, "k": 50, "eps": 0.5, "data": "peak"},
    {"mechanism": "SS", "n": 5_000, "k": 30, "eps": 3.0, "data": "uniform"},
    {"mechanism": "L-OSUE", "n": 300, "k": 10, "eps": 1.0, "data": "peak"},
]


def population(data: str, k: int) -> np.ndarray:
    """Return the frequencies of a population: equal, falling as 1/v, or half of all in one value and many empty."""
    weights = np.ones(k)
    if data == "zipf":
        weights = 1 / np.arange(1, k + 1)
    elif data == "peak":
        weights = np.where(np.arange(k) < k // 2, 0.0, 1.0)
        weights[-1] = weights.sum() - 1
    return np.asarray(weights / weights.sum())


def coverage(setting: dict[str, Any], collections: int, seed: int = 0) -> dict[str, float]:
    """Return the share of values and collections, in percent, whose intervals hold the truth."""
    rng = np.random.default_rng(seed)
    m = ldp.mechanism(setting["mechanism"], k=setting["k"], eps=setting["eps"])
    theta, n = population(setting["data"], m.k), setting["n"]
    held = {"noise": 0, "population": 0}
    for _ in range(collections):
        users = rng.multinomial(n, theta)
        found = ldp.estimate(m.sample_counts(users, 1, rng)[0], n, m, max_iter=1)
        for kind, truth in (("noise", users / n), ("population", theta)):
            low, high = getattr(found, kind)
            held[kind] += int(((low <= truth) & (truth <= high)).sum())
    return {kind: 100 * number / (collections * m.k) for kind, number in held.items()}


def section(bench: Bench) -> list[str]:
    """Return the table for the document."""
    return [table(QUICK_COLLECTIONS if bench.short else COLLECTIONS)[0]]


def table(collections: int) -> tuple[str, bool]:
    """Return the table, and whether all shares are within what is promised."""
    rows, kept = [], True
    for setting in SETTINGS:
        shares = coverage(setting, collections).values()
        kept &= all(LEVELS[0] <= share <= LEVELS[1] for share in shares)
        cells = [f"{value:,}" if isinstance(value, int) else str(value) for value in setting.values()]
        rows.append([*cells, *(f"{share:.2f} %" for share in shares)])
    header = ["mechanism", "n", "k", "ε", "data", "noise", "population"]
    title = f"## coverage: the 95 % intervals of raw MI, {collections:,} collections each"
    return f"{title}\n\n{markdown(header, rows)}\n", kept


def main(collections: int = COLLECTIONS) -> int:
    """Print the table; return 1 if a share is outside of what is promised."""
    text, kept = table(collections)
    print(text)
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:])))
