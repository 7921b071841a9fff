"""Support counts split as if the users had been halved: what is fitted on one half is judged by the other.

Of n users a random half is drawn. How many of the C reports that support a value are in it is hypergeometric, whatever
the mechanism: that law is exact for every value on its own. Over all values together it is exact where a report
supports one value (GRR, L-GRR: one multivariate draw), and where reports are at hand (`halves_of_reports`). Else the
values are drawn each on its own. Bits, and cells of ideal hash functions, are independent given the user's value, so
that all that is lost is that two values have no user in common. Where a report supports a fixed number of values the
halves are shifted to the sums that they must have.

What is to be judged is how near an estimate is to the users who reported, not to a population that they were drawn
from. Half of the users are another sample: where the mechanism adds less noise than sampling does (ε large, few bins),
halves would differ by what no estimate could know, and judge blindly. So of how far a half is from half of the counts,
only the mechanism's part is kept (`_without_sampling`): then the halves of a value are uncorrelated given the users,
and each has twice the noise. Where the noise is all, nothing changes.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.estimators.inversion import inverted
from ldpcore.estimators.postprocess import norm_sub
from ldpcore.mechanisms.base import Mechanism

# NumPy draws hypergeometric numbers below this many users.
_EXACT_BELOW = 10**9
# More splits of the same counts tell nothing more, and take time and memory.
MOST_SPLITS = 1_000
# Beyond it, counts above this are normal to all the digits that matter, and shares below 1/1000 binomial.
_LARGE = 10**6


def checked_splits(splits: int | None, k: int) -> int:
    """Return how often the users are halved: eight times, if nobody says, and less often with more than 200 values.

    >>> [checked_splits(None, k) for k in (10, 200, 500, 5_000)]
    [8, 8, 3, 2]
    """
    return int(np.clip(1600 // k, 2, 8)) if splits is None else check.integer("splits", splits, 1, MOST_SPLITS)


def row_generator(counts: FloatArray, seed: int) -> np.random.Generator:
    """Return a generator for one collection: the same for the same counts and seed, alone or among others."""
    return np.random.default_rng([seed, zlib.crc32(np.ascontiguousarray(counts, dtype=np.float64).tobytes())])


def halves_of_counts(
    counts: FloatArray, n: int, half: int, m: Mechanism, splits: int, rng: np.random.Generator
) -> FloatArray:
    """Return the counts (splits, k) of a part of n users whose counts are `counts` (k,): `half` of their noise."""
    return np.asarray(halves_of_rows(counts[None], n, half, m, splits, [rng])[0])


def halves_of_rows(
    rows: FloatArray, n: int, half: int, m: Mechanism, splits: int, generators: Sequence[np.random.Generator]
) -> FloatArray:
    """Do the same for collections (rows, k) that have a generator each; shape (rows, splits, k)."""
    whole = np.floor(rows + 0.5)
    # Expected and weighted counts need not be whole; what is over goes to the halves in equal parts.
    over = (rows - whole) * (half / n)
    numbers = np.clip(whole, 0, n).astype(np.int64)
    drawn = np.stack([_drawn(row, n, half, m, splits, rng) for row, rng in zip(numbers, generators, strict=True)])
    counts = rows[:, None]
    out = _without_sampling(drawn + over[:, None], counts, n, half, m)
    if m.support_size is not None and (m.support_size > 1 or n >= _EXACT_BELOW):
        # Drawn one by one, values lose a part of their variance on the way to the sum, and it is given back to them.
        middle = counts * (half / n)
        out = middle + (out - middle) * np.sqrt(m.k / (m.k - 1))
    return np.asarray(np.clip(out, 0, np.minimum(counts, half)))


def _without_sampling(drawn: FloatArray, counts: FloatArray, n: int, half: int, m: Mechanism) -> FloatArray:
    """Return halves (..., splits, k) that are as far from their part of the counts as the mechanism's noise makes them.

    `counts` is (k,), or (..., 1, k).
    """
    middle = counts * (half / n)
    frequencies = norm_sub(inverted(counts, n, m), n, m)
    noise, whole = m.noise_variance(frequencies, n), m.total_variance(frequencies, n)
    away = (drawn - middle) * np.sqrt(np.divide(noise, whole, out=np.ones_like(whole), where=whole > 0))
    if m.support_size is not None:
        # To the sum that reports of a fixed size must have.
        every = noise.sum(axis=-1, keepdims=True)
        away = away - noise / np.where(every > 0, every, 1) * away.sum(axis=-1, keepdims=True)
    return np.asarray(middle + away)


def _drawn(counts: Any, n: int, half: int, m: Mechanism, splits: int, rng: np.random.Generator) -> FloatArray:
    if n >= _EXACT_BELOW:
        return _drawn_of_many(counts, n, half, splits, rng)
    if m.support_size == 1 and counts.sum() == n:
        return rng.multivariate_hypergeometric(counts, half, size=splits, method="marginals").astype(np.float64)
    return rng.hypergeometric(counts, n - counts, half, size=(splits, counts.size)).astype(np.float64)


def _drawn_of_many(counts: Any, n: int, half: int, splits: int, rng: np.random.Generator) -> FloatArray:
    """Draw for more users than NumPy can: normal, and binomial for the counts that are too small for that."""
    share = half / n
    few = np.minimum(counts, n - counts)
    spread = np.sqrt(counts * share * (1 - share) * (n - counts) / max(n - 1, 1))
    normal = np.round(counts * share + spread * rng.standard_normal((splits, counts.size)))
    small = rng.binomial(few, share, size=(splits, counts.size))
    small = np.where(counts <= n - counts, small, half - small)
    return np.asarray(np.clip(np.where(few > _LARGE, normal, small), 0, half), dtype=np.float64)


def halves_of_reports(reports: Any, m: Mechanism, half: int, splits: int, rng: np.random.Generator) -> FloatArray:
    """Do the same where reports are at hand: there it is the users who are drawn, exactly for every mechanism."""
    n, counts = m.report_kind.length(reports), m.support_counts(reports).astype(np.float64)
    if half in (0, n):
        return np.tile(counts * (half > 0), (splits, 1))
    halves = _without_sampling(_drawn_of_reports(reports, m, half, splits, rng), counts, n, half, m)
    return np.asarray(np.clip(halves, 0, np.minimum(counts, half)))


def _drawn_of_reports(reports: Any, m: Mechanism, half: int, splits: int, rng: np.random.Generator) -> FloatArray:
    n = m.report_kind.length(reports)
    chosen = (np.sort(rng.permutation(n)[:half]) for _ in range(splits))
    return np.stack([m.support_counts(m.report_kind.take(reports, rows)) for rows in chosen]).astype(np.float64)
