"""Names of values: typed, or the words of a column, looked up in every cell."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from collected_reports import assert_same

import ldpcore as ldp
from ldpcore.cli.main import main
from ldpcore.collected.columns import Head, choose_columns
from ldpcore.collected.names import check_names, read_names, worded_columns, words_in
from ldpcore.tables import Table

FRUIT = ("apple", "fig", "kiwi, green", "lime")


def reports(n=500):
    rng = np.random.default_rng(9)
    m = ldp.mechanism("GRR", k=4, eps=1.0)
    return m, m.privatize(rng.integers(0, 2, n), rng)


def words_table(values, names=FRUIT):
    frame = pd.DataFrame({"fruit": [f" {names[v]} " for v in values]})
    return ldp.read_table(frame.to_csv(index=False).encode(), "fruit.csv")


def test_words_of_a_column_are_values():
    m, values = reports()
    table = words_table(values)
    assert words_in(table, "fruit", 4) == FRUIT
    estimated = ldp.estimate_table(table, m, words=FRUIT)
    assert_same(estimated, ldp.estimate_reports(values, m))
    assert estimated.names == FRUIT
    assert estimated.table().columns[:3].tolist() == ["value", "name", "count"]
    # In batches, and with an ε of its own for each report.
    assert_same(ldp.estimate_table(table, m, words=FRUIT, full_entries=0), ldp.estimate(np.bincount(values), 500, m))
    # The names decide which value is which.
    turned = ldp.estimate_table(table, m, words=FRUIT[::-1])
    np.testing.assert_array_equal(turned.counts, estimated.counts[::-1])


@pytest.mark.parametrize(
    "cells",
    [
        pa.array(["10", "20", "10"]).dictionary_encode(),
        pa.array([10, 20, 10]),
        pa.chunked_array([["10", "20"], ["10"]]),
    ],
)
def test_codes_are_words_of_any_type(cells):
    data = pa.table({"v": cells})
    table = Table("a.parquet", ("v",), 3, data)
    m = ldp.mechanism("GRR", k=3, eps=1.0)
    names = words_in(table, "v", 3)
    assert names == ("10", "20", "not in the file")
    assert ldp.estimate_table(table, m, words=names).counts.tolist() == [2, 1, 0]


def test_an_unknown_word_is_named_with_its_row():
    m, values = reports(5)
    table = words_table(values, ("apple", "fig", "plum", "plum"))
    row = int(np.argmax(values >= 2)) + 1
    with pytest.raises(ldp.Refused, match=rf"fruit.csv, row {row}, column 'fruit': must be one of the names of the 4"):
        ldp.estimate_table(table, m, words=FRUIT)


def test_too_many_words_are_refused():
    with pytest.raises(ldp.Refused, match=r"at most k = 3 different words; got 4 \('apple', 'fig', 'kiwi, green', …\)"):
        words_in(words_table(range(4)), "fruit", 3)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a", "b"], "a name for each of the k = 3 values; got 2"),
        (["a", "b", ""], "must not be empty; that of value 2 is"),
        (["a", "b", "a"], "must differ; got 'a' for the values 0 and 2"),
        (["a", "b", "x" * 61], "at most 60 characters; that of value 2"),
        (["a", "b\x1b[31m", "c"], "must be plain text; that of value 1"),
    ],
)
def test_names_that_are_none(names, said):
    with pytest.raises(ldp.Refused, match=said.replace("[", r"\[")):
        check_names(names, 3)
    m = ldp.mechanism("GRR", k=3, eps=1.0)
    with pytest.raises(ldp.Refused, match=said.replace("[", r"\[")):
        ldp.estimate([1, 2, 3], 6, m).named(names)


def test_names_are_read_by_line_or_by_comma():
    assert read_names("a\n\nb, c\n") == ("a", "", "b, c")
    assert read_names(" a , b ") == ("a", "b")
    assert read_names("") == ()


def test_words_are_only_for_reports_of_one_value():
    with pytest.raises(ldp.Refused, match="a report of OLH is not one value"):
        choose_columns(Head("a.csv", ("seed", "value"), ()), ldp.mechanism("OLH", k=2, eps=1.0), words=("a", "b"))


def test_columns_of_words_are_told_from_numbers():
    table = ldp.read_table(b"a,b,c,d\nx,1,x,\ny,y,x,\n", "a.csv")
    assert worded_columns(table) == ("a",)
    assert Head.of(table).worded == ("a",)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_command_line_takes_names_and_words(tmp_path, capsys, suffix):
    _, values = reports()
    frame = pd.DataFrame({"fruit": [FRUIT[v] for v in values]})
    path = tmp_path / f"fruit.{suffix}"
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    names = 'apple,fig,"kiwi, green",lime'
    line = ["count", str(path), "--mechanism", "GRR", "--k", "4", "--eps", "1", "--workers", "1", "--names", names]
    out = tmp_path / "out.csv"
    assert main([*line, "--words", "--out", str(out)]) == 0
    written = pd.read_csv(out)
    assert written["name"].tolist() == list(FRUIT)
    assert written["count"].tolist() == np.bincount(values, minlength=4).tolist()
    assert main([*line, "--words"]) == 0
    assert "  kiwi, green\n" in capsys.readouterr().out
    assert main([*line[:-2], "--words"]) != 0
    assert "--words needs the --names" in capsys.readouterr().err
