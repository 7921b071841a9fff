"""How much the server holds of columns: they count with the files, and are given back."""

import gc

import numpy as np
import pytest
from app_steps import ESTIMATE, YOUR_DATA, assert_calm, go_to, open_page, session_of
from starlette.exceptions import HTTPException

import ldpcore as ldp
from ldpcore.datasets import OwnNumbers
from ldpui.computing.reading import File, UploadedTable
from ldpui.own import Upload
from ldpui.serving import held_files, presence
from ldpui.session import OwnData, Session

TABLE = UploadedTable(File(b""), "mine.csv", (), 0)
TOO_MUCH = "the server holds too much data of other visitors; bring it again in a minute"


@pytest.fixture(autouse=True)
def _small_bound(monkeypatch):
    gc.collect()  # sessions of other tests
    monkeypatch.setattr(held_files, "_things", type(held_files._things)())
    monkeypatch.setattr(presence, "has_drawn", lambda session: True)
    monkeypatch.setattr(held_files, "OF_ALL", 14_000)


def of_columns():
    """Return how many bytes of columns are held: they are nobody's files."""
    return held_files._together({})[None]


def upload(size):
    """Return a column of so many different numbers, 16 bytes each."""
    return Upload(
        TABLE, "x", OwnNumbers(np.arange(size) / 2, np.ones(size, dtype=np.int64), size, {}), ldp.OwnBinning()
    )


def bring(size):
    """Open the page in a new session, and upload a column of so many different numbers."""
    at = open_page(YOUR_DATA, {"runs": "2", "iterations": "30", "k": "10"})
    return bring_to(at, size)


def bring_to(at, size):
    text = "x\n" + "".join(f"{i}.5\n" for i in range(size))
    at.file_uploader[0].upload("mine.csv", text.encode()).run()
    return at


def complaints(at):
    return [box.value.replace("\\", "") for box in at.error]


@pytest.mark.slow
def test_columns_of_two_visitors_have_one_bound():
    """A file of 32 kB became 153 MiB in every tab, and any number of tabs could bring it."""
    first, second = bring(400), bring(400)
    assert_calm(first)
    assert complaints(second) == [f"This can't be used: {TOO_MUCH}."]
    assert session_of(second).own.upload is None
    go_to(first, ESTIMATE)
    assert_calm(first)
    assert session_of(first).setting.n == 400
    go_to(first, YOUR_DATA)
    next(b for b in first.main.button if "Forget" in b.label).click().run()
    bring_to(second, 400)
    assert_calm(second)
    assert session_of(second).own.upload.users == 400


def test_what_was_in_use_stays_where_more_is_refused():
    other, at = bring(300), bring(200)
    bring_to(at, 400)
    assert complaints(at) == [f"This can't be used: {TOO_MUCH}. Still in use: x from mine.csv."]
    assert session_of(at).own.upload.users == 200
    assert of_columns() == 16 * 500
    assert_calm(other)


def test_a_column_takes_the_place_of_the_one_before():
    own = OwnData()
    for size in (600, 500, 600):
        own.use(upload(size))
        assert of_columns() == 16 * size
    kept = own.upload
    own.use(Upload(TABLE, "x", kept.data, ldp.OwnBinning(high=100)))  # binned in another way it is the same column
    assert of_columns() == 16 * 600
    with pytest.raises(ldp.Refused, match="too much data"):
        own.use(upload(900))
    assert own.upload.data is kept.data
    assert of_columns() == 16 * 600


def test_who_leaves_gives_it_back():
    visitor = Session()
    visitor.own.use(upload(600))
    held = visitor.own  # as a run that has not ended yet does
    visitor.forget()
    assert of_columns() == 0
    assert held.upload is None
    lost = Session()
    lost.own.use(upload(600))
    del lost
    assert of_columns() == 0


def test_a_file_is_refused_where_columns_take_the_room():
    own = OwnData()
    own.use(upload(600))
    with pytest.raises(HTTPException) as refused:
        held_files.check("another", 4_401, {})
    assert refused.value.status_code == 507
    held_files.check("another", 4_400, {})
    own.forget()
    held_files.check("another", 14_000, {})


def test_the_bytes_of_names_and_dates_count_too():
    table = ldp.read_table(b"day,town\n2024-05-01,Ulm\n2024-05-03,Rome\n", "days.csv")
    assert ldp.dates_from(table, "day").nbytes == 4 * 8
    assert 2 * 8 + 7 < ldp.categories_from(table, "town").nbytes < 200
