"""Categories of one's own."""

import collections
import datetime

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from own_columns import column, table

from ldpcore.datasets import categories_from, own_columns
from ldpcore.datasets.own import OwnBinning


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(["a", " a", "b", "B", "", "  ", "ü", "other", "x y", "1"]), min_size=1, max_size=40),
    st.integers(2, 7),
    st.sampled_from([0.0, 0.1, 0.3, 1.0]),
)
def test_categories_as_a_loop_counts_them(cells, k, rare):
    seen = collections.Counter(cell.strip() for cell in cells if cell.strip())
    if not seen:
        with pytest.raises(ValueError, match="every cell of it is empty"):
            categories_from(column(cells), "x")
        return
    read = categories_from(column(cells), "x")
    ranked = sorted(seen.items(), key=lambda item: (-item[1], item[0]))
    assert list(zip(read.labels, read.persons.tolist(), strict=True)) == ranked
    empty = len(cells) - sum(seen.values())
    binning = OwnBinning(rare=rare)
    assert read.usable(binning) == (sum(seen.values()), {"empty": empty} if empty else {})
    frequent = [item for item in ranked if item[1] >= rare * sum(seen.values())]
    most = len(frequent) + (len(frequent) < len(ranked))
    assert read.k_max(binning) == most
    if most < 2 or k > most:
        too_few = "every row has the same" if len(ranked) < 2 else "at least 2 categories after pooling"
        with pytest.raises(ValueError, match=too_few if most < 2 else "k must be a whole number"):
            read.histogram(k, binning=binning)
        return
    made = read.histogram(k, binning=binning)
    alone = ranked if len(ranked) == k == len(frequent) else frequent[: k - 1]
    assert made.labels[: len(alone)] == tuple(name for name, _ in alone)
    assert made.counts[: len(alone)].tolist() == [count for _, count in alone]
    assert made.n == sum(seen.values())
    assert len(made.labels) == len(set(made.labels)) == made.counts.size == k
    assert made.edges.tolist() == [i - 0.5 for i in range(k + 1)]
    if len(alone) < k:
        others = len(ranked) - len(alone)
        assert made.labels[-1] == f"{others} other {'category' if others == 1 else 'categories'}"


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (pa.array([True, False, True, None]), ("true", "false")),
        (pa.array([2, 10, 2]), ("2", "10")),
        (pa.array([datetime.date(2020, 1, 2)]), ("2020-01-02",)),
        (pa.array([datetime.datetime(2020, 1, 2, 3)], pa.timestamp("s", "Europe/Bern")), ("2020-01-02 03:00:00",)),
        (pa.array(["b", " b ", "a"]).dictionary_encode(), ("b", "a")),
        (pa.array(["a\nb"]), ("a b",)),
        (pa.array([-0.0, 0.0, 1.0, -0.0]), ("0", "1")),
        (pa.array([-0.0, 0.0, None, float("nan")], pa.float32()), ("0",)),
    ],
)
def test_categories_of_every_type(cells, labels):
    assert categories_from(table(x=cells), "x").labels == labels


def test_long_names_are_cut_and_kept_apart():
    names = ["y" * 100 + str(i) for i in range(12)] + ["y" * 60]
    labels = categories_from(column(names), "x").labels
    assert len(set(labels)) == 13
    assert max(map(len, labels)) == 60
    assert labels[1] == "y" * 59 + "…"
    assert labels[2] == "y" * 56 + " (2)"


def test_too_many_categories():
    cells = pa.array(range(own_columns.CATEGORIES_MAX + 1))
    with pytest.raises(ValueError, match="'x' may have at most 100,000 different values as categories; got 100,001"):
        categories_from(table(x=cells), "x")
    assert len(categories_from(table(x=cells.slice(1)), "x").labels) == own_columns.CATEGORIES_MAX
