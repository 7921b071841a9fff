"""A file is read in a worker, and nowhere else: what breaks there breaks nothing here."""

from __future__ import annotations

from pathlib import Path

import hostile_files as files
import numpy as np
import pyarrow as pa
import pytest
from app_steps import YOUR_DATA, assert_calm, open_page, session_of
from report_uploads import opened, outcome, upload
from worker_tasks import most_memory, tell_slowly

import ldpcore as ldp
from ldpui import uploads
from ldpui.computing import compute, reading
from ldpui.computing.reading import File

pytestmark = pytest.mark.usefixtures("one_worker")


def look(data, name="a.csv"):
    return uploads.ask(reading.look, File(data, name))


def test_what_a_worker_can_read_is_read():
    known = look(b"age\n31\n44\n")
    assert (known.rows, known.head.columns) == (2, ("age",))
    assert look(files.HONEST, "a.parquet").rows == 1_000
    opened = uploads.ask(reading.open_data, File("3\n4\n4"))
    assert (opened.rows, opened.columns, opened.data.labels) == (3, (opened.column,), ("4", "3"))


def test_the_server_itself_reads_no_file(monkeypatch):
    """It read what a worker had read once more: twice the time, and a reader's crash could still be the server's."""

    def refuse(*_, **__):
        raise AssertionError("read in the server")

    monkeypatch.setattr(reading.ldp, "read_table", refuse)
    monkeypatch.setattr(reading, "paste_table", refuse)
    words = b"report\n" + b"".join(b"%d\n" % (i % 3) for i in range(300))
    at = upload(opened("GRR", 3), ("r.csv", words))
    assert_calm(at)
    assert outcome(at).collected.counts.tolist() == [100, 100, 100]
    at = open_page(YOUR_DATA)
    at.file_uploader(key="own_file").upload("r.csv", words).run()
    assert_calm(at)
    assert session_of(at).own.upload.users == 300


def test_counting_and_climbing_tell_how_far_they_are_from_another_process():
    m = ldp.mechanism("OLH", k=20, eps=1.0)
    pairs = m.privatize(np.arange(4_000) % 20, np.random.default_rng(1))
    text = "seed,value\n" + "\n".join(f"{seed},{value}" for seed, value in zip(*pairs, strict=True))
    file, selection, told = File(text.encode(), "r.csv"), reading.Selection(), []
    counted = uploads.ask(reading.count, file, m, selection)
    assert counted.n == 4_000
    half = uploads.ask(reading.climb, file, m, selection, None, -1.0)
    assert (half.steps, half.at_rest) == (reading.FULL_STEPS, False)
    done = uploads.ask(reading.climb, file, m, selection, half, 60.0, tell=told.append)
    assert done.at_rest
    assert done.steps > half.steps
    assert all(half.steps < place.steps <= done.steps for place in told)
    assert done.estimate == pytest.approx(ldp.estimate_reports(pairs, m).full, abs=1e-6)


def test_what_is_told_comes_while_the_work_goes_on():
    told = []
    assert compute.run(tell_slowly, 3, tell=told.append) == "done"
    assert told
    assert told == sorted(told)
    assert set(told) <= {0, 1, 2}


def test_a_refusal_is_the_same_sentence():
    with pytest.raises(ldp.Refused) as here:
        ldp.read_table(b"a,b\n1\n", "a.csv")
    with pytest.raises(ldp.Refused) as there:
        look(b"a,b\n1\n")
    assert str(there.value) == str(here.value)


def _most_rows():
    """Return a file of ten million rows of six columns, 480 MB in memory."""
    return "a.parquet", files.parquet(files.same_value(10**7), 10**7, files.columns(6))


def _most_numbers():
    """Return a file of ten million different numbers, in no order."""
    numbers = np.random.default_rng(0).permutation(10**7) + 0.5
    return "a.parquet", files.written({"x": numbers}, compression="zstd", **_PLAIN)


def _most_words():
    """Return a file with one dictionary of nearly as many words as it may have, all of them different times."""
    times = pa.array(37 * np.arange(1_990_000)).cast(pa.timestamp("s")).cast(pa.string())
    more = {"dictionary_pagesize_limit": 100 << 20, "row_group_size": 2_000_000}
    return "a.parquet", files.written({"x": times}, compression="zstd", **more)


_PLAIN = {"use_dictionary": False, "column_encoding": {"x": "BYTE_STREAM_SPLIT"}}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory can't be asked for")
@pytest.mark.parametrize("made", [_most_rows, _most_numbers, _most_words])
def test_the_largest_files_are_read_in_the_memory_that_a_host_is_told(made):
    """What docs/hosting.md says that an upload takes, through a worker of its own."""
    name, data = made()
    compute.start()
    assert uploads.ask(most_memory, File(data, name)) < 700 * 2**20


@pytest.mark.slow
@pytest.mark.parametrize("how", ["os.abort()", "import ctypes; ctypes.string_at(0)"])
def test_a_reader_that_breaks_ends_a_worker_and_not_the_server(how, monkeypatch):
    def broken(function, *arguments, **bounds):
        return compute_run(exec, f"import os; {how}", {}, **bounds)

    compute_run = compute.run
    monkeypatch.setattr(compute, "run", broken)
    with pytest.raises(ldp.Refused, match=r"^a\.csv: the process that tried to read it ended"):
        look(b"age\n31\n")
    monkeypatch.undo()
    assert look(b"age\n31\n").rows == 1


def test_a_reader_that_takes_too_long_or_too_much_is_stopped(monkeypatch):
    compute_run = compute.run
    monkeypatch.setattr(compute, "run", lambda _, *a, **bounds: compute_run(exec, "x = bytes(4 << 30)", {}, **bounds))
    with pytest.raises(MemoryError):
        look(b"age\n31\n")
    monkeypatch.setattr(compute, "run", lambda _, *a, **bounds: compute_run(exec, "while True: pass", {}, **bounds))
    monkeypatch.setattr(uploads, "READ_SECONDS", 0.3)
    with pytest.raises(ldp.Refused):
        look(b"age\n31\n")
