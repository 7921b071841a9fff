"""What a file is, by how it begins; and whether that is what its name says."""

from __future__ import annotations

import codecs
import re

from ldpcore.errors import Refused
from ldpcore.tables.limits import CSV_SUFFIXES, PARQUET_SUFFIXES, SUFFIXES

_UNPACK = "unpack it first, and upload the CSV or Parquet file that is in it"
_EXPORT = "export the table as CSV first"
# How files begin, what they are then, and what to do.
_KINDS = (
    (b"PAR1", "a Parquet file", "let its name end in .parquet"),
    (b"PARE", "an encrypted Parquet file", "save it without encryption"),
    (b"PK\x03\x04", "a zip archive", _UNPACK),
    (b"PK\x05\x06", "an empty zip archive", _UNPACK),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", 'in Excel choose "Save as" and "CSV UTF-8"'),
    (b"\x1f\x8b", "a gzip archive", _UNPACK),
    (b"BZh", "a bzip2 archive", _UNPACK),
    (b"\xfd7zXZ", "an xz archive", _UNPACK),
    (b"7z\xbc\xaf", "a 7z archive", _UNPACK),
    (b"Rar!", "a rar archive", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", _UNPACK),
    (b"%PDF", "a PDF document", _EXPORT),
    (b"\x89PNG", "an image", _EXPORT),
    (b"\xff\xd8\xff", "an image", _EXPORT),
    (b"GIF8", "an image", _EXPORT),
    (b"II*\x00", "an image", _EXPORT),
    (b"RIFF", "an image or a recording", _EXPORT),
    (b"SQLite format 3", "an SQLite database", _EXPORT),
    (b"ARROW1", "an Arrow (Feather) file", "save it as Parquet"),
    (b"ORC", "an ORC file", "save it as Parquet"),
    (b"Obj\x01", "an Avro file", "save it as Parquet"),
    (b"\x89HDF", "an HDF5 file", "save the table as Parquet"),
    (b"\x93NUMPY", "a NumPy file", _EXPORT),
    (b"\x80\x04", "a Python pickle", "save the table as Parquet"),
    (b"\x80\x05", "a Python pickle", "save the table as Parquet"),
    (b"\x7fELF", "a program", "choose a table"),
    (b"MZ\x90", "a program", "choose a table"),
    (b"{\\rtf", "an RTF document", _EXPORT),
)
_WORKBOOK = ("an Excel workbook", 'in Excel choose "Save as" and "CSV UTF-8"')
_MARKUP = re.compile(rb"\s*(?:<!doctype|<html|<head|<body|<table|<\?xml|<svg)", re.IGNORECASE)
# Not lines that each hold a list such as [3 7 9].
_LISTS = rb"(?:[ \t]*\[[^\[\]{},\r\n]*\][ \t]*(?:\r\n|\r|\n)){2}"
_JSON = re.compile(rb"(?!" + _LISTS + rb')\s*(?:\{\s*["}]|\[\s*[\[{"\]\d-])')


def suffix_of(name: str) -> str:
    """Return the ending of a name in small letters.

    >>> suffix_of("Reports 2024.CSV"), suffix_of("reports")
    ('.csv', '')
    """
    ending = re.search(r"\.[^.\\/]*\Z", name.strip())
    return ending.group().lower() if ending else ""


def _seems(head: bytes) -> tuple[str, str] | None:
    """Say what a file is if it is neither CSV nor text of another kind, and what to do with it."""
    head = head[:4096].removeprefix(codecs.BOM_UTF8)
    for start, what, advice in _KINDS:
        if head.startswith(start):
            office = start == b"PK\x03\x04" and (b"[Content_Types].xml" in head or b"opendocument" in head)
            return _WORKBOOK if office else (what, advice)
    if _MARKUP.match(head):
        return "a web page or XML", _EXPORT
    return ("JSON", _EXPORT) if _JSON.match(head) else None


def check_content(head: bytes, suffix: str) -> None:
    """Refuse a file that is not what its name says; text comes here in UTF-8."""
    seems = _seems(head)
    if suffix not in SUFFIXES:
        what, advice = seems or ("text", "if it is a table, let its name end in .csv")
        raise Refused(f"the name must end in {', '.join(SUFFIXES)}; this seems to be {what}: {advice}")
    if suffix in PARQUET_SUFFIXES and not head.startswith(b"PAR1"):
        what, advice = seems or _text_or_damage(head)
        raise Refused(f"this is not the Parquet file that its name says; it seems to be {what}: {advice}")
    if suffix in CSV_SUFFIXES and seems:
        raise Refused(f"this is not the text that its name says; it seems to be {seems[0]}: {seems[1]}")


def _text_or_damage(head: bytes) -> tuple[str, str]:
    if head.endswith((b"PAR1", b"PARE")) or b"\0" in head[:4096]:
        return "damaged", "save or upload it again"
    return "text", "if it is a table, let its name end in .csv"
