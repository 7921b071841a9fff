"""A generator for real collections: every number comes from the operating system's cryptographic source."""

from __future__ import annotations

import ctypes
import itertools
import operator
import os
import struct
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any, cast

import numpy as np

_DRAW_64 = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)
_DRAW_32 = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)
_DRAW_REAL = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p)


class _Functions(ctypes.Structure):
    """What NumPy's distributions draw from: `bitgen_t` of numpy/random/bitgen.h."""

    _fields_ = (
        ("state", ctypes.c_void_p),
        ("next_uint64", _DRAW_64),
        ("next_uint32", _DRAW_32),
        ("next_double", _DRAW_REAL),
        ("next_raw", _DRAW_64),
    )


class _Lock(type(threading.RLock())):  # type: ignore[misc]
    """Held by NumPy while it draws; where a number could not be had, what was drawn is not handed out."""

    def watch(self, begun: Iterator[int], ended: Iterator[int]) -> None:
        """Be told of every number that is asked for, and of every one that came."""
        self._missing, self._known = map(operator.sub, begun, ended), 0

    def __exit__(self, *raised: Any) -> None:
        try:
            missing = next(self._missing)
        finally:
            super().__exit__(*raised)
        if missing != self._known:
            self._known = missing
            raise OSError("the operating system gave no random numbers: nothing was drawn")


class _SystemBits:
    """A bit generator, as `numpy.random.Generator` asks for one, without a state.

    There is no buffer either: what was drawn ahead would be drawn again by every process that is forked from this one.

    NumPy asks for numbers by functions of C, in which nothing can be raised: ctypes gives it a 0 in the place of a
    number then, which anybody can predict. Ctrl-C is raised wherever Python runs code of Python, so there is none of
    that in these functions: they are put together of functions of C, and Ctrl-C waits until a draw is over. What fails
    all the same is noticed at its end, by the lock.
    """

    def __init__(self) -> None:
        begun, ended = itertools.count(), itertools.count()

        def numbers(size: int) -> Iterator[int]:
            came = zip(begun, map(os.urandom, itertools.repeat(size)), ended)  # noqa: B905 - they have no end
            return map(int.from_bytes, map(operator.itemgetter(1), came))

        long = map(operator.rshift, numbers(8), itertools.repeat(11))
        reals = map(operator.mul, long, itertools.repeat(2.0**-53))
        # `next` is given the state, which there is not, as what to return at the end, which there is not either.
        whole = _DRAW_64(partial(next, numbers(8)))
        half = _DRAW_32(partial(next, numbers(4)))
        real = _DRAW_REAL(partial(next, reals))
        self._functions = _Functions(None, whole, half, real, whole)
        new_capsule = ctypes.pythonapi.PyCapsule_New
        new_capsule.restype = ctypes.py_object
        new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        self.capsule = new_capsule(ctypes.addressof(self._functions), b"BitGenerator", None)
        self.lock = _Lock()
        self.lock.watch(begun, ended)


class SecureGenerator(np.random.Generator):
    """A `numpy.random.Generator` over the operating system's source; made by `secure_rng`.

    Examples
    --------
    >>> secure_rng().random(3).shape
    (3,)
    """

    def __init__(self) -> None:
        super().__init__(cast(np.random.BitGenerator, _SystemBits()))

    def bytes(self, length: int) -> bytes:
        """Return random bytes: all at once, for most of what mechanisms draw are bytes.

        Examples
        --------
        >>> len(secure_rng().bytes(16))
        16
        """
        return os.urandom(length)

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Return numbers in [0, 1), as `numpy.random.Generator.random` does.

        Examples
        --------
        >>> numbers = secure_rng().random((2, 3))
        >>> numbers.shape, bool((numbers < 1).all())
        ((2, 3), True)
        """
        if size is None or out is not None or np.dtype(dtype) != np.float64:
            return super().random(size, dtype, out)
        count = int(np.prod(size, dtype=np.int64))
        words = np.frombuffer(os.urandom(8 * count), dtype=np.uint64) >> np.uint64(11)
        return (words * 2.0**-53).reshape(size)

    def spawn(self, n_children: int) -> list[np.random.Generator]:
        """Return more of them, all independent.

        Examples
        --------
        >>> secure_rng().spawn(2)
        [<generator on the operating system's entropy>, <generator on the operating system's entropy>]
        """
        return [SecureGenerator() for _ in range(n_children)]

    def __reduce__(self) -> Any:
        # There is no state that another process could be given.
        return secure_rng, ()

    def __repr__(self) -> str:
        return "<generator on the operating system's entropy>"

    __str__ = __repr__


def secure_rng() -> SecureGenerator:
    """Return a generator whose numbers nobody can predict or repeat, for reports that are really sent.

    It has no seed and no state: every number is read from the operating system's cryptographic generator
    (`os.urandom`). NumPy's own generators are made for statistics. From a small seed, or from enough of their output,
    all their noise can be computed, and with it the values that the noise hides; use those for simulations, where a
    seed lets others repeat the numbers.

    What it does not protect: the noise is still computed in floating point. For the mechanisms here that rounds
    probabilities, by less than 2⁻⁵³ each; for the reals of `THE.noisy_histograms` it can give the value away, whichever
    generator they come from. Nor does it hide how long a draw takes, or what a memory dump holds.

    Bytes and arrays of `random`, which unary mechanisms draw, cost about as much as those of
    `numpy.random.default_rng`. Any other draw costs about a microsecond: 100,000 reports of GRR or OLH take 0.15
    seconds in place of 0.005, those of SS with k = 100 take 4 in place of 0.2.

    Returns
    -------
    SecureGenerator
        A `numpy.random.Generator`: everything that takes one takes it.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> m = ldp.mechanism("OUE", k=4, eps=2.0)
    >>> m.privatize([3, 0, 2], ldp.secure_rng()).shape
    (3, 4)
    """
    return SecureGenerator()


def seeds_apart(rng: np.random.Generator, bits: int, size: int) -> Any:
    """Return numbers of so many bits that are published, from a source that is not the one of the noise.

    A generator whose raw output is published can be computed from it, and then its noise. So the numbers come from a
    generator of their own, whose seed is drawn from the noise's and mixed.

    >>> seeds_apart(np.random.default_rng(1), 32, 3).shape
    (3,)
    """
    entropy = struct.unpack("<8I", rng.bytes(32))
    return np.random.default_rng(entropy).integers(0, 2**bits, size=size)
