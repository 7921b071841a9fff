"""A file of reports: as it came, and as it could be read."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import streamlit as st

from ldpcore.collected.columns import Head
from ldpui import uploads
from ldpui.computing import reading
from ldpui.serving import held_files


@dataclass(frozen=True, eq=False)
class File:
    """A file as it came. `number` tells the files of a session apart."""

    number: int
    name: str
    data: bytes = field(repr=False)

    @property
    def nbytes(self) -> int:
        """How many bytes it has."""
        return len(self.data)

    def look(self, header: bool) -> ReportFile:
        """Have it read, to know its columns."""
        with st.spinner("Reading the file…"):
            summary = uploads.ask(reading.look, reading.File(self.data, self.name, header))
        upload = ReportFile(self, header, summary.head, summary.rows, summary.unreadable)
        held_files.hold(upload)
        return upload


@dataclass(frozen=True, eq=False)
class ReportFile:
    """A file that could be read, with or without a header, and what is known of its columns."""

    file: File
    header: bool
    head: Head
    rows: int
    unreadable: tuple[str, ...]  # columns of structs, bytes or the like

    @property
    def nbytes(self) -> int:
        """How many bytes the names of the columns take; the file counts for itself."""
        return sum(map(sys.getsizeof, (*self.head.columns, *self.unreadable)))

    @property
    def version(self) -> tuple[int, bool]:
        """What tells it from other files, and from itself with or without a header."""
        return self.file.number, self.header

    @property
    def raw(self) -> reading.File:
        """The file as workers take it."""
        return reading.File(self.file.data, self.file.name, self.header)
