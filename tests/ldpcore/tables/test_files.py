"""Tables on disk mean what an upload of the same bytes means, in batches of any size; wrong ones give a sentence."""

from __future__ import annotations

import io
import itertools
import re
import weakref

import hostile_files
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ldpcore.errors import Refused
from ldpcore.tables import SUFFIXES, TableFile, open_table_file, read_table
from ldpcore.tables import files as _files
from ldpcore.tables.columns import decimal_comma_columns
from ldpcore.tables.dialect import find_encoding, row_at
from ldpcore.tables.thrift import DAMAGED

pytestmark = pytest.mark.slow


def from_memory(data, name, header=True):
    """Return names and cells, or the sentence without the name of the file."""
    try:
        table = read_table(data, name, header=header)
    except Refused as problem:
        return str(problem).removeprefix(name)
    return {column: table.data.column(column).to_pylist() for column in table.columns}


def from_disk(data, path, header=True, rows=7):
    path.write_bytes(data)
    try:
        file, head = open_table_file(path, header=header)
        batches = [batch for batch in file.batches(file.columns, rows) if batch.num_rows]
        cells = {name: [] for name in file.columns}
        for batch in batches:
            assert batch.num_rows <= rows
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                cells[name] += column.to_pylist()
        for name, column in zip(file.columns, head.data.columns, strict=True):
            first = column.to_pylist()
            assert first == cells[name][: len(first)]
            assert len(first) == min(len(cells[name]), 1_000)
    except Refused as problem:
        return str(problem).removeprefix(str(path))
    return cells


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(_files, "BLOCK", 64)


TEXTS = {
    "plain": "a,b\n1,2\n3,4\n",
    "semicolons and decimal commas": "a;b\n0,5;2\n3;4,5\n",
    "tabs": "a\tb\r\n1\t2\r\n3\t4",
    "padded and quoted names": ' a ,"b, c", "d"\n1,2,3\n',
    "a column without a name": ",b\n0,2\n1,4\n",
    "blank lines around": "\n\r\na,b\n1,2\n3,4\n\n\n",
    "blank lines between": "a,b\n1,2\n\n3,4\n",
    "blank lines in one column": "a\n1\n\n2\n\n",
    "its separator in the first line": "sep=;\na,b;c\n1,5;2\n3;4\n",
    "its separator, quoted, below blank lines": '\r\n"sep=,"\r\n\r\na;b,c\r\n1,2\r\n',
    "its separator, and a byte 0": "sep=,\na,b\n" + "1,2\n" * 40 + "3,\0\n",
    "its separator, and too few cells": "sep=,\na,b\n" + "1,2\n" * 50 + "3\n",
    "another separator in the first line": "sep=|\na|b\n1|2\n",
    "its separator and nothing more": "sep=;\n\n",
    "a separator after every cell": "a;\n1;\n2;\n",
    "old ends of lines": "a,b\r1,2\r3,4\r",
    "cells of several lines": 'a,b\n"1\n2",3\n"x ""y""\r\n",4\n',
    "quotes within cells": 'a\n5" pipe\n3"\n',
    "long lines": "a,b\n" + "\n".join(f"{'x' * 90},{i}" for i in range(20)),
    "many rows": "a,b\n" + "\n".join(f"{i},{i * i}" for i in range(3_000)),
    "words": "größe,été\nß,中\n" * 30,
    "too few cells": "a,b\n" + "1,2\n" * 50 + "3\n" + "1,2\n" * 50,
    "too many cells": "a;b\n" + "1;2\n" * 50 + "\n3;4;5\n",
    "an open quote": 'a,b\n1,2\n"3,4\n5,6\n',
    "an open quote at the end": 'a,b\n1,2\n3,"4',
    "an open quote that is doubled": 'a,b\n1,2\n3,"4""',
    "a byte 0": "a,b\n" + "1,2\n" * 40 + "3,\0\n",
    "a byte 0 after quoted lines": 'a,b\n"x\ny",2\n\n"p\nq",\0\n',
    "names twice": "a,b,a\n1,2,3\n",
    "no names": ",,\n1,2,3\n",
    "only blanks": "\n \n",
}


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("case", TEXTS)
def test_a_file_means_what_its_upload_means(case, header, encoding, tmp_path):
    data = (b"\xfe\xff" if encoding == "utf-16-be" else b"") + TEXTS[case].encode(encoding)
    memory = from_memory(data, "a.csv", header)
    assert from_disk(data, tmp_path / "a.csv", header) == memory


CELL = st.text(st.sampled_from('ab1 ,;\t\n"é'), max_size=5)


@pytest.mark.usefixtures("small_blocks")
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.lists(CELL, min_size=2, max_size=2), min_size=2, max_size=20),
    separator=st.sampled_from([",", ";", "\t"]),
    end=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-16"]),
)
def test_quoted_cells_of_any_kind_mean_the_same(rows, separator, end, encoding, tmp_path):
    lines = [["x", "y"], *rows]
    text = end.join(separator.join('"' + cell.replace('"', '""') + '"' for cell in line) for line in lines)
    memory = from_memory(text.encode(encoding), "a.csv")
    assert memory == {name: [row[i] for row in rows] for i, name in enumerate(["x", "y"])}
    assert from_disk(text.encode(encoding), tmp_path / "a.csv") == memory


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.sampled_from('ab1,;\n\r"é '), max_size=30), header=st.booleans())
def test_any_text_is_the_same_or_refused_by_both(text, header, tmp_path):
    memory, disk = from_memory(text.encode(), "a.csv", header), from_disk(text.encode(), tmp_path / "a.csv", header)
    if isinstance(disk, str) and isinstance(memory, str):
        return
    # A table without rows is refused only where somebody wants one.
    if isinstance(memory, str):
        assert "no rows" in memory
        assert not any(disk.values())
    else:
        assert disk == memory


# What is only too large for an upload, or has nothing to do with reading the columns that are there.
READ_FROM_DISK = (
    "only a header",
    "enormous cell",
    "Parquet without rows",
    "text of shared beginnings",
    "too many rows in Parquet",
    "too many columns in Parquet",
    "encrypted column",
    "columns in other files",
    "more values than rows",
    # The lowest pyarrow takes a codec that it does not know for none.
    *(["codec that does not exist"] if pa.__version__.startswith("16.") else []),
)


@pytest.mark.parametrize("case", hostile_files.HOSTILE)
def test_a_hostile_file_on_disk_gives_a_sentence_or_a_table(case, tmp_path):
    """What an upload may not be is the user's own business here; what is no table gives the same sentence."""
    reason = "limits are for uploads, and no file has such a name"
    if "bomb" in case:
        pytest.skip(reason)
    name, data = hostile_files.HOSTILE[case]()
    if len(data) > 10**7 or "/" in name or len(name) > 200:
        pytest.skip(reason)
    disk = from_disk(data, tmp_path / name, rows=10**6)
    if isinstance(disk, str):
        assert "\n" not in disk
        assert disk == from_memory(data, name) or "cannot be read" in disk or DAMAGED in disk or "enormous" in case
    else:
        assert case in READ_FROM_DISK


def test_parquet_on_disk_has_the_columns_of_an_upload(tmp_path):
    columns = {
        "a": pa.array([1, None, 3]),
        "t": pa.array(["x", "y", None]),
        "c": pa.array(["x", "y", "x"]).dictionary_encode(),
        "set": pa.array([[1, 2], [], None]),
        "struct": pa.array([{"a": 1}] * 3),
        "bytes": pa.array([b"x"] * 3),
    }
    data = hostile_files.written(columns, row_group_size=2)
    memory = from_memory(data, "a.PQ")
    assert list(memory) == ["a", "t", "c", "set"]
    assert from_disk(data, tmp_path / "a.PQ", rows=2) == memory
    file, head = open_table_file(tmp_path / "a.PQ")
    assert file.groups == (2, 1)
    assert head.left_out == ("struct", "bytes")
    assert [batch.to_pydict() for batch in file.batches(["a"], 10, group=1)] == [{"a": [3]}]


def test_a_few_columns_are_read_in_the_order_asked_for(tmp_path):
    (tmp_path / "a.csv").write_text("a,b,c\n1,2,3\n4,5,6\n")
    file, _ = open_table_file(tmp_path / "a.csv")
    assert isinstance(file, TableFile)
    assert [batch.to_pydict() for batch in file.batches(["b", "a"], 10)] == [{"b": ["2", "5"], "a": ["1", "4"]}]


def test_an_open_quote_in_a_column_that_is_not_read_is_noticed(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n" + "1,x\n" * 1_001)
    file, _ = open_table_file(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("a,b\n" + "1,x\n" * 1_001 + '2,"y\n3,z\n')
    with pytest.raises(Refused, match=r"a\.csv, row 1,002: a quote \(\"\) is opened in this row but never closed"):
        list(file.batches(["a"], 10_000))


def test_a_row_that_is_longer_than_all_before_gives_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "BLOCK", 64)
    monkeypatch.setattr(_files, "HEAD_BYTES", 100)
    text = "a,b\n" + "1,2\n" * 100 + "3," + "x" * 10_000 + "\n"
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(Refused, match=r"a\.csv: there is a row of more than"):
        open_table_file(tmp_path / "a.csv")


@pytest.mark.parametrize("name", ["a.xlsx", "a", "a.csv.gz"])
def test_other_endings_are_refused(name, tmp_path):
    (tmp_path / name).write_text("a\n1\n")
    with pytest.raises(Refused, match=f"{re.escape(name)}: the name must end in {', '.join(SUFFIXES)}"):
        open_table_file(tmp_path / name)


def test_what_the_system_refuses_keeps_its_words(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("a\n1\n")

    def closed(*_, **__):
        raise PermissionError("you may not")

    monkeypatch.setattr(_files, "find_dialect", closed)
    with pytest.raises(PermissionError, match="you may not"):
        open_table_file(tmp_path / "a.csv")


@pytest.mark.parametrize("problem", [TypeError("zip()"), ValueError("of ours"), KeyError("x")])
def test_a_bug_stays_a_bug(problem, tmp_path, monkeypatch):
    """Nothing but a refusal, and what pyarrow says of a file, becomes a sentence."""
    (tmp_path / "a.csv").write_text("a\n1\n")

    def broken(*_, **__):
        raise problem

    for where in ("ldpcore.tables.files.column_names", "ldpcore.tables.text.column_names"):
        monkeypatch.setattr(where, broken)
    for read in (lambda: open_table_file(tmp_path / "a.csv"), lambda: read_table(b"a\n1\n", "a.csv")):
        with pytest.raises(type(problem)) as raised:
            read()
        assert not isinstance(raised.value, Refused)
    monkeypatch.setattr("ldpcore.tables.parquet.row_groups", broken)
    with pytest.raises(type(problem)) as raised:
        read_table(hostile_files.HONEST, "a.parquet")
    assert not isinstance(raised.value, Refused)


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from('a"\n\r'), max_size=40).map(str.encode), st.lists(st.integers(0, 40), max_size=4))
def test_rows_are_counted_alike_in_any_pieces(data, cuts):
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [data[a:b] for a, b in itertools.pairwise(edges)]
    # The independent count: lines end where the number of quotes before is even, and blank ones do not count.
    rows, line, quoted = 0, b"", False
    for byte in data:
        one = bytes([byte])
        quoted ^= one == b'"'
        if one == b"\n" and not quoted:
            rows, line = rows + (line not in (b"", b"\r")), b""
        else:
            line += one
    assert row_at(pieces, header=True) == rows
    assert row_at(pieces, header=False) == rows + 1


def test_memory_does_not_grow_with_the_file(tmp_path):
    """A tenth of a gigabyte in pieces of a megabyte: pyarrow holds a few blocks at a time."""
    line = b"%07d,%s\n" % (1, b"x" * 90)
    with (tmp_path / "a.csv").open("wb") as out:
        out.write(b"v,t\n")
        for _ in range(100):
            out.write(line * 10_000)
    file, _ = open_table_file(tmp_path / "a.csv")
    before, most, rows = pa.total_allocated_bytes(), 0, 0
    for batch in file.batches(["v"], 100_000):
        rows += batch.num_rows
        most = max(most, pa.total_allocated_bytes() - before)
    assert rows == 10**6
    assert most < 60 * 2**20


def test_numbers_of_the_head_say_which_columns_have_decimal_commas():
    text = "a;b;c\n" + "\n".join(f"{i},5;{i};1,{234 + i}" for i in range(5))
    table = read_table(text.encode(), "a.csv")
    assert decimal_comma_columns(table, table.columns) == {"a"}


# ---- the stream that pyarrow reads, in its own threads, where nothing is measured ----


def stream_of(data, header=True):
    return _files._TextStream(io.BytesIO(data), find_encoding(data), header)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("size", [-1, 1, 3, 1_000])
def test_a_stream_is_utf_8_without_blank_ends(encoding, size):
    stream = stream_of("\r\n\nä,b\n1,2\n\n3,4\r\n\n".encode(encoding))
    pieces = list(iter(lambda: stream.read(size), b""))
    assert b"".join(pieces) == "ä,b\n1,2\n\n3,4\n".encode()
    assert stream.tail == "ä,b\n1,2\n\n3,4\n".encode()[-len(stream.tail) :]
    assert size < 0 or all(len(piece) == size for piece in pieces[:-1])
    assert stream.readable()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"a,b\n1,2\n3,\x004\n", "row 2"),
        (b"a,b\n1,2\n3,4\n5,\xff\n", "row 3"),
        ("a,b\n1,\x002\n".encode("utf-16"), "row 1"),
    ],
)
def test_a_stream_says_in_which_row_a_wrong_byte_is(data, sentence):
    with pytest.raises(Refused, match=sentence):
        stream_of(data).read()


def test_a_stream_of_blank_lines_is_empty_and_half_a_letter_is_refused():
    assert stream_of(b"\n\r\n\n").read() == b""
    with pytest.raises((Refused, ValueError)):
        stream_of("a,b\n1,2\n".encode("utf-16")[:-1]).read()


def test_who_keeps_a_refusal_keeps_no_reader(tmp_path, monkeypatch):
    """Where a reader that was left before its end lived until Python ended, every second process hung or aborted."""
    real, readers = pa.csv.open_csv, []

    def watched(*arguments, **options):
        reader = real(*arguments, **options)
        readers.append(weakref.ref(reader))
        return reader

    monkeypatch.setattr(pa.csv, "open_csv", watched)
    path = tmp_path / "a.csv"
    # More than is parsed when a file is opened.
    path.write_text("a,b\n" + "1,2\n" * 400_000 + "1,2,3\n" + "1,2\n" * 2_000)
    with pytest.raises(Refused, match="row 400,001") as refusal:
        for _ in open_table_file(path)[0].batches(["a"], rows=100):
            pass
    assert refusal.value.__traceback__
    assert len(readers) > 2
    assert not [reader for reader in readers if reader()]
