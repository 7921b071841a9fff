"""`reproduce`: saved draw by draw, and going on where it stopped."""

import json
import re

import pandas as pd
import pytest
from commands import call

from ldpcore import Setting, paper
from ldpcore.sweep import pieces
from ldpcore.sweep import run as sweep_run


@pytest.fixture
def tiny_tables(monkeypatch):
    # A few steps of IBU do, too.
    monkeypatch.setattr(paper.experiment, "Setting", lambda **fields: Setting(**fields | {"max_iter": 300}))
    small = {"k": (2, 5), "n": (500,), "eps": (2.0,), "data": ("poisson", "uniform")}
    tables = {n: paper.Table(n, t.title, t.mechanisms, **small) for n, t in paper.TABLES.items()}
    for module in (paper, paper.experiment, paper.figures):
        monkeypatch.setattr(module, "TABLES", tables)


@pytest.mark.slow
@pytest.mark.usefixtures("tiny_tables")
def test_reproduce_goes_on_in_the_middle_of_a_draw(tmp_path, monkeypatch, capsys):
    options = ["--table", 2, "--draws", 2, "--runs", 2, "--workers", 1]
    assert call("reproduce", *options, "--out", tmp_path / "whole") == 0
    monkeypatch.setattr(pieces, "PIECE", 1)  # so that a draw has a middle
    once = sweep_run.sweep_iter

    def interrupted(*a, **o):
        for number, chunk in enumerate(once(*a, **o)):
            if number == 3:
                raise KeyboardInterrupt
            yield chunk

    monkeypatch.setattr(sweep_run, "sweep_iter", interrupted)
    assert call("reproduce", *options, "--out", tmp_path / "new") == 130
    (left,) = (tmp_path / "new").glob("unfinished_*.parquet")
    done = len(pd.read_parquet(left).drop_duplicates(["data", "mechanism", "k", "channel"]))
    assert done >= 3
    skipped = []
    monkeypatch.setattr(sweep_run, "sweep_iter", lambda *a, **o: skipped.append(len(o["skip"])) or once(*a, **o))
    assert call("reproduce", *options, "--out", tmp_path / "new") == 0
    assert skipped == [done, 0]
    assert not list((tmp_path / "new").glob("unfinished_*"))
    name = "reproduced_table2.parquet"
    pd.testing.assert_frame_equal(
        pd.read_parquet(tmp_path / "new" / name), pd.read_parquet(tmp_path / "whole" / name), rtol=1e-6
    )


@pytest.mark.slow
@pytest.mark.usefixtures("tiny_tables")
def test_reproduce_saves_draw_by_draw_and_goes_on(tmp_path, monkeypatch, capsys):
    options = ["--runs", 2, "--seed", 3]
    assert call("reproduce", "--table", 2, "--draws", 1, *options, "--out", tmp_path / "new") == 0
    told = capsys.readouterr().out
    assert "Table 2" in told
    assert re.search(r"^poisson +\d+ \( 5\)", told, re.MULTILINE)  # the paper's L-GRR on Poisson
    file = tmp_path / "new" / "reproduced_table2.parquet"
    assert json.loads(file.with_suffix(".json").read_text())["draws"] == 1
    called = []
    once = sweep_run.sweep_iter
    monkeypatch.setattr(sweep_run, "sweep_iter", lambda *a, **o: called.append(a[0][0].seed) or once(*a, **o))
    assert call("reproduce", "--table", 2, "--draws", 3, *options, "--out", tmp_path / "new") == 0
    assert called == [4, 5]  # the seeds of the two draws that were missing
    assert call("reproduce", "--draws", 3, *options, "--out", tmp_path / "whole") == 0
    pd.testing.assert_frame_equal(pd.read_parquet(file), pd.read_parquet(tmp_path / "whole" / file.name))
    notes = json.loads(file.with_suffix(".json").read_text())
    assert notes == json.loads((tmp_path / "whole" / file.name).with_suffix(".json").read_text())
    assert notes["draws"] == 3
    assert notes["acs_income"] == "ACS PUMS 2024 1-Year brackets"
    assert notes["command"] == "python -m ldpcore reproduce --table 2 --draws 3 --runs 2 --seed 3 --out DIR"


def test_reproduce_without_the_records_says_so(tmp_path, capsys):
    assert call("reproduce", "--out", tmp_path / "out", "--acs-root", tmp_path) == 1
    assert "there is no file" in capsys.readouterr().err
