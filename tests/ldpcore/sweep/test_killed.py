"""A sweep that is killed, and goes on where it was."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SWEEP = """
import sys; sys.path.insert(0, {root!r})
import ldpcore as ldp
from ldpcore.sweep import store
store.SAVE_EVERY = 0.0
settings = [ldp.Setting(mechanism=m, n=500, k=k, runs=3, max_iter=50) for k in range(3, 15) for m in ("GRR", "OUE")]
ldp.sweep(settings, out={out!r}, workers=1, on_progress=lambda done, total: print(done, total, flush=True))
"""


def swept(out, killed_at=None):
    """Run the sweep, or kill it with -9 once so many settings are done; how many were done when it started."""
    command = [sys.executable, "-c", SWEEP.format(root=str(ROOT), out=str(out))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        lines = iter(process.stdout.readline, "")
        before = int(next(lines).split()[0])
        for line in lines:
            if killed_at is not None and int(line.split()[0]) >= killed_at:
                process.kill()
                break
    return before


@pytest.mark.slow
def test_a_sweep_killed_with_9_is_resumed_to_the_byte(tmp_path):
    whole, resumed = tmp_path / "whole.parquet", tmp_path / "resumed.parquet"
    assert swept(whole) == 0
    assert swept(resumed, killed_at=10) == 0
    assert 0 < swept(resumed) < 24
    assert resumed.read_bytes() == whole.read_bytes()
