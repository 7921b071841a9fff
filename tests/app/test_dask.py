"""Pages that compute on a Dask cluster, one of whose workers is killed."""

import os
import signal
import threading

import pytest
from app_steps import QUICK, assert_calm, metrics, open_page
from worker_tasks import pid_after

import ldpcore as ldp
from ldpui import compute

distributed = pytest.importorskip("distributed", reason='needs Dask: pip install -e ".[distributed]"')


@pytest.mark.slow
def test_pages_compute_on_a_cluster_and_a_killed_worker_costs_nothing(monkeypatch):
    quiet = {"silence_logs": 50, "dashboard_address": None, "threads_per_worker": 1, "processes": True}
    with distributed.LocalCluster(n_workers=2, **quiet) as cluster:
        monkeypatch.setenv(compute.CLUSTER, cluster.scheduler_address)
        compute.start()
        try:
            first = compute.run(os.getpid)
            assert first != os.getpid()
            killer = threading.Timer(0.5, os.kill, (first, signal.SIGKILL))
            killer.start()
            pids = [answer[1] for answer in compute.stream(pid_after, [(0.4,)] * 6) if answer is not None]
            killer.join()
            assert len(pids) == 6
            assert os.getpid() not in pids
            at = open_page(query=QUICK | {"eps": "1.25", "seed": "97"})
            assert_calm(at)
            assert at.select_slider(key="eps").value == "1.25"
            assert len(metrics(at)) == 6
            with pytest.raises(ldp.Refused, match=r"longer than 0\.3 seconds"):
                compute.run(pid_after, 20, seconds=0.3)
        finally:
            compute.stop()
            monkeypatch.delenv(compute.CLUSTER)
