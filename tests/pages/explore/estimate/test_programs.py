"""Script and notebook give the numbers of the page."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from app_steps import ROOT
from unlike_settings import SETTINGS

import ldpcore as ldp
from ldpui import export
from pages.explore.estimate import programs


@pytest.fixture(scope="module", params=SETTINGS, ids=str)
def result(request):
    return ldp.run(SETTINGS[request.param])


def same(one, other):
    return one == other or (math.isnan(one) and math.isnan(other))


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
