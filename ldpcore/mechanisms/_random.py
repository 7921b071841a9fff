"""Exact and fast random bits, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ldpcore._validate import BoolArray

# Random numbers are drawn for about this many bits at a time: it bounds the
# memory of a million users, and it keeps the work inside the processor's cache.
_BLOCK = 1 << 18


def row_blocks(rows: int, columns: int) -> Iterator[slice]:
    """Cut `rows` rows of `columns` entries into slices of bounded size.

    >>> list(row_blocks(3, 1 << 17))
    [slice(0, 2, None), slice(2, 3, None)]
    """
    step = max(1, _BLOCK // max(1, columns))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


def randomize_bits(bits: BoolArray, p: float, q: float, rng: np.random.Generator) -> BoolArray:
    """Return new bits that are 1 with probability `p` where `bits` is 1, and `q` where it is 0.

    A whole random byte is compared with the first eight binary digits of the
    probability; only the one in 256 that ties needs the rest of the digits. The
    result is as exact as a float64 comparison at a fraction of the cost.

    >>> randomize_bits(np.array([[True, False]]), 1.0, 0.0, np.random.default_rng(1)).tolist()
    [[True, False]]
    """
    out = np.empty(bits.shape, dtype=np.bool_)
    for rows in row_blocks(*bits.shape):
        out[rows] = _randomize_block(bits[rows], p, q, rng)
    return out


def _randomize_block(bits: BoolArray, p: float, q: float, rng: np.random.Generator) -> BoolArray:
    draws = np.frombuffer(rng.bytes(bits.size), dtype=np.uint8).reshape(bits.shape)
    byte_p, rest_p = divmod(256 * p, 1)
    byte_q, rest_q = divmod(256 * q, 1)
    # A probability of exactly 1 would need the byte 256: every draw is below it.
    above_p, above_q = np.uint8(min(byte_p, 255)), np.uint8(min(byte_q, 255))
    rest_p = 1.0 if byte_p > 255 else rest_p
    rest_q = 1.0 if byte_q > 255 else rest_q
    threshold = np.where(bits, above_p, above_q)
    out = draws < threshold
    ties = np.flatnonzero(draws == threshold)
    rest = np.where(bits.ravel()[ties], rest_p, rest_q)
    out.ravel()[ties] = rng.random(ties.size) < rest
    return np.asarray(out)
