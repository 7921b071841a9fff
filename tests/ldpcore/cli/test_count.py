"""Files of collected reports on the command line: every format, in batches, and what is said of wrong ones.

Nothing here is left to chance: what the files hold is counted in memory as well, and the two must be equal.
"""

from __future__ import annotations

import re
import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest
from collected_reports import frame_of
from count_command import EPS, K, N, call, collect, options, write
from mechanism_cases import CHOOSING, MECHANISMS, UNARY

import ldpcore as ldp
from ldpcore import mechanisms
from ldpcore.cli import count as _count
from ldpcore.cli.main import main
from ldpcore.collected import estimates as _estimates
from ldpcore.collected import files as _reports
from ldpcore.collected import parts as _parts
from ldpcore.mechanisms import ReportKind
from ldpcore.sweep.lock import Lock
from ldpcore.tables import files as _files


def counted(capsys, tmp_path, *arguments):
    out = tmp_path / "counts.csv"
    assert call(*arguments, "--out", out) == 0, capsys.readouterr().err
    return pd.read_csv(out)


@cache
def in_memory(name):
    """Return reports and the table of what they say, once for all the files they are in."""
    m, reports = collect(name)
    return reports, ldp.estimate(m.support_counts(reports), N, m).table()


# ---- formats ----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_from_files(name, suffix, tmp_path, capsys):
    reports, expected = in_memory(name)
    path = write(frame_of(reports), tmp_path / f"reports{suffix}")
    table = counted(capsys, tmp_path, path, *options(name), "--workers", 1)
    pd.testing.assert_frame_equal(table, expected, rtol=1e-12)
    told = capsys.readouterr().out
    assert f"3,000 reports of {name} in 1 file: ε = 1" in told
    assert "These reports fit" in told or "can't be checked" in told
    assert f"8 values in {tmp_path}" in told


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("name", UNARY)
def test_bits_as_strings(name, suffix, tmp_path, capsys):
    m, reports = collect(name)
    strings = ["".join("01"[bit] for bit in row) for row in reports.astype(int)]
    path = write(pd.DataFrame({"user": range(N), "bits": strings}), tmp_path / f"reports{suffix}")
    table = counted(capsys, tmp_path, path, *options(name), "--columns", "bits", "--workers", 1)
    assert table["count"].tolist() == m.support_counts(reports).tolist()


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("between", [" ", ";", "|", ", ", "list"])
def test_subsets_in_one_column(between, suffix, tmp_path, capsys):
    m, reports = collect("SS")
    assert m.omega == 2
    sets = [f"[{a}, {b}]" if between == "list" else f"{a}{between}{b}" for a, b in reports]
    if between == "list" and suffix == ".parquet":
        sets = [list(map(int, row)) for row in reports]
    path = write(pd.DataFrame({"set": sets}), tmp_path / f"reports{suffix}")
    table = counted(capsys, tmp_path, path, *options("SS"), "--workers", 1)
    assert table["count"].tolist() == m.support_counts(reports).tolist()


@pytest.mark.parametrize("cell", ["number", "list"])
def test_subsets_of_one_value(cell, tmp_path, capsys):
    m, reports = collect("SS", eps=4.0)
    assert m.omega == 1
    sets = reports.ravel().astype(int) if cell == "number" else [[int(v)] for v in reports.ravel()]
    path = write(pd.DataFrame({"set": sets}), tmp_path / "reports.parquet")
    table = counted(capsys, tmp_path, path, *options("SS", eps=4.0))
    assert table["count"].tolist() == m.support_counts(reports).tolist()


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_the_reals_of_histogram_encoding(suffix, tmp_path, capsys):
    m = ldp.mechanism("THE", k=K, eps=EPS)
    rng = np.random.default_rng(12)
    reals = m.noisy_histograms(rng.integers(0, K, 500), rng, accept_leak=True)
    path = write(pd.DataFrame(reals, columns=[f"c{i}" for i in range(K)]), tmp_path / f"reports{suffix}")
    table = counted(capsys, tmp_path, path, *options("THE"))
    assert table["count"].tolist() == m.support_counts(reals).tolist()


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("name", CHOOSING)
def test_the_hash_family_of_other_packages(name, suffix, tmp_path, capsys):
    m, reports = collect(name, hash_family="xxh32")
    far = ldp.HashedReports(reports.seed + (np.arange(N) % 2**31 << 32), reports.value)
    path = write(frame_of(far), tmp_path / f"reports{suffix}")
    table = counted(capsys, tmp_path, path, *options(name), "--hash-family", "xxh32")
    assert table["count"].tolist() == m.support_counts(reports).tolist()


def test_pairs_under_other_names(tmp_path, capsys):
    m, reports = collect("OLH")
    path = write(frame_of(reports).rename(columns={"seed": "s", "value": "y"}), tmp_path / "reports.csv")
    table = counted(capsys, tmp_path, path, *options("OLH"), "--columns", "s, y")
    assert table["count"].tolist() == m.support_counts(reports).tolist()
    assert call(path, *options("OLH")) == 2
    assert "OLH needs the columns seed and value, or --columns SEED,VALUE" in capsys.readouterr().err


def test_files_without_a_header(tmp_path, capsys):
    m, reports = collect("GRR")
    path = write(frame_of(reports), tmp_path / "reports.csv", header=False)
    table = counted(capsys, tmp_path, path, *options("GRR"), "--no-header")
    assert table["count"].tolist() == m.support_counts(reports).tolist()


@pytest.mark.slow
def test_a_line_may_be_longer_than_a_block(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(_files, "BLOCK", 1)
    m, reports = collect("OUE", n=60, k=200)
    path = write(frame_of(reports), tmp_path / "reports.csv")
    table = counted(capsys, tmp_path, path, *options("OUE", k=200))
    assert table["count"].tolist() == m.support_counts(reports).tolist()


def test_longitudinal_options_and_parquet_results(tmp_path, capsys):
    m, reports = collect("L-GRR", eps_inf=3.0, calibration="tight")
    path, out = write(frame_of(reports), tmp_path / "reports.parquet"), tmp_path / "counts.parquet"
    more = ["--eps-inf", 3, "--calibration", "tight", "--out", out]
    assert call(path, *options("L-GRR"), *more) == 0
    expected = ldp.estimate(m.support_counts(reports), N, m).table()
    pd.testing.assert_frame_equal(pd.read_parquet(out), expected, check_exact=True)
    assert "ε = 1, ε∞ = 3" in capsys.readouterr().out


def test_the_table_is_printed_where_no_file_is_asked_for(tmp_path, capsys):
    m, reports = collect("OUE")
    assert call(write(frame_of(reports), tmp_path / "reports.parquet"), *options("OUE")) == 0
    lines = capsys.readouterr().out.splitlines()
    found = ldp.estimate(m.support_counts(reports), N, m)
    assert "noise only, 95 %  noise with sampling" in lines[3]
    assert len(lines) == 4 + K
    first = lines[4].split()
    assert first[0] == "0"
    assert first[1] == f"{found.counts[0]:,}"
    assert first[2] == f"{found.raw[0]:.5f}"
    assert f"{found.noise[0][0]:.5f} to {found.noise[1][0]:.5f}" in lines[4]
    assert f"{found.population[0][0]:.5f} to {found.population[1][0]:.5f}" in lines[4]
    assert first[-1] == f"{found.limit[0]:.5f}"


def test_results_have_one_writer_and_what_a_killed_one_has_left_goes(tmp_path, capsys):
    _, reports = collect("GRR")
    arguments = [write(frame_of(reports), tmp_path / "reports.csv"), *options("GRR"), "--workers", 1]
    (tmp_path / ".counts-0123abcd.csv").write_bytes(b"half")
    with Lock(tmp_path / "counts.csv", "count"):
        assert call(*arguments, "--out", tmp_path / "counts.csv") == 2
        assert "another count is writing to" in capsys.readouterr().err
    (tmp_path / ".counts-0123abcd.csv").write_bytes(b"half")
    counted(capsys, tmp_path, *arguments)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["counts.csv", "reports.csv"]


# ---- what is said of the file -----------------------------------------------------


def test_columns_that_nobody_chose_are_named(tmp_path, capsys):
    m, reports = collect("GRR")
    frame = frame_of(reports).assign(user=[f"u{i}" for i in range(N)], eps=1.0)
    table = counted(capsys, tmp_path, write(frame, tmp_path / "reports.csv"), *options("GRR"))
    assert table["count"].tolist() == m.support_counts(reports).tolist()
    told = capsys.readouterr().out
    assert "Not used, for it seems to number the rows or to name the users: user." in told
    assert "The column eps is not used: ε is said to be the same for all." in told


@pytest.mark.parametrize("name", ["GRR", "OUE", "SS", "OLH"])
def test_a_first_line_that_looks_like_a_report_is_named(name, tmp_path, capsys):
    """`np.savetxt` writes no names; without --no-header the first report was lost, and nobody was told."""
    m, reports = collect(name)
    rows = np.stack([reports.value, reports.seed], axis=1) if name == "OLH" else np.asarray(reports).astype(int)
    path = tmp_path / "reports.txt"
    np.savetxt(path, rows + 0.0)
    assert counted(capsys, tmp_path, path, *options(name), "--no-header")["count"].tolist() == (
        m.support_counts(reports).tolist()
    )
    said = f"The first line of {path} was read as the names of the columns, but looks like a report."
    assert said not in capsys.readouterr().out
    counted(capsys, tmp_path, path, *options(name))
    assert f"{said} If it is one, say --no-header." in capsys.readouterr().out


def test_columns_are_left_out(tmp_path, capsys):
    m, reports = collect("OUE")
    frame = frame_of(reports).assign(**{"a, b": 2, 'c "d"': 3})
    path = write(frame, tmp_path / "reports.csv")
    assert call(path, *options("OUE")) == 2
    assert "OUE needs k = 8 columns" in capsys.readouterr().err
    table = counted(capsys, tmp_path, path, *options("OUE"), "--leave-out", '"a, b","c ""d"""')
    assert table["count"].tolist() == m.support_counts(reports).tolist()


@pytest.mark.parametrize("names", ["column 2,column 1", "f1,f0"])
def test_columns_without_names_are_chosen(names, tmp_path, capsys):
    m, reports = collect("OLH")
    path = write(frame_of(reports), tmp_path / "reports.csv", header=False)
    table = counted(capsys, tmp_path, path, *options("OLH"), "--no-header", "--columns", names)
    assert table["count"].tolist() == m.support_counts(reports).tolist()


def test_decimal_commas_hang_on_no_batch(tmp_path, capsys, monkeypatch):
    """The last row alone may be thousands; the first rows say that it is not."""
    monkeypatch.setattr(_parts, "CELLS", 2)
    m = ldp.mechanism("THE", k=2, eps=EPS)
    cells = ["0,5;0,25"] * 50 + ["1,250;2,500"]
    path = tmp_path / "reports.csv"
    path.write_text("a;b\n" + "\n".join(cells))
    table = counted(capsys, tmp_path, path, *options("THE", k=2), "--workers", 1)
    assert 0.5 <= m.theta < 1.25
    assert table["count"].tolist() == [1, 1]


# ---- support counts ---------------------------------------------------------------


@pytest.mark.parametrize(("name", "more"), [("OUE", ["--n", 2 * N]), ("SS", []), ("GRR", ["--n", 2 * N])])
def test_support_counts_of_files_add_up(name, more, tmp_path, capsys):
    m, reports = collect(name)
    counts = m.support_counts(reports)
    one = write(pd.DataFrame({"value": range(K), "count": counts}).iloc[::-1], tmp_path / "a.CSV", sep=";")
    two = write(pd.DataFrame({"count": counts}), tmp_path / "b.parquet")
    table = counted(capsys, tmp_path, one, two, *options(name), "--counts", *more)
    pd.testing.assert_frame_equal(table, ldp.estimate(2 * counts, 2 * N, m).table(), rtol=1e-12)
    assert f"6,000 reports of {name} in 2 files" in capsys.readouterr().out


def test_wrong_support_counts(tmp_path, capsys):
    path = write(pd.DataFrame({"count": [1] * K}), tmp_path / "counts.csv")
    for arguments, says in [
        ([path, *options("OUE"), "--counts"], "so n must be given"),
        ([path, *options("GRR"), "--counts", "--n", 9], "the counts are those of n = 8 reports of GRR; got --n 9"),
        ([path, *options("GRR"), "--n", 9], "--n is for --counts only"),
        ([path, *options("GRR"), "--counts", "--full"], "--full is for reports, not for --counts"),
        ([path, *options("GRR"), "--counts", "--leave-out", "x"], "--leave-out is for reports, not for --counts"),
        ([tmp_path / "none.csv", *options("GRR"), "--counts"], "none.csv: there is no such file"),
        ([path, *options("GRR", k=9), "--counts"], "there must be a row for each of the k = 9 values; got 8"),
    ]:
        assert call(*arguments) == 2
        assert says in capsys.readouterr().err


# ---- full-report IBU --------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("name", ["OUE", "OLH", "GRR"])
def test_full_report_ibu(name, tmp_path, capsys):
    m, reports = collect(name)
    table = counted(capsys, tmp_path, write(frame_of(reports), tmp_path / "reports.csv"), *options(name), "--full")
    np.testing.assert_allclose(table["full"], ldp.ibu_full(reports, m, max_iter=10_000, tol=1e-9), atol=1e-4)
    if name == "GRR":
        np.testing.assert_allclose(table["full"], table["limit"], atol=1e-12)
    assert call(tmp_path / "reports.csv", *options(name), "--full") == 0
    assert "IBU limit  full-report IBU" in capsys.readouterr().out


# ---- many files, many processes ---------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["GRR", "OLH", "OUE"])
def test_files_and_row_groups_add_up_on_two_processes(name, tmp_path, capsys):
    m, reports = collect(name, n=24_000, k=100)
    frame = frame_of(reports)
    # The first row group has more bits than are read at a time.
    assert name != "OUE" or _parts.CELLS < 21_500 * 100
    parts = [
        write(frame[:2_000], tmp_path / "a.csv"),
        write(frame[2_000:2_001], tmp_path / "b.parquet"),
        write(frame[2_001:], tmp_path / "c.parquet", row_group_size=21_500),
    ]
    table = counted(capsys, tmp_path, *parts, *options(name, k=100), "--workers", 2)
    assert table["count"].tolist() == m.support_counts(reports).tolist()
    assert "24,000 reports" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_hashed_pairs_of_one_file_are_shared_out(suffix, tmp_path):
    m, reports = collect("OLH")
    path = write(frame_of(reports), tmp_path / f"reports{suffix}")
    todo = _reports.pieces(path, m, None, workers=3)
    assert [(piece.part, piece.of) for piece in todo] == [(0, 3), (1, 3), (2, 3)]
    shares = [_reports.count_piece(piece, m) for piece in todo]
    assert min(share.n for share in shares) > 0
    assert sum(share.n for share in shares) == N
    np.testing.assert_array_equal(sum(share.groups()[0].counts for share in shares), m.support_counts(reports))
    whole = _count.count_pieces(todo, m, None, workers=2)
    np.testing.assert_array_equal(whole.groups()[0].counts, m.support_counts(reports))
    assert whole.n == N


def test_on_a_cluster(tmp_path, capsys):
    distributed = pytest.importorskip("distributed", reason='needs Dask: pip install -e ".[distributed]"')
    m, reports = collect("GRR")
    paths = [write(frame_of(reports), tmp_path / name) for name in ("a.csv", "b.parquet")]
    quiet = {"silence_logs": 50, "dashboard_address": ":0", "threads_per_worker": 1, "processes": False}
    with distributed.LocalCluster(n_workers=1, **quiet) as cluster:
        address = ["--scheduler", cluster.scheduler_address]
        table = counted(capsys, tmp_path, *paths, *options("GRR"), *address)
    assert table["count"].tolist() == (2 * m.support_counts(reports)).tolist()


def test_no_scheduler_is_a_failure(tmp_path, capsys, monkeypatch):
    path = write(pd.DataFrame({"v": [1]}), tmp_path / "reports.csv")
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert call(path, *options("GRR"), "--scheduler", "tcp://localhost:1") == 2
    assert "--scheduler needs Dask" in capsys.readouterr().err


# ---- auto -------------------------------------------------------------------------


def test_auto_is_counted_too(capsys, tmp_path):
    m, reports = collect("OUE")
    path = write(frame_of(reports), tmp_path / "reports.parquet")
    counts = m.support_counts(reports)
    for order in ([], ["--ordered"]):
        frame = counted(capsys, tmp_path, path, *options("OUE"), "--estimator", "auto", *order)
        choice = ldp.choose(counts, N, m, ordered=bool(order))
        np.testing.assert_allclose(frame["auto"], choice.estimate, atol=1e-9)
        assert f"auto: {choice.sentence}" in capsys.readouterr().out
    assert call(path, *options("OUE"), "--estimator", "auto") == 0
    assert re.search(r"IBU limit +auto\n", capsys.readouterr().out)
    assert call(path, *options("OUE"), "--ordered") != 0
    assert "--ordered is for --estimator auto" in capsys.readouterr().err


def test_auto_of_several_epsilon(capsys, tmp_path):
    m, reports = collect("GRR")
    frame = frame_of(reports).assign(eps=np.where(np.arange(N) % 3, 1.0, 2.0))
    path = write(frame, tmp_path / "reports.csv")
    table = counted(
        capsys, tmp_path, path, "--mechanism", "GRR", "--k", K, "--eps-column", "eps", "--estimator", "auto"
    )
    assert table["auto"].sum() == pytest.approx(1, abs=0.2)
    expected = ldp.estimate_reports(np.asarray(reports), m, eps=frame["eps"].to_numpy()).chosen()
    np.testing.assert_allclose(table["auto"], expected.auto, atol=1e-9)


def test_raw_mi_stands_in_its_column_wherever_it_is_in_the_list(tmp_path, capsys, monkeypatch):
    path = tmp_path / "counts.csv"
    path.write_text("count\n60\n20\n20\n")
    flat = ldp.Estimator("flat", "Flat", "All alike.", lambda c, n, m, o: np.full(np.shape(c), 0.125), tabled=True)
    for module in (_count, _estimates):
        monkeypatch.setattr(module, "ESTIMATORS", {"flat": flat} | ldp.ESTIMATORS)
    assert call(path, "--counts", "--mechanism", "GRR", "--k", "3", "--eps", "2") == 0
    head, first = capsys.readouterr().out.splitlines()[3:5]
    assert head.split()[:4] == ["value", "count", "raw", "MI"]
    assert "Flat" in head.split()[4:]
    assert first.split()[2] == "0.72521"
    assert first.split().count("0.12500") == 1


def test_the_help_says_of_every_mechanism_how_its_reports_are_written(capsys, monkeypatch):
    class Own(ReportKind):
        """A kind that no format is for."""

    class Added(ldp.mechanism_class("OUE")):
        report_kind = Own("own", "a report of its own")

    monkeypatch.setitem(mechanisms._CLASSES, "SUE", Added)
    with pytest.raises(SystemExit):
        main(["count", "--help"])
    said = capsys.readouterr().out
    for kind in {ldp.mechanism_class(name).report_kind for name in ldp.ONE_TIME + ldp.LONGITUDINAL}:
        names = [name for name in ldp.ONE_TIME + ldp.LONGITUDINAL if ldp.mechanism_class(name).report_kind is kind]
        assert f"\n    {', '.join(names)}\n" in said
    assert "\n    SUE\n        no file can hold these yet\n" in said
    assert "(THE also of reals)" in said
    assert "%" not in said
