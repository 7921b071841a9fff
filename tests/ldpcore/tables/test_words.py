"""Text in Parquet is read with its words where they repeat, and cell by cell where most are different."""

from __future__ import annotations

import hostile_files as files
import numpy as np
import pyarrow as pa
import pytest

import ldpcore as ldp
from ldpcore.tables import parquet, parquet_columns, words

ROWS = 3_000
DIFFERENT = [f"{i}.5" for i in range(ROWS)]
FEW = [f"word {i % 7}" for i in range(ROWS)]


@pytest.fixture(autouse=True)
def _in_small(monkeypatch):
    """All of this happens to large files; here those are large that have more than a thousand words at once."""
    monkeypatch.setattr(parquet, "_WHOLE", 0)
    monkeypatch.setattr(parquet_columns, "ROWS", 800)
    monkeypatch.setattr(words, "MAX_AT_ONCE", 260_000)


def read(columns, **options):
    return ldp.read_table(files.written(columns, **options), "a.parquet")


def types(table):
    return {field.name: str(field.type).partition("<")[0] for field in table.data.schema}


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "brotli", "lz4", "zstd"])
def test_columns_of_many_words_are_read_cell_by_cell(codec):
    table = read({"x": DIFFERENT, "s": FEW}, compression=codec)
    assert types(table) == {"x": "string", "s": "dictionary"}
    assert table.column("x").to_pylist() == DIFFERENT
    assert table.column("s").to_pylist() == FEW
    assert ldp.numbers_from(table, "x").values.tolist() == [float(word) for word in DIFFERENT]


def test_words_count_that_are_read_together():
    """A row group of its own has a table of words of its own; two that are read together share one."""
    assert types(read({"x": DIFFERENT}, row_group_size=900)) == {"x": "dictionary"}
    assert types(read({"x": DIFFERENT}, row_group_size=700)) == {"x": "string"}
    # Words that stand beside a small dictionary, where a writer has given up on it, are looked for as well.
    begun = read({"x": DIFFERENT}, dictionary_pagesize_limit=1_000, data_page_size=1_000, write_batch_size=100)
    assert types(begun) == {"x": "string"}
    assert begun.column("x").to_pylist() == DIFFERENT


def test_columns_share_what_there_is_and_those_that_gain_most_go_first():
    long = ["a" * 25 + str(i % 600) for i in range(ROWS)]
    table = read({"x": [f"{i % 600}" for i in range(ROWS)], "long": long})
    assert types(table) == {"x": "string", "long": "dictionary"}


def test_long_words_count_as_what_they_take():
    """A dictionary of 120 MB, in thirty thousand words, took a gigabyte."""
    assert types(read({"x": ["a" * 500 + str(i % 60) for i in range(ROWS)]})) == {"x": "dictionary"}
    assert types(read({"x": ["a" * 500 + str(i % 99) for i in range(ROWS)]})) == {"x": "string"}


def test_long_texts_are_read_a_few_at_a_time_and_not_used(monkeypatch):
    """A megabyte of Parquet can hold 400 MB of them, which took a gigabyte when they were looked at as categories."""
    monkeypatch.setattr(words, "_RUN", 1_000)
    monkeypatch.setattr(parquet_columns, "TEXT_BYTES", 100_000)
    monkeypatch.setattr(parquet_columns, "FEWEST", 10)
    cells = {"x": DIFFERENT[:1_000], "text": ["a" * 5_000 + str(i) for i in range(1_000)]}
    table = read(cells, use_dictionary=False, data_page_size=10_000)
    assert max(batch.num_rows for batch in table.data.select(["text"]).to_batches()) < 25
    assert table.column("text").to_pylist() == cells["text"]
    assert len(ldp.categories_from(table, "text").labels) == 1_000
    monkeypatch.setattr(parquet_columns, "MAX_LONG", 2**20)
    with pytest.raises(ldp.Refused, match=r"column 'text' has 4\.[0-9] MB of long texts"):
        ldp.categories_from(table, "text")
    assert ldp.numbers_from(table, "x").values.size == 1_000


def test_words_of_a_column_are_there_once():
    """Each batch of a row group came with a copy of all its words."""
    column = read({"s": pa.array(FEW).dictionary_encode()}).data.select(["s"])
    small = pa.Table.from_batches(parquet_columns._sharing_words(column.to_batches(100)))
    chunks = small.column(0).chunks
    assert len(chunks) == 30
    assert len({chunk.dictionary.buffers()[2].address for chunk in chunks}) == 1
    assert small.column(0).to_pylist() == FEW


def test_a_long_word_is_not_written_out_for_each_row():
    """A dictionary of many words may have one that all rows refer to."""
    dictionary = pa.array(["a" * 90_000, *map(str, range(2_000))])
    cells = pa.DictionaryArray.from_arrays(pa.array(np.zeros(200_000, dtype=np.int32)), dictionary)
    data = files.written({"x": cells}, store_schema=False, dictionary_pagesize_limit=1 << 20)
    with pytest.raises(ldp.Refused, match="may take 512 MB of memory at most"):
        ldp.read_table(data, "a.parquet")


def test_columns_that_are_saved_as_categories_are_read_so_or_refused():
    few = read({"x": pa.array(FEW).dictionary_encode()})
    assert types(few) == {"x": "dictionary"}
    for dictionaries in (True, False):  # pyarrow looks for the words either way
        with pytest.raises(ldp.Refused, match=r"saved as categories may take .* column 'x' take up to"):
            read({"x": pa.array(DIFFERENT).dictionary_encode()}, use_dictionary=dictionaries)


def test_a_walk_over_words_has_an_end(monkeypatch):
    monkeypatch.setattr(words, "MAX_WALKED", 2_999)
    with pytest.raises(ldp.Refused, match=r"at most 2,999 words together; got 3,000"):
        read({"x": DIFFERENT})


@pytest.mark.parametrize(
    ("word", "said"), [((5).to_bytes(4, "little") + b"abc", "damaged"), (b"\x02\0\0\0\xff\xfe", "UTF-8")]
)
def test_words_that_are_damaged(word, said, monkeypatch):
    monkeypatch.setattr(words, "MAX_AT_ONCE", 0)
    with pytest.raises(ldp.Refused, match=said):
        ldp.read_table(files.parquet(files.same_value(3, word), 3, kind=files.TEXT), "a.parquet")
