"""How reports are counted for a page: in slices between which others have their turn, and not for minutes."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from collected_reports import assert_same, collect_reports, frame_of

import ldpcore as ldp
from ldpcore.collected import parts
from ldpcore.collected.columns import Columns
from ldpui.computing import counting, reading
from ldpui.computing.reading import CountPlace, File, Selection
from ldpui.computing.worker import TooLongError

K = 6


@pytest.fixture
def small_batches(monkeypatch):
    """Ten reports of k = 6 bits a batch, so that a few hundred are many batches."""
    monkeypatch.setattr(parts, "CELLS", 60)


def slices_of(file, m, selection):
    """Count a file a batch at a time; return the places on the way, and the result."""
    places, answer = [], None
    while not isinstance(answer, ldp.Collected):
        answer = reading.count(file, m, selection, answer, 0.0)
        if isinstance(answer, CountPlace):
            places.append(answer.tally.n)
    return places, answer


@pytest.mark.parametrize("name", ["GRR", "OUE", "SS", "OLH"])
def test_slices_come_to_what_is_counted_at_once(small_batches, name):
    m, reports = collect_reports(name, n=200, k=K, eps=1.0, seed=3)
    file = File(frame_of(reports).to_csv(index=False).encode(), "r.csv")
    places, sliced = slices_of(file, m, Selection())
    assert len(places) >= 2
    assert places == sorted(set(places))
    assert_same(sliced, ldp.estimate(m.support_counts(reports), 200, m))


def test_slices_of_reports_with_an_eps_of_their_own(small_batches):
    m, reports = collect_reports("OUE", n=200, k=K, eps=1.0, seed=3)
    frame = frame_of(reports).assign(eps=np.tile([0.5, 1.0], 100))
    places, sliced = slices_of(File(frame.to_csv(index=False).encode(), "r.csv"), m, Selection(eps_column="eps"))
    assert places == list(range(10, 200, 10))
    groups = [(reports[i::2], m.with_eps(eps)) for i, eps in enumerate((0.5, 1.0))]
    assert_same(sliced, ldp.estimate_groups([(own.support_counts(some), 100, own) for some, own in groups]))


def test_a_wrong_cell_of_a_later_slice_has_its_row(small_batches):
    cells = ["1"] * 150
    cells[122] = "9"
    file, m = File(("v\n" + "\n".join(cells)).encode(), "r.csv"), ldp.mechanism("GRR", k=K, eps=1.0)
    place = reading.count(file, m, Selection(), None, 0.0)
    assert place.tally.n == 60
    with pytest.raises(ldp.Refused, match=r"r\.csv, row 123, column 'v'"):
        slices_of(file, m, Selection())


# ---- what would take minutes ------------------------------------------------------


def table(rows, column=None):
    cells = pa.array([], pa.int64()) if column is None else column
    return SimpleNamespace(name="r.parquet", rows=rows, data=pa.table({"a": cells, "b": cells}))


PAIR = Columns(("a", "b"), None)
ONE = Columns(("a",), None)
TEXT = pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), pa.array([], pa.string()))
SET_OF_269 = ldp.mechanism("SS", k=1_000, eps=1.0)


@pytest.mark.parametrize(
    ("rows", "m", "columns", "column"),
    [
        (10**7, ldp.mechanism("OLH", k=1_000, eps=1.0), PAIR, None),
        (10**6, ldp.mechanism("L-OLH", k=10_000, eps=1.0, eps_inf=2.0), PAIR, None),
        (10**7, ldp.mechanism("OUE", k=10_000, eps=1.0), ONE, TEXT),
        (2 * 10**6, SET_OF_269, ONE, TEXT),
    ],
)
def test_what_takes_minutes_is_refused_before_it_begins(rows, m, columns, column):
    with pytest.raises(TooLongError, match=rf"r\.parquet: to count {rows:,} reports of {m.name} with k = {m.k:,}"):
        counting.check(table(rows, column), m, columns)


@pytest.mark.parametrize(
    ("rows", "m", "columns", "column"),
    [
        # Each takes less than a minute, by what was measured: 139, 365, 47 and 4.8 million a second.
        (8_300_000, ldp.mechanism("OLH", k=1_000, eps=1.0), PAIR, None),
        (10**7, ldp.mechanism("GRR", k=10_000, eps=1.0), ONE, None),
        (10**7, ldp.mechanism("OUE", k=2_100, eps=1.0), ONE, TEXT),
        (10**7, SET_OF_269, ONE, None),
        (10**6, SET_OF_269, ONE, TEXT),
        # Of sets with an ε of their own nobody knows the size.
        (10**7, SET_OF_269, Columns(("a",), "b"), TEXT),
    ],
)
def test_what_takes_less_than_a_minute_is_counted(rows, m, columns, column):
    counting.check(table(rows, column), m, columns)


def test_what_takes_minutes_all_the_same_ends(small_batches, monkeypatch):
    monkeypatch.setattr(counting, "SECONDS", 0.0)
    file, m = File(b"v\n" + b"1\n" * 200, "r.csv"), ldp.mechanism("GRR", k=K, eps=1.0)
    with pytest.raises(TooLongError, match="more than a minute"):
        reading.count(file, m, Selection(), None, 0.0)
