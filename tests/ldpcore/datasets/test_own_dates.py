"""Own dates against Python's calendar."""

from __future__ import annotations

import collections
import datetime
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpcore.datasets import categories_from, dates_from, kind_of, numbers_from
from ldpcore.datasets.own import OwnBinning
from ldpcore.errors import Refused
from ldpcore.tables import Table, read_table

DATES = st.dates(datetime.date(1, 1, 1), datetime.date(9999, 12, 31))
NEAR = st.dates(datetime.date(1969, 11, 1), datetime.date(1972, 4, 1))
UNITS = ("day", "week", "month")


def table(cells, kind=None):
    data = pa.table({"x": pa.array(cells, kind)})
    return Table("a.csv", ("x",), data.num_rows, data)


def unit_of(date, unit):
    """The unit that a date lies in, by its first day."""
    if unit == "week":
        return date - datetime.timedelta(days=date.weekday())
    return date.replace(day=1) if unit == "month" else date


def after(first, unit):
    """The first day of the next unit."""
    days = {"day": 1, "week": 7, "month": 31}[unit]
    return unit_of(first + datetime.timedelta(days=days), unit)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(NEAR, min_size=2, max_size=30), st.sampled_from(UNITS), st.integers(2, 40))
def test_bins_are_those_of_the_calendar(dates, unit, wanted):
    read = dates_from(table([str(date) for date in dates]), "x")
    starts = [unit_of(min(dates), unit)]
    while starts[-1] < unit_of(max(dates), unit):
        starts.append(after(starts[-1], unit))
    binning = OwnBinning(unit=unit)
    assert read.k_max(binning) == len(starts)
    if len(starts) < 2:
        with pytest.raises(Refused, match=f"at least 2 {unit}s; got 1"):
            read.histogram(2, binning=binning)
        return
    k = read.bins(wanted, binning)
    each = math.ceil(len(starts) / wanted)
    assert 2 <= k <= wanted
    assert read.bins(k, binning) == k
    made = read.histogram(k, binning=binning)
    place = {start: i // each for i, start in enumerate(starts)}
    counts = collections.Counter(place[unit_of(date, unit)] for date in dates)
    assert made.counts.tolist() == [counts[i] for i in range(k)]
    epoch = datetime.date(1970, 1, 1)
    assert made.edges[:-1].tolist() == [(start - epoch).days for start in starts[::each]]
    assert made.edges[-1] == (after(starts[-1], unit) - epoch).days
    letters = 7 if unit == "month" else 10
    for label, start in zip(made.labels, starts[::each], strict=True):
        assert label.removeprefix("week of ")[:letters] == str(start)[:letters]
    assert len(set(made.labels)) == k


def test_labels_of_bins_that_hold_several():
    dates = [str(datetime.date(2024, 1, 1) + datetime.timedelta(days=i)) for i in range(60)]
    read = dates_from(table(dates), "x")
    assert read.histogram(12, binning=OwnBinning(unit="day")).labels[0] == "2024-01-01 to 2024-01-05"
    assert read.histogram(9, binning=OwnBinning(unit="week")).labels[1] == "week of 2024-01-08"
    assert read.histogram(5, binning=OwnBinning(unit="week")).labels[1] == "2024-01-15 to 2024-01-28"
    assert read.histogram(2, binning=OwnBinning(unit="month")).labels == ("2024-01", "2024-02")
    with pytest.raises(Refused, match="unit must be one of"):
        OwnBinning(unit="year")


@pytest.mark.parametrize(("days", "unit"), [(2, "day"), (100, "day"), (101, "week"), (690, "week"), (720, "month")])
def test_the_unit_is_the_smallest_of_which_there_are_not_too_many(days, unit):
    first = datetime.date(2024, 1, 1)
    read = dates_from(table([str(first), str(first + datetime.timedelta(days=days - 1))]), "x")
    assert read.unit() == unit


@settings(max_examples=100, deadline=None)
@given(DATES, st.sampled_from(["", " 00:00", "T23:59:59", "T23:59:59.123456Z", " 12:00:00+02:00", "T12:00-0830"]))
def test_text_is_read_as_it_is_written(date, time):
    read = dates_from(table([f" {date}{time} ", "x"]), "x")
    assert read.days.tolist() == [(date - datetime.date(1970, 1, 1)).days]
    assert read.dropped == {"not a date such as 2024-05-31": 1}
    assert read.examples == {"not a date such as 2024-05-31": (2,)}


def test_what_is_no_date_is_counted_by_reason():
    cells = [
        "2024-02-30",
        "2024-13-01",
        "0000-01-01",
        "31.05.2024",
        "2024-5-1",
        "20240501",
        "",
        None,
        "2024-05-01",
        "nan",
    ]
    read = dates_from(table(cells), "x")
    assert read.dropped == {"empty": 2, "not a date such as 2024-05-31": 7}
    assert read.usable() == (1, read.dropped)
    with pytest.raises(Refused, match=r"'x' must hold at least 1 date; got none: of 1 rows, 1 not a date"):
        dates_from(table(["soon"]), "x")
    with pytest.raises(Refused, match="must hold dates to be used as dates; got a column of type int64"):
        dates_from(table([1, 2]), "x")


@pytest.mark.parametrize(
    "kind", [pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ns"), pa.timestamp("ms", "Asia/Tokyo")], ids=str
)
def test_every_type_of_date_is_read(kind):
    moments = [datetime.datetime(1965, 3, 1, 23, 59), None, datetime.datetime(2024, 2, 29, 0, 0)]
    cells = [m.date() if m and pa.types.is_date(kind) else m for m in moments]
    read = dates_from(table(cells, kind), "x")
    assert [str(np.datetime64(int(day), "D")) for day in read.days] == ["1965-03-01", "2024-02-29"]
    assert read.dropped == {"empty": 1}


def test_drawn_users_are_the_same_for_all_bins():
    read = dates_from(table(["2024-01-01"] * 600 + ["2024-01-20"] * 300 + ["2024-02-10"] * 100), "x")
    months = read.histogram(2, 10_000, 3, OwnBinning(unit="month"))
    weeks = read.histogram(6, 10_000, 3, OwnBinning(unit="week"))
    assert months.n == weeks.n == 10_000
    assert months.counts[1] == weeks.counts[-1]
    # Five standard deviations of a share of 10 %.
    assert abs(months.frequencies[1] - 0.1) < 0.015


def test_a_far_year_has_a_bin_and_no_memory_is_filled():
    read = dates_from(table(["0001-01-01", "9999-12-31"]), "x")
    assert read.unit() == "month"
    k = read.bins(100, OwnBinning(unit="day"))
    assert read.histogram(k, binning=OwnBinning(unit="day")).counts.sum() == 2


def test_columns_of_dates_seem_to_be_dates():
    assert kind_of(table(["2024-05-31", "2024-06-01T12:00", ""]), "x") == "dates"
    assert kind_of(table([datetime.date(2024, 5, 1)] * 3), "x") == "dates"
    assert kind_of(table(["2024-05-31"] * 8 + ["soon"]), "x") == "categories"


@pytest.mark.parametrize("own", [numbers_from, dates_from, categories_from])
@pytest.mark.parametrize("wanted", [0, -3, "x", 1.5, None])
def test_so_many_bins_can_not_be_wanted(own, wanted):
    cells = b"1\n2\n3\n" if own is numbers_from else b"2024-05-01\n2024-05-03\n2024-06-01\n"
    with pytest.raises(Refused, match=r"^wanted must be a whole number from 1 to 1,000,000; got "):
        own(read_table(b"v\n" + cells, "a.csv"), "v").bins(wanted)
