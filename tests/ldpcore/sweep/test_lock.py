"""Two sweeps on one file, a killed one, and a scheduler that is gone: each gets a sentence, and nothing is left."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

import ldpcore as ldp
from ldpcore.cli.main import main
from ldpcore.sweep import lock
from ldpcore.sweep.lock import Lock

SETTINGS = [ldp.Setting(mechanism=name, n=500, k=3, runs=2, max_iter=5) for name in ("GRR", "OUE")]


def hidden(folder):
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


def test_a_second_sweep_on_a_file_is_refused_and_the_first_loses_nothing(tmp_path):
    out = tmp_path / "results.csv"

    def meanwhile(done, total):
        with pytest.raises(ldp.Refused, match=r"another sweep is writing to '.*results\.csv'"):
            ldp.sweep(SETTINGS[1:], out=out)

    table = ldp.sweep(SETTINGS[:1], out=out, on_progress=meanwhile)
    assert len(table) == len(ldp.sweep(SETTINGS[:1], out=out)) == len(out.read_text().splitlines()) - 1
    both = ldp.sweep(SETTINGS, out=out)
    assert len(both) == 2 * len(table)
    assert hidden(tmp_path) == []


def test_the_lock_of_a_killed_process_is_none_and_its_unfinished_file_goes(tmp_path):
    out = tmp_path / "results.parquet"
    holding = "import sys, time; from pathlib import Path; from ldpcore.sweep.lock import Lock\n"
    holding += "lock = Lock(Path(sys.argv[1])); print('held', flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", holding, str(out)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(ldp.Refused, match="another sweep"):
            Lock(out)
        other.kill()
    (tmp_path / ".results-0123abcd.parquet").write_bytes(b"half")
    (tmp_path / ".results-of-mine.parquet").write_bytes(b"whole")
    ldp.sweep(SETTINGS, out=out)
    assert hidden(tmp_path) == [".results-of-mine.parquet"]


def test_a_file_that_can_not_be_continued_is_not_locked(tmp_path):
    out = tmp_path / "results.csv"
    out.write_text("a,b\n1,2\n")
    for _ in range(2):
        with pytest.raises(ldp.Refused, match="not a file of results"):
            ldp.sweep(SETTINGS, out=out)
    assert hidden(tmp_path) == []


def test_a_lock_that_was_taken_away_in_between_is_tried_again(tmp_path, monkeypatch):
    times, flock = [], lock.fcntl.flock

    def taken_away(file, how):
        if not times:
            (tmp_path / ".results.csv.lock").unlink()
        times.append(1)
        flock(file, how)

    monkeypatch.setattr(lock.fcntl, "flock", taken_away)
    held = Lock(tmp_path / "results.csv")
    with pytest.raises(ldp.Refused):
        Lock(tmp_path / "results.csv")
    assert len(times) == 3
    held.release()
    held.release()
    assert hidden(tmp_path) == []


def test_a_file_has_one_lock_whatever_it_is_called(tmp_path):
    """A link to it had a lock of its own, and gave way to a file of its own when results were written."""
    (tmp_path / "elsewhere").mkdir()
    out, link = tmp_path / "results.csv", tmp_path / "elsewhere" / "link.csv"
    link.symlink_to(out)
    held = Lock(out)
    with pytest.raises(ldp.Refused, match=r"another sweep is writing to '.*results\.csv'"):
        ldp.sweep(SETTINGS, out=link)
    held.release()
    ldp.sweep(SETTINGS, out=link)
    assert link.is_symlink()
    assert out.read_text().startswith("data,")
    assert hidden(tmp_path) == hidden(tmp_path / "elsewhere") == []


def test_a_disk_without_locks_is_called_so(tmp_path, monkeypatch):
    """It was told as another sweep, for which one could wait for ever."""

    def not_supported(file, how):
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    monkeypatch.setattr(lock.fcntl, "flock", not_supported)
    with pytest.raises(ldp.Refused, match=r"cannot be locked \(Operation not supported\)"):
        ldp.sweep(SETTINGS[:1], out=tmp_path / "results.csv")
    assert hidden(tmp_path) == []


def test_two_sweeps_that_begin_at_the_same_time_do_not_trip_over_each_other(tmp_path, monkeypatch):
    """One cleaned up what the other had only just made, to see whether it could write."""
    touch = Path.touch

    def cleaned(path):
        touch(path)
        lock.clean(tmp_path / "results.csv")

    monkeypatch.setattr(Path, "touch", cleaned)
    assert len(ldp.sweep(SETTINGS[:1], out=tmp_path / "results.csv"))


@pytest.mark.slow
def test_a_killed_scheduler_is_a_sentence(tmp_path, capsys):
    pytest.importorskip("distributed", reason='needs Dask: pip install -e ".[distributed]"')
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    command += ["--host", "127.0.0.1", "--scheduler-file", str(tmp_path / "scheduler.json")]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as scheduler:
        try:
            for _ in range(300):
                with suppress(OSError, ValueError):  # not there yet, or not yet written to its end
                    address = json.loads((tmp_path / "scheduler.json").read_text())["address"]
                    break
                time.sleep(0.1)
            grid, out = tmp_path / "grid.toml", tmp_path / "results.csv"
            grid.write_text("n = 500\nk = [2, 5]\nruns = 2\nmax_iter = 9\n")
            # There is no worker, so the sweep waits; then the scheduler is gone.
            threading.Timer(1.5, scheduler.kill).start()
            code = main(["sweep", str(grid), "--out", str(out), "--scheduler", address])
        finally:
            scheduler.kill()
    said = capsys.readouterr().err
    assert code == 1
    assert "Traceback" not in said
    assert "scheduler" in said
    assert "the same command goes on" in said
