"""What a reader takes away has the numbers that are on screen."""

import io
import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from app_steps import ROOT

import ldpcore as ldp
from ldpui import export, theme
from ldpui.bins import bins_of
from pages.explore.estimate import charts

SETTINGS = {
    "once": ldp.Setting(
        data="uniform", params=(("low", -3.5), ("high", 12.25)), mechanism="OLH", eps=1.75, n=3000, k=17, runs=4,
        seed=11, max_iter=300, start="mi", binning="paper",
    ),
    "repeatedly": ldp.Setting(
        data="triangular", params=(("mode", 300.0),), mechanism="L-GRR", eps=0.7, eps_inf=2.5, n=2000, k=9, runs=3,
        seed=2**31 - 1, max_iter=100, channel="published", calibration="tight", start="observed",
    ),
    "one run": ldp.Setting(data="acs-income", mechanism="GRR", eps=0.3, n=500, k=6, runs=1, max_iter=10),
}  # fmt: skip


@pytest.fixture(scope="module", params=SETTINGS, ids=str)
def result(request):
    return ldp.run(SETTINGS[request.param])


def same(one, other):
    return one == other or (math.isnan(one) and math.isnan(other))


def test_csv_has_a_row_for_each_bin(result):
    raw = export.csv(export.estimates(result))
    assert raw.startswith(b"\xef\xbb\xbf")
    frame = pd.read_csv(io.BytesIO(raw), encoding="utf-8-sig")
    spread = [f"{name}_{what}" for name in ("mi", "ibu", "limit") for what in ("mean", "q05", "q95")]
    assert list(frame.columns) == ["bin_from", "bin_to", "users", "true", *spread]
    assert len(frame) == result.setting.k
    assert frame["users"].sum() == result.setting.n
    for column in ("true", "mi_mean", "ibu_mean", "limit_mean"):
        assert frame[column].sum() == pytest.approx(1)
    assert (frame["bin_to"][:-1].to_numpy() == frame["bin_from"][1:].to_numpy()).all()
    assert (frame["ibu_q05"] <= frame["ibu_q95"]).all()
    np.testing.assert_array_equal(frame["ibu_mean"], export.estimates(result)["ibu_mean"])


def refuse(word):
    raise AssertionError(f"{word} is not JSON")


def test_json_is_the_summary(result):
    content = json.loads(export.as_json(result), parse_constant=refuse)
    expected = result.summary()
    assert content["summary"].keys() == expected.keys()
    for name, value in expected.items():
        assert content["summary"][name] == (value if math.isfinite(value) else None), name
    assert content["bins"]["users"] == result.histogram.tolist()
    assert content["made_by"].endswith(ldp.__version__)
    fields = content["setting"]
    assert ldp.Setting(**fields | {"params": tuple(fields["params"].items())}) == result.setting


def test_the_script_prints_exactly_the_summary(result):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", export.script(result)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    printed, expected = json.loads(done.stdout), result.summary()
    assert printed.keys() == expected.keys()
    assert all(same(printed[name], expected[name]) for name in expected)


def test_the_summary_has_the_numbers_of_the_page(result):
    summary = result.summary()
    assert summary["gain_mse"] == result.gain("mse")
    assert summary["mae_limit"] == result.error("limit", "mae")
    assert 0 <= summary["converged_runs"] <= result.setting.runs


def test_html_needs_no_network(result):
    figure = charts.estimate(result, [(theme.MI, result.mi)], bins_of(result), dark=False, log=False)
    page = export.html(figure)
    assert "<html" in page
    assert '<script src="http' not in page
    assert len(page) > 10**6  # Plotly itself is in it


def test_infinite_numbers_become_null():
    assert [export._plain(x) for x in (1.5, math.inf, math.nan)] == [1.5, None, None]


FORMULAS = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n",
    "\tx",
    "  =1",
    '"=1"',
    "'=1",
    "＝1",
    "＋1",
    "－1",
    "＠x",
]


@pytest.mark.parametrize("kind", [object, "category", "string"])
def test_text_is_not_run_as_a_formula(kind):
    plain = ["a", "a=b", "1-2", "", "größe", "'quoted'", " a", "a\n=1"]
    returned = [*plain[:-1], "a\r=1"]
    frame = pd.DataFrame({"=cmd()": pd.Series(FORMULAS + returned, dtype=kind), "x": 1.0})
    read = pd.read_csv(io.BytesIO(export.csv(frame)), encoding="utf-8-sig", keep_default_na=False)
    assert list(read.columns) == ["'=cmd()", "x"]
    assert read["'=cmd()"].tolist() == ["'" + cell.replace("\r", "\n") for cell in FORMULAS] + plain
    assert frame.columns[0] == "=cmd()"
    assert frame["=cmd()"].tolist() == FORMULAS + returned


def test_numbers_stay_numbers():
    frame = pd.DataFrame({"f": [-1.5, np.nan], "n": [-2, 3], "b": [True, False], "mixed": [-1, "-1"], 7: [None, "x"]})
    lines = export.csv(frame).decode("utf-8-sig").splitlines()
    assert lines == ["f,n,b,mixed,7", "-1.5,-2,True,-1,", ",3,False,'-1,x"]
