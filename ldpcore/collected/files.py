"""Collected reports in files on disk, cut into pieces that processes count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ldpcore.collected.columns import COMMAND_LINE, Columns, choose_columns
from ldpcore.collected.parts import Part, batch_parts, batch_rows, comma_columns
from ldpcore.collected.tally import Tally
from ldpcore.mechanisms import Mechanism
from ldpcore.mechanisms.reports import PAIRS
from ldpcore.tables import TableFile, open_table_file


@dataclass(frozen=True)
class Piece:
    """A part of a file that one process counts: a row group of a Parquet file, or a whole text.

    Of the batches that are read there, every `of`-th is counted, from number `part` on.
    """

    file: TableFile
    columns: Columns
    commas: frozenset[str] = frozenset()
    group: int | None = None
    first_row: int = 1
    part: int = 0
    of: int = 1


def pieces(
    path: str | Path,
    m: Mechanism,
    columns: Sequence[str] | None = None,
    *,
    header: bool = True,
    eps_column: str | None = None,
    leave_out: Sequence[str] = (),
    words: Sequence[str] = (),
    workers: int = 1,
) -> list[Piece]:
    """Look at the head of a file: which columns hold the reports, and in which pieces it is read.

    Hashed pairs take much longer to count than to read, so where there are few row groups, every one is read by
    all the workers, and each counts its share.
    """
    file, head = open_table_file(path, header=header)
    chosen = choose_columns(head, m, columns, eps_column, leave_out=leave_out, words=words, hints=COMMAND_LINE)
    whole = Piece(file, chosen, comma_columns(head, m, chosen))
    if file.is_text:
        return _shared([whole], Path(path).stat().st_size // file.block, m, workers)
    each, row = [], 1
    for group, rows in enumerate(file.groups):
        each.append(replace(whole, group=group, first_row=row))
        row += rows
    return _shared(each, (row - 1) // batch_rows(m), m, workers)


def _shared(each: list[Piece], batches: int, m: Mechanism, workers: int) -> list[Piece]:
    of = min(workers, batches)
    if m.report_kind is not PAIRS or len(each) >= 2 * workers or of < 2:
        return each
    return [replace(piece, part=part, of=of) for piece in each for part in range(of)]


def piece_parts(piece: Piece, m: Mechanism) -> Iterator[Part]:
    """Yield the reports of a piece with their mechanism, a batch at a time."""
    batches = piece.file.batches(piece.columns.needed, batch_rows(m), piece.group)
    shared = {"first_row": piece.first_row, "part": piece.part, "of": piece.of}
    yield from batch_parts(batches, piece.file.path, piece.columns, piece.commas, m, **shared)


def count_piece(piece: Piece, m: Mechanism) -> Tally:
    """Return the support counts of a piece."""
    tally = Tally()
    for part in piece_parts(piece, m):
        tally.add(part.m, part.reports)
    return tally
