"""Own columns against plain loops over their cells."""

import collections
import datetime
import decimal
import math
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from own_columns import column, table

import ldpcore as ldp
from ldpcore.datasets import categories_from, dates_from, kind_of, numbers_from, own, own_columns
from ldpcore.datasets.own import OwnBinning
from ldpcore.tables import Table, read_table


def reason(cell):
    """Say in the plainest way why a cell is no number; None if it is one."""
    cell = cell.strip()
    if not cell:
        return "empty"
    if re.fullmatch(r"[+-]?(nan|inf|infinity)", cell, re.IGNORECASE):
        return "not finite"
    if re.fullmatch(r"[+-]?[0-9.,]+(e[+-]?[0-9]+)?", cell, re.ASCII | re.IGNORECASE) and "," in cell:
        return "not a number (has a comma)"
    try:
        number = float(cell)
    except ValueError:
        return "not a number"
    if "_" in cell or not cell.isascii():
        return "not a number"
    return None if math.isfinite(number) else "not finite"


def with_points(cells):
    """Write decimal commas as points, where they can mean nothing else."""
    commas = [cell.strip() for cell in cells if "," in cell]
    decimal_ = all(re.fullmatch(r"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?", cell) for cell in commas)
    thousands = all(re.fullmatch(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}", cell) for cell in commas)
    clear = decimal_ and not thousands and not any("." in cell for cell in cells)
    return [cell.replace(",", ".") for cell in cells] if clear else cells


def test_decimal_commas():
    read = numbers_from(column(["0,5", "2", "-1,25", "", "x"]), "x")
    assert read.values.tolist() == [-1.25, 0.5, 2.0]
    assert read.dropped == {"empty": 1, "not a number": 1}
    with pytest.raises(ValueError, match=r"2 not a number \(has a comma\)"):
        numbers_from(column(["1,000", "2,500"]), "x")


CELLS = st.one_of(
    st.sampled_from(["", " ", "1", "1.0", " 2 ", "+3", "-0", "0", ".5", "5.", "1e3", "1E-400", "1e999", "nan", "-Inf"]),
    st.sampled_from(
        ["1,5", "1,234.5", "1_000", "0x1F", "1e", "--1", "٣", "one", "1 2", "½", "true", "1e+05", "infinity"]
    ),
    st.integers(-20, 20).map(str),
    st.floats(allow_nan=False).map(repr),
    st.text("0123456789.eE+-,", max_size=6),
)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=30))
def test_numbers_as_a_loop_reads_them(given_cells):
    cells = with_points(given_cells)
    numbers = collections.Counter(float(cell) for cell in cells if reason(cell) is None)
    dropped = collections.Counter(reason(cell) for cell in cells if reason(cell))
    if not numbers:
        with pytest.raises(ValueError, match="must hold at least 1 number; got none: of"):
            numbers_from(column(given_cells), "x")
        return
    read = numbers_from(column(given_cells), "x")
    assert dict(zip(read.values.tolist(), read.persons.tolist(), strict=True)) == numbers
    assert read.values.tolist() == sorted(numbers)
    assert (read.dropped, read.rows_read) == (dropped, len(cells))
    for why, rows in read.examples.items():
        assert list(rows) == [i for i, cell in enumerate(cells, 1) if reason(cell) == why][:5]


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([3, None, 1, 3], pa.int8()),
        pa.array([3.0, None, 1.0, 3.0]),
        pa.array(np.array([3, np.nan, 1, 3], dtype=np.float16)),
        pa.array([decimal.Decimal(3), None, decimal.Decimal(1), decimal.Decimal(3)]),
        pa.array(["3", None, "1", "3.0"]).dictionary_encode(),
        pa.chunked_array([pa.array(["3", None]).dictionary_encode(), pa.array(["1", "3"]).dictionary_encode()]),
        pa.array([2**64 - 1, None, 1, 2**64 - 1], pa.uint64()),
    ],
    ids=lambda cells: str(cells.type),
)
def test_numbers_of_every_type(cells):
    read = numbers_from(table(x=cells), "x")
    assert read.values[0] == 1
    assert read.persons.tolist() == [1, 2]
    assert list(read.dropped.values()) == [1]
    assert list(read.examples.values()) == [(2,)]
    assert categories_from(table(x=cells), "x").persons.sum() == 3


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (pa.array([True, False]), "got a column of type true or false"),
        (pa.array([datetime.date(2020, 1, 1)]), "got a column of type dates or times"),
        (pa.array(["a", ""]), "got none: of 2 rows, 1 empty, 1 not a number"),
        (pa.nulls(3), "got none: of 3 rows, 3 empty"),
        (pa.array([float("nan")]), "got none: of 1 rows, 1 not finite"),
    ],
)
def test_columns_without_numbers(cells, told):
    with pytest.raises(ValueError, match=r"^a\.csv: the column 'x' must hold") as caught:
        numbers_from(table(x=cells), "x")
    assert told in str(caught.value)


# ---- bins of numbers --------------------------------------------------------------


def binned(numbers, k, binning):
    """Put numbers into bins one by one; return the counts, the edges and what is dropped."""
    dropped = collections.Counter()
    kept = []
    for x in sorted(numbers):
        if binning.log and x <= 0:
            dropped[own.NOT_POSITIVE] += 1
        elif (binning.low is not None and x < binning.low) or (binning.high is not None and x > binning.high):
            dropped[own.OUTSIDE] += 1
        else:
            kept.append(x)
    if not kept:
        return None, None, dropped
    cut = int(binning.clip * len(kept))
    low = kept[cut] if binning.low is None else binning.low
    high = kept[len(kept) - 1 - cut] if binning.high is None else binning.high
    if binning.log:
        edges = [10 ** (math.log10(low) + i * (math.log10(high) - math.log10(low)) / k) for i in range(k + 1)]
    else:
        low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
        edges = [low + i * (high - low) / k for i in range(k + 1)]
    return kept, edges, dropped


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.integers(-5, 40).map(lambda i: i / 4), min_size=1, max_size=40),
    st.integers(2, 7),
    st.sampled_from([None, -1.0, 0.5, 2.0]),
    st.sampled_from([None, 2.5, 6.0]),
    st.sampled_from([0.0, 0.05, 0.2, 0.49]),
    st.booleans(),
)
def test_bins_as_a_loop_fills_them(numbers, k, low, high, clip, log):
    if log and low == -1:
        low = None
    binning = OwnBinning(low=low, high=high, clip=clip, log=log)
    read = numbers_from(table(x=pa.array(numbers)), "x")
    kept, edges, dropped = binned(numbers, k, binning)
    rows = len(numbers) - sum(dropped.values())
    assert read.usable(binning) == (rows, dropped)
    if kept is None:
        with pytest.raises(ValueError, match="no number is left; of"):
            read.histogram(k, binning=binning)
        return
    if log and edges[0] == edges[-1]:
        with pytest.raises(ValueError, match="values must differ for bins of equal width in log10"):
            read.histogram(k, binning=binning)
        return
    made = read.histogram(k, binning=binning)
    np.testing.assert_allclose(made.edges, edges, rtol=1e-12, atol=1e-12)
    # Which side of an edge a number is on is decided by the edge that is shown.
    counts = [0] * k
    for x in kept:
        counts[min(max(sum(x >= edge for edge in made.edges) - 1, 0), k - 1)] += 1
    assert made.counts.tolist() == counts
    assert made.n == rows
    assert made.labels == ()


def test_the_same_bins_as_histograms_of_values():
    numbers = np.random.default_rng(1).normal(size=5_000)
    read = numbers_from(table(x=pa.array(numbers)), "x")
    counts, edges = np.histogram(numbers, 31)
    made = read.histogram(31)
    assert made.counts.tolist() == counts.tolist()
    np.testing.assert_allclose(made.edges, edges, rtol=1e-12)


def test_equal_numbers_are_widened():
    made = numbers_from(table(x=pa.array([7, 7, 7])), "x").histogram(3)
    assert made.edges[[0, -1]].tolist() == [6.5, 7.5]
    assert made.counts.tolist() == [0, 3, 0]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"low": 2, "high": 2}, "low must be below high; got low = 2 and high = 2"),
        ({"low": math.nan}, "low must be a finite number"),
        ({"clip": 0.5}, "clip must be a number from 0 to 0.49; got 0.5"),
        ({"rare": -0.1}, "rare must be a number from 0 to 1; got -0.1"),
        ({"low": 0, "log": True}, "low must be above 0 for a logarithm; got 0"),
    ],
)
def test_impossible_bins(change, told):
    with pytest.raises(ValueError, match="must be") as caught:
        OwnBinning(**change)
    assert told in str(caught.value)


@pytest.mark.parametrize(("k", "n"), [(1, None), (2.5, None), (10**7, None), (3, 0), (3, 10**13)])
def test_impossible_numbers_of_bins_and_users(k, n):
    for read in (numbers_from(column(["1", "2"]), "x"), categories_from(column(["a", "b", "c"]), "x")):
        with pytest.raises(ValueError, match=r"^[kn] must be a whole number from"):
            read.histogram(k, n)


# ---- drawn users ------------------------------------------------------------------


@pytest.mark.parametrize("read", [numbers_from, categories_from])
def test_drawn_users(read):
    data = read(column(["1"] * 600 + ["2"] * 300 + ["4"] * 100), "x")
    assert data.histogram(3, 1_000).counts.tolist() == data.histogram(3).counts.tolist()
    drawn = data.histogram(3, 10**6, 5)
    assert drawn.n == 10**6
    assert drawn.counts.tolist() == data.histogram(3, 10**6, 5).counts.tolist()
    assert drawn.counts.tolist() != data.histogram(3, 10**6, 6).counts.tolist()
    shares = data.histogram(3).frequencies
    assert np.all(np.abs(drawn.frequencies - shares) < 5 * np.sqrt(shares * (1 - shares) / 10**6) + 1e-12)
    # Other bins, the same users.
    assert (
        data.histogram(2, 50, 5).counts[-1]
        == data.histogram(3, 50, 5).counts[-(1 if read is numbers_from else 2) :].sum()
    )


def test_few_users_are_whole_persons():
    data = numbers_from(column([str(i) for i in range(100)]), "x")
    assert data.histogram(10, 3).counts.sum() == 3


# ---- guesses ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([str(i) for i in range(21)], "numbers"),
        ([str(i) for i in range(20)] * 2, "categories"),
        ([str(i) for i in range(90)] + ["a"] * 10, "numbers"),
        ([str(i) for i in range(90)] + ["a"] * 11, "categories"),
        ([str(i) for i in range(90)] + [""] * 500, "numbers"),
        (["red", "blue"], "categories"),
        (["", " "], None),
    ],
)
def test_what_a_column_seems_to_be(cells, kind):
    assert kind_of(column(cells), "x") == kind


def test_only_the_first_rows_are_looked_at(monkeypatch):
    monkeypatch.setattr(own_columns, "_GUESS_ROWS", 30)
    cells = [str(i) for i in range(30)] + ["a"] * 30 + [f"b{i}" for i in range(30)]
    assert kind_of(column(cells), "x") == "numbers"
    assert kind_of(table(x=pa.array(cells).dictionary_encode()), "x") == "numbers"
    assert kind_of(table(x=pa.array(cells[::-1]).dictionary_encode()), "x") == "categories"


def test_what_cannot_be_used():
    assert kind_of(table(x=pa.nulls(3)), "x") is None
    assert kind_of(table(x=pa.array([1])), "y") is None
    assert kind_of(table(x=pa.array([True, False])), "x") == "categories"
    assert kind_of(table(x=pa.array(np.arange(50) / 7)), "x") == "numbers"


def test_a_file_becomes_data():
    read = read_table(b"age;city\n31;Bern\n;Chur\n44;Bern\n", "people.csv")
    assert numbers_from(read, "age").histogram(2).counts.tolist() == [1, 1]
    assert categories_from(read, "city").histogram(2).labels == ("Bern", "Chur")
    with pytest.raises(ValueError, match=r"people\.csv: there is no column 'name'; there are 'age', 'city'"):
        numbers_from(read, "name")


# ---- one bin per value ----------------------------------------------------------------


def ages():
    """Return a column of ages from 18 to 99, with 40 left out."""
    numbers = [18 + i % 82 for i in range(500) if i % 82 != 22]
    text = "age\n" + "\n".join(map(str, numbers))
    return numbers, ldp.numbers_from(ldp.read_table(text.encode(), "ages.csv"), "age")


def test_whole_numbers_have_a_bin_each():
    numbers, column = ages()
    how = OwnBinning(values=True)
    assert column.whole
    assert column.k_max(how) == 82
    h = column.histogram(82, binning=how)
    np.testing.assert_array_equal(h.counts, [numbers.count(v) for v in range(18, 100)])
    assert (h.edges[0], h.edges[-1], h.counts[22]) == (17.5, 99.5, 0)
    with pytest.raises(ldp.Refused, match="k must be 82"):
        column.histogram(10, binning=how)


def test_a_bin_each_within_a_range_and_clipped():
    numbers, column = ages()
    h = column.histogram(11, binning=OwnBinning(values=True, low=19.5, high=30.2))
    np.testing.assert_array_equal(h.counts, [numbers.count(v) for v in range(20, 31)])
    clipped = OwnBinning(values=True, clip=0.1)
    h = column.histogram(column.k_max(clipped), binning=clipped)
    assert h.n == len(numbers)
    first = int(h.edges[0] + 0.5)
    assert h.counts[0] == sum(v <= first for v in numbers)


def test_broken_numbers_have_no_bin_each():
    column = ldp.numbers_from(ldp.read_table(b"x\n1\n2.5\n", "x.csv"), "x")
    assert not column.whole
    with pytest.raises(ldp.Refused, match=r"is for whole numbers; got 2\.5"):
        column.histogram(2, binning=OwnBinning(values=True))
    with pytest.raises(ldp.Refused, match="both log and values"):
        OwnBinning(values=True, log=True)


@pytest.mark.parametrize(
    ("read", "cells", "kind", "different", "whole", "unit"),
    [
        (numbers_from, ["3", "7", "3"], "numbers", 2, (3.0, 7.0), None),
        (numbers_from, ["3", "7.5"], "numbers", 2, None, None),
        (dates_from, ["2024-05-01", "2024-05-03"], "dates", None, None, "day"),
        (categories_from, ["3", "7"], "categories", None, None, None),
    ],
)
def test_a_column_says_what_it_is(read, cells, kind, different, whole, unit):
    own_column = read(column(cells), "x")
    assert own_column.kind == kind
    assert own_column.different_numbers == different
    assert own_column.whole_range == whole
    assert own_column.unit() == unit
    edges = own_column.whole_edges(OwnBinning())
    assert (None if edges is None else edges.tolist()) == (whole and [2.5, 3.5, 4.5, 5.5, 6.5, 7.5])


def test_ten_thousand_empty_columns_are_asked_one_by_one(monkeypatch):
    """Each looked at a copy of the whole table once, and the page stood still for ten minutes."""
    names = tuple(f"c{i}" for i in range(500))
    wide = Table("a.csv", names, 3, pa.table({name: ["", "", ""] for name in names}))
    seen, words = [], own_columns._words
    monkeypatch.setattr(own_columns, "_words", lambda table, column: seen.append(table) or words(table, column))
    assert {kind_of(wide, name) for name in names} == {None}
    assert {table.columns for table in seen} == {(name,) for name in names}
