"""A sweep on a real Dask cluster, one of whose workers is killed in the middle; and the tournament on the other."""

import json
import os
import signal
from dataclasses import replace

import pandas as pd
import pytest

import ldpcore as ldp
from ldpcore import tournament
from ldpcore.cli.main import main
from ldpcore.tournament.run import PARTS

distributed = pytest.importorskip("distributed", reason='needs Dask: pip install -e ".[distributed]"')

SETTINGS = [
    ldp.Setting(data="poisson", mechanism=name, n=5_000, k=50, runs=20, tol=0.0, max_iter=2_000, seed=seed)
    for seed in range(12)
    for name in ("GRR", "OUE", "L-OSUE")
]


def few_matches(draw, seed):
    return [tournament.Match(name, 1.0, 1_000, 4, ("zipf",), draw, seed) for name in ("GRR", "OUE")]


@pytest.mark.slow
def test_a_killed_worker_changes_no_number(tmp_path, monkeypatch):
    expected = ldp.sweep(SETTINGS, workers=1)
    quiet = {"silence_logs": 50, "dashboard_address": ":0", "threads_per_worker": 1, "processes": True}
    with distributed.LocalCluster(n_workers=2, **quiet) as cluster, distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
        assert len(set(pids) | {os.getpid()}) == 3
        killed = []

        def kill_one(done, total):
            if not killed and done < total // 2:
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])

        table = ldp.sweep(SETTINGS, executor=client.get_executor(), on_progress=kill_one)

        grid, out = tmp_path / "grid.toml", tmp_path / "results.csv"
        grid.write_text("n = 500\nk = [2, 5]\nruns = 2\nmax_iter = 9\n")
        assert main(["sweep", str(grid), "--out", str(out), "--scheduler", cluster.scheduler_address]) == 0
        # The tournament on the same cluster, of which one worker is left.
        monkeypatch.setitem(PARTS, "matches", replace(PARTS["matches"], tasks=few_matches))
        away = ["tournament", "--part", "matches", "--out", str(tmp_path), "--scheduler", cluster.scheduler_address]
        assert main(away) == 0
    here = tournament.play("matches", tmp_path / "here", workers=1)
    there = pd.read_parquet(tmp_path / "matches.parquet")
    # What is read from the file is rounded to 11 binary digits.
    pd.testing.assert_frame_equal(there, here, rtol=1e-3, check_dtype=False, check_categorical=False)
    assert json.loads((tmp_path / "matches.json").read_text())["sittings"][0]["workers"] is None
    assert killed
    assert len(out.read_text().splitlines()) == 13
    pd.testing.assert_frame_equal(table, expected, check_exact=True)
