"""A file is tried in a worker before the server reads it: what breaks there breaks nothing here."""

from __future__ import annotations

import hostile_files as files
import pytest

import ldpcore as ldp
from ldpui import compute, uploads


@pytest.fixture(scope="module", autouse=True)
def _workers():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(compute.WORKERS, "1")
        compute.start()
        yield
        compute.stop()


def test_what_a_worker_can_read_is_read():
    table = uploads.read(b"age\n31\n44\n", "a.csv", True)
    assert (table.rows, table.columns) == (2, ("age",))
    assert uploads.read(files.HONEST, "a.parquet", True).rows == 1_000


def test_a_refusal_is_the_same_sentence():
    with pytest.raises(ldp.Refused) as here:
        ldp.read_table(b"a,b\n1\n", "a.csv")
    with pytest.raises(ldp.Refused) as there:
        uploads.read(b"a,b\n1\n", "a.csv", True)
    assert str(there.value) == str(here.value)


def test_the_largest_file_that_is_read_fits(monkeypatch):
    """Ten million rows of six columns take 480 MB; the server need not read them here once more."""
    largest = files.parquet(files.same_value(10**7), 10**7, files.columns(6))
    monkeypatch.setattr(uploads.ldp, "read_table", lambda data, name, header: len(data))
    assert uploads.read(largest, "a.parquet", True) == len(largest)


@pytest.mark.parametrize("how", ["os.abort()", "import ctypes; ctypes.string_at(0)"])
def test_a_reader_that_breaks_ends_a_worker_and_not_the_server(how, monkeypatch):
    def broken(function, *arguments, **bounds):
        return compute_run(exec, f"import os; {how}", {}, **bounds)

    compute_run = compute.run
    monkeypatch.setattr(compute, "run", broken)
    with pytest.raises(ldp.Refused, match=r"^a\.csv: the process that tried to read it ended"):
        uploads.read(b"age\n31\n", "a.csv", True)
    monkeypatch.undo()
    assert uploads.read(b"age\n31\n", "a.csv", True).rows == 1


def test_a_reader_that_takes_too_long_or_too_much_is_stopped(monkeypatch):
    compute_run = compute.run
    monkeypatch.setattr(compute, "run", lambda _, *a, **bounds: compute_run(exec, "x = bytes(4 << 30)", {}, **bounds))
    with pytest.raises(MemoryError):
        uploads.read(b"age\n31\n", "a.csv", True)
    monkeypatch.setattr(compute, "run", lambda _, *a, **bounds: compute_run(exec, "while True: pass", {}, **bounds))
    monkeypatch.setattr(uploads, "READ_SECONDS", 0.3)
    with pytest.raises(ldp.Refused):
        uploads.read(b"age\n31\n", "a.csv", True)
