"""A file of reports: as it came, and as it could be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from ldpcore.collected.columns import Head
from ldpui import uploads

if TYPE_CHECKING:
    from ldpcore.tables import Table


@dataclass(frozen=True, eq=False)
class File:
    """A file as it came. `number` tells the files of a session apart."""

    number: int
    name: str
    data: bytes

    def read(self, header: bool) -> Table:
        """Read the table in it."""
        with st.spinner("Reading the file…"):
            return uploads.read(self.data, self.name, header)


@dataclass(frozen=True, eq=False)
class ReportFile:
    """A file that could be read, with or without a header, and what is known of its columns."""

    file: File
    header: bool
    head: Head
    unreadable: tuple[str, ...]  # columns of structs, bytes or the like

    @classmethod
    def of(cls, file: File, header: bool, table: Table) -> ReportFile:
        return cls(file, header, Head.of(table), table.left_out)

    @property
    def version(self) -> tuple[int, bool]:
        """What tells it from other files, and from itself with or without a header."""
        return self.file.number, self.header

    def read(self) -> Table:
        """Read the table once more."""
        return self.file.read(self.header)
