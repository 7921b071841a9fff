"""Files that nobody should upload, and what is said about each.

`HOSTILE[name]()` returns the name and the bytes of a file; `WORDS[name]` are fragments of the sentence that
`ldpcore.tables.read_table` must say about it. All are made in memory; the large ones once.
"""

from __future__ import annotations

import gzip
import io
import json
import pickle
import zipfile
from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ldpcore import tables

HOSTILE: dict[str, Callable[[], tuple[str, bytes]]] = {}
WORDS: dict[str, tuple[str, ...]] = {}


def hostile(name, file, *words):
    """Enter a function that makes the bytes of a file."""

    def enter(make):
        made = cache(make)
        HOSTILE[name] = lambda: (file, made())
        WORDS[name] = words
        return make

    return enter


def _add(name, file, data, *words):
    hostile(name, file, *words)(lambda: data)


# ---- Parquet by hand --------------------------------------------------------------
# Just enough of Thrift's compact protocol to write what no library would.

TRUE, I32, I64, BINARY, LIST, STRUCT = 1, 5, 6, 8, 9, 12


def varint(n):
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes([*out, n])


def _value(kind, value):
    if kind in (I32, I64):
        return varint(value << 1 if value >= 0 else (-value << 1) - 1)
    if kind == BINARY:
        return varint(len(value)) + value
    if kind == LIST:
        inner, items = value
        return bytes([0xF0 | inner]) + varint(len(items)) + b"".join(_value(inner, item) for item in items)
    return b"" if kind == TRUE else value


def struct(*fields):
    """Write (number, kind, value) fields; a struct within is given as it was written."""
    long = (bytes([kind]) + _value(I32, number) + _value(kind, value) for number, kind, value in fields)
    return b"".join(long) + b"\0"


def page(kind, content, unpacked=None, values=1, encoding=0, claimed=None):
    """Write a page: of data (0), or a dictionary (2)."""
    details = struct((1, I32, values), (2, I32, encoding), *([(3, I32, 3), (4, I32, 3)] if kind == 0 else []))
    unpacked = len(content) if unpacked is None else unpacked
    packed = len(content) if claimed is None else claimed
    number = 5 if kind == 0 else 7
    return struct((1, I32, kind), (2, I32, unpacked), (3, I32, packed), (number, STRUCT, details)) + content


def same_value(rows, value=b"\x07" + bytes(7), entries=1):
    """Write a column of one value: a dictionary, and one run of its first entry."""
    run = b"\x01" + varint(rows << 1) + b"\0"
    return page(2, value, values=entries) + page(0, run, values=rows, encoding=8)


INT64, TEXT = 2, 6


def chunk(name, at, size, rows, kind=INT64, codec=0, file=None, extra=()):
    meta = struct(
        (1, I32, kind), (2, LIST, (I32, [0, 8])), (3, LIST, (BINARY, [name])), (4, I32, codec), (5, I64, rows),
        (6, I64, size), (7, I64, size), (9, I64, at),
    )  # fmt: skip
    return struct(*([(1, BINARY, file)] if file else []), (2, I64, at), (3, STRUCT, meta), *extra)


def leaf(name, kind=INT64):
    text = [(6, I32, 0)] if kind == TEXT else []
    return struct((1, I32, kind), (3, I32, 0), (4, BINARY, name), *text)


def parquet(pages, rows, names=(b"x",), groups=1, claim=None, schema=None, extra=(), **more):
    """Write a file whose columns, in all groups, are the same pages."""
    kind = more.get("kind", INT64)
    schema = schema or [struct((4, BINARY, b"root"), (5, I32, len(names))), *(leaf(name, kind) for name in names)]
    chunks = [chunk(name, 4, len(pages), rows, **more) for name in names]
    group = struct((1, LIST, (STRUCT, chunks)), (2, I64, len(pages)), (3, I64, rows))
    total = rows * groups if claim is None else claim
    footer = struct(
        (1, I32, 2), (2, LIST, (STRUCT, schema)), (3, I64, total), (4, LIST, (STRUCT, [group] * groups)), *extra
    )
    return finish(b"PAR1" + pages, footer)


def finish(body, footer, size=None):
    return body + footer + (len(footer) if size is None else size).to_bytes(4, "little") + b"PAR1"


def written(table, **options):
    out = io.BytesIO()
    pq.write_table(pa.table(table), out, **options)
    return out.getvalue()


def columns(n):
    return tuple(b"c%d" % i for i in range(n))


# ---- not what the name says -------------------------------------------------------


def _zip(name, content):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return out.getvalue()


SMALL = b"age,city\n31,Bern\n44,Chur\n"
XLSX = _zip("[Content_Types].xml", "<Types/>")

_add("empty", "a.csv", b"", "nothing in it")
_add("only blank lines", "a.csv", b"\n\r\n  \n\n", "only blank lines")
_add("only a mark of UTF-8", "a.csv", b"\xef\xbb\xbf", "nothing in it")
_add("empty Parquet", "a.parquet", b"", "nothing in it")
_add("Parquet called CSV", "a.csv", written({"x": [1]}), "seems to be a Parquet file", ".parquet")
_add("CSV called Parquet", "a.parquet", SMALL, "seems to be text", ".csv")
_add("Excel", "a.xlsx", XLSX, "an Excel workbook", "CSV UTF-8", ".csv")
_add("Excel called CSV", "a.csv", XLSX, "an Excel workbook", "CSV UTF-8")
_add("Excel called Parquet", "a.parquet", XLSX, "an Excel workbook")
_add("old Excel called CSV", "a.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "an old Excel workbook")
_add("zip called CSV", "a.csv", _zip("a.csv", SMALL), "a zip archive", "unpack it")
_add("gzip called CSV", "a.csv", gzip.compress(SMALL), "a gzip archive", "unpack it")
_add("gzipped CSV", "a.csv.gz", gzip.compress(SMALL), "a gzip archive", "must end in")
_add("PDF called CSV", "a.csv", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document")
_add("HTML called CSV", "a.csv", b"<!DOCTYPE html>\n<html><body>Not found</body></html>", "a web page")
_add("XML called CSV", "a.csv", b"<?xml version='1.0'?><a/>", "a web page or XML")
_add("JSON called CSV", "a.csv", json.dumps([{"a": 1}, {"a": 2}]).encode(), "JSON")
_add("lines of JSON called CSV", "a.csv", b'{"a": 1}\n{"a": 2}\n', "JSON")
_add("image called CSV", "a.csv", b"\x89PNG\r\n\x1a\n" + bytes(100), "an image")
_add("pickle called CSV", "a.csv", pickle.dumps([1, 2, 3], protocol=5), "a Python pickle")
_add("SQLite called CSV", "a.csv", b"SQLite format 3\0" + bytes(100), "an SQLite database")
_add("Feather called Parquet", "a.parquet", b"ARROW1\0\0" + bytes(50), "Arrow", "save it as Parquet")
_add("program", "a.exe", b"MZ\x90\0" + bytes(100), "a program")
_add("no ending", "data", SMALL, "must end in", "seems to be text")
_add("hostile name", "../../etc/\x1b[31mpass\nwd\u202e.docx", SMALL, "[31mpasswd.docx: ", "must end in")
_add("endless name", "n" * 5000 + ".docx", SMALL, "nnn…", ".docx: the name must end in")

# ---- text -------------------------------------------------------------------------

_add("half a character of UTF-16", "a.csv", SMALL.decode().encode("utf-16")[:-1], "must be UTF-16", "position 51")
_add("UTF-16 that is not", "a.csv", b"\xff\xfea\0\0\xdc\n\0", "must be UTF-16", "position 5", "CSV UTF-8")
_add("only a mark of UTF-16", "a.csv", b"\xff\xfe", "nothing in it")
_add("a web page in UTF-16", "a.csv", "<html><body>Not found".encode("utf-16"), "a web page")
_add("UTF-16 without a mark", "a.csv", SMALL.decode().encode("utf-16-le"), "UTF-16", "CSV UTF-8")
_add("UTF-32", "a.csv", SMALL.decode().encode("utf-32"), "UTF-32", "CSV UTF-8")
_add("Latin-1", "a.csv", "city,age\nBern,1\nGenève,2\n".encode("latin-1"), "row 2:", "0xE8", "CSV UTF-8")
_add("Latin-1 in the header", "a.csv", "âge\n1\n".encode("latin-1"), "the header:", "0xE2", "CSV UTF-8")
_add("cut UTF-8", "a.csv", "city\nBern\nGenè".encode()[:-1], "row 2:", "UTF-8")
_add("a byte 0", "a.csv", b"a,b\n" + b"1,2\n" * 1000 + b"3,\0\n", "row 1,001:", "byte 0")
_add("a byte 0 after quoted lines", "a.csv", b'a,b\n"x\ny",2\n\n"p\nq",\0\n', "row 2:", "byte 0")
_add("only a header", "a.csv", b"age,city\n", "no rows")
_add("too few cells", "a.csv", b"a,b,c\n1,2,3\n\n4,5\n", "row 2:", "must have 3 cells", "got 2 cells")
_add("too many cells", "a.csv", b"a;b\n1;2\n3;4\n5;6;7\n", "row 3:", "must have 2 cells", "got 3 cells")
_add("decimal commas", "a.csv", b"x\n1,5\n2,5\n", "row 1:", "must have 1 cell,", "got 2 cells")
_add("unclosed quote", "a.csv", b'a,b\n1,2\n"3,4\n5,6\n', "row 2:", "never closed")
_add("unclosed quote at the end", "a.csv", b'a,b\n1,2\n3,"4', "row 2:", "never closed")
_add("unclosed quote in the header", "a.csv", b'"a,b\n1,2\n3,4\n', "never closed")
_add("columns of one name", "a.csv", b"a,b,a\n1,2,3\n", "2 are called 'a'")
_add("columns without names", "a.csv", b",,\n1,2,3\n", "names of the columns", "empty")
_add("enormous cell", "a.csv", b"a,b\n1,2\n3," + b"x" * 10**6, "row 2, column 'b':", "at most 100,000 bytes")
_add("enormous name", "a.csv", b"x" * 10**6 + b",b\n1,2\n", "first line", "at most 100,000 bytes")


@hostile("too many bytes", "a.csv", "at most 50 MB", "got 50.0")
def _():
    return b"x\n" + b"123456789\n" * (tables.MAX_BYTES // 10 + 1)


@hostile("too many rows", "a.csv", "at most 10,000,000 rows", "10,000,002 lines")
def _():
    return b"x\n" + b"1\n" * (tables.MAX_ROWS + 1)


@hostile("too many rows, in one column of old line ends", "a.csv", "at most 10,000,000 rows")
def _():
    return b"x\r" + b"1\r" * (tables.MAX_ROWS + 1)


@hostile("only line ends", "a.csv", "only blank lines")
def _():
    return b"\n" * tables.MAX_BYTES


@hostile("too many columns", "a.csv", "at most 10,000 columns", "got 100,000")
def _():
    return b",".join(b"%d" % i for i in range(10**5)) + b"\n" + b"1," * 99_999 + b"1\n"


@hostile("only commas", "a.csv", "first line may be at most 1 MB")
def _():
    return b"a" + b"," * (tables.MAX_BYTES - 1)


@hostile("quotes that never end", "a.csv", "never closed")
def _():
    return b'a,b\n1,"' + b"x\n" * 5 * 10**6


# ---- Parquet ----------------------------------------------------------------------

HONEST = written({"x": np.arange(1000), "s": [f"t{i % 7}" for i in range(1000)]})
DAMAGED = "damaged or not complete"
MEMORY = "512 MB of memory"

_add("cut Parquet", "a.parquet", HONEST[: len(HONEST) // 2], DAMAGED)
_add("Parquet of its first bytes", "a.parquet", b"PAR1", DAMAGED)
_add("Parquet without its head", "a.parquet", HONEST[9:], "damaged")
_add("noise in the footer", "a.parquet", finish(b"PAR1", bytes(range(1, 256)) * 4), DAMAGED)
_add("footer of zeros", "a.parquet", finish(b"PAR1", bytes(300)), DAMAGED)
_add("footer longer than the file", "a.parquet", finish(b"PAR1", b"\0", 2**32 - 1), DAMAGED)
_add(
    "footer that covers the pages",
    "a.parquet",
    HONEST[:-8] + (len(HONEST) - 12).to_bytes(4, "little") + b"PAR1",
    "Parquet",
)
_add("encrypted Parquet", "a.parquet", b"PARE" + bytes(100) + b"PARE", "encrypted", "without encryption")
_add("encrypted footer", "a.parquet", HONEST[:-4] + b"PARE", "encrypted", "without encryption")
_add("encrypted column", "a.parquet", parquet(same_value(3), 3, extra=((8, STRUCT, struct()),)), "encrypted")
_add("columns in other files", "a.parquet", parquet(same_value(3), 3, file=b"/etc/passwd"), "in other files")
_add("unknown codec", "a.parquet", parquet(same_value(3), 3, codec=3), "LZO", "snappy")
_add("codec that does not exist", "a.parquet", parquet(same_value(3), 3, codec=77), "number 77", "snappy")
_add("Parquet without rows", "a.parquet", written({"x": pa.array([], pa.int64())}), "no rows")
_add("Parquet without columns", "a.parquet", written({}), "no column that can be used")
_add("only lists", "a.parquet", written({"x": [["a"], ["b"]]}), "no column that can be used")
_add("only bytes", "a.parquet", written({"x": [b"a", b"b"]}), "no column that can be used")
_add("only structs", "a.parquet", written({"x": [{"a": 1}]}), "no column that can be used")
_add(
    "Parquet columns of one name", "a.parquet", written(pa.table([[1], [2]], names=["x", "x"])), "'x'", "more than once"
)
_add(
    "too many rows in Parquet",
    "a.parquet",
    parquet(same_value(10**7 + 1), 10**7 + 1),
    "at most 10,000,000 rows",
    "10,000,001",
)
_add("rows beyond counting", "a.parquet", parquet(same_value(3), 3, claim=2**62), "at most 10,000,000 rows")
_add("less than no rows", "a.parquet", parquet(same_value(3), 3, claim=-3), DAMAGED)
_add("rows that are not there", "a.parquet", parquet(same_value(3), 3, claim=4), DAMAGED)
_add("pages beyond the file", "a.parquet", parquet(page(0, bytes(8), claimed=10**6), 1), DAMAGED)
_add("a page of less than nothing", "a.parquet", parquet(page(0, bytes(8), unpacked=-8), 1), DAMAGED)
_add("fewer values than rows", "a.parquet", parquet(page(0, bytes(24), values=3), 4), DAMAGED)
_add("more values than rows", "a.parquet", parquet(page(0, bytes(24), values=2**31 - 1), 3), DAMAGED)
_add("a dictionary that is not there", "a.parquet", parquet(same_value(3, entries=2**31 - 1), 3), DAMAGED)
_add(
    "a page that unpacks to 2 GB",
    "a.parquet",
    parquet(page(0, bytes(99), 2**31 - 1, values=3), 3, codec=2),
    "128 MB at most",
)
_add(
    "text that is not UTF-8",
    "a.parquet",
    parquet(same_value(3, b"\x02\0\0\0\xff\xfe"), 3, kind=TEXT),
    "'x'",
    "not UTF-8",
)


@hostile("text of shared beginnings", "a.parquet", "'x'", "DELTA")
def _():
    return written(
        {"x": ["a" * 50 + str(i) for i in range(9)]}, use_dictionary=False, column_encoding="DELTA_BYTE_ARRAY"
    )


@hostile("bomb: long runs in many columns", "a.parquet", MEMORY)
def _():
    return parquet(same_value(10**7), 10**7, columns(500))


@hostile("bomb: a long list", "a.parquet", MEMORY)
def _():
    root, group = struct((4, BINARY, b"root"), (5, I32, 1)), struct((3, I32, 2), (4, BINARY, b"list"), (5, I32, 1))
    lists = struct((3, I32, 1), (4, BINARY, b"x"), (5, I32, 1), (6, I32, 3))
    return parquet(same_value(36_000_000), 1, schema=[root, lists, group, leaf(b"element")])


@hostile("bomb: pages over and over", "a.parquet", MEMORY)
def _():
    return parquet(page(0, bytes(64), 10**8, values=0) * 9 + page(0, bytes(8)), 1, codec=2)


@hostile("bomb: row groups that share their pages", "a.parquet", MEMORY)
def _():
    pages = page(2, bytes(64), 10**6) + page(0, b"\x01\x02\0", values=1, encoding=8)
    return parquet(pages, 1, groups=5_000, codec=2)


@hostile("bomb: pages without values", "a.parquet", "at most 100,000 pages")
def _():
    return parquet(page(0, b"", values=0) * 100_000 + page(0, bytes(8)), 1)


@hostile("bomb: one long text in every row", "a.parquet", "row 1, column 'x':", "at most 100,000 bytes")
def _():
    return parquet(same_value(10**7, (10**6).to_bytes(4, "little") + b"a" * 10**6), 10**7, kind=TEXT)


@hostile("bomb: a footer of many parts", "a.parquet", "too many parts")
def _():
    return finish(b"PAR1", struct((4, LIST, (STRUCT, [struct()] * 400_000))))


@hostile("bomb: a footer of long lists", "a.parquet", "too many parts")
def _():
    return finish(b"PAR1", b"\x19\xf5" + varint(3_000_000) + bytes(3_000_000))


@hostile("bomb: a large footer", "a.parquet", "description", "at most 8 MB")
def _():
    return finish(b"PAR1", bytes(9 * 2**20))


@hostile("bomb: columns within columns", "a.parquet", "32 deep")
def _():
    groups = [struct((4, BINARY, b"g"), (5, I32, 1)) for _ in range(10_000)]
    return parquet(same_value(3), 3, schema=[*groups, leaf(b"x")])


@hostile("bomb: a deep footer", "a.parquet", "too many parts")
def _():
    return finish(b"PAR1", b"\x1c" * 10**6)


@hostile("too many columns in Parquet", "a.parquet", "at most 10,000 columns", "got 10,001")
def _():
    return parquet(same_value(3), 3, columns(10_001))


def frame(rows=200):
    """Return an honest table, for files to damage."""
    rng = np.random.default_rng(5)
    text = rng.choice(["red", "grün", "blue"], rows)
    return pd.DataFrame({"x": rng.normal(size=rows), "n": rng.integers(0, 50, rows), "t": text})
