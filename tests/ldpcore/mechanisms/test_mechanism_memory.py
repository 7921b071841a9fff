"""A million users with a hundred values fit into a gigabyte: a quarter of them into a quarter of it, all included."""

from __future__ import annotations

import subprocess
import sys

import pytest
from mechanism_cases import PAPERS

import ldpcore as ldp

# One mechanism for each way of making reports, which the others share with it.
WAYS = {
    (m.report_kind, m.longitudinal, m.takes_reals): name
    for name in PAPERS
    for m in [ldp.mechanism(name, k=100, eps=1.0)]
}
# A process of its own: the peak of this one would include all other tests. One for all mechanisms: its peak is the
# largest of theirs, and says whose it was.
USERS = 250_000
SCRIPT = """
import sys
import numpy as np
from benchmarks.memory import peak_mebibytes
from ldpcore.mechanisms import mechanism
for name in sys.argv[2:]:
    m = mechanism(name, k=100, eps=1.0)
    rng = np.random.default_rng(1)
    reports = m.privatize(rng.integers(0, 100, int(sys.argv[1])), rng)
    counts = m.support_counts(reports)
    assert counts.shape == (100,)
    del reports
    print(name, peak_mebibytes())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the peak of a process is not known there")
def test_a_million_users(pytestconfig):
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, str(USERS), *WAYS.values()],
        cwd=pytestconfig.rootpath,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert run.returncode == 0, run.stderr
    peaks = dict(line.split() for line in run.stdout.splitlines())
    assert list(peaks) == list(WAYS.values())
    assert max(map(float, peaks.values())) * 2**20 < 1e9 * USERS / 10**6, peaks
