"""Files of collected reports, read in batches of bounded memory and checked cell by cell."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ldpcore._validate import IntArray, shown
from ldpcore.mechanisms import HashedReports, Mechanism
from ldpcore.mechanisms.grr import SingleValueReports
from ldpcore.mechanisms.hashing import HASH_FAMILIES, LocalHashing
from ldpcore.mechanisms.histogram_encoding import THE
from ldpcore.mechanisms.subset import SS

SUFFIXES = (".parquet", ".csv")
# About so many cells are in memory at a time, in each process.
_CELLS = 1 << 21
_CSV_BLOCK = 1 << 20
# A line must fit into a block; a cell with its comma is shorter than this.
_CELL_BYTES = 32
_SEPARATORS = r"[\s,;|]+"


@dataclass(frozen=True)
class Piece:
    """A part of a file that one process counts: of a row group of a Parquet file, or of a whole CSV file.

    Of the batches that are read there, every `of`-th is counted, from number `part` on.
    """

    path: str
    columns: tuple[str, ...]
    group: int | None
    first_row: int
    header: bool = True
    part: int = 0
    of: int = 1


def pieces(
    path: Path, m: Mechanism, columns: Sequence[str] | None, *, header: bool = True, workers: int = 1
) -> list[Piece]:
    """Look at the head of a file: which columns hold the reports, and in which pieces it is read.

    Hashed pairs take much longer to count than to read, so where there are few row groups, every one is read by
    all the workers, and each counts its share.
    """
    if path.suffix not in SUFFIXES:
        raise ValueError(f"{path}: the name of a file of reports must end in {' or '.join(SUFFIXES)}")
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file")
    if path.suffix == ".csv":
        whole = [Piece(str(path), _choose(path, _csv_names(path, header, m), m, columns), None, 1, header)]
        return _shared(whole, path.stat().st_size // _CSV_BLOCK, m, workers)
    import pyarrow.parquet as pq

    with _Explained(path), pq.ParquetFile(path) as file:
        meta = file.metadata
        chosen = _choose(path, list(file.schema_arrow.names), m, columns)
        found, row = [], 1
        for group in range(meta.num_row_groups):
            found.append(Piece(str(path), chosen, group, row))
            row += meta.row_group(group).num_rows
    return _shared(found, (row - 1) * _width(m) // _CELLS, m, workers)


def _shared(found: list[Piece], batches: int, m: Mechanism, workers: int) -> list[Piece]:
    of = min(workers, batches)
    if not isinstance(m, LocalHashing) or len(found) >= 2 * workers or of < 2:
        return found
    return [replace(piece, part=part, of=of) for piece in found for part in range(of)]


def count_piece(piece: Piece, m: Mechanism) -> tuple[IntArray, int]:
    """Return the support counts of a piece, and its number of reports."""
    counts, n, row = np.zeros(m.k, dtype=np.int64), 0, piece.first_row
    for number, batch in enumerate(_batches(piece, m)):
        if batch.num_rows and number % piece.of == piece.part:
            counts += m.support_counts(_reports(_Cells(piece, batch, row), m))
            n += batch.num_rows
        row += batch.num_rows
    return counts, n


# ---- columns ----------------------------------------------------------------------


def _wanted(m: Mechanism) -> str:
    if isinstance(m, LocalHashing):
        return "two columns, the seed and the value"
    if isinstance(m, SingleValueReports):
        return "one column of values"
    if isinstance(m, SS):
        return f"ω = {m.omega} columns, or one of {m.omega} separated values"
    return f"k = {m.k} columns, or one of strings of {m.k} times 0 or 1"


def _choose(path: Path, names: list[str], m: Mechanism, columns: Sequence[str] | None) -> tuple[str, ...]:
    """Return the columns that hold the reports; of hashed pairs first the seed, then the value."""
    for name in columns or ():
        if name not in names:
            few = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
            raise ValueError(f"{path}: there is no column {name!r}; there are {few}")
    chosen = list(columns or names)
    if len(set(chosen)) < len(chosen):
        twice = next(name for name in chosen if chosen.count(name) > 1)
        raise ValueError(f"{path}: the column {twice!r} is there more than once")
    if isinstance(m, LocalHashing):
        by_name = {name.strip().lower(): name for name in chosen}
        if {"seed", "value"} <= by_name.keys():
            return by_name["seed"], by_name["value"]
        if columns is None:
            raise ValueError(f"{path}: {m.name} needs the columns seed and value, or --columns SEED,VALUE")
    allowed = {2} if isinstance(m, LocalHashing) else {1}
    if isinstance(m, SS):
        allowed = {1, m.omega}
    elif not isinstance(m, (LocalHashing, SingleValueReports)):
        allowed = {1, m.k}
    if len(chosen) not in allowed:
        raise ValueError(f"{path}: {m.name} needs {_wanted(m)}; got {len(chosen):,} columns (see --columns)")
    return tuple(chosen)


# ---- reading ----------------------------------------------------------------------


class _Explained:
    """Turn what pyarrow says about a file into a sentence that names the file."""

    def __init__(self, path: object) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, problem: BaseException | None, at: Any) -> None:
        import pyarrow as pa

        # pyarrow has ValueErrors and OSErrors for the same damage; what the system refuses keeps its own words.
        if isinstance(problem, (pa.ArrowException, UnicodeDecodeError)) or type(problem) is OSError:
            raise ValueError(f"{self._path}: this file cannot be read: {str(problem).splitlines()[0]}") from None


def _csv_options(columns: Sequence[str], header: bool, m: Mechanism) -> dict[str, Any]:
    import pyarrow as pa
    from pyarrow import csv

    # Every cell as text: numbers are read below, where a wrong one can be named.
    types: Any = dict.fromkeys(columns, pa.string())
    block = max(_CSV_BLOCK, _CELL_BYTES * m.k)
    return {
        "read_options": csv.ReadOptions(block_size=block, autogenerate_column_names=not header),
        "convert_options": csv.ConvertOptions(column_types=types, include_columns=list(columns)),
    }


def _csv_names(path: Path, header: bool, m: Mechanism) -> list[str]:
    from pyarrow import csv

    with _Explained(path), csv.open_csv(path, **_csv_options((), header, m)) as reader:
        return list(reader.schema.names)


def _width(m: Mechanism) -> int:
    """Return how many cells a report takes, as it is read and as it is counted."""
    if isinstance(m, LocalHashing):
        return min(m.k, 200)  # counted in blocks of its own
    return 1 if isinstance(m, SingleValueReports) else m.omega if isinstance(m, SS) else m.k


def _batches(piece: Piece, m: Mechanism) -> Iterator[Any]:
    """Yield record batches of bounded size."""
    import pyarrow.parquet as pq
    from pyarrow import csv

    rows = max(1, _CELLS // _width(m))
    with _Explained(piece.path):
        if piece.group is None:
            with csv.open_csv(piece.path, **_csv_options(piece.columns, piece.header, m)) as reader:
                for block in reader:
                    for start in range(0, block.num_rows, rows):
                        yield block.slice(start, rows)
        else:
            with pq.ParquetFile(piece.path) as file:
                yield from file.iter_batches(rows, row_groups=[piece.group], columns=list(piece.columns))


# ---- cells ------------------------------------------------------------------------


class _Cells:
    """The cells of one batch; what is wrong with one is said with file, row and column."""

    def __init__(self, piece: Piece, batch: Any, first_row: int) -> None:
        self._piece, self._batch, self._first = piece, batch, first_row
        self.columns = piece.columns

    def refuse(self, row: int, column: str, must: str, got: object) -> ValueError:
        return ValueError(f"{self._piece.path}, row {self._first + row:,}, column {column!r}: {must}; got {shown(got)}")

    def column(self, name: str) -> Any:
        """Return a column without missing cells."""
        array = self._batch.column(self._batch.schema.get_field_index(name))
        if array.null_count:
            row = int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))
            raise self.refuse(row, name, "no cell may be empty", None)
        return array

    def is_text(self, name: str) -> bool:
        import pyarrow as pa

        kind = self._batch.schema.field(name).type
        return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))

    def reals(self, name: str) -> npt.NDArray[np.float64]:
        return np.asarray(self._cast(name, "float64", "must be a finite number", np.isfinite))

    def whole(self, name: str, high: int, why: str = "") -> IntArray:
        must = f"must be a whole number from 0 to {high:,}{why}"
        return np.asarray(self._cast(name, "int64", must, lambda a: (a >= 0) & (a <= high)))

    def _cast(self, name: str, kind: str, must: str, ok: Any) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        array = self.column(name)
        try:
            numbers = pc.cast(pc.utf8_trim_whitespace(array) if self.is_text(name) else array, kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise self._first_that_fails(array, name, kind, must) from None
        numbers = numbers.to_numpy(zero_copy_only=False)
        good = ok(numbers)
        if not good.all():
            row = int(np.argmin(good))
            raise self.refuse(row, name, must, array[row].as_py())
        return numbers

    def _first_that_fails(self, array: Any, name: str, kind: str, must: str) -> ValueError:
        ok = _is_whole if kind == "int64" else _is_real
        for row, cell in enumerate(array.to_pylist()):
            if not ok(cell):
                return self.refuse(row, name, must, cell)
        raise ValueError(f"{self._piece.path}, column {name!r}: {must}; got a column of type {array.type}")


def _is_whole(cell: Any) -> bool:
    if isinstance(cell, str):
        return bool(re.fullmatch(r"\s*-?[0-9]+\s*", cell, re.ASCII)) and abs(int(cell)) < 2**63
    return isinstance(cell, (int, float)) and math.isfinite(cell) and cell == int(cell) and abs(cell) < 2**63


def _is_real(cell: Any) -> bool:
    try:
        return math.isfinite(float(cell))
    except (ValueError, TypeError):
        return False


def _reports(cells: _Cells, m: Mechanism) -> Any:
    """Return reports as the mechanism takes them."""
    if isinstance(m, LocalHashing):
        seed, value = cells.columns
        seeds = cells.whole(seed, 2 ** HASH_FAMILIES[m.hash_family] - 1)
        return HashedReports(seeds, cells.whole(value, m.g - 1, f" ({m.name} at ε = {m.eps:g} has {m.g} cells)"))
    if isinstance(m, SingleValueReports):
        return cells.whole(cells.columns[0], m.k - 1)
    if isinstance(m, SS):
        return _subsets(cells, m)
    if len(cells.columns) == 1:
        return _bit_strings(cells, cells.columns[0], m.k)
    if isinstance(m, THE):
        return np.stack([cells.reals(name) > m.theta for name in cells.columns], axis=1)
    return np.stack([cells.whole(name, 1).astype(np.bool_) for name in cells.columns], axis=1)


def _bit_strings(cells: _Cells, name: str, k: int) -> npt.NDArray[np.bool_]:
    import pyarrow as pa
    import pyarrow.compute as pc

    array = cells.column(name)
    must = f"must be a string of {k} times 0 or 1"
    if not cells.is_text(name):
        raise cells.refuse(0, name, must, array[0].as_py())
    array = pc.cast(array, pa.large_string())
    right = pc.match_substring_regex(array, r"\A[01]*\z")
    right = right.to_numpy(zero_copy_only=False) & (pc.binary_length(array).to_numpy(zero_copy_only=False) == k)
    if not right.all():
        row = int(np.argmin(right))
        raise cells.refuse(row, name, must, array[row].as_py())
    start = int(np.frombuffer(array.buffers()[1], dtype=np.int64)[array.offset])
    text = np.frombuffer(array.buffers()[2], dtype=np.uint8)[start : start + len(array) * k]
    return np.asarray(text.reshape(-1, k) == ord("1"))


def _subsets(cells: _Cells, m: SS) -> IntArray:
    if len(cells.columns) > 1 or (m.omega == 1 and not _is_list(cells, cells.columns[0])):
        sets = np.stack([cells.whole(name, m.k - 1) for name in cells.columns], axis=1)
    else:
        sets = _separated(cells, cells.columns[0], m)
    twice = (np.diff(np.sort(sets, axis=1), axis=1) == 0).any(axis=1)
    if twice.any():
        row = int(np.argmax(twice))
        raise cells.refuse(row, cells.columns[0], "a set must not hold a value twice", sets[row].tolist())
    return np.asarray(sets)


def _is_list(cells: _Cells, name: str) -> bool:
    import pyarrow as pa

    kind = cells.column(name).type
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _separated(cells: _Cells, name: str, m: SS) -> IntArray:
    """Read sets from lists, or from text such as 3 7 9, 3;7;9 or [3, 7, 9]."""
    import pyarrow as pa
    import pyarrow.compute as pc

    must = f"must be {m.omega} different values from 0 to {m.k - 1:,}"
    array = lists = cells.column(name)
    if cells.is_text(name):
        bare = pc.utf8_trim(array, " \t[](){}")
        lists = pc.split_pattern_regex(bare, _SEPARATORS)
    elif not _is_list(cells, name):
        raise cells.refuse(0, name, must, array[0].as_py())
    right = pc.list_value_length(lists).to_numpy(zero_copy_only=False) == m.omega
    if right.all():
        try:
            values = pc.cast(pc.list_flatten(lists), pa.int64()).to_numpy(zero_copy_only=False).reshape(-1, m.omega)
            right = ((values >= 0) & (values < m.k)).all(axis=1)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError):
            right = np.array([_is_set(cell) for cell in lists.to_pylist()])
    if not right.all():
        row = int(np.argmin(right))
        raise cells.refuse(row, name, must, array[row].as_py())
    return np.asarray(values)


def _is_set(cell: list[Any]) -> bool:
    return all(re.fullmatch(r"[0-9]{1,9}", str(part)) for part in cell)
