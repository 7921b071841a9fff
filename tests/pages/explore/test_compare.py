"""Compare: mechanisms at the same privacy, on the same users."""

from dataclasses import replace

import numpy as np
import pytest
from app_steps import COMPARE, assert_calm, charts, numbers, open_page, sentences, session_of

import ldpcore as ldp
from ldpcore.metrics import RECORDS
from ldpui import privacy, theme
from ldpui.computing import work
from pages.explore.compare import captions, chart, controls
from pages.explore.compare import rows as compared

NAMES = ldp.ONE_TIME + ldp.LONGITUDINAL


def row(setting):
    (losses,) = work.losses(work.Part((setting,), 0, setting.runs), None, ("mi", "ibu", "limit"))
    return compared.row(setting, losses, "mse")


@pytest.fixture(scope="module")
def rows():
    base = ldp.Setting(data="poisson", mechanism="OUE", eps=1.0, n=2000, k=10, runs=3, max_iter=30)
    return [row(privacy.same_privacy(base, name)) for name in NAMES]


def test_ordered_by_each_key(rows):
    shuffled = rows[::-1]
    paper, by_mi, by_ibu, by_gain = (compared.ordered(shuffled, order) for order in controls.SORTS)
    assert [row.mechanism for row in paper] == list(NAMES)
    assert [row.mi.mean for row in by_mi] == sorted(row.mi.mean for row in rows)
    assert [row.ibu.mean for row in by_ibu] == sorted(row.ibu.mean for row in rows)
    assert [row.gain.mean for row in by_gain] == sorted((row.gain.mean for row in rows), reverse=True)


def test_same_privacy_changes_the_mechanism_only():
    once = ldp.Setting(mechanism="SS", eps=1.5, k=20, seed=4)
    chain = privacy.same_privacy(once, "L-SUE")
    assert (chain.mechanism, chain.eps, chain.eps_inf, chain.k, chain.seed) == ("L-SUE", 1.5, 3.0, 20, 4)
    assert privacy.same_privacy(chain, "SS") == once
    chosen = ldp.Setting(mechanism="L-OSUE", eps=1.0, eps_inf=7.0)
    assert privacy.same_privacy(chosen, "L-OLH").eps_inf == 7.0


def test_log_range_holds_every_error(rows):
    low, high = compared.log_range(rows)
    errors = np.log10([error.mean for row in rows for error in (row.mi, row.ibu)])
    assert low < errors.min()
    assert high > errors.max()


def test_log_range_of_nothing_to_draw(rows):
    zero = replace(rows[0], mi=ldp.Summary([0.0]), ibu=ldp.Summary([np.inf]))
    assert compared.log_range([zero]) is None
    assert compared.log_range([]) is None
    one = compared.log_range([replace(rows[0], mi=ldp.Summary([0.1]), ibu=ldp.Summary([0.1]))])
    assert one[0] < -1 < one[1]


def test_flat_rows_are_plain_numbers(rows):
    flat = compared.flat(rows[0])
    assert all(isinstance(value, str | float | int) for value in flat.values())


@pytest.mark.slow
def test_compare_shows_all_mechanisms():
    compare = open_page(COMPARE)
    assert compare.title[0].value == "Compare"
    drawn = charts(compare)
    assert [len(drawn[key]["data"][0]["x"]) for key in ("compare_once", "compare_repeatedly")] == [
        len(ldp.ONE_TIME), len(ldp.LONGITUDINAL),
    ]  # fmt: skip
    assert len(compare.dataframe[0].value) == len(ldp.ONE_TIME + ldp.LONGITUDINAL)


def test_compare_without_mechanisms_asks_for_one():
    at = open_page(COMPARE, {"mechanisms": []})
    assert_calm(at)
    assert not charts(at)
    assert len(sentences(at)) == 1


def test_compare_with_one_mechanism_draws_one():
    at = open_page(COMPARE, {"mechanisms": ["L-SUE"], "runs": "2"})
    assert_calm(at)
    assert charts(at)["compare_repeatedly"]["data"][0]["x"] == ["L-SUE"]
    assert "compare_once" not in charts(at)


def test_compare_draws_two_series_and_a_gain_for_each():
    rows = [row(ldp.Setting(mechanism=name, n=1000, k=10, runs=3, max_iter=50)) for name in ("GRR", "OUE", "OLH")]
    figure = chart.compare(
        rows, metric_title="mean squared error", dark=False, y_range=compared.log_range(rows)
    ).figure()
    assert [trace.name for trace in figure.data] == ["MI", "IBU"]
    assert [trace.marker.symbol for trace in figure.data] == [theme.MI.symbol, theme.IBU.symbol]
    assert list(figure.data[0].x) == ["GRR", "OUE", "OLH"]
    assert len(figure.layout.annotations) == 3
    assert figure.layout.yaxis.title.text == "mean squared error"
    assert figure.layout.yaxis.type == "log"


def test_auto_beside_mi_and_ibu_is_the_librarys():
    state = {"mechanisms": ["GRR", "L-SUE"], "runs": "2", "k": "10", "n": "2k", "iterations": "30", "with_auto": True}
    at = open_page(COMPARE, state)
    assert_calm(at)
    table = at.main.dataframe[0].value.set_index("Mechanism")
    base = session_of(at).setting
    for key, name in (("compare_once", "GRR"), ("compare_repeatedly", "L-SUE")):
        expected = ldp.run(privacy.same_privacy(base, name)).error("auto", "mse")
        assert table.loc[name, "auto"] == pytest.approx(expected.mean)
        assert table.loc[name, "auto ±"] == pytest.approx(expected.se)
        chosen = {choice.candidate.kind for choice in ldp.run(privacy.same_privacy(base, name)).choices}
        assert {word.rstrip("0123456789 ") for word in table.loc[name, "auto chose"].split(", ")} == chosen
        (trace,) = [trace for trace in charts(at)[key]["data"] if trace["name"] == "auto"]
        assert numbers(trace["y"]) == pytest.approx([expected.mean])


def test_what_rounding_leaves_is_an_error_of_0():
    # One user whom GRR tells right: MI hits the truth, and IBU but for 10⁻¹⁸.
    base = ldp.Setting(data="acs-income", mechanism="GRR", eps=10.0, n=1, k=2, runs=2)
    assert 0 < ldp.run(base).error("ibu", "mse").mean < 1e-30
    row_of = {name: row(privacy.same_privacy(base, name)) for name in ("GRR", "SUE", "OUE")}
    assert row_of["GRR"].ibu.mean == row_of["SUE"].ibu.mean == row_of["GRR"].mi.mean == 0
    ends = compared.log_range(list(row_of.values()))
    assert ends is None or ends[1] - ends[0] < 10


def test_errors_of_0_are_said_because_no_log_axis_shows_them(rows):
    s = ldp.Setting(mechanism="OUE")
    none = ldp.Summary([0.0, 0.0])
    part = [replace(rows[0], mi=none), *rows[1:]]
    (read, said) = captions.captions(s, part, RECORDS["mse"])
    assert "Click a point" in read
    assert said == "MSE is 0, the best there is, for GRR (MI): a log axis has no 0, so it is not drawn."
    (said,) = captions.captions(s, [replace(row, mi=none, ibu=none) for row in rows], RECORDS["top10"])
    assert said.startswith("1 − Top ten is 0, the best there is, for all of them")
    assert captions.zero(rows, RECORDS["mse"]) is None


def test_a_gain_of_0_does_not_pass_for_no_loss(rows):
    lost = replace(rows[0], mi=ldp.Summary([1e-4]), ibu=ldp.Summary([5e-4]), gain=ldp.Summary(ldp.gain([1e-4], [5e-4])))
    assert lost.gain.mean == 0
    assert "A run with a loss counts as 0" in captions.how_read(ldp.Setting(mechanism="OUE", runs=1))


@pytest.mark.slow
def test_one_run_has_no_standard_errors_and_the_table_does_not_call_them_none():
    at = open_page(COMPARE, {"mechanisms": ["GRR"], "runs": "1", "n": "100", "k": "10"})
    (table,) = at.main.dataframe
    assert np.isnan(table.value["MI ±"]).all()
    assert table.proto.placeholder == "–"


def test_an_infinite_error_of_auto_is_said_and_leaves_the_axis(rows):
    far = [replace(row, auto=ldp.Summary([np.inf])) for row in rows]
    said = compared.infinite(far, RECORDS["kl"])
    assert said.startswith("KL is infinite where an estimate gives 0 to a bin that has users. So it is here for GRR (")
    # A metric that was added has reasons of its own, which nobody here knows.
    said = compared.infinite(far, replace(RECORDS["mse"], name="Far"))
    assert said.startswith("Far is infinite here for GRR (auto)")
    assert "gives 0" not in said
    assert compared.log_range(far) == compared.log_range(rows)
    assert "auto" not in compared.flat(rows[0])
