"""Values that were pasted into a text box."""

from __future__ import annotations

import re
from typing import Any

from ldpcore.tables.columns import is_number
from ldpcore.tables.dialect import SEPARATORS, Dialect
from ldpcore.tables.limits import HEAD_BYTES
from ldpcore.tables.text import NONE, check_text, parse, read_csv

_SPACE_TO_LINE = bytes.maketrans(b" \t\v\f", b"\n\n\n\n")


def read_pasted(data: bytes) -> Any:
    """Read values one to a line, all on one line, or as CSV; see `ldpcore.tables.paste_table`."""
    check_text(data, header=False)
    lines = data[:HEAD_BYTES].decode(errors="ignore").splitlines()[:200]
    several = len(lines) > 1
    if several and any(separator in lines[0] for separator in SEPARATORS):
        return read_csv(data, header=not any(is_number(cell) for cell in re.split(r"[,;\t]", lines[0])))
    if not several:
        data = _one_line(data)
    elif all(is_number(part) for line in lines for part in line.split()):
        data = data.translate(_SPACE_TO_LINE)
    header = several and not is_number(lines[0]) and _mostly_numbers(lines[1:])
    table = parse(data + b"\n", Dialect(NONE, 1, header), pasted=True)
    return table.slice(int(header)).rename_columns([lines[0].strip() if header else "value"])


def _one_line(data: bytes) -> bytes:
    """Put the values of a line on lines of their own."""
    for separator in b";", b"\t", b",":
        if separator in data:
            return data.replace(separator, b"\n")
    return data.translate(_SPACE_TO_LINE)


def _mostly_numbers(lines: list[str]) -> bool:
    filled = [line for line in lines if line.strip()]
    return sum(is_number(line) for line in filled) >= 0.9 * max(len(filled), 1)
