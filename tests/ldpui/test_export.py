"""What a reader takes away has the numbers that are on screen."""

import doctest
import io
import json
import math
import re
import subprocess
import sys
from dataclasses import fields
from email.message import Message

import numpy as np
import pandas as pd
import pytest
from app_steps import ROOT

import ldpcore as ldp
from ldpui import export, theme
from ldpui.bins import bins_of
from pages.explore.estimate import charts, citation, programs, takeaway

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


def test_examples_in_the_docstrings():
    assert doctest.testmod(export).attempted > 0
    assert doctest.testmod(export).failed == 0


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


def refuse(word):
    raise AssertionError(f"{word} is not JSON")


def test_json_is_the_summary(result):
    content = json.loads(takeaway.as_json(result), parse_constant=refuse)
    expected = result.summary()
    assert content["summary"].keys() == expected.keys()
    for name, value in expected.items():
        assert content["summary"][name] == (value if math.isfinite(value) else None), name
    assert content["bins"]["users"] == result.histogram.tolist()
    assert content["made_by"].endswith(ldp.__version__)
    written = content["setting"]
    assert ldp.Setting(**written | {"params": tuple(written["params"].items())}) == result.setting


def test_json_of_categories():
    table = ldp.read_table(b"city\nBern\nChur\nBern\n", "a.csv")
    people = ldp.categories_from(table, "city").histogram(2)
    result = ldp.run(ldp.Setting(data=ldp.OWN_DATA, mechanism="OUE", n=3, k=2, runs=1), people)
    assert json.loads(takeaway.as_json(result))["bins"]["label"] == ["Bern", "Chur"]


def test_the_script_prints_exactly_the_summary(result):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", programs.script(result)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    printed, expected = json.loads(done.stdout), result.summary()
    assert printed.keys() == expected.keys()
    assert all(same(printed[name], expected[name]) for name in expected)


@pytest.fixture(scope="module")
def own():
    data = ldp.Histogram(np.array([50, 30, 20]), np.arange(4.0) - 0.5, ("a", 'b"', "c\n"))
    return ldp.run(ldp.Setting(data="own", mechanism="GRR", n=100, k=3, runs=2, max_iter=20), data)


def run_cells(text):
    """Check what nbformat 4.5 asks for, and run the code cells as a kernel does: one after the other."""
    book = json.loads(text)
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert set(book) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    ids = [cell["id"] for cell in book["cells"]]
    assert len(set(ids)) == len(ids)
    names: dict = {}
    for cell in book["cells"]:
        code = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert set(cell) == {"cell_type", "id", "metadata", "source"} | code
        if code:
            assert (cell["execution_count"], cell["outputs"]) == (None, [])
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)  # noqa: S102
    return names


def test_the_notebook_gives_the_numbers(result):
    names = run_cells(programs.notebook(result))
    assert all(same(value, names["result"].summary()[name]) for name, value in result.summary().items())


def test_own_data_goes_with_script_and_notebook(own):
    assert run_cells(programs.notebook(own))["result"].summary() == own.summary()
    names: dict = {}
    exec(programs.script(own).replace("print(", "(lambda text: text)("), names)  # noqa: S102
    assert names["result"].labels == own.labels


def test_programs_say_how_to_install_what_they_import(result, monkeypatch):
    book = "".join("".join(cell["source"]) for cell in json.loads(programs.notebook(result))["cells"])
    for text in (programs.script(result), book):
        assert "pip install ./ldpcore" in text
        assert f"ldpcore-{ldp.__version__}-py3-none-any.whl" in text
        assert "http" not in text
        assert export.described(result.setting)[0] in text
    monkeypatch.setattr(programs, "source_address", lambda: "https://example.org/source")
    assert "https://example.org/source" in programs.script(result)


def test_programs_name_the_collection_that_was_shown(result):
    assert "result.mi[1]" in programs.script(result, 2)
    assert "result.mi[1]" in programs.notebook(result, 2)


def test_bibtex_says_what_the_citation_file_says():
    cited, text = (ROOT / "CITATION.cff").read_text(encoding="utf-8"), citation.bibtex()
    assert text.count("@") == 2
    assert text.count("{") == text.count("}")
    plain = text.replace("{", "").replace("}", "").replace("\\'e", "é")
    for field in ("title", "given-names", "family-names", "doi", "year", "collection-title", "version"):
        for value in re.findall(rf"^\W*{field}: (.*)$", cited, re.M):
            assert value in plain, field
    assert re.search(r"- name: (.*)", cited)[1] in plain
    assert "url" not in text


@pytest.mark.parametrize(
    ("lines", "address"),
    [
        (["Documentation, https://d.example", "Source, https://s.example"], "https://s.example"),
        (["Homepage,https://h.example"], "https://h.example"),
        (["Documentation, https://d.example"], None),
        ([], None),
    ],
)
def test_the_source_is_what_the_package_names(monkeypatch, lines, address):
    package = Message()
    for line in lines:
        package["Project-URL"] = line
    monkeypatch.setattr(citation.metadata, "metadata", lambda name: package)
    assert citation.source_address() == address
    assert (f"{{{address}}}" in citation.bibtex()) == (address is not None)


def test_no_package_no_address():
    assert citation.source_address("no-such-package") is None


def test_the_summary_has_the_numbers_of_the_page(result):
    summary = result.summary()
    assert summary["gain_mse"] == result.gain("mse")
    assert summary["mae_limit"] == result.error("limit", "mae")
    assert 0 <= summary["converged_runs"] <= result.setting.runs


def test_html_needs_no_network(result):
    figure = charts.estimate(result, [(theme.MI, result.mi)], bins_of(result), dark=False, log=False).figure()
    page = export.html(figure, "a <b>")
    assert "<html" in page
    assert "<title>a &lt;b&gt;</title>" in page
    assert '<script src="http' not in page
    assert len(page) > 10**6  # Plotly itself is in it


def test_infinite_numbers_become_null():
    assert [takeaway._plain(x) for x in (1.5, math.inf, math.nan)] == [1.5, None, None]


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
