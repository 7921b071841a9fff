"""What a reader takes away has the numbers that are on screen."""

import io
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from unlike_settings import SETTINGS

import ldpcore as ldp
from ldpui import export, theme
from ldpui.address import vocabulary
from ldpui.bins import bins_of
from pages.explore.estimate import charts


@pytest.fixture(scope="module", params=SETTINGS, ids=str)
def result(request):
    return ldp.run(SETTINGS[request.param])


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


@pytest.mark.parametrize("labels", [(), ("ant", "bee", "cat")])
def test_csv_has_what_uses_the_order_only_where_there_is_one(monkeypatch, labels):
    monkeypatch.setitem(vocabulary.HISTOGRAMS, "smooth", "smoothed")
    data = ldp.Histogram(np.array([5, 3, 2]), np.arange(4.0), labels=labels)
    result = ldp.run(ldp.Setting(data="own", n=10, k=3, runs=2, max_iter=5), data)
    assert ("smooth_mean" in export.estimates(result)) == (not labels)


def test_csv_carries_its_setting(result):
    s = result.setting
    table = export.with_setting(export.estimates(result), s)
    frame = pd.read_csv(io.BytesIO(export.csv(table)), encoding="utf-8-sig", keep_default_na=False)
    assert (frame["true"] == table["true"]).all()
    row = frame.iloc[-1]
    assert row["made_by"].endswith(ldp.__version__)
    read = {f.name: row[f.name] for f in fields(ldp.Setting)}
    read["params"] = tuple((n, float(v)) for n, v in (p.split("=") for p in read["params"].split("; ") if p))
    read["eps_inf"] = float(read["eps_inf"]) if read["eps_inf"] else None
    numbers = {name: int(read[name]) for name in ("n", "k", "runs", "seed", "max_iter")}
    assert ldp.Setting(**read | numbers) == s


def test_a_table_over_mechanisms_leaves_out_what_differs_by_row():
    frame = pd.DataFrame({"Mechanism": ["GRR"], "eps": [0.25]})
    table = export.with_setting(frame, SETTINGS["once"], without=("mechanism", "eps_inf"))
    assert not {"mechanism", "eps_inf"} & set(table)
    assert table["eps"].tolist() == [0.25]
    assert table["n"].tolist() == [3000]
    assert list(frame) == ["Mechanism", "eps"]


def test_html_needs_no_network(result):
    figure = charts.estimate(result, [(theme.MI, result.mi)], bins_of(result), dark=False, log=False).figure()
    page = export.html(figure, "a <b>")
    assert "<html" in page
    assert "<title>a &lt;b&gt;</title>" in page
    assert '<script src="http' not in page
    assert len(page) > 10**6  # Plotly itself is in it


FORMULAS = [
    "=1+1",
    "+1",
    "-1+1",
    "-1\n",
    "-1.",
    "-.5",
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
    plain = ["a", "a=b", "1-2", "-1", "-20.5", "", "größe", "'quoted'", " a", "a\n=1"]
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
    assert lines == ["f,n,b,mixed,7", "-1.5,-2,True,-1,", ",3,False,-1,x"]
