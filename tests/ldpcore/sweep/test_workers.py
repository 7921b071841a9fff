"""The processes that work off a sweep: what they import, and what a killed one costs."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from worker_tasks import pid_after

from ldpcore.sweep import workers
from ldpcore.sweep.workers import Workers

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
def test_a_script_without_a_main_guard_can_sweep(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "import ldpcore as ldp\nprint('once')\n"
        "print(len(ldp.sweep([ldp.Setting(k=k, n=500, runs=2, max_iter=9) for k in (2, 3, 4)], workers=2)))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("once\n18\n", "")


@pytest.mark.slow
def test_a_killed_process_costs_no_result():
    workers = Workers(2)
    try:
        pids = set(workers.map(pid_after, [0.3] * 4))
        assert len(pids) == 2
        slow = [workers.submit(pid_after, 0.5) for _ in range(4)]
        time.sleep(0.2)
        victim = pids.pop()
        os.kill(victim, signal.SIGKILL)
        assert victim not in {future.result(timeout=30) for future in slow}
    finally:
        workers.shutdown()


@pytest.mark.slow
def test_work_that_kills_its_process_is_given_up():
    workers = Workers(1)
    try:
        with pytest.raises(Exception, match="ended 3 times"):
            workers.submit(os._exit, 1).result(timeout=30)
        assert workers.submit(abs, -1).result(timeout=30) == 1
        with pytest.raises(ZeroDivisionError):
            workers.submit(divmod, 1, 0).result(timeout=30)
        with pytest.raises(Exception, match="pickle"):
            workers.submit(lambda: 1).result(timeout=30)
    finally:
        workers.shutdown()
    with pytest.raises(RuntimeError, match="shut down"):
        workers.submit(abs, 1)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("200000 100000", 2), ("150000 100000", 2), ("10000 100000", 1), ("100000 100000", 1), ("9900000 100000", 8),
        ("max 100000", 8), ("", 8), ("nonsense", 8), ("1 0", 8), (None, 8),
    ],
)  # fmt: skip
def test_a_container_has_the_cores_that_it_is_given(tmp_path, monkeypatch, words, expected):
    """A container with two cores of sixty-four started sixty-four processes."""
    monkeypatch.setattr(workers.os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(workers, "_QUOTA", tmp_path / "cpu.max")
    if words is not None:
        (tmp_path / "cpu.max").write_text(f"{words}\n")
    assert workers.cores() == expected
