"""Uploaded tables: honest ones come back equal, all others give one sentence, in bounded time and memory."""

import datetime
import decimal
import io
import itertools
from functools import partial

import hostile_files as files
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from table_reading import said

from ldpcore import estimate_table, mechanism, tables
from ldpcore.collected.columns import Head
from ldpcore.collected.files import count_piece, pieces
from ldpcore.collected.names import words_in
from ldpcore.datasets import categories_from, dates_from
from ldpcore.tables import Table, paste_table, read_table


def cells(table):
    """Return the columns as lists."""
    return {name: table.data.column(name).to_pylist() for name in table.columns}


# ---- honest files -----------------------------------------------------------------


def honest(rows=2_500):
    rng = np.random.default_rng(3)
    frame = files.frame(rows)
    return pa.Table.from_pandas(frame, preserve_index=False).add_column(
        0, "missing", pa.array(rng.choice([1, 2, None], rows).tolist(), pa.int16())
    )


MORE = {
    "b": pa.array([True, None, False]),
    "day": pa.array([datetime.date(2020, 1, 2)] * 3),
    "moment": pa.array([datetime.datetime(2020, 1, 2, 3)] * 3, pa.timestamp("us", "UTC")),
    "time": pa.array([datetime.time(1)] * 3),
    "price": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("2.25")]),
    "half": pa.array(np.array([0.5, 1, 2], dtype=np.float16)),
    "category": pa.array(["x", "y", "x"]).dictionary_encode(),
    "large": pa.array(["x", None, ""], pa.large_string()),
    "nothing": pa.nulls(3),
    "a.b": pa.array([1, 2, 3]),
    "set": pa.array([[1, 2**40], [], None]),
    "small set": pa.array([[1, 2], [None], [3]], pa.large_list(pa.int8())),
    "pair": pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(pa.int32(), 2)),
    "noisy bits": pa.array([[0.5], [], None]),
}
LEFT_OUT = {
    "list": pa.array([["a"], [], None]),
    "list of lists": pa.array([[[1]], [], None]),
    "list of structs": pa.array([[{"a": 1}], [], None]),
    "struct": pa.array([{"a": 1}] * 3),
    "map": pa.array([[("k", 1)]] * 3, pa.map_(pa.string(), pa.int64())),
    "bytes": pa.array([b"x"] * 3),
    "fixed": pa.array([b"0123456789abcdef!"] * 3, pa.binary(17)),
}


@pytest.mark.parametrize(
    ("codec", "page", "dictionary", "rows"),
    [
        *itertools.product(
            ["snappy", "gzip", "zstd", "brotli", "lz4", "none"], ["1.0", "2.0"], [True, False], [300, 10**6]
        )
    ],
)
def test_honest_parquet_comes_back(codec, page, dictionary, rows):
    table = honest()
    data = files.written(
        table, compression=codec, data_page_version=page, use_dictionary=dictionary, row_group_size=rows
    )
    read = read_table(data, "Some Data.PARQUET")
    assert (read.name, read.rows, read.left_out) == ("Some Data.PARQUET", 2_500, ())
    assert cells(read) == table.to_pydict()
    assert pa.types.is_dictionary(read.data.schema.field("t").type)


def test_every_type_of_column():
    read = read_table(files.written({**MORE, **LEFT_OUT}), "a.pq")
    assert read.left_out == tuple(LEFT_OUT)
    # Times of a zone are read as UTC, whatever the zone is called.
    expected = {name: array.to_pylist() for name, array in MORE.items()}
    expected["moment"] = [moment.replace(tzinfo=None) for moment in expected["moment"]]
    assert cells(read) == expected
    for name in ("list", "set", "struct"):
        with pytest.raises(ValueError, match=rf"a\.pq: the column '{name}' holds lists, structs or bytes"):
            read.column(name)
    assert [name for name in read.columns if read.is_list(name)] == ["set", "small set", "pair", "noisy bits"]
    with pytest.raises(ValueError, match="there is no column 'z'; there are 'b', 'day', 'moment', 'time', …"):
        read.column("z")


def test_a_column_named_like_a_part_of_another():
    read = read_table(files.written({"a": [{"b": 1}], "a.b": [2], "c": [3]}), "a.parquet")
    assert (read.columns, read.left_out) == (("c",), ("a", "a.b"))


@pytest.mark.parametrize(
    ("codec", "page", "group"), [*itertools.product(["snappy", "none"], ["1.0", "2.0"], [7, 10**6])]
)
def test_lists_come_back(codec, page, group):
    rng = np.random.default_rng(3)
    sets = [rng.integers(0, 50, size).tolist() for size in rng.integers(0, 20, 500)]
    data = files.written(
        {"x": sets}, compression=codec, data_page_version=page, row_group_size=group, data_page_size=64
    )
    assert cells(read_table(data, "a.parquet")) == {"x": sets}


def test_empty_row_groups():
    table, out = honest(), io.BytesIO()
    with pq.ParquetWriter(out, table.schema) as writer:
        for rows in (0, 40, 0, 60, 0):
            writer.write_table(table.slice(0, rows))
    assert read_table(out.getvalue(), "a.parquet").rows == 100


def test_parquet_by_pandas():
    frame, out = files.frame(), io.BytesIO()
    frame.to_parquet(out)
    assert cells(read_table(out.getvalue(), "a.parquet")) == frame.to_dict("list")


def test_the_parquet_written_by_hand_is_one():
    read = read_table(files.parquet(files.same_value(4), 4, files.columns(2), groups=3), "a.parquet")
    assert cells(read) == {"c0": [7] * 12, "c1": [7] * 12}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_csv_in_every_dialect(separator, end, encoding):
    lines = [["id", " a name ", "größe, in m"], ["1", 'a "b" c', "2,5"], ["", "x\ny", " 3;5 "]]
    text = end.join(separator.join('"' + cell.replace('"', '""') + '"' for cell in line) for line in lines)
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    read = read_table(mark + text.encode(encoding), "a.csv")
    assert cells(read) == {"id": ["1", ""], "a name": ['a "b" c', "x\ny"], "größe, in m": ["2,5", " 3;5 "]}


def test_csv_by_pandas():
    frame = files.frame()
    read = read_table(frame.to_csv().encode(), "a.csv")
    assert read.columns == ("column 1", "x", "n", "t")
    assert cells(read)["n"] == [str(n) for n in frame["n"]]
    assert cells(read)["t"] == frame["t"].tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x\n1\n\n2\n\n\n", {"x": ["1", "2"]}),
        ("x,y\n1,2\n\n3,4\n", {"x": ["1", "3"], "y": ["2", "4"]}),
        ('x\n5" pipe\n3"\n', {"x": ['5" pipe', '3"']}),
        ('"x,y";z\n1;2\n', {"x,y": ["1"], "z": ["2"]}),
        ("a,b;c\n1;2\n3;4\n", {"a,b": ["1", "3"], "c": ["2", "4"]}),
        ("x,\n1,\n", {"x": ["1"], "column 2": [""]}),
        ("\n\nx\n1", {"x": ["1"]}),
    ],
)
def test_csv_of_odd_kinds(text, expected):
    assert cells(read_table(text.encode(), "a.csv")) == expected


def test_csv_without_a_header():
    assert cells(read_table(b"1,2\n3,4\n", "a.csv", header=False)) == {"column 1": ["1", "3"], "column 2": ["2", "4"]}
    with pytest.raises(ValueError, match=r"^a\.csv, row 2: a row must have 2 cells"):
        read_table(b"1,2\n3\n", "a.csv", header=False)
    with pytest.raises(ValueError, match=r"^a\.csv, row 2: the text must be UTF-8"):
        read_table(b"1,2\n3,\xff\n", "a.csv", header=False)


@pytest.mark.slow
def test_the_most_rows_are_read():
    assert read_table(b"x\n" + b"1\n" * tables.MAX_ROWS, "a.csv").rows == tables.MAX_ROWS


def test_what_is_not_bytes():
    with pytest.raises(ValueError, match="bytes of a file"):
        read_table("x\n1\n", "a.csv")


def test_the_error_about_a_cell():
    table = Table("a.csv", ("x",), 9, None)
    assert (
        str(table.refuse(1234, "x", "must be a number", "y"))
        == "a.csv, row 1,234, column 'x': must be a number; got 'y'"
    )


# ---- pasted -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1\n2.5\n3", {"value": ["1", "2.5", "3"]}),
        ("1,2,3", {"value": ["1", "2", "3"]}),
        ("1;2;3;", {"value": ["1", "2", "3"]}),
        ("1\t2\t3", {"value": ["1", "2", "3"]}),
        (" 1  2 3 ", {"value": ["1", "2", "3"]}),
        ("1 2\n3 4", {"value": ["1", "2", "3", "4"]}),
        ("1,5;2,5", {"value": ["1,5", "2,5"]}),
        ("New York,Bern", {"value": ["New York", "Bern"]}),
        ("New York\nBern", {"value": ["New York", "Bern"]}),
        ("age\n31\n44\n", {"age": ["31", "44"]}),
        ("age,city\n31,Bern\n", {"age": ["31"], "city": ["Bern"]}),
        ("31\tBern\n44\tChur", {"column 1": ["31", "44"], "column 2": ["Bern", "Chur"]}),
        ('6" pipe\n"5', {"value": ['6" pipe', '"5']}),
        ("x", {"value": ["x"]}),
        ("red\n\nblue", {"value": ["red", "blue"]}),
    ],
)
def test_pasted_values(text, expected):
    read = paste_table(text)
    assert cells(read) == expected
    assert read.name == "the pasted text"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "nothing in it"),
        (" \n\n", "nothing in it"),
        ("a,b\n1,2\n3\n", "row 2: a row must have 2 cells"),
        ("1\n" * 9 + "\0", "row 10: there is a byte 0"),
        ("1 \ud800", "position 3"),
        ("1 " * 10_000_001, "at most 10,000,000 rows; got 10,000,001"),
        ("x" * 200_000, "row 1, column 'value': a cell must have at most"),
        ("1" * (tables.MAX_BYTES + 1), "at most 50 MB"),
    ],
    ids=lambda text: text[:20],
)
def test_pasted_nonsense(text, words):
    told = said(paste_table, text)
    assert told.startswith("the pasted text")
    assert words in told


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_pasted_or_refused(text):
    said(paste_table, text)


# ---- damage -----------------------------------------------------------------------

VALID = {
    "a.csv": files.frame(30).to_csv(index=False).encode(),
    "b.csv": b'x;y\n"a ""b""";1\n\n"c\nd";2\n',
    "a.parquet": files.written(pa.Table.from_pandas(files.frame(30)), row_group_size=20),
    "b.parquet": files.written({**MORE, **LEFT_OUT}, data_page_version="2.0", compression="zstd"),
    "c.parquet": files.parquet(files.same_value(3, b"\x01\0\0\0a"), 3, files.columns(2), kind=files.TEXT),
}


@st.composite
def damaged(draw):
    name = draw(st.sampled_from(sorted(VALID)))
    data = bytearray(VALID[name])
    for _ in range(draw(st.integers(1, 4))):
        # Most of what can go wrong is near the end, where Parquet has its footer.
        back = draw(st.one_of(st.integers(1, min(len(data), 400)), st.integers(1, len(data))))
        data[-back] = draw(st.integers(0, 255))
    return name, bytes(data[: draw(st.one_of(st.just(len(data)), st.integers(0, len(data))))])


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(damaged())
def test_damaged_files_are_read_or_refused(file):
    name, data = file
    said(read_table, data, name)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["a.csv", "a.parquet", "a.txt"]), st.booleans())
def test_any_bytes_are_read_or_refused(data, name, framed):
    if framed:
        data = files.finish(b"PAR1", data)
    said(read_table, data, name)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80))
def test_any_name_is_shown_on_one_line(name):
    said(read_table, b"x\n1\n", name)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=6), min_size=2, max_size=2),
        min_size=1,
        max_size=8,
    )
)
def test_csv_that_pandas_writes_comes_back(rows):
    frame = pd.DataFrame(rows, columns=["x", "y"])
    read = read_table(frame.to_csv(index=False, quoting=1).encode(), "a.csv")
    assert cells(read) == {"x": frame["x"].tolist(), "y": frame["y"].tolist()}


# ---- dates ------------------------------------------------------------------------

FAR = {
    "days beyond Python's": pa.array([10**7, -(10**7), 5], pa.int32()).cast(pa.date32()),
    "days beyond Arrow's": pa.array([2**31 - 1, -(2**31), 5], pa.int32()).cast(pa.date32()),
    "times beyond Python's": pa.array([2**62, -(2**62), 5], pa.int64()).cast(pa.timestamp("ms")),
    "a zone of nowhere": pa.array([0, 10**15, 5], pa.int64()).cast(pa.timestamp("us", tz="Mars/Phobos")),
    "a zone of no hour": pa.array([0, 10**15, 5], pa.int64()).cast(pa.timestamp("us", tz="+99:99")),
}


@pytest.mark.parametrize("case", FAR)
def test_dates_beyond_all_calendars_and_zones(case, tmp_path):
    data = files.written({"x": FAR[case]})
    table = read_table(data, "a.parquet")
    assert Head.of(table).numbering == ()
    assert dates_from(table, "x").rows_read == 3
    assert categories_from(table, "x").histogram(3).counts.sum() == 3
    m = mechanism("GRR", k=4, eps=1.0)
    for words in ((), ("a", "b", "c", "d")):
        told = said(partial(estimate_table, words=words), table, m)
        assert "row 1, column 'x'" in told
    assert len(words_in(table, "x", 3)) == 3
    path = tmp_path / "a.parquet"
    path.write_bytes(data)
    (piece,) = pieces(path, m)
    assert "row 1, column 'x'" in said(count_piece, piece, m)


# ---- names of columns -------------------------------------------------------------


def parquet_of(name):
    buffer = io.BytesIO()
    pq.write_table(pa.table({"x": pa.array([1, 2]), name: pa.array([1, 2])}), buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("as_file", [True, False], ids=["upload", "disk"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("n" * 1_000, None),
        ("n" * 1_001, "at most 1,000 characters; got 1,001"),
        ("n" * 90_000, "at most 1,000 characters; got 90,000"),
        ("safe\u202egnp", "the name of column 2 has a character that cannot be seen, U+202E"),
        ("a\x1b[2J", "U+001B"),
        ("a\u2066b", "U+2066"),
        ("salary, in \u20ac", None),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", None),  # what joins letters is part of some languages
    ],
)
def test_the_name_of_a_column_is_one_that_can_be_shown(tmp_path, as_file, suffix, name, expected):
    """A name of three megabytes went into menus and messages, and one could be shown as another."""
    data = parquet_of(name) if suffix == "parquet" else f'x,"{name}"\n1,2\n3,4\n'.encode()
    if as_file:
        told = said(read_table, data, f"a.{suffix}")
    else:
        path = tmp_path / f"a.{suffix}"
        path.write_bytes(data)
        told = said(lambda: tables.open_table_file(path)[1])
    assert (told is None) if expected is None else expected in told


def test_a_name_of_several_lines_is_one_and_a_zero_in_a_name_is_none():
    assert read_table(b'"income\n(EUR)",b\n1,2\n', "a.csv").columns == ("income\n(EUR)", "b")
    assert "U+0000" in said(read_table, parquet_of("a\x00b"), "a.parquet")
    assert "U+202E" in said(paste_table, "a\u202eb\n1\n2\n3")
