"""What pages have computed in workers is not computed in the server, is in parts, and has a cap."""

from dataclasses import replace

import pytest
from app_steps import ADVISOR, CLASS, PAPER, QUICK, assert_calm, open_page

import ldpcore as ldp
from ldpcore.cli.main import main
from ldpcore.experiment.run import collect
from ldpcore.paper.reproduction import settings_of_part
from ldpcore.sweep import pieces
from ldpui.computing import work
from pages.practice.advisor import errors, needs
from pages.study.ibu_lab import paths
from pages.study.paper import tables

SMALL = ldp.Setting(data="poisson", mechanism="OUE", n=2_000, k=6, runs=4, max_iter=40)


def refuse(*_, **__):
    raise AssertionError("computed in the server")


@pytest.mark.usefixtures("one_worker")
def test_the_lab_collects_in_a_worker(monkeypatch):
    monkeypatch.setattr(work, "collect", refuse)
    path = paths.path(SMALL, None, 3)
    assert (path.counts == collect(SMALL).counts[2]).all()
    assert (path.mi == collect(SMALL).mi[2]).all()


@pytest.mark.usefixtures("one_worker")
def test_a_part_of_the_paper_is_run_in_workers(monkeypatch):
    """The server itself ran it, twenty runs of up to a thousand settings, and nothing could be left."""
    few = [replace(SMALL, data=data, mechanism=m) for data in ("poisson", "uniform") for m in ("GRR", "OUE")]
    monkeypatch.setattr("ldpcore.paper.reproduction.settings", lambda table, runs, seed: few)
    local = tables.ldp.paper.reproduce_part(1, ["poisson"], ["GRR", "OUE"])
    monkeypatch.setattr(pieces, "experiment", None)  # in the server nothing can be run
    with pytest.raises(AttributeError):
        tables.ldp.paper.reproduce_part(1, ["poisson"], ["GRR", "OUE"])
    frame = tables.rerun(1, ["poisson"], ["GRR", "OUE"], 0, lambda done, total: None)
    expected = ldp.paper.cells(local)
    for mechanism in ("GRR", "OUE"):
        here = expected[(expected["mechanism"] == mechanism) & (expected["metric"] == "mse")]
        gain = here[here["variant"] == "as published"]["gain"].iloc[0]
        row = frame[(frame["Mechanism"] == mechanism) & (frame["Γ of"] == "mse")].iloc[0]
        assert row["reproduced"] == pytest.approx(gain)


@pytest.mark.slow
def test_a_whole_table_is_refused_where_it_would_take_minutes(capsys):
    data, about = list(ldp.paper.DATA), ldp.paper.TABLES[2]
    with pytest.raises(ldp.Refused) as refused:
        tables.rerun(2, data, list(about.mechanisms), 3, refuse)
    command = str(refused.value).split("`")[1]
    assert command == "python -m ldpcore reproduce --table 2 --out results --seed 3"
    with pytest.raises(SystemExit) as ended:
        main([*command.split()[3:], "--help"])
    assert ended.value.code == 0
    tables.check(2, data[:3], 0, settings_of_part(2, data[:3], about.mechanisms))


def test_the_page_says_what_of_the_paper_it_does_not_run(monkeypatch):
    monkeypatch.setattr(tables, "WORK_MAX", 10)
    at = open_page(PAPER, QUICK)
    next(button for button in at.main.button if "Run this part" in button.label).click().run()
    assert_calm(at)
    assert at.main.warning[0].value.startswith("Not run: runs × bins × iterations of this part come to")


def test_the_advisor_cuts_long_runs_into_slices_with_the_same_numbers(monkeypatch):
    settings = [replace(SMALL, mechanism=name, seed=5) for name in ("GRR", "OUE")]
    whole = [errors.errors(replace(s, runs=400), None, errors.ITERATED) for s in settings]
    monkeypatch.setattr(work, "PART_WORK", 6 * 40 * 90)
    monkeypatch.setattr(errors.runs, "iterated", lambda settings: 400)
    kept = []
    monkeypatch.setattr(errors.errors, "known", lambda *_: None)
    monkeypatch.setattr(errors.errors, "keep", lambda answer, *_: kept.append(answer))
    monkeypatch.setattr(errors.work, "achieved", refuse)
    errors._run_the_long_ones([replace(s, runs=400) for s in settings])
    for here, there in zip(kept, whole, strict=True):
        for key, measured in there.items():
            assert (here[key].value, here[key].se) == pytest.approx((measured.value, measured.se))


def test_a_search_of_the_advisor_has_a_cap():
    large = replace(SMALL, k=1000, runs=100, max_iter=1_000_000)
    with pytest.raises(ldp.Refused, match="at 6 places come to"):
        needs.check([large])
    needs.check([SMALL] * 7)


def test_lines_of_equal_error_are_left_out_where_they_would_take_minutes(monkeypatch):
    monkeypatch.setattr(
        errors, "error_grid", lambda *_: work.check([replace(SMALL, k=1000, runs=1_000, max_iter=1_000)], places=80)
    )
    at = open_page(ADVISOR, QUICK)
    assert_calm(at)
    (warning,) = at.main.warning
    assert warning.value.startswith("Not drawn: runs × bins × iterations at 80 places come to")
    assert not at.main.dataframe[0].value.empty


def test_a_process_without_rooms_says_where_they_are(monkeypatch):
    monkeypatch.setenv("LDP_EXPLORER_ROOMS", "elsewhere")
    at = open_page(CLASS, {"room": "ABCDEFGH"})
    assert_calm(at)
    assert "the rooms of live classes are in one of them" in at.main.info[0].value
    assert not at.main.text_input
