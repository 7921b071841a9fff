"""Pages that compute on a Dask cluster, one of whose workers is killed."""

import os
import signal
import threading

import pytest
from app_steps import QUICK, assert_calm, metrics, open_page
from browser_steps import free_port
from worker_tasks import pid_after

import ldpcore as ldp
from ldpui.computing import compute

distributed = pytest.importorskip("distributed", reason='needs Dask: pip install -e ".[distributed]"')


@pytest.mark.slow
def test_pages_compute_on_a_cluster_and_a_killed_worker_costs_nothing(monkeypatch):
    quiet = {"silence_logs": 50, "dashboard_address": ":0", "threads_per_worker": 1, "processes": True}
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


@pytest.mark.slow
def test_a_scheduler_that_was_lost_and_started_again_is_found(monkeypatch):
    """The first connection stayed closed for ever, and every page said that something went wrong."""
    from ldpui.computing import cluster

    quiet = {"silence_logs": 50, "dashboard_address": ":0", "threads_per_worker": 1, "processes": False}
    port = free_port()
    monkeypatch.setattr(cluster, "TIMEOUT", 1.0)
    with distributed.LocalCluster(n_workers=1, scheduler_port=port, **quiet) as first:
        monkeypatch.setenv(compute.CLUSTER, first.scheduler_address)
        compute.start()
        assert compute.run(abs, -1) == 1
    try:
        with pytest.raises(ldp.Refused, match="ended"):
            compute.run(abs, -2)
        with distributed.LocalCluster(n_workers=1, scheduler_port=port, **quiet):
            assert compute.run(abs, -3) == 3
            compute.stop()
    finally:
        compute.stop()
        monkeypatch.delenv(compute.CLUSTER)


@pytest.mark.parametrize(
    "address",
    [
        "tcp://127.0.0.1:{port}", "no address at all", "tls://127.0.0.1:{port}", "ucx://127.0.0.1:{port}",
        "ws://127.0.0.1:{port}", "http://127.0.0.1:{port}", "tcp://127.0.0.1:none",
    ],
)  # fmt: skip
def test_without_the_cluster_pages_compute_on_this_machine(monkeypatch, caplog, address):
    """Addresses that Dask has no use for, or not without more settings, ended the server before it had started."""
    from ldpui.computing import cluster

    monkeypatch.setattr(cluster, "TIMEOUT", 0.3)
    monkeypatch.setenv(compute.CLUSTER, address.format(port=free_port()))
    monkeypatch.setenv(compute.WORKERS, "1")
    workers = compute._workers()
    assert [type(worker).__name__ for worker in workers] == ["Process"]
    workers[0].close()
    assert "pages compute on this machine instead" in caplog.text
