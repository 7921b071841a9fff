"""Argument checks shared by the whole library.

Every check raises a ValueError whose sentence names the argument, the value
that was given and what is allowed, so that a page or a command line can show it
as it is.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ldpcore.arrays import BoolArray as BoolArray
from ldpcore.arrays import FloatArray as FloatArray
from ldpcore.arrays import IntArray as IntArray
from ldpcore.errors import Refused

# Below EPS_MIN a report carries so little that p - q drowns in rounding; above EPS_MAX it is the value itself: GRR's p
# rounds to 1 in float64, but for the largest k.
EPS_MIN, EPS_MAX = 1e-4, 50.0
K_MAX = 1_000_000
FLOAT_MAX = float(np.finfo(np.float64).max)
N_MAX = 10**12
# What a file of results can hold, which has 64 bits for a seed.
SEED_MAX = 2**63 - 1
# More steps than anybody waits for.
ITER_MAX = 10**12
# Reports of one user, drawn one after the other.
REPORTS_MAX = 1_000_000
# Numbers that are drawn at once: eight gigabytes of them.
DRAWS_MAX = 10**9
CHANNELS = ("exact", "published")
Checked = TypeVar("Checked")
# Every mechanism has these, and nothing else has them all: Square Wave has p and q, but no supports.
_OF_A_MECHANISM = ("k", "p", "q", "supports", "support_size", "support_law", "report_kind")


def shown(value: object) -> str:
    """Write a value for an error message, cut if it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no whole numbers of more than 4300 digits
        text = "a number of thousands of digits"
    text = " ".join(text.split())  # arrays and tables are written in lines
    return text if len(text) <= 60 else text[:57] + "..."


def integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return `value` as an int, or explain why it is not one between `low` and `high`."""
    allowed = f"a whole number of at least {low:,}" if high is None else f"a whole number from {low:,} to {high:,}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise Refused(f"{name} must be {allowed}; got {shown(value)}")
    whole = not isinstance(value, (float, np.floating)) or (math.isfinite(value) and value == int(value))
    if not whole or value < low or (high is not None and value > high):
        raise Refused(f"{name} must be {allowed}; got {shown(value)}")
    return int(value)


def endless(name: str, value: Any, high: int) -> float:
    """Return `value` as a whole number from 1 to `high`; or infinity, for as many as there are."""
    return math.inf if isinstance(value, float) and value == math.inf else integer(name, value, 1, high)


def real(name: str, value: Any, low: float = -math.inf, high: float = math.inf, *, positive: bool = False) -> float:
    """Return `value` as a finite float within `low` and `high` (above 0 if `positive`)."""
    if high < math.inf:
        allowed = f"a number from {low:g} to {high:g}"
    elif positive:
        allowed = "a number above 0"
    elif low > -math.inf:
        allowed = f"a number of at least {low:g}"
    else:
        allowed = "a finite number"
    ok = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, (bool, np.bool_))
    # A Python int can be too large for a float, and then isfinite raises.
    ok = ok and (abs(value) <= FLOAT_MAX if isinstance(value, int) else math.isfinite(value))
    if not ok or not low <= value <= high or (positive and value <= 0):
        raise Refused(f"{name} must be {allowed}; got {shown(value)}")
    return float(value)


def epsilon(name: str, value: Any, high: float = EPS_MAX) -> float:
    """Check a privacy parameter."""
    return real(name, value, EPS_MIN, high)


def share(name: str, value: Any) -> float:
    """Return `value` as a float above 0 and below 1."""
    number = real(name, value, 0, 1)
    if number in (0, 1):
        raise Refused(f"{name} must be above 0 and below 1; got {number:g}")
    return number


def seed(value: Any) -> int:
    """Check the number that decides all randomness."""
    return integer("seed", value, 0, SEED_MAX)


def iterations(value: Any) -> int:
    """Check how many steps an estimator may take."""
    return integer("max_iter", value, 1, ITER_MAX)


def mechanism(m: Any) -> None:
    """Refuse what is no mechanism, or does not say enough of itself.

    Asked by what it has, for mechanisms stand above this module.
    """
    if not all(hasattr(m, name) for name in _OF_A_MECHANISM):
        raise Refused(f"m must be a mechanism, as ldpcore.mechanism(…) makes it; got {shown(m)}")
    kind, name = m.report_kind.key, type(m).__name__
    if m.support_size is None and (m.support_law == "fixed size" or kind == "sets"):
        why = "its support_law is 'fixed size'" if m.support_law == "fixed size" else "its reports are sets"
        raise Refused(f"{name} must have a support_size, because {why}; got None")
    if kind == "pairs" and (m.g is None or m.hash_family is None):
        raise Refused(
            f"{name} must have g and hash_family, because its reports are pairs; got {shown(m.g)} and "
            f"{shown(m.hash_family)}"
        )


def sequence(name: str, values: Any, of: str, kind: Any = object, *, least: int = 0) -> list[Any]:
    """Return `values` as a list, of such a kind and at least so many; a word is none, though it can be iterated."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise Refused(f"{name} must be a sequence of {of}; got {shown(values)}")
    try:
        out = list(values)
    except TypeError:  # an array without a dimension says that it can be iterated, and cannot
        raise Refused(f"{name} must be a sequence of {of}; got {shown(values)}") from None
    for value in out if kind is not object else ():
        if not isinstance(value, kind):
            raise Refused(f"{name} must be a sequence of {of}; got {shown(value)} in it")
    if len(out) < least:
        raise Refused(f"{name} must hold at least one; got none")
    return out


def instance(name: str, value: Any, kind: type[Checked], what: str) -> Checked:
    """Return `value` if it is of a class; `what` says which, and where to get one."""
    if not isinstance(value, kind):
        raise Refused(f"{name} must be {what}; got {shown(value)}")
    return value


def mapping(name: str, value: Any, of: str) -> Mapping[Any, Any]:
    """Return `value` if it is a mapping."""
    return instance(name, value, Mapping, f"a mapping of {of}")  # type: ignore[type-abstract]


def truth(name: str, value: Any) -> bool:
    """Return `value` if it is a truth value: a word such as "no" would count as True."""
    if not isinstance(value, (bool, np.bool_)):
        raise Refused(f"{name} must be True or False; got {shown(value)}")
    return bool(value)


def function(name: str, value: Any) -> Callable[..., Any] | None:
    """Return `value` if it can be called, or is None."""
    if value is not None and not callable(value):
        raise Refused(f"{name} must be a function; got {shown(value)}")
    return value  # type: ignore[no-any-return]


def executor(value: Any) -> None:
    """Refuse what is neither None nor takes work; Dask's own has no base in common with the others."""
    if value is not None and not callable(getattr(value, "submit", None)):
        raise Refused(f"executor must be a concurrent.futures.Executor; got {shown(value)}")


def path(name: str, value: Any) -> Path:
    """Return `value` as a path."""
    if not isinstance(value, (str, os.PathLike)) or not value:
        raise Refused(f"{name} must be a path; got {shown(value)}")
    return Path(value)


def folder(name: str, value: Any) -> Path:
    """Return `value` as the path of a folder, and make it if it is not there."""
    place = path(name, value)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        file = next(part for part in (place, *place.parents) if part.exists())
        raise Refused(f"{name} must be a folder, or one that can be made; got the file {str(file)!r}") from None
    return place


def frame(name: str, value: Any, columns: Sequence[str]) -> Any:
    """Return `value` if it is a DataFrame with these columns; asked by what it has, for pandas may not be there."""
    must = f"{name} must be a pandas.DataFrame with {', '.join(columns)}"
    if not hasattr(value, "groupby") or not hasattr(value, "columns"):
        raise Refused(f"{must}; got {shown(value)}")
    if missing := [column for column in columns if column not in value.columns]:
        raise Refused(f"{must}; got one without {missing[0]}")
    return value


def choice(name: str, value: Any, allowed: Iterable[str]) -> str:
    """Return the one of the `allowed` words that `value` is: the plain word, also for NumPy's text or an enum's."""
    words = list(allowed)
    if not isinstance(value, str) or value not in words:
        raise Refused(f"{name} must be one of {', '.join(words)}; got {shown(value)}")
    return words[words.index(value)]


def channel(value: Any) -> str:
    """Return the word for a channel if it is one."""
    return choice("channel", value, CHANNELS)


def nothing_hidden(name: str, values: Any) -> None:
    """Refuse masked entries: NumPy takes the mask off, and would have back what somebody took out."""
    if isinstance(values, np.ma.MaskedArray) and (hidden := int(np.ma.getmaskarray(values).sum())):
        raise Refused(f"{name} must have no masked entries; got {hidden:,} of them in {shown(values)}")


def array_of(name: str, values: Any) -> npt.NDArray[Any]:
    """Return `values` as an array; not rows of different lengths, nor what a mask hides entries of."""
    nothing_hidden(name, values)
    try:
        return np.asarray(values)
    except ValueError:
        raise Refused(f"{name} must be an array, with rows of equal length; got {shown(values)}") from None


def reals(name: str, values: Any, *, finite: bool = False) -> FloatArray:
    """Return `values` as an array of floats, of any shape; they may be infinite, or none, if not to be `finite`."""
    array = array_of(name, values)
    if array.dtype.kind == "O" and all(isinstance(value, Real) for value in array.flat):
        array = _floats(name, array)
    if array.dtype.kind not in "biuf":
        raise Refused(f"{name} must hold numbers; got {shown(values)}")
    array = array.astype(np.float64, copy=False)
    if finite and not np.isfinite(array).all():
        raise Refused(f"{name} must hold finite numbers; got {array[~np.isfinite(array)][0]}")
    return array


def _floats(name: str, array: npt.NDArray[Any]) -> FloatArray:
    """Return fractions and whole numbers of any length as floats."""
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise Refused(f"{name} must hold numbers of at most {FLOAT_MAX:.3g}; got {shown(array.tolist())}") from None


def integer_array(name: str, values: Any, low: int, high: int) -> IntArray:
    """Return `values` as an int64 array with every entry from `low` to `high`."""
    array = array_of(name, values)
    if array.dtype == np.float16:  # which has no room for the bounds
        array = array.astype(np.float64)
    if array.dtype.kind in "iu" and array.size and low <= array.min() and array.max() <= high:
        return array.astype(np.int64, copy=False)
    allowed = f"whole numbers from {low:,} to {high:,}"
    if array.dtype.kind not in "iuf" or array.size == 0:
        what = "an empty array" if array.size == 0 else f"an array of type {array.dtype}"
        raise Refused(f"{name} must hold {allowed}; got {what}")
    bad = ~np.isfinite(array) | (array != np.floor(array)) if array.dtype.kind == "f" else np.False_
    bad = bad | (array < low) | (array > high)
    if np.any(bad):
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        at = where[0] if len(where) == 1 else where
        raise Refused(f"{name} must hold {allowed}; got {shown(array[where].item())} at position {at}")
    return array.astype(np.int64, copy=False)


def counts_array(name: str, values: Any, k: int, high: int = N_MAX) -> IntArray:
    """Return non-negative whole counts of shape (..., k), at least one of them above 0 in every row."""
    array = array_of(name, values)
    if array.ndim == 0 or array.shape[-1] != k:
        raise Refused(f"{name} must have one entry for each of the k = {k} values; got shape {array.shape}")
    array = integer_array(name, array, 0, high)
    if not np.all(np.any(array, axis=-1)):
        raise Refused(f"{name} must hold at least one count above 0; got only zeros")
    return array


def generator(name: str, rng: Any) -> np.random.Generator:
    """Return `rng` if it is a NumPy Generator; randomness enters the library only as one."""
    if not isinstance(rng, np.random.Generator):
        raise Refused(
            f"{name} must be a numpy.random.Generator, as secure_rng() or default_rng(seed) makes it; got {shown(rng)}"
        )
    return rng


def nonnegative_array(name: str, values: Any, k: int) -> FloatArray:
    """Return finite numbers of at least 0 of shape (..., k), not all 0 in any row."""
    array = array_of(name, values)
    if array.ndim == 0 or array.shape[-1] != k or array.size == 0:
        raise Refused(f"{name} must have one entry for each of the k = {k} values; got shape {array.shape}")
    if array.dtype.kind not in "iuf":
        raise Refused(f"{name} must hold numbers; got an array of type {array.dtype}")
    array = array.astype(np.float64)
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        at = where[0] if len(where) == 1 else where
        raise Refused(f"{name} must hold numbers of at least 0; got {array[where]:g} at position {at}")
    if not np.all(np.any(array, axis=-1)):
        raise Refused(f"{name} must hold at least one entry above 0; got only zeros")
    return array


def full_support(name: str, values: Any, k: int) -> FloatArray:
    """Return probabilities of shape (..., k) that are all above 0 and sum to 1."""
    array = nonnegative_array(name, values, k)
    if not array.all():
        where = tuple(int(i) for i in np.argwhere(array == 0)[0])
        raise Refused(f"{name} must be above 0 everywhere (IBU never leaves a 0); got 0 at position {where[-1]}")
    totals = array.sum(axis=-1, keepdims=True)
    if np.any(np.abs(totals - 1) > 1e-6):
        raise Refused(f"{name} must sum to 1; got a sum of {totals.ravel()[np.argmax(np.abs(totals - 1))]:.9g}")
    return np.asarray(array / totals)
