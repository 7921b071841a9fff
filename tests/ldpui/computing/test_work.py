"""What workers do for the pages: cut into parts that are the whole again, and capped."""

import shlex
from dataclasses import replace

import numpy as np
import pytest
from app_steps import ADVISOR, COMPARE, ESTIMATE, QUICK, TRADEOFF, assert_calm, open_page

import ldpcore as ldp
from ldpcore.cli.command import run_words
from ldpcore.cli.main import main
from ldpui import grids
from ldpui.computing import work


def test_parts_hold_every_run_of_every_setting_once():
    settings = [
        ldp.Setting(mechanism=name, k=k, runs=30, max_iter=50_000, eps=eps)
        for k in (10, 900)
        for eps in (1.0, 2.0)
        for name in ("GRR", "OUE")
    ]
    parts = list(work.parts(settings))
    runs = [(s, run) for part in parts for s in part.settings for run in range(part.first, part.first + part.number)]
    assert sorted(map(repr, runs)) == sorted(repr((s, run)) for s in settings for run in range(30))
    assert all(len({(s.k, s.n) for s in part.settings}) == 1 for part in parts)
    assert all(part.number * sum(s.k * s.max_iter for s in part.settings) <= work.PART_WORK for part in parts)


@pytest.mark.parametrize(("number", "sizes"), [(14, [3, 4, 3, 4]), (7, [3, 4]), (3, [1, 2]), (1, [1])])
def test_parts_are_as_many_for_each_core(monkeypatch, number, sizes):
    """Three parts for two cores take as long as four."""
    monkeypatch.setattr(work, "cores", lambda: 2)
    settings = [ldp.Setting(eps=1 + i / 10, k=100, runs=20) for i in range(number)]
    parts = list(work.parts(settings))
    assert [len(part.settings) for part in parts] == sizes
    assert [s for part in parts for s in part.settings] == settings


@pytest.mark.parametrize("start", ["uniform", "mi"])
def test_slices_are_the_whole_with_its_errors(start):
    s = ldp.Setting(mechanism="SS", n=2_000, k=6, runs=5, max_iter=80, start=start)
    whole, at_once = work.whole([work.run_slice(s, None, first, n) for first, n in ((0, 3), (3, 2))]), work.run(s, None)
    np.testing.assert_allclose(whole.ibu, at_once.ibu, rtol=1e-9)
    for name in ("counts", "mi", "iterations"):  # bit by bit: all but the last digits of IBU
        np.testing.assert_array_equal(getattr(whole, name), getattr(at_once, name))
    for key, metric in work._SHOWN_ERRORS:
        expected = ldp.run(s).error(key, metric).values
        for result in (whole, at_once):
            assert (key, metric) in result._errors  # known, not computed again in the server
            assert result.error(key, metric).values == pytest.approx(expected, rel=1e-9)


def test_losses_in_parts_are_those_of_the_whole():
    settings = [ldp.Setting(mechanism=name, n=2_000, k=6, runs=5, max_iter=80, start="mi") for name in ("OUE", "SS")]
    keys = ("mi", "ibu", "limit")
    for s, together in zip(settings, work.losses(work.Part(tuple(settings), 0, 5), None, keys), strict=True):
        alone = work.joined([work.losses(work.Part((s,), first, n), None, keys)[0] for first, n in ((0, 2), (2, 3))])
        for metric in ("mse", "tv"):
            for key in keys:
                expected = ldp.run(s).loss(key, metric).values
                assert alone.of(key, metric) == pytest.approx(expected, rel=1e-9)
                assert together.of(key, metric) == pytest.approx(expected, rel=1e-9)


def test_what_would_take_minutes_is_refused_with_the_command(monkeypatch):
    most = ldp.Setting(data="poisson", k=1000, runs=100, max_iter=200_000)
    work.check([most])  # exactly what a page does
    with pytest.raises(ldp.Refused) as refused:
        work.check([replace(most, max_iter=200_001, mechanism="L-SUE", eps=0.5)])
    command = "python -m ldpcore run --data poisson --mechanism L-SUE --eps 0.5 --k 1000 --runs 100"
    assert f"`{command} --eps-inf 1.0 --max-iter 200001`" in str(refused.value)
    with pytest.raises(ldp.Refused, match="for each of the 2"):
        work.check([most, replace(most, mechanism="OUE")])
    with pytest.raises(ldp.Refused, match=r"ldpcore\.run"):
        work.check([replace(most, data=ldp.OWN_DATA, runs=101)])


def best_map(**changes):
    """The settings of the map of the best mechanism over ε and n."""
    return grids.grid(ldp.Setting(data="poisson", **changes), "n", ldp.ONE_TIME)[0]


def test_what_is_not_iterated_is_capped_too():
    """The map of the best mechanism asks for no iterations, and so counted as nothing: it took minutes."""
    work.check_plain(best_map(k=1000, runs=20), 2)
    work.check_plain(best_map(k=400, runs=100), 2)
    with pytest.raises(ldp.Refused, match="100 runs of 336 settings would take more than a minute") as refused:
        work.check_plain(best_map(k=1000, runs=100), 2)
    assert "`python -m ldpcore run --data poisson" in str(refused.value)
    at = open_page(TRADEOFF, {"view": "best mechanism", "over": "n", "k": "1000", "runs": "100", "data": "Poisson"})
    assert not at.exception
    (error,) = at.error
    assert "more than a minute" in error.value


@pytest.mark.parametrize("cost", [work.amount, work.plain_amount, work.auto_amount])
def test_drawing_all_runs_for_every_part_takes_no_longer_than_the_rest(cost):
    """Sets of a thousand bins took 2.4 seconds to draw, in each of dozens of parts of half a second."""
    for name in ldp.ONE_TIME:
        setting = ldp.Setting(mechanism=name, k=1000, runs=100, max_iter=100_000)
        number = len(work.slices(setting, cost))
        assert (number - 1) * work.drawing(setting) <= 0.6 * cost(setting)  # a half, and what rounding adds
    # What is only drawn is not drawn twice.
    assert len(work.slices(replace(setting, mechanism="SS"), work.plain_amount)) == 1


def test_auto_is_capped_and_cut_into_parts_that_can_be_left():
    """A hundred runs at a thousand bins took minutes, run by run of all mechanisms in one part."""
    settings = [ldp.Setting(data="poisson", mechanism=name, k=1000, runs=20) for name in ldp.ONE_TIME]
    work.check_auto(settings * 2)  # all mechanisms at the usual number of runs
    parts = list(work.parts(settings, work.auto_amount))
    assert max(part.number for part in parts) <= 2  # two runs take half a second
    assert sum(part.number for part in parts) == 20 * len(settings)
    with pytest.raises(ldp.Refused, match="the like for each of the 7 mechanisms"):
        work.check_auto([replace(setting, runs=100) for setting in settings])
    with pytest.raises(ldp.Refused, match=r"ldpcore\.run"):
        work.check_auto([replace(settings[0], data=ldp.OWN_DATA, runs=1000)])


def test_compare_leaves_out_auto_where_it_would_take_minutes(capsys):
    query = QUICK | {"runs": "100", "iterations": "10", "with_auto": True, "data": "Poisson"}
    at = open_page(COMPARE, query | {"k": "1000", "mechanisms": ["GRR", "SUE", "OUE"]})
    assert_calm(at)
    (warning,) = at.warning
    assert "**auto** is left out" in warning.value
    # What is printed runs; here with less of it.
    code = shlex.split(warning.value.split("`")[1])[-1]
    exec(code.replace("k=1000", "k=10").replace("runs=100", "runs=2"), {})  # noqa: S102 - that of the page
    assert float(capsys.readouterr().out) > 0


@pytest.mark.parametrize("page", [ESTIMATE, COMPARE, TRADEOFF, ADVISOR])
def test_pages_say_what_they_do_not_compute(page):
    at = open_page(page, {"k": "1000", "runs": "100", "iterations": "1M", "data": "Poisson"})
    assert not at.exception
    assert len(at.error) == 1
    assert "python -m ldpcore run --data poisson" in at.error[0].value
    assert at.select_slider(key="k").value == "1000"


def test_the_command_that_is_printed_runs():
    setting = ldp.Setting(data="gaussian", mechanism="L-OUE", eps=0.5, k=4, runs=2, max_iter=9, params=(("mean", 1.0),))
    words = run_words(setting)
    assert words[:4] == ["python", "-m", "ldpcore", "run"]
    assert main(words[3:]) == 0


@pytest.mark.parametrize("number", [1, 2], ids=["alone", "together"])
def test_an_estimator_that_was_added_takes_the_steps_of_the_setting_without_ibu(monkeypatch, number):
    """It was given one step, as IBU is where nobody asks for it."""
    slow = ldp.Estimator("slow", "Slow", "IBU once more.", ldp.estimator("ibu").function, iterated=True, tabled=True)
    monkeypatch.setitem(ldp.ESTIMATORS, "slow", slow)
    settings = [ldp.Setting(mechanism="SS", eps=1.0 + i, n=2_000, k=6, runs=3, max_iter=80) for i in range(number)]
    for s, here in zip(settings, work.losses(work.Part(tuple(settings), 0, 3), None, ("mi", "slow")), strict=True):
        assert here.of("slow", "mse") == pytest.approx(ldp.run(s).loss("ibu", "mse").values, rel=1e-9)
    assert work.takes_steps(("mi", "slow"))
    assert work.takes_steps(("mi", "ibu"))
    # What auto takes is counted by itself.
    assert not work.takes_steps(("mi", "limit", "auto"))


def test_full_report_ibu_of_one_run_is_that_of_all():
    """All runs were one job of seconds each; now others have their turn between them."""
    setting = ldp.Setting(data="poisson", mechanism="OUE", n=300, k=6, seed=4)
    histogram = ldp.Setting(data="gaussian", n=300, k=6).make_histogram()
    for data in (None, histogram):
        each = [work.full_run(setting, data, number) for number in range(3)]
        np.testing.assert_array_equal(each, ldp.run_full(setting, 3, data))
