"""`count` on files that are wrong: a sentence, and nothing is written."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from collected_reports import frame_of
from count_command import K, call, collect, options, write

from ldpcore.cli import count
from ldpcore.cli.main import main

BITS = ",".join(f"c{i}" for i in range(K))
WRONG = [
    (
        "GRR",
        "v\n1\n8\n",
        r"row 2, column 'v': must be a whole number from 0 to 7, .*; got '8'",
    ),
    (
        "GRR",
        "v\n1\n2\n-1\n",
        r"row 3, column 'v': must be a whole number from 0 to 7, .*; got '-1'",
    ),
    ("GRR", "v\n1\n0.5\n", r"row 2, column 'v': .* got '0.5'"),
    ("GRR", "v\n1\nx\n", r"row 2, column 'v': .* got 'x'"),
    ("GRR", "v\n1\n=1+1\n", r"row 2, column 'v': .* got '=1\+1'"),
    ("GRR", "v\n99999999999999999999\n", r"row 1, column 'v': .* got '99999999999999999999'"),
    ("GRR", 'v\n1\n""\n', r"row 2, column 'v': .* got ''"),
    ("GRR", "v,w\n1,2\n", r"GRR needs one column of values; got 2 columns \(see --columns\)"),
    ("GRR", "v\n", r"there are no reports in .*reports.csv"),
    ("GRR", "", r"reports.csv: there is nothing in it"),
    ("GRR", "v\n1\n2,3\n", r"reports.csv, row 2: a row must have 1 cell, as the first line has; got 2 cells"),
    ("OUE", f"{BITS}\n0,1,0,1,0,1,0,1\n0,1,0,1,0,2,0,1\n", r"row 2, column 'c5': .* from 0 to 1; got '2'"),
    ("OUE", "a,b\n0,1\n", r"OUE needs k = 8 columns, or one of strings or lists of 8 times 0 or 1; got 2 columns"),
    ("OUE", "bits\n01010101\n0101010\n", r"row 2, column 'bits': must be a string of 8 times 0 or 1; got '0101010'"),
    ("OUE", "bits\n01010102\n", r"row 1, column 'bits': .* got '01010102'"),
    ("OUE", f"{BITS[:-2]}c0\n0,1,0,1,0,1,0,1\n", r"every column must have a name of its own; 2 are called 'c0'"),
    ("THE", f"{BITS}\n0,1,0,1,0,nan,0,1\n", r"row 1, column 'c5': must be a finite number; got 'nan'"),
    ("THE", f"{BITS}\n0,1,0,1,0,one,0,1\n", r"row 1, column 'c5': must be a finite number; got 'one'"),
    ("SS", "set\n1 2\n3 3\n", r"row 2, column 'set': a set must not hold a value twice; got \[3, 3\]"),
    ("SS", "set\n1 2\n3 8\n", r"row 2, column 'set': must be 2 different values from 0 to 7; got '3 8'"),
    ("SS", "set\n1 2\n3\n", r"row 2, column 'set': .* got '3'"),
    ("SS", "set\n1 2\n3 x\n", r"row 2, column 'set': .* got '3 x'"),
    (
        "SS",
        "a,b\n1,2\n5,9\n",
        r"row 2, column 'b': must be a whole number from 0 to 7; got '9'",
    ),
    ("SS", "a,b,c\n1,2,3\n", r"SS needs ω = 2 columns, or one of 2 separated values; got 3 columns"),
    (
        "OLH",
        "seed,value\n1,2\n2,4\n",
        r"row 2, column 'value': must be .* from 0 to 3 \(OLH at ε = 1 has 4 cells\); got '4'",
    ),
    (
        "OLH",
        "seed,value\n4294967296,2\n",
        r"row 1, column 'seed': .* from 0 to 4,294,967,295 .*; got '4294967296'",
    ),
    ("OLH", "seed,cell\n1,2\n", "OLH needs the columns seed and value"),
]


@pytest.mark.parametrize(("name", "text", "says"), WRONG)
def test_wrong_cells_are_named(name, text, says, tmp_path, capsys):
    path = tmp_path / "reports.csv"
    path.write_text(text)
    assert call(path, *options(name)) == 2
    told = capsys.readouterr().err
    assert re.search(says, told), told
    assert str(path) in told


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("workers", [1, 2])
def test_the_row_is_right_behind_the_first_batch(suffix, workers, tmp_path, capsys):
    _, reports = collect("OLH")
    frame = frame_of(reports)
    frame.loc[2_345, "value"] = 7
    more = {"row_group_size": 700} if suffix == ".parquet" else {}
    path = write(frame, tmp_path / f"reports{suffix}", **more)
    assert call(path, *options("OLH"), "--workers", workers) == 2
    assert re.search(r"row 2,346, column 'value': .* got '?7'?\n", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ([1.0, 2.5], r"row 2, column 'v': .* got 2.5"),
        ([1.0, None], r"row 2, column 'v': no cell may be empty; got None"),
        (
            [[1], [2]],
            r"row 1, column 'v': must be a whole number from 0 to 7, .*; got \[1\]",
        ),
        (
            pd.to_datetime(["2020-01-01"]),
            r"column 'v': must be a whole number from 0 to 7, .*; got",
        ),
    ],
)
def test_wrong_columns_of_parquet_are_named(cells, says, tmp_path, capsys):
    path = write(pd.DataFrame({"v": cells}), tmp_path / "reports.parquet")
    assert call(path, *options("GRR")) == 2
    assert re.search(says, capsys.readouterr().err)


@pytest.mark.parametrize(("name", "cell"), [("OUE", 5), ("SS", 5), ("SS", [1, 2, 3])])
def test_wrong_kinds_of_parquet_columns_are_named(name, cell, tmp_path, capsys):
    path = write(pd.DataFrame({"v": [cell]}), tmp_path / "reports.parquet")
    assert call(path, *options(name)) == 2
    assert "row 1, column 'v': must be " in capsys.readouterr().err


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_file_that_is_not_what_its_name_says(suffix, tmp_path, capsys):
    path = tmp_path / f"reports{suffix}"
    path.write_bytes(b"\x00\xff\xfe\x80" * 100)
    assert call(path, *options("GRR")) == 2
    assert str(path) in capsys.readouterr().err


def test_wrong_arguments(tmp_path, capsys):
    path = write(pd.DataFrame({"v": [1, 2]}), tmp_path / "reports.csv")
    odd = tmp_path / "reports.xls"
    odd.write_text("v\n1\n")
    for arguments, says in [
        ([tmp_path / "none.csv", *options("GRR")], "none.csv: there is no such file"),
        ([odd, *options("GRR")], "must end in .csv, .tsv, .txt, .parquet, .pq; this seems to be text"),
        ([path, *options("RR")], "mechanism must be one of"),
        ([path, *options("GRR", eps=0)], "eps must be a number from"),
        ([path, *options("GRR"), "--hash-family", "xxh32"], "GRR has no parameter 'hash_family'"),
        ([path, *options("GRR"), "--eps-inf", 2], "eps_inf is for longitudinal mechanisms only"),
        ([path, *options("GRR"), "--columns", "w"], "there is no column 'w'; there are v"),
        ([path, *options("GRR"), "--workers", 0], "--workers must be a whole number from 1"),
        ([path, *options("GRR"), "--out", tmp_path / "x.txt"], "must end in .parquet or .csv"),
        ([path, *options("GRR"), "--out", tmp_path / "no" / "x.csv"], "there is no directory"),
    ]:
        assert call(*arguments) == 2
        assert says in capsys.readouterr().err
    with pytest.raises(SystemExit) as end:
        call(path, "--mechanism", "GRR")
    assert end.value.code == 2


def test_reports_of_another_eps_are_noticed(tmp_path, capsys):
    _, reports = collect("OUE", eps=2.0)
    path = write(frame_of(reports), tmp_path / "reports.parquet")
    assert call(path, *options("OUE")) == 0
    found = re.search(r"These reports look like ε ≈ (\S+), not 1: the total support is", capsys.readouterr().out)
    assert abs(float(found[1]) - 2) < 0.25


@pytest.mark.parametrize("more", [[], ["--counts"]])
def test_a_folder_is_said_to_be_one(tmp_path, capsys, more):
    assert main(["count", str(tmp_path), "--mechanism", "GRR", "--k", "4", "--eps", "1", *more]) == 2
    assert f"{tmp_path}: this is a folder, not a file" in capsys.readouterr().err


def test_names_are_checked_before_anything_is_counted(tmp_path, capsys, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("v\n1\n")
    monkeypatch.setattr(count, "_from_reports", lambda *arguments: pytest.fail("it was counted"))
    command = ["count", str(path), "--mechanism", "GRR", "--k", "4", "--eps", "1", "--names", "a,b,c"]
    assert main(command) == 2
    assert "there must be a name for each of the k = 4 values; got 3" in capsys.readouterr().err


def test_what_a_spreadsheet_writes_is_counted(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_bytes(b"sep=;\r\nv;\r\n1;\r\n\r\n0;\r\n1;\r\n")
    assert main(["count", str(path), "--mechanism", "GRR", "--k", "2", "--eps", "1", "--workers", "1"]) == 0
    assert "3 reports of GRR in 1 file" in capsys.readouterr().out


def test_a_first_line_that_is_a_name_of_a_value_is_named(tmp_path, capsys):
    """Of words without a header above them the first report was lost, and nobody was told."""
    path, words = tmp_path / "words.csv", ["--names", ",".join("abcdefgh"), "--words"]
    path.write_text("".join(f"{'abcdefgh'[i * i % 8]}\n" for i in range(300)))
    said = f"The first line of {path} was read as the names of the columns, but looks like a report."
    assert call(path, *options("GRR"), *words) == 0
    out = capsys.readouterr().out
    assert "299 reports" in out
    assert f"{said} If it is one, say --no-header." in out
    assert call(path, *options("GRR"), *words, "--no-header") == 0
    out = capsys.readouterr().out
    assert "300 reports" in out
    assert said not in out
