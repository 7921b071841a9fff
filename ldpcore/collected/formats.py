"""The formats in which a file can hold reports: one record each, in one list.

A new format is a new record in `FORMATS`: the page, the library and the command line then all read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ldpcore._validate import IntArray
from ldpcore.collected.cells import SEPARATORS, Cells
from ldpcore.collected.hashed_fit import hint_on_cells
from ldpcore.errors import Refused
from ldpcore.mechanisms import HASH_FAMILIES, HashedReports, Mechanism
from ldpcore.mechanisms.hashing import G_MAX
from ldpcore.mechanisms.reports import BITS, PAIRS, SETS, VALUES, ReportKind

SEED, VALUE = "seed", "value"
# What may be wrong beyond a single cell.
_FROM_ZERO = ", for values count from 0 to k - 1"
_LARGER_SEEDS = " (seeds of splitmix64; those of multi-freq-ldpy and pure-ldp are larger and belong to xxh32)"
_SEVERAL = 9
_SWAPPED = "; seed and value may be the other way round"


@dataclass(frozen=True)
class Format:
    """One way to write reports of a kind into the columns of a table.

    Attributes
    ----------
    name : str
        What it is, for people who look at the list.
    kind : ReportKind
        Of the reports that it holds.
    columns : callable
        From a mechanism, and whether reports have an ε of their own, to how many columns they may take.
    wanted : callable
        From a mechanism to what is said about these columns: "k = 20 columns".
    read : callable
        From cells and a mechanism to reports, as the mechanism takes them; or a `Refused` that names a cell.
    suits : callable, optional
        Tells from cells and a mechanism whether they are in this format, where others take as many columns.
    """

    name: str
    kind: ReportKind
    columns: Callable[[Mechanism, bool], Collection[int]]
    wanted: Callable[[Mechanism], str]
    read: Callable[[Cells, Mechanism], Any]
    suits: Callable[[Cells, Mechanism], bool] = lambda cells, m: True


def formats_of(m: Mechanism) -> list[Format]:
    """Return the formats in which a mechanism's reports can be written, in the order in which they are tried.

    >>> from ldpcore import mechanism
    >>> [f.name for f in formats_of(mechanism("OLH", k=4, eps=1.0))]
    ['pairs in two columns', 'pairs in a cell']
    """
    formats = [each for each in FORMATS if each.kind is m.report_kind]
    if not formats:
        raise Refused(f"there is no format for reports of {m.name} yet ({m.report_kind.name}): no file can hold them")
    return formats


def wanted(m: Mechanism) -> str:
    """Say which columns the reports of a mechanism take.

    >>> from ldpcore import mechanism
    >>> wanted(mechanism("OUE", k=4, eps=1.0))
    'k = 4 columns, or one of strings or lists of 4 times 0 or 1'
    """
    return ", or ".join(each.wanted(m) for each in formats_of(m))


def allowed_columns(m: Mechanism, own_eps: bool = False) -> set[int]:
    """Return how many columns reports may take; with an ε of their own, at any ε."""
    return {count for each in formats_of(m) for count in each.columns(m, own_eps)}


def takes(m: Mechanism, columns: Sequence[str], eps_column: str | None = None) -> bool:
    """Tell whether these columns can hold reports, by their number and, for hashed pairs, their names."""
    return is_named_pair(m, columns) or len(columns) in allowed_columns(m, eps_column is not None)


def is_named_pair(m: Mechanism, columns: Sequence[str]) -> bool:
    """Tell whether the names of columns say which are the seed and the value."""
    return m.report_kind is PAIRS and {SEED, VALUE} <= {name.strip().lower() for name in columns}


def reports_of(cells: Cells, m: Mechanism) -> Any:
    """Return reports as the mechanism takes them."""
    for each in formats_of(m):
        if len(cells.columns) in each.columns(m, False) and each.suits(cells, m):
            return each.read(cells, m)
    # At another ε sets have another size.
    must = f"{m.name} at ε = {m.eps:g} needs {wanted(m)}"
    raise cells.refuse(0, cells.columns[0], must, len(cells.columns))


# ---- values -----------------------------------------------------------------------


def _values(cells: Cells, m: Mechanism) -> IntArray:
    if cells.words:
        return cells.named(cells.columns[0])
    return cells.whole(cells.columns[0], m.k - 1, _FROM_ZERO)


# ---- bits -------------------------------------------------------------------------


def _bit_columns(cells: Cells, m: Mechanism) -> npt.NDArray[np.bool_]:
    """Read a column for each value: of bits, or of reals where the server applies the threshold."""
    return np.stack([_bit_column(cells, name, m) for name in cells.columns], axis=1)


def _bit_column(cells: Cells, name: str, m: Mechanism) -> npt.NDArray[np.bool_]:
    truths = cells.truths(name)
    if truths is not None:
        return truths
    return cells.whole(name, 1).astype(np.bool_) if m.threshold is None else cells.reals(name) > m.threshold


def _bit_cells(cells: Cells, m: Mechanism) -> npt.NDArray[np.bool_]:
    """Read vectors from one column: strings such as 0110, or lists and separated text."""
    (name,) = cells.columns
    if cells.is_text(name) and not re.search(SEPARATORS, cells.column(name)[0].as_py().strip()):
        return _bit_strings(cells, name, m.k)
    if m.threshold is not None:
        return np.asarray(cells.vectors(name, m.k, f"must be {m.k} numbers", np.isfinite, truths=True) > m.threshold)
    must = f"must be {m.k} times 0 or 1"
    return np.asarray(cells.vectors(name, m.k, must, lambda a: (a == 0) | (a == 1), truths=True) == 1)


def _bit_strings(cells: Cells, name: str, k: int) -> npt.NDArray[np.bool_]:
    import pyarrow as pa
    import pyarrow.compute as pc

    array = pc.utf8_trim_whitespace(pc.cast(cells.column(name), pa.large_string()))
    right = pc.match_substring_regex(array, r"\A[01]*\z").to_numpy(zero_copy_only=False)
    right = right & (pc.binary_length(array).to_numpy(zero_copy_only=False) == k)
    cells.check(right, name, f"must be a string of {k} times 0 or 1")
    start = int(np.frombuffer(array.buffers()[1], dtype=np.int64)[array.offset])
    text = np.frombuffer(array.buffers()[2], dtype=np.uint8)[start : start + len(array) * k]
    return np.asarray(text.reshape(-1, k) == ord("1"))


def _one_bit_cell(m: Mechanism) -> str:
    return (
        f"one of {m.k} numbers a cell" if m.threshold is not None else f"one of strings or lists of {m.k} times 0 or 1"
    )


# ---- sets -------------------------------------------------------------------------


def _size(m: Mechanism) -> int:
    assert m.support_size is not None  # noqa: S101 - sets have a size
    return m.support_size


def _set_columns(cells: Cells, m: Mechanism) -> IntArray:
    return _different(cells, np.stack([cells.whole(name, m.k - 1) for name in cells.columns], axis=1))


def _is_set(cells: Cells) -> bool:
    """Tell whether a column holds whole sets, also of one value: lists, or text in brackets."""
    (name,) = cells.columns
    return cells.is_list(name) or (cells.is_text(name) and cells.column(name)[0].as_py().lstrip()[:1] in (*"[({",))


def _set_cells(cells: Cells, m: Mechanism) -> IntArray:
    must = f"must be {_size(m)} different values from 0 to {m.k - 1:,}"
    right: Callable[[Any], Any] = lambda a: (a >= 0) & (a < m.k) & (np.trunc(a) == a)  # noqa: E731
    return _different(cells, cells.vectors(cells.columns[0], _size(m), must, right).astype(np.int64))


def _different(cells: Cells, sets: IntArray) -> IntArray:
    twice = (np.diff(np.sort(sets, axis=1), axis=1) == 0).any(axis=1)
    if twice.any():
        row = int(np.argmax(twice))
        raise cells.refuse(row, cells.columns[0], "a set must not hold a value twice", sets[row].tolist())
    return np.asarray(sets)


# ---- pairs ------------------------------------------------------------------------


def _pair_columns(cells: Cells, m: Mechanism) -> HashedReports:
    """Read seeds and cells from two columns, first the seed."""
    assert m.g is not None  # noqa: S101 - pairs are hashed
    assert m.hash_family is not None  # noqa: S101
    seed, value = cells.columns
    larger = _LARGER_SEEDS if m.hash_family == "splitmix64" else ""
    seeds = cells.whole(seed, 2 ** HASH_FAMILIES[m.hash_family] - 1, larger)
    has = f" ({m.name} at ε = {m.eps:g} has {m.g} cells)"
    swapped = _SWAPPED if seeds.size > _SEVERAL and (seeds < m.g).all() else ""
    try:
        values = cells.whole(value, m.g - 1, has + swapped)
    except Refused:
        # Refuse again, with what would make the values possible.
        values = cells.whole(value, m.g - 1, has + (swapped or _explanation(cells, value, seeds, m)))
    return HashedReports(seeds, values)


def _explanation(cells: Cells, column: str, seeds: IntArray, m: Mechanism) -> str:
    """Say what explains values that are too large, such as another ε, if anything does."""
    try:
        values = cells.whole(column, G_MAX - 1)
    except Refused:
        return ""
    return hint_on_cells(HashedReports(seeds, values), m)


def _pair_cells(cells: Cells, m: Mechanism) -> HashedReports:
    """Read pairs from one column: (value, seed), as the peers have them, unless only the second can be a value."""
    import pyarrow.compute as pc

    assert m.g is not None  # noqa: S101 - pairs are hashed
    (name,) = cells.columns
    must = "must be a pair of whole numbers, the value and the seed"
    lists = cells.lists(name, must)
    cells.check(pc.list_value_length(lists).to_numpy(zero_copy_only=False) == 2, name, must)
    halves = cells.instead({f"{name}, {half}": pc.list_element(lists, i) for i, half in enumerate(("1st", "2nd"))})
    first, second = halves.columns
    value_first = halves.are_whole(first, m.g - 1) or not halves.are_whole(second, m.g - 1)
    return _pair_columns(halves.in_order((second, first) if value_first else (first, second)), m)


# ---- the list ---------------------------------------------------------------------

FORMATS: list[Format] = [
    Format("values", VALUES, lambda m, own: {1}, lambda m: "one column of values", _values),
    Format("bits in columns", BITS, lambda m, own: {m.k}, lambda m: f"k = {m.k} columns", _bit_columns),
    Format("bits in a cell", BITS, lambda m, own: {1}, _one_bit_cell, _bit_cells),
    Format(
        "sets in columns",
        SETS,
        # The size of a set depends on its own ε.
        lambda m, own: range(1, m.k) if own else {_size(m)},
        lambda m: f"ω = {_size(m)} columns",
        _set_columns,
        suits=lambda cells, m: len(cells.columns) > 1 or not _is_set(cells),
    ),
    Format("sets in a cell", SETS, lambda m, own: {1}, lambda m: f"one of {_size(m)} separated values", _set_cells),
    Format(
        "pairs in two columns",
        PAIRS,
        lambda m, own: {2},
        lambda m: "two columns, the seed and the value",
        _pair_columns,
    ),
    Format("pairs in a cell", PAIRS, lambda m, own: {1}, lambda m: "one of pairs (value, seed)", _pair_cells),
]
