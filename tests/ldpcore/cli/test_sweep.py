"""`sweep`: what it writes, how it ends, and how it goes on."""

import errno
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from commands import call

import ldpcore as ldp
from ldpcore.cli.sweep import read_grid
from ldpcore.sweep import run as sweep_run
from ldpcore.sweep import store as _files

ROOT = Path(__file__).resolve().parents[3]
GRID = """
data = ["poisson", "uniform"]
mechanism = ["GRR", "OUE", "L-OUE"]
eps = [1, 2]
n = 2_000
k = [2, 20]
runs = 3
max_iter = 100
"""
# Pieces of about a tenth of a second each, so that there is a middle to interrupt.
SEEDS = 14
# Saved after every piece, and not every two seconds: an interruption often comes between a saving and the word of it.
SAVING = """
from ldpcore.cli.main import main
from ldpcore.sweep import store
store.SAVE_EVERY = 0.0
raise SystemExit(main())
"""
SLOW = f"""
mechanism = "OUE"
n = 20_000
k = 100
runs = 20
tol = 0.0
seed = {list(range(SEEDS))}
"""


@pytest.fixture
def grid(tmp_path):
    path = tmp_path / "grid.toml"
    path.write_text(GRID)
    return path


def test_the_example_in_the_help_is_a_grid(tmp_path, capsys):
    with pytest.raises(SystemExit):
        call("sweep", "--help")
    block = re.findall(r"^    (.*)$", capsys.readouterr().out, flags=re.MULTILINE)
    example = "\n".join(line for line in block if re.match(r"\w+ = |\[", line))
    path = tmp_path / "example.toml"
    path.write_text(example)
    grid = read_grid(path)
    assert {"estimators", "metrics"} <= grid.keys()
    settings, left_out = ldp.cross({k: v for k, v in grid.items() if k not in ("estimators", "metrics")})
    assert len(settings) == 2 * 3 * 3 * 2 * 3
    assert left_out == []


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_sweep_writes_what_ldp_sweep_returns(grid, tmp_path, suffix, capsys):
    out = tmp_path / f"results{suffix}"
    assert call("sweep", grid, "--out", out) == 0
    settings, _ = ldp.cross(read_grid(grid))
    assert len(settings) == 24
    expected = ldp.sweep(settings)
    pd.testing.assert_frame_equal(_files.read_frame(out), expected, check_exact=True, check_dtype=False)
    told = capsys.readouterr()
    assert f"24 settings in {out}" in told.out
    assert "24 of 24 settings, 100 %" in told.err
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_settings_in_the_file_are_not_run_again(grid, tmp_path, suffix, monkeypatch, capsys):
    whole, out = tmp_path / f"whole{suffix}", tmp_path / f"results{suffix}"
    assert call("sweep", grid, "--out", whole) == 0
    frame = _files.read_frame(whole)
    _files.write_frame(frame[frame["data"] == "poisson"], out)
    ran = []
    work = sweep_run.sweep_iter

    def watched(settings, *arguments, **options):
        for chunk in work(settings, *arguments, **options):
            ran.extend(settings[i] for i in chunk.indices)
            yield chunk

    monkeypatch.setattr(sweep_run, "sweep_iter", watched)
    assert call("sweep", grid, "--out", out) == 0
    assert len(ran) == 12
    assert {s.data for s in ran} == {"uniform"}
    assert "12 of 24 settings were done before" in capsys.readouterr().err
    assert out.read_bytes() == whole.read_bytes()
    assert call("sweep", grid, "--out", out) == 0
    assert len(ran) == 12
    # Another metric is another question: all are run again, and settings of other grids stay.
    grid.write_text(GRID.replace("eps = [1, 2]", "eps = 1") + 'metrics = ["tv"]\n')
    assert call("sweep", grid, "--out", out) == 0
    assert len(ran) == 24
    frame = _files.read_frame(out)
    assert set(frame["eps"]) == {1.0, 2.0}
    assert set(frame[frame["eps"] == 1.0]["metric"]) == {"mse", "mae", "gain_mse", "gain_mae", "tv"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("eps = ", "is not TOML"),
        ("epsilon = 1", "a grid may hold data, .* got 'epsilon'"),
        ("eps = [1, 0]", "eps must be .* got 0"),
        ("k = []", "k must hold at least one value"),
        ('metrics = "mse"', "metrics must be a list"),
        ('metrics = ["rmse"]', "metrics must be one of .* got 'rmse'"),
        ("estimators = [1]", "estimators must be one of .* got 1"),
        ('mechanism = "L-GRR"\neps = 2\neps_inf = 1', "no setting that is possible"),
    ],
)
def test_bad_grids_end_with_2(grid, tmp_path, text, says, capsys):
    grid.write_text(text)
    assert call("sweep", grid, "--out", tmp_path / "results.csv") == 2
    assert re.search(says, capsys.readouterr().err)
    assert not (tmp_path / "results.csv").exists()


@pytest.mark.parametrize(
    ("out", "says"), [("results.txt", "must end in .parquet or .csv"), ("nowhere/results.csv", "no directory")]
)
def test_bad_names_of_results_end_with_2(grid, tmp_path, out, says, capsys):
    assert call("sweep", grid, "--out", tmp_path / out) == 2
    assert re.search(says, capsys.readouterr().err)


@pytest.mark.parametrize(("suffix", "content"), [(".parquet", b"PAR1"), (".csv", b"a,b\n1,2\n"), (".csv", b"\xff\xfe")])
def test_a_file_of_something_else_is_not_overwritten(grid, tmp_path, suffix, content, capsys):
    out = tmp_path / f"results{suffix}"
    out.write_bytes(content)
    assert call("sweep", grid, "--out", out) == 2
    assert "not a file of results" in capsys.readouterr().err
    assert out.read_bytes() == content


def test_left_out_combinations_are_told(grid, tmp_path, capsys):
    grid.write_text('mechanism = ["L-OUE", "L-GRR"]\neps = 1.9\neps_inf = 2\nn = 100\nk = 4\nmax_iter = 9\n')
    assert call("sweep", grid, "--out", tmp_path / "results.csv") == 0
    assert "left out: eps" in capsys.readouterr().err


def test_no_dask_scheduler_is_said_in_a_sentence(grid, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert call("sweep", grid, "--out", tmp_path / "r.csv", "--scheduler", "tcp://localhost:1") == 2
    assert "needs Dask: pip install" in capsys.readouterr().err


def test_a_scheduler_that_asks_for_a_key_is_a_sentence(grid, tmp_path, monkeypatch, capsys):
    """Dask raises a TypeError for an address of TLS without one, and it was a traceback."""

    def client(address, timeout):
        raise TypeError("TLS expects a `ssl_context` argument of type ssl.SSLContext")

    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=client))
    assert call("sweep", grid, "--out", tmp_path / "r.csv", "--scheduler", "tls://127.0.0.1:8786") == 1
    assert "there is no Dask scheduler at 'tls://127.0.0.1:8786': TLS expects" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
@pytest.mark.parametrize("where", ["replace", "fsync"])
def test_a_full_disk_loses_nothing_that_was_written(grid, tmp_path, monkeypatch, suffix, where, capsys):
    out = tmp_path / f"results{suffix}"
    assert call("sweep", grid, "--out", out) == 0
    before = out.read_bytes()
    grid.write_text(GRID + "seed = [0, 1]\n")

    def full(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, where, full)
    assert call("sweep", grid, "--out", out) == 1
    told = capsys.readouterr().err
    assert "could not be written" in told
    assert "No space left on device" in told
    assert "Traceback" not in told
    assert out.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_disk_that_is_really_full(tmp_path):
    out = tmp_path / "results.csv"
    out.write_text("before")
    with pytest.raises(OSError, match="No space left"):
        _files.write_whole(out, lambda fresh: fresh.symlink_to("/dev/full") or fresh.write_text("x" * 10**6))
    assert out.read_text() == "before"
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_permission(grid, tmp_path, capsys):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    assert call("sweep", grid, "--out", locked / "results.csv") == 1
    assert "Permission denied" in capsys.readouterr().err


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    """A grid with many pieces, and the results of a sweep that nothing has interrupted."""
    folder = tmp_path_factory.mktemp("slow")
    grid, whole = folder / "grid.toml", folder / "whole.parquet"
    grid.write_text(SLOW)
    assert call("sweep", grid, "--workers", "1", "--out", whole) == 0
    return grid, whole


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_saves_and_the_same_command_goes_on(slow, tmp_path, workers, capsys):
    grid, whole = slow
    out = tmp_path / "results.parquet"
    words = ["sweep", grid, "--workers", str(workers), "--out", out]
    command = [sys.executable, "-c", SAVING, *words]
    # Where the tests themselves run in the background, Ctrl-C is ignored, and children would inherit that.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, preexec_fn=heed) as process:
        # The file appears when the first results have been saved.
        deadline = time.monotonic() + 60
        while not out.exists() and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=30)[1]
    assert process.returncode == 130, told
    assert "Traceback" not in told
    done = pd.read_parquet(out)["seed"].unique()
    assert 0 < len(done) < SEEDS
    assert f"interrupted; {len(done)} of {SEEDS} settings are in" in told
    # Once more, in this process, which has everything imported.
    assert call(*words) == 0
    assert f"{len(done)} of {SEEDS} settings were done before" in capsys.readouterr().err
    assert out.read_bytes() == whole.read_bytes()
