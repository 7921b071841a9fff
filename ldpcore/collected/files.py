"""Collected reports in files and tables, read in batches of bounded memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ldpcore.collected.cells import Cells, report_size, reports_of, wanted
from ldpcore.collected.fit import with_eps
from ldpcore.collected.tally import Tally, check_eps_groups
from ldpcore.errors import Refused
from ldpcore.mechanisms import Mechanism
from ldpcore.mechanisms.grr import SingleValueReports
from ldpcore.mechanisms.hashing import LocalHashing
from ldpcore.mechanisms.subset import SS

SUFFIXES = (".parquet", ".csv")
# About so many cells are in memory at a time, in each process.
_CELLS = 1 << 21
_CSV_BLOCK = 1 << 20
# A line must fit into a block; a cell with its comma is shorter than this.
_CELL_BYTES = 32


class Hints(NamedTuple):
    """What to do where columns are not clear: where there are too many, and with hashed pairs under other names."""

    columns: str
    pair: str


_COMMAND_LINE = Hints("see --columns", "or --columns SEED,VALUE")


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
    eps_column: str | None = None
    part: int = 0
    of: int = 1


def pieces(
    path: Path,
    m: Mechanism,
    columns: Sequence[str] | None,
    *,
    header: bool = True,
    eps_column: str | None = None,
    workers: int = 1,
) -> list[Piece]:
    """Look at the head of a file: which columns hold the reports, and in which pieces it is read.

    Hashed pairs take much longer to count than to read, so where there are few row groups, every one is read by
    all the workers, and each counts its share.
    """
    if path.suffix not in SUFFIXES:
        raise Refused(f"{path}: the name of a file of reports must end in {' or '.join(SUFFIXES)}")
    if not path.is_file():
        raise Refused(f"{path}: there is no such file")
    if path.suffix == ".csv":
        chosen = choose(str(path), _csv_names(path, header, m), m, columns, eps_column)
        whole = [Piece(str(path), chosen, None, 1, header, eps_column)]
        return _shared(whole, path.stat().st_size // _CSV_BLOCK, m, workers)
    import pyarrow.parquet as pq

    with _Explained(path), pq.ParquetFile(path) as file:
        meta = file.metadata
        chosen = choose(str(path), list(file.schema_arrow.names), m, columns, eps_column)
        found, row = [], 1
        for group in range(meta.num_row_groups):
            found.append(Piece(str(path), chosen, group, row, eps_column=eps_column))
            row += meta.row_group(group).num_rows
    return _shared(found, (row - 1) * _width(m) // _CELLS, m, workers)


def _shared(found: list[Piece], batches: int, m: Mechanism, workers: int) -> list[Piece]:
    of = min(workers, batches)
    if not isinstance(m, LocalHashing) or len(found) >= 2 * workers or of < 2:
        return found
    return [replace(piece, part=part, of=of) for piece in found for part in range(of)]


def count_piece(piece: Piece, m: Mechanism) -> Tally:
    """Return the support counts of a piece."""
    tally, row = Tally(), piece.first_row
    for number, batch in enumerate(_batches(piece, m)):
        if batch.num_rows and number % piece.of == piece.part:
            cells = Cells(piece.path, piece.columns, batch, range(row, row + batch.num_rows))
            for one, reports in parts(cells, m, piece.eps_column):
                tally.add(one, reports)
        row += batch.num_rows
    return tally


def parts(cells: Cells, m: Mechanism, eps_column: str | None = None) -> Iterator[tuple[Mechanism, Any]]:
    """Yield the mechanism and the reports of a batch: all at once, or apart for each ε of a column, ascending."""
    if eps_column is None:
        yield m, reports_of(cells, m)
        return
    eps = cells.reals(eps_column)
    different, which = np.unique(eps, return_inverse=True)
    check_eps_groups(different.size)
    order = np.argsort(which, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(which))[:-1]):
        part, one = cells.take(rows), float(eps[rows[0]])
        try:
            own = with_eps(m, one)
        except ValueError as problem:
            raise part.refuse(0, eps_column, str(problem).split("; got ")[0], one) from None
        yield own, reports_of(part, own)


# ---- columns ----------------------------------------------------------------------


def choose(
    source: str,
    names: Sequence[str],
    m: Mechanism,
    columns: Sequence[str] | None,
    eps_column: str | None = None,
    hints: Hints = _COMMAND_LINE,
) -> tuple[str, ...]:
    """Return the columns that hold the reports; of hashed pairs first the seed, then the value."""
    for name in (*(columns or ()), *(() if eps_column is None else (eps_column,))):
        if name not in names:
            few = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
            raise Refused(f"{source}: there is no column {name!r}; there are {few}")
    chosen = list(columns or (name for name in names if name != eps_column))
    for name in (*chosen, eps_column):
        if chosen.count(str(name)) > 1 or list(names).count(str(name)) > 1:
            raise Refused(f"{source}: the column {name!r} is there more than once")
    if isinstance(m, LocalHashing):
        by_name = {name.strip().lower(): name for name in chosen}
        if {"seed", "value"} <= by_name.keys():
            return by_name["seed"], by_name["value"]
        if columns is None and len(chosen) > 1:
            got = f"{len(chosen):,} columns under other names"
            raise Refused(f"{source}: {m.name} needs the columns seed and value, {hints.pair}; got {got}")
    if not takes(m, chosen, eps_column):
        hint = hints.columns if len(chosen) > max(_allowed(m, eps_column)) or len(chosen) < 8 else "is k right?"
        raise Refused(f"{source}: {m.name} needs {wanted(m)}; got {len(chosen):,} columns ({hint})")
    return tuple(chosen)


def takes(m: Mechanism, columns: Sequence[str], eps_column: str | None = None) -> bool:
    """Tell whether these columns can hold reports, by their number and, for hashed pairs, their names."""
    named = isinstance(m, LocalHashing) and {"seed", "value"} <= {name.strip().lower() for name in columns}
    return named or len(columns) in _allowed(m, eps_column)


def _allowed(m: Mechanism, eps_column: str | None) -> Collection[int]:
    """Return how many columns reports may take."""
    if isinstance(m, LocalHashing):
        return {1, 2}
    if isinstance(m, SingleValueReports):
        return {1}
    if isinstance(m, SS):
        # The size of a set hangs on its own ε.
        return {1, m.omega} if eps_column is None else range(1, m.k)
    return {1, m.k}


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
            raise Refused(f"{self._path}: this file cannot be read: {str(problem).splitlines()[0]}") from None


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


def batch_rows(m: Mechanism) -> int:
    """Return how many reports are read and counted at a time."""
    return max(1, _CELLS // _width(m))


def _width(m: Mechanism) -> int:
    """Return how many cells a report takes, as it is read and as it is counted."""
    if isinstance(m, LocalHashing):
        return min(m.k, 200)  # counted in blocks of its own
    return report_size(m) or m.k


def _batches(piece: Piece, m: Mechanism) -> Iterator[Any]:
    """Yield record batches of bounded size."""
    import pyarrow.parquet as pq
    from pyarrow import csv

    rows = batch_rows(m)
    columns = [*piece.columns, *([] if piece.eps_column is None else [piece.eps_column])]
    with _Explained(piece.path):
        if piece.group is None:
            with csv.open_csv(piece.path, **_csv_options(columns, piece.header, m)) as reader:
                for block in reader:
                    for start in range(0, block.num_rows, rows):
                        yield block.slice(start, rows)
        else:
            with pq.ParquetFile(piece.path) as file:
                yield from file.iter_batches(rows, row_groups=[piece.group], columns=columns)
