"""Sweeps into a file: they go on where they stopped, and give the frame of a sweep without one."""

import dataclasses
from pathlib import Path

import pandas as pd
import pytest

import ldpcore as ldp
from ldpcore.sweep import COLUMNS, Row, pieces, store
from ldpcore.sweep import run as sweep_run
from ldpcore.sweep.rows import Measures
from ldpcore.sweep.store import read_frame

SETTINGS = [
    ldp.Setting(data=data, mechanism=name, n=1_000, k=k, runs=3, max_iter=50)
    for data in ("poisson", "uniform")
    for k in (2, 9)
    for name in ("GRR", "L-OSUE")
]
NARROW = ldp.Setting(n=1_000, k=1_000, runs=2, params={"mean": 1e9, "sd": 1e-5})  # can't be binned


@pytest.fixture(autouse=True)
def ran(monkeypatch):
    """The settings that were run, in pieces of a few each, and every piece saved."""
    monkeypatch.setattr(pieces, "PIECE", 20)
    monkeypatch.setattr(store, "SAVE_EVERY", -1.0)
    settings, once = [], sweep_run.work

    def watched(piece, measures):
        settings.extend(piece.settings)
        return once(piece, measures)

    monkeypatch.setattr(sweep_run, "work", watched)
    return settings


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_a_file_changes_no_number_and_no_setting_is_run_twice(tmp_path, suffix, ran):
    out, settings = tmp_path / f"results{suffix}", [*SETTINGS, NARROW, SETTINGS[0]]
    expected = ldp.sweep(settings)
    ran.clear()
    pd.testing.assert_frame_equal(ldp.sweep(settings, out=out), expected, check_exact=True)
    assert len(ran) == len(settings)
    ran.clear()
    pd.testing.assert_frame_equal(ldp.sweep(settings, out=str(out)), expected, check_exact=True)
    assert ran == []
    # In the file a setting is there once, whoever asks for it twice.
    rows = read_frame(out)
    pd.testing.assert_frame_equal(rows, expected[:-6].reset_index(drop=True), check_exact=True, check_dtype=False)


def test_it_goes_on_where_it_was_interrupted(tmp_path, ran):
    out, seen = tmp_path / "results.parquet", []

    def interrupted(done, total):
        seen.append((done, total))
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ldp.sweep(SETTINGS, on_progress=interrupted, out=out)
    assert seen[0] == (0, 8)
    assert 0 < seen[-1][0] < 8
    assert len(read_frame(out)) == 6 * seen[-1][0]
    first, seen = list(ran), []
    ran.clear()
    frame = ldp.sweep(SETTINGS, on_progress=lambda *at: seen.append(at), out=out)
    assert seen[0] == (len(first), 8)
    assert seen[-1] == (8, 8)
    assert set(first) | set(ran) == set(SETTINGS)
    assert not set(first) & set(ran)
    pd.testing.assert_frame_equal(frame, ldp.sweep(SETTINGS), check_exact=True)


def test_it_can_be_told_to_stop(tmp_path, ran):
    out = tmp_path / "results.csv"
    assert ldp.sweep(SETTINGS, on_progress=lambda done, total: False, out=out).empty
    assert ran == []
    frame = ldp.sweep(SETTINGS, on_progress=lambda done, total: done == 0, out=out)
    assert len(frame) == 6 * len(ran) < 6 * 8
    again = ldp.sweep(SETTINGS, on_progress=lambda done, total: False, out=out)
    pd.testing.assert_frame_equal(again, frame, check_exact=True)


def test_a_fault_in_the_work_loses_nothing_that_is_done(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "SAVE_EVERY", 1e9)  # only what comes first, and what is there at the end
    out, once = tmp_path / "results.parquet", sweep_run.work

    def faulty(piece, measures):
        if piece.settings[0].data == "uniform":
            raise ZeroDivisionError
        return once(piece, measures)

    monkeypatch.setattr(sweep_run, "work", faulty)
    with pytest.raises(ZeroDivisionError):
        ldp.sweep(SETTINGS, out=out)
    assert set(read_frame(out)["data"]) == {"poisson"}
    assert len(read_frame(out)) == 6 * 4


def test_part_of_what_a_file_holds(tmp_path, ran):
    out = tmp_path / "results.parquet"
    ldp.sweep(SETTINGS, metrics=["mse", "tv", "gain_tv"], out=out)
    ran.clear()
    some = SETTINGS[5:2:-1]
    frame = ldp.sweep(some, estimators=["ibu", "norm-mul"], metrics=["tv"], out=out)
    assert ran == []
    pd.testing.assert_frame_equal(frame, ldp.sweep(some, estimators=["ibu", "mi"], metrics=["tv"]), rtol=1e-12)
    assert len(read_frame(out)) == 5 * 8


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_what_another_sweep_measured_of_a_setting_stays(tmp_path, suffix):
    out = tmp_path / f"results{suffix}"
    first = ldp.sweep(SETTINGS, metrics=["mse"], out=out)
    second = ldp.sweep(SETTINGS, estimators=["limit", "ibu"], metrics=["mse", "tv"], out=out)
    pairs = [("mi", "mse"), ("ibu", "mse"), ("limit", "mse"), ("limit", "tv"), ("ibu", "tv")]
    rows = read_frame(out)
    assert list(zip(rows["estimator"], rows["metric"], strict=True)) == pairs * len(SETTINGS)
    before, after = ([Row.of(row) for row in frame.to_dict("records")] for frame in (first, second))
    assert set(map(str, [*before, *after])) == {str(Row.of(row)) for row in rows.to_dict("records")}


def test_files_from_before_eps_inf_was_filled_in_go_on(tmp_path, ran):
    out = tmp_path / "results.csv"
    frame = ldp.sweep(SETTINGS, out=out)
    frame["eps_inf"] = float("nan")
    store.write_frame(frame, out)
    ran.clear()
    again = ldp.sweep(SETTINGS, out=out)
    assert ran == []
    assert set(again.loc[again["mechanism"] == "L-OSUE", "eps_inf"]) == {2.0}


@pytest.mark.parametrize(("name", "says"), [("r.txt", "must end in"), ("nowhere/r.csv", "no directory")])
def test_bad_names_are_refused(tmp_path, name, says):
    with pytest.raises(ldp.Refused, match=says):
        ldp.sweep(SETTINGS, out=tmp_path / name)


# ---- rows --------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="asks Linux for a folder that nobody writes to")
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_folder_that_nobody_writes_to_is_told_with_the_name_that_was_asked_for(suffix):
    """The system had refused a hidden file beside it, of which nobody knows."""
    path = Path(f"/proc/results{suffix}")
    with pytest.raises(OSError, match=rf"No such file or directory: '/proc/results\{suffix}'"):
        store.Store(path)
    with pytest.raises(OSError, match=rf"No such file or directory: '/proc/results\{suffix}'"):
        store.write_whole(path, Path.touch)


def test_a_row_is_a_record_that_reads_like_a_dict():
    chunk = next(ldp.sweep_iter(SETTINGS[:1]))
    row = chunk.rows[0]
    assert isinstance(row, Row)
    assert row.setting == SETTINGS[0]
    assert tuple(dict(row)) == tuple(row.asdict()) == COLUMNS
    assert (row["mean"], row["estimator"], row["k"], row["params"]) == (row.mean, "mi", 2, "{}")
    assert Row.of(row.asdict()) == row
    with pytest.raises(dataclasses.FrozenInstanceError):
        row.mean = 0.0
    pd.testing.assert_frame_equal(ldp.sweep_frame(chunk.rows), ldp.sweep_frame(map(dict, chunk.rows)))


def test_measuring_nothing_gives_no_rows():
    assert ldp.sweep(SETTINGS, estimators=["mi"], metrics=["gain_mse"]).empty


def test_two_settings_of_old_that_are_one_today_have_one_row_each(tmp_path):
    """L-BLH had two calibrations, and a file with both, or one that was put together of two, said all twice."""
    measures = Measures(("ibu",), ("mse",))
    setting = ldp.Setting(mechanism="L-BLH", eps_inf=2.0, eps=1.0, k=4)
    path = tmp_path / "results.csv"
    results = store.Store(path)
    results.add([measures.no_rows(setting, "not run")], first=[])
    results.close()
    header, row = path.read_text().splitlines()
    assert "published" in row
    path.write_text("\n".join([header, row, row.replace("published", "tight")]) + "\n")
    results = store.Store(path)
    assert [len(rows) for rows in results.rows.values()] == [1]
    results.close()
