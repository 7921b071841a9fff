"""Why the maximum of the counts' true likelihood is not among the estimators: `python -m benchmarks.left_out`.

For mechanisms with independent values that likelihood is a product of binomials, and IBU's limit is not its maximum. It
is found here for a grid of settings, and its squared error compared with those of three estimators that are there.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence

import numpy as np

import ldpcore as ldp
from benchmarks.table import markdown
from ldpcore._validate import FloatArray

OTHERS = ("limit", "mle-apx", "norm-sub")


def count_mle(counts: FloatArray, n: int, m: ldp.Mechanism) -> FloatArray:
    """Return the frequencies (rows, k), none negative and of sum 1, that make the counts likeliest.

    Where Σ θ = 1 binds with multiplier μ(p-q), the chance a of a support solves μa² - (n + μ)a + C = 0, or is q where
    that would be less; the sum falls with μ, which is found by bisection.

    >>> m = ldp.mechanism("OUE", k=3, eps=1.0)
    >>> count_mle(np.array([[50.0, 30.0, 30.0]]), 100, m).round(3)
    array([[0.897, 0.051, 0.051]])
    """

    def theta(mu: FloatArray) -> FloatArray:
        b = n + mu
        a = 2 * counts / np.maximum(b + np.sqrt(b**2 - 4 * mu * counts), 1e-300)
        return np.asarray(np.maximum((a - m.q) / (m.p - m.q), 0))

    low, high = np.full((len(counts), 1), -float(n)), np.full((len(counts), 1), float(n))
    while (theta(low).sum(axis=1) < 1).any():
        low *= 2
    while (theta(high).sum(axis=1) > 1).any():
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        too_low = theta(middle).sum(axis=1, keepdims=True) > 1
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
    found = theta((low + high) / 2)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def ratios(setting: ldp.Setting) -> list[float]:
    """Return the mean squared error of the maximum over those of the others."""
    r = ldp.run(setting)
    mine = float(ldp.metrics.mse(count_mle(r.counts.astype(float), setting.n, r.mechanism), r.true).mean())
    return [mine / r.error(key).mean for key in OTHERS]


def independent() -> list[str]:
    """Return the mechanisms that report once and whose values are supported independently."""
    return [name for name in ldp.ONE_TIME if ldp.mechanism_class(name).support_law == "independent"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the grid, and print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.left_out", description="Why it is left out.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--n", nargs="+", type=int, default=[20_000, 100_000])
    parser.add_argument("--k", nargs="+", type=int, default=[50, 200])
    o = parser.parse_args(arguments)
    grid = [
        ldp.Setting(data=data, mechanism=name, eps=eps, n=n, k=k, runs=o.runs, seed=o.seed, max_iter=1)
        for data, name, eps, n, k in itertools.product(ldp.DATASETS, independent(), (0.5, 1.0, 2.0, 4.0), o.n, o.k)
    ]
    table = np.array([ratios(setting) for setting in grid])
    means, least, most = np.exp(np.log(table).mean(axis=0)), table.min(axis=0), table.max(axis=0)
    print(f"{len(grid)} settings, {o.runs} runs each: squared error of the count MLE over that of others\n")
    head = ("estimator", "geometric mean", "least", "most")
    rows = zip(OTHERS, means, least, most, strict=True)
    print(markdown(head, [(key, *(f"{x:.3f}" for x in row)) for key, *row in rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
