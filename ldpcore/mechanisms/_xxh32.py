"""The 32-bit xxHash of numbers written as text: the hash family of multi-freq-ldpy and pure-ldp, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_UInt32Array = npt.NDArray[np.uint32]
_P1, _P2, _P3, _P4, _P5 = (np.uint32(prime) for prime in (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1))
# Longer texts would enter the four lanes of XXH32, which texts below 16 bytes never see.
DIGITS_MAX = 15


def xxh32_decimal(seeds: Any, values: Any) -> _UInt32Array:
    """Return xxh32(str(value), seed) of non-negative whole numbers, broadcast together.

    Collet's XXH32 for texts below 16 bytes: whole words of four bytes, then single bytes, then
    the avalanche. Of a seed only the low 32 bits count, as in the C library.

    >>> xxh32_decimal(0, [0, 1]).tolist()
    [1212501170, 3068971186]
    """
    seeds = np.asarray(seeds).astype(np.uint64).astype(np.uint32)
    values = np.asarray(values).astype(np.uint64)
    shape = np.broadcast_shapes(seeds.shape, values.shape)
    # At least one dimension, and the values along the last: products wrap silently in arrays only.
    out = np.empty(shape or (1,), dtype=np.uint32)
    if values.ndim <= 1 and seeds.shape[-1:] in ((), (1,)):
        _fill_columns(out, np.atleast_1d(seeds), np.atleast_1d(values))
    else:
        all_seeds, all_values = (np.broadcast_to(a, out.shape) for a in (seeds, values))
        digits = _digits(all_values)
        for length in np.unique(digits):
            same = digits == length
            out[same] = _hash(all_seeds[same], all_values[same], int(length))
    return out.reshape(shape)


def _fill_columns(out: _UInt32Array, seeds: _UInt32Array, values: npt.NDArray[np.uint64]) -> None:
    """Hash one row of values for many seeds: columns of equally long numbers together."""
    digits = _digits(values)
    for length in np.unique(digits):
        columns = np.flatnonzero(digits == length)
        first, last = int(columns[0]), int(columns[-1]) + 1
        # Numbers in ascending order of length, such as 0..k-1, need no copies.
        where: Any = slice(first, last) if last - first == columns.size else columns
        out[..., where] = _hash(seeds, values[where], int(length))


def _digits(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    powers = np.array([10**d for d in range(1, DIGITS_MAX)], dtype=np.uint64)
    return np.searchsorted(powers, values, side="right") + 1


def _hash(seeds: _UInt32Array, values: npt.NDArray[np.uint64], length: int) -> _UInt32Array:
    """Hash numbers that all have `length` digits."""
    text = [((values // np.uint64(10**place)) % np.uint64(10)).astype(np.uint32) + np.uint32(48)
            for place in reversed(range(length))]  # fmt: skip
    x = np.array(seeds + (_P5 + np.uint32(length)), dtype=np.uint32, ndmin=1)
    words = length // 4
    for i in range(words):
        word = sum((text[4 * i + byte] << np.uint32(8 * byte) for byte in range(4)), np.zeros_like(text[0]))
        x = _mixed(x + word * _P3, 17, _P4)
    for byte in text[4 * words :]:
        x = _mixed(x + byte * _P5, 11, _P1)
    scratch = np.empty_like(x)
    for shift, factor in ((15, _P2), (13, _P3), (16, None)):
        np.right_shift(x, np.uint32(shift), out=scratch)
        x ^= scratch
        if factor is not None:
            x *= factor
    return x


def _mixed(x: _UInt32Array, turn: int, factor: np.uint32) -> _UInt32Array:
    """Rotate to the left and multiply, overwriting `x`."""
    high = x << np.uint32(turn)
    x >>= np.uint32(32 - turn)
    x |= high
    x *= factor
    return x
