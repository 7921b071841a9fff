"""Parts of the paper's tables: by the names that are in them, however these are given; and folders for them."""

from dataclasses import replace

import pytest
from small_tables import small

import ldpcore as ldp
from ldpcore import paper
from ldpcore.paper import reproduction
from ldpcore.paper.reproduction import settings_of_part

EVERY = paper.settings(1)


def test_names_may_come_one_by_one(monkeypatch):
    def few(table, *, runs, seed):
        return [replace(s, seed=seed, runs=runs, max_iter=2) for s in EVERY if (s.n, s.k, s.eps) == (20_000, 2, 1.0)]

    monkeypatch.setattr(reproduction, "settings", few)
    once, again = (
        paper.reproduce(1, draws=2, runs=1, workers=1, data=names) for names in (iter(["uniform"]), ["uniform"])
    )
    assert once["data"].unique().tolist() == ["uniform"]
    assert once.equals(again)


def test_names_of_a_part_may_come_one_by_one():
    assert len(settings_of_part(1, iter(["poisson"]), iter(["GRR"]))) == 24


@pytest.mark.parametrize(
    ("data", "mechanisms", "says"),
    [
        (["poisson", "uniforn"], ["GRR"], "data must be one of gaussian, .*; got 'uniforn'"),
        (["poisson"], ["GRR", "OEU"], "mechanisms must be one of GRR, .*; got 'OEU'"),
        (["poisson"], ["L-GRR"], "mechanisms must be one of GRR, .*; got 'L-GRR'"),
        ([], ["GRR"], "data and mechanisms must name a part of Table 1"),
    ],
)
def test_a_name_that_is_not_in_the_table_is_said(data, mechanisms, says):
    with pytest.raises(ldp.Refused, match=says):
        paper.reproduce_part(1, data, mechanisms, runs=1, on_progress=lambda done, total: False)


def test_a_folder_is_written_by_one_reproduction_and_cleaned_of_killed_ones(monkeypatch, tmp_path):
    small(monkeypatch, data=("uniform",), k=(2,), n=(500,), eps=(2.0,))
    left = [tmp_path / f".reproduced_table1-0123abcd.{kind}" for kind in ("json", "parquet")]
    for path in left:
        path.write_bytes(b"half")

    def meanwhile(done, total):
        with pytest.raises(ldp.Refused, match="another reproduction is writing to"):
            paper.reproduce(1, runs=2, out=tmp_path)
        return False

    paper.reproduce(1, runs=2, out=tmp_path, on_progress=meanwhile)
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
