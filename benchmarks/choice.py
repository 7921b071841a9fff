"""What `auto` wins and loses: `python -m benchmarks.choice --seeds 1 2 3 [--eps 0.5 1 2 4] [--n 20000] [--k 50 200]`.

Squared errors over those of MI on every data set, with one mechanism of each kind of report; for each seed the data and
the noise are drawn anew. Four promises are checked:

- the geometric mean over all settings, and over all but the flat ones, for bins without and with an order;
- outside flat data, the mean error of a setting beside that of the best of the fixed estimators, which one only knows
  in hindsight: at most 3 times as much;
- the same bins in a random order, taken for ordered: at most 1.1 times the error of `auto` that knows better.

The targets of the means are for the grid that is the default, and are checked on no other. A seed takes five minutes
of one core's time. What is not kept says NO, and the command ends with status 1.
"""

from __future__ import annotations

import argparse
import itertools
import operator
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

import ldpcore as ldp
from benchmarks.table import markdown
from ldpcore.sweep.workers import cores

MECHANISMS = ("GRR", "OUE", "OLH", "SS", "L-OSUE")
FIXED = ("mi", "norm-sub", "power-ns", "limit", "ibu")
FLAT = "uniform"
# Geometric means over MI's error: with flat data and without.
TARGETS = {"auto": (0.36, 0.54), "auto, ordered": (0.21, 0.26)}
MOST, MOST_SHUFFLED = 3.0, 1.1


@dataclass(frozen=True)
class Cell:
    """The mean squared errors at one setting.

    `errors` has those of the fixed estimators, of "auto" and of "auto, ordered"; `shuffled` is that of the ordered
    `auto` on bins in a random order. The others know nothing of an order, so theirs are the same for both.
    """

    setting: ldp.Setting
    errors: dict[str, float]
    shuffled: float

    def over_mi(self, name: str) -> float:
        return self.errors[name] / self.errors["mi"]

    def over_best(self, name: str) -> float:
        return self.errors[name] / min(self.errors[key] for key in FIXED)

    @property
    def harm(self) -> float:
        """The error on shuffled bins over that of `auto` without an order."""
        return self.shuffled / self.errors["auto"]

    def __str__(self) -> str:
        s = self.setting
        return f"{s.data}, {s.mechanism}, ε = {s.eps:g}, n = {s.n:,}, k = {s.k}, seed {s.seed}"


def measure(setting: ldp.Setting) -> Cell:
    """Measure one setting."""
    r = ldp.run(setting)
    errors = {key: r.error(key).mean for key in FIXED} | {"auto, ordered": r.error("auto").mean}
    # No mechanism knows an order: counts in another order are those of users in another order.
    order = np.random.default_rng(setting.seed).permutation(setting.k)
    counts, true = r.counts[:, order], r.true[order]
    shuffled, unordered = (
        float(ldp.metrics.mse(ldp.auto(counts, setting.n, r.mechanism, ordered=ordered), true).mean())
        for ordered in (True, False)
    )
    return Cell(setting, errors | {"auto": unordered}, shuffled)


def grid(seed: int, o: argparse.Namespace) -> list[ldp.Setting]:
    """Return the settings of one seed."""
    return [
        ldp.Setting(data=data, mechanism=name, eps=eps, n=o.n, k=k, runs=o.runs, seed=seed)
        for data, name, eps, k in itertools.product(o.data, o.mechanisms, o.eps, o.k)
    ]


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.mean(np.log(values))))


def summary(cells: Sequence[Cell], whole: bool = True) -> list[str]:
    """Return what the settings of one grid say, as Markdown; the means have targets on the `whole` grid alone."""
    steep = [cell for cell in cells if cell.setting.data != FLAT]
    rows = []
    for name in (*FIXED[1:], "auto", "auto, ordered"):
        means = [geometric_mean([cell.over_mi(name) for cell in some]) for some in (cells, steep)]
        targets = TARGETS.get(name)
        bounds = targets if whole and targets else ()
        said = [f"≤ {target:g}: {_met(mean <= target)}" for mean, target in zip(means, bounds, strict=False)]
        worst = max(steep, key=operator.methodcaller("over_best", name))
        at_most = f"≤ {MOST:g}: {_met(worst.over_best(name) <= MOST)}" if targets else ""
        rows.append((name, *(f"{mean:.3f}" for mean in means), "; ".join(said),
                     f"{worst.over_best(name):.2f}", at_most, str(worst)))  # fmt: skip
    worst = max(cells, key=lambda cell: cell.harm)
    harm = geometric_mean([cell.harm for cell in cells])
    return [
        markdown(("estimator", "over MI", "not flat", "target", "over the best", "target", "worst at"), rows),
        f"\nShuffled bins taken for ordered: {harm:.3f} times the error without an order, geometric mean (≤ "
        f"{MOST_SHUFFLED:g}: {_met(harm <= MOST_SHUFFLED)}), at worst {worst.harm:.2f} ({worst}).\n",
    ]


NOT_MET = "NO"


def _met(yes: bool) -> str:
    return "yes" if yes else NOT_MET


def kept(lines: Sequence[str]) -> bool:
    """Tell whether a summary says of every promise that it is kept."""
    return not any(f": {NOT_MET}" in line for line in lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the grid for every seed, and print each and all together."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.choice", description="What auto wins and loses.")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1], metavar="SEED")
    parser.add_argument("--data", nargs="+", choices=ldp.DATASETS, default=list(ldp.DATASETS), metavar="DATA")
    parser.add_argument("--mechanisms", nargs="+", default=MECHANISMS, metavar="NAME")
    parser.add_argument("--eps", nargs="+", type=float, default=[0.5, 1.0, 2.0, 4.0], metavar="EPS")
    parser.add_argument("--n", type=int, default=20_000)
    parser.add_argument("--k", nargs="+", type=int, default=[50, 200], metavar="K")
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--workers", type=int, default=cores())
    o = parser.parse_args(arguments)
    grid_of = ("data", "mechanisms", "eps", "n", "k")
    whole = all(list(np.ravel(getattr(o, name))) == list(np.ravel(parser.get_default(name))) for name in grid_of)
    cells: list[Cell] = []
    promises = True
    with ProcessPoolExecutor(o.workers) as pool:
        for seed in o.seeds:
            some = list(pool.map(measure, grid(seed, o)))
            said = summary(some, whole)
            print(f"## seed {seed}: {len(some)} settings, {o.runs} runs each\n", *said, sep="\n", flush=True)
            promises = promises and kept(said)
            cells += some
    if len(o.seeds) > 1:
        said = summary(cells, whole)
        print(f"## all {len(o.seeds)} seeds\n", *said, sep="\n")
        promises = promises and kept(said)
    return 0 if promises else 1


if __name__ == "__main__":
    sys.exit(main())
