"""What every run of a page asks of the visitor's data is computed once, and kept with the data alone."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from advisor_page import simulate_little
from app_steps import ADVISOR, COMPARE, ESTIMATE, YOUR_DATA, assert_calm, charts, go_to, open_page, session_of

import ldpcore as ldp
from ldpui.own import Upload

COLUMNS = {
    "whole numbers": [str(7 * i % 50) for i in range(300)],
    "far apart": [str(40_000 * i) for i in range(300)],
    "numbers": [f"{7 * i % 50}.5" for i in range(300)],
    "dates": [f"2024-{1 + i % 3:02d}-{1 + i % 28:02d}" for i in range(300)],
    "categories": ["red", "green", "red", "blue", "puce"] * 60,
}


def bring(cells):
    """Open the page of own data and upload a column."""
    at = open_page(YOUR_DATA, {"runs": "2", "iterations": "30", "k": "10"})
    at.file_uploader(key="own_file").upload("mine.csv", ("x\n" + "\n".join(cells) + "\n").encode()).run()
    assert_calm(at)
    return at


def take_rows_away(data):
    """Leave nothing of a column that grows with its rows: whoever looks at them again fails."""
    held = vars(data)
    del held["persons"]
    if "values" in held:
        held["values"] = SimpleNamespace(size=held["values"].size)


@pytest.mark.parametrize("page", [ESTIMATE, COMPARE, ADVISOR, YOUR_DATA])
@pytest.mark.parametrize("cells", COLUMNS.values(), ids=COLUMNS)
def test_a_second_run_does_not_look_at_the_rows_again(page, cells, monkeypatch):
    """Each step took 1.0 to 1.8 s of the server's own thread with ten million different numbers."""
    simulate_little(monkeypatch)
    at = bring(cells)
    go_to(at, page)
    assert_calm(at)
    first = charts(at)
    take_rows_away(session_of(at).own.upload.data)
    at.run()
    assert_calm(at)
    assert charts(at) == first


def test_a_new_seed_does_not_count_the_rows_again():
    at = bring(COLUMNS["numbers"])
    go_to(at, ESTIMATE)
    take_rows_away(session_of(at).own.upload.data)
    at.session_state["seed"] = 5.0
    at.run()
    assert_calm(at)
    assert session_of(at).setting.seed == 5


def numbers(**how):
    table = ldp.read_table(b"x\n" + b"".join(b"%d\n" % (i % 40) for i in range(300)), "x.csv")
    return Upload(None, "x", ldp.numbers_from(table, "x"), ldp.OwnBinning(**how))


def test_what_is_kept_is_that_of_one_upload_and_binning():
    plain, half = numbers(), numbers(high=19)
    assert (plain.users, half.users) == (300, 160)
    assert (plain.whole_numbers, half.whole_numbers) == ((0.0, 40), (0.0, 20))
    assert plain.histogram(4) is plain.histogram(4, n=300, seed=9)
    np.testing.assert_array_equal(half.histogram(4).counts, half.data.histogram(4, binning=half.binning).counts)
    assert plain.histogram(40, by_value=True).edges.size == 41
    assert plain.histogram(4, n=1_000, seed=1).n == 1_000
    with pytest.raises(ValueError, match="read-only"):
        plain.histogram(4).counts[0] = 0


def test_what_is_kept_does_not_go_to_workers():
    upload = numbers()
    before = pickle.dumps(upload)
    upload.histogram(upload.bins(9))
    assert upload.users == 300
    assert upload.whole_numbers is not None
    copy = pickle.loads(pickle.dumps(upload))  # noqa: S301 - our own
    assert len(pickle.dumps(upload)) <= len(before) + 100
    assert (copy.version, copy.users) == (upload.version, upload.users)
