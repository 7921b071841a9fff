"""A large Parquet file is read a column at a time, and says the same as one that is read at once."""

from __future__ import annotations

import io
from decimal import Decimal

import hostile_files as files
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ldpcore as ldp
from ldpcore.collected.names import words_in
from ldpcore.datasets import kind_of
from ldpcore.tables import parquet, parquet_columns
from ldpcore.tables.files import open_table_file

ROWS = 5_000


def written():
    """Return a file with many row groups, and text with and without dictionaries."""
    rng = np.random.default_rng(0)
    columns = {
        "id": np.arange(ROWS),
        "x": rng.integers(0, 3_000, ROWS) / 4,
        "word": rng.choice(["a", "b", " c"], ROWS),
        "text": [f"{i % 700},5" for i in range(ROWS)],
        "day": rng.integers(0, 900, ROWS).astype("datetime64[D]"),
    }
    return files.written(columns, row_group_size=700, use_dictionary=["word"])


@pytest.fixture
def both(monkeypatch):
    at_once = ldp.read_table(written(), "a.parquet")
    monkeypatch.setattr(parquet, "_WHOLE", 0)
    monkeypatch.setattr(parquet_columns, "ROWS", 1_000)
    in_turn = ldp.read_table(written(), "a.parquet")
    assert isinstance(in_turn.data, parquet_columns.ParquetColumns)
    return at_once, in_turn


def test_its_cells_are_the_same(both):
    at_once, in_turn = both
    assert (in_turn.columns, in_turn.rows) == (at_once.columns, ROWS)
    for name in at_once.columns:
        assert in_turn.column(name).to_pylist() == at_once.column(name).to_pylist()
        assert kind_of(in_turn, name) == kind_of(at_once, name)
    assert words_in(in_turn, "word", 3) == words_in(at_once, "word", 3) == ("a", "b", "c")
    batches = in_turn.data.select(["word", "id"]).to_batches(300)
    assert [cell for batch in batches for cell in batch.column(1).to_pylist()] == list(range(ROWS))


@pytest.mark.parametrize("name", ["id", "x", "text"])
def test_its_numbers_are_the_same(both, name):
    first, second = (ldp.numbers_from(table, name) for table in both)
    values, persons = np.unique(np.array(both[0].column(name).to_pylist(), dtype=str), return_counts=True)
    truth = sorted(zip((float(v.replace(",", ".")) for v in values), persons.tolist(), strict=True))
    for found in (first, second):
        assert list(zip(found.values.tolist(), found.persons.tolist(), strict=True)) == truth


@pytest.mark.parametrize("whole", [None, 0])
@pytest.mark.parametrize("dictionary", [True, False])
def test_text_that_was_written_as_views_is_text(whole, dictionary, monkeypatch, tmp_path):
    """As DataFusion writes all text, and InfluxDB with it: the file was said to have no column that can be used."""
    if whole is not None:
        monkeypatch.setattr(parquet, "_WHOLE", whole)
    words = ["0,5", None, "2", *(f"{i}" for i in range(3_000))]
    out = io.BytesIO()
    try:
        pq.write_table(pa.table({"x": pa.array(words, pa.string_view())}), out, use_dictionary=dictionary)
    except pa.ArrowNotImplementedError:
        pytest.skip("this pyarrow writes no views")
    assert pq.read_schema(out).field("x").type == pa.string_view()
    read = ldp.read_table(out.getvalue(), "a.parquet")
    assert (read.left_out, kind_of(read, "x")) == ((), "numbers")
    assert read.column("x").to_pylist() == words
    assert ldp.numbers_from(read, "x").values[1] == 0.5
    path = tmp_path / "a.parquet"
    path.write_bytes(out.getvalue())
    assert open_table_file(path)[1].column("x").to_pylist() == words[:1_000]


@pytest.mark.parametrize("bits", [32, 64])
def test_short_decimals_are_numbers(bits, tmp_path):
    """The page said that something went wrong: pyarrow cannot find the different ones of them."""
    if not hasattr(pa, f"decimal{bits}"):
        pytest.skip("this pyarrow has no short decimals")
    cells = [Decimal("1.50"), None, Decimal("-3.25"), Decimal("1.50")]
    out = io.BytesIO()
    pq.write_table(pa.table({"x": pa.array(cells, getattr(pa, f"decimal{bits}")(9, 2))}), out)
    read = ldp.read_table(out.getvalue(), "a.parquet")
    assert kind_of(read, "x") == "categories"  # there are few different ones
    assert np.sort(ldp.numbers_from(read, "x").values).tolist() == [-3.25, 1.5]
    path = tmp_path / "a.parquet"
    path.write_bytes(out.getvalue())
    assert open_table_file(path)[1].column("x").to_pylist() == cells


def test_one_dictionary_of_millions_of_words_is_refused():
    words = 2_000_001
    run = b"\x01" + files.varint(1 << 1) + b"\0"
    pages = files.page(2, bytes(4 * words), values=words) + files.page(0, run, values=1, encoding=8)
    with pytest.raises(ldp.Refused, match="at most 2,000,000 words"):
        ldp.read_table(files.parquet(pages, 1, kind=files.TEXT), "a.parquet")
