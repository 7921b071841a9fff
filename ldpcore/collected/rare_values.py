"""What chance alone gives every value where each report supports equally many: GRR, L-GRR, SS.

Such a report is, with probability κ, a random set that holds the user's own value, and else a random set of all k
values: κ = (p - ω/k)/(1 - ω/k). So whatever the users have, all counts at once are at least those of random sets, of ω
values for the users of the second kind and of ω - 1 for those of the first. That is the floor. Rare values lie on
it, so too few reports of the rare values say that the floor is lower than stated, which means a larger ε. Nothing says
that it is higher: any counts come from a larger ε and flatter data just as well. Hence this test can say "too few",
and bound ε from below, but never that reports fit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from ldpcore._validate import FloatArray, IntArray
from ldpcore.mechanisms.subset import uniform_sets

# The rarest so many of all values are added up; the sum that is the furthest below its floor counts.
SHARES = (1 / 8, 1 / 4, 1 / 2, 3 / 4)
# Simulated counts, and how many floors they make at the least and at the most. Of many
# floors (few values) the p-value is a rank among them; of few, whose sums are over many values, the normal tail.
BUDGET = 300_000
FLOORS_MIN, FLOORS_MAX = 200, 6_000
# Of more values than this every second, third, ... is looked at: a floor holds for any part of the values.
VALUES_MAX = 10_000
# Up to this many values random sets are drawn as they are.
_EXACT_SETS = 16


@dataclass(frozen=True)
class Floor:
    """What random sets alone give the rarest values.

    Attributes
    ----------
    rarest : IntArray
        How many of the rarest values are added up, one number for each share.
    mean, sd : FloatArray
        Of those sums, over the simulated floors.
    lowest : FloatArray
        For every simulated floor its most negative distance from the mean, in standard deviations; ascending.
    step : int
        Every `step`-th value was looked at.
    """

    rarest: IntArray
    mean: FloatArray
    sd: FloatArray
    lowest: FloatArray
    step: int


@dataclass(frozen=True)
class TooFew:
    """The rarest `values` values have `observed` reports together, where the floor is `expected` ± `sd`."""

    values: int
    observed: int
    expected: float
    sd: float
    p_value: float


def kept_share(k: int, size: int, p: float) -> float:
    """Return κ, the probability of a random set that holds the own value; 1 where p is."""
    base = size / k
    return (p - base) / (1 - base)


@lru_cache(maxsize=64)
def simulated_floor(n: int, k: int, size: int, p: float, *, seed: int = 0, budget: int = BUDGET) -> Floor:
    """Simulate what random sets give the rarest of k values, for n reports that support `size` values each."""
    rng = np.random.default_rng(seed)
    step = -(-k // VALUES_MAX)
    values = -(-k // step)
    floors = min(max(budget // values, FLOORS_MIN), FLOORS_MAX)
    rarest = np.unique(np.ceil(np.array(SHARES) * values).astype(np.int64))
    counts = _floors(n, k, size, kept_share(k, size, p), values, floors, rng)
    sums = _rarest_sums(counts, rarest)
    mean, sd = sums.mean(axis=0), sums.std(axis=0, ddof=1)
    # A sum that never varies can't be off: ε is so large, or n so small, that nothing is random.
    sd = np.where(sd > 0, sd, np.inf)
    return Floor(rarest, mean, sd, np.sort(((sums - mean) / sd).min(axis=1)), step)


def too_few(counts: IntArray, floor: Floor) -> TooFew:
    """Return how far the rarest values are below the floor, and the chance of it.

    The p-value is a rank among the simulated floors. If none of them is as low, it is at most 1 in their number, and
    the normal tail says how much less (Bonferroni over the shares; the spread made larger by what it may be off).
    """
    sums = _rarest_sums(counts[None, :: floor.step], floor.rarest)[0]
    z = (sums - floor.mean) / floor.sd
    worst = int(np.argmin(z))
    rank, size = int(np.searchsorted(floor.lowest, z[worst], side="right")), floor.lowest.size
    p_value = (rank + 1) / (size + 1)
    if rank == 0:
        careful = float(z[worst]) / (1 + 2 / math.sqrt(2 * size))
        p_value = min(p_value, len(z) * NormalDist().cdf(careful)) if careful > -37 else 0.0
    sd = float(floor.sd[worst])
    spread = sd if math.isfinite(sd) else 0.0
    return TooFew(int(floor.rarest[worst]), int(sums[worst]), float(floor.mean[worst]), spread, p_value)


def _rarest_sums(counts: IntArray | FloatArray, rarest: IntArray) -> FloatArray:
    """Return, for each row, the sums of its smallest counts, as many as `rarest` says: (rows, k) to (rows, shares)."""
    return np.cumsum(np.sort(counts, axis=1), axis=1, dtype=np.float64)[:, rarest - 1]


def _floors(
    n: int, k: int, size: int, kappa: float, values: int, floors: int, rng: np.random.Generator
) -> IntArray | FloatArray:
    """Draw floors over `values` of the k values, shape (floors, values)."""
    holders = rng.binomial(n, min(max(kappa, 0.0), 1.0), size=floors)
    if size == 1:
        shares = np.append(np.full(values, 1 / k), 1 - values / k) if values < k else np.full(k, 1 / k)
        return rng.multinomial(n - holders, shares)[:, :values]
    if k <= _EXACT_SETS:
        return uniform_sets(n - holders, k, size, rng) + uniform_sets(holders, k, size - 1, rng)
    # Each count is Bin(n, chance), and their sum over all values is known. Independent counts, moved and scaled so that
    # variances and covariances are right, are all but the same for more than a dozen values.
    chance = (size - kappa) / k
    drawn = rng.binomial(n, chance, size=(floors, values)).astype(np.float64)
    spread, total = n * chance * (1 - chance), n * kappa * (1 - kappa)
    scale = math.sqrt(max(0.0, spread - total / k**2) / (spread * (1 - 1 / k)))
    # The mean over the values that were not drawn is drawn as one number.
    rest = rng.normal(n * chance, math.sqrt(spread / max(1, k - values)), size=(floors, 1))
    mean = (drawn.sum(axis=1, keepdims=True) + (k - values) * rest) / k
    return np.asarray(scale * (drawn - mean) + (n * size - holders[:, None]) / k)
