"""Files that a reader takes away, clicked for in a real browser."""

import json
import os
import re
import subprocess
import sys

import pytest
from browser_steps import ROOT, metrics, open_page

SETTING = {
    "data": "Uniform", "uniform_high": "5000", "reports": "repeatedly", "chain": "L-OLH", "eps_inf": "5", "n": "2k",
    "k": "15", "runs": "5", "seed": "3", "closer": "Take it away",
}  # fmt: skip


@pytest.fixture
def files(page, address, tmp_path):
    """Click every download button of Estimate and keep the files by their endings."""
    open_page(page, address, **SETTING)
    found = {}
    for button in page.get_by_test_id("stDownloadButton").all():
        with page.expect_download() as waiting:
            button.get_by_role("button").click()
        path = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
        found[path.suffix] = path
    return found


def test_downloads_hold_the_numbers_on_screen(page, files, watch):
    assert set(files) == {".csv", ".json", ".html", ".py", ".ipynb", ".bib"}
    assert files[".csv"].stem == "ldp-uniform-L-OLH-eps2.5-inf5-n2000-k15-seed3"
    lines = files[".csv"].read_text("utf-8-sig").splitlines()
    assert len(lines) == 1 + 15
    written = json.loads(files[".json"].read_text())
    assert written["setting"]["mechanism"] == "L-OLH"
    assert "<html" in files[".html"].read_text()

    done = subprocess.run(
        [sys.executable, str(files[".py"])],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    printed = json.loads(done.stdout)
    assert printed["gain_mse"] == written["summary"]["gain_mse"]
    # "43.2 ± 0.7%" on screen: the number, to as many digits as are shown.
    shown = re.match(r"[\d.]+", metrics(page)[0])[0]
    digits = len(shown.partition(".")[2])
    assert f"{printed['gain_mse']:.{digits}f}" == shown

    # The saved figure opens from the disk, without any host.
    watch.allow("file://")
    page.goto(files[".html"].as_uri())
    page.wait_for_selector(".js-plotly-plot .main-svg")
    assert page.evaluate("document.querySelector('.js-plotly-plot').data.length") == 5


def test_compare_has_its_table(open_once, tmp_path):
    with open_once("compare", n="1k", k="20", runs="2") as page, page.expect_download() as waiting:
        page.get_by_test_id("stDownloadButton").get_by_role("button").click()
    waiting.value.save_as(tmp_path / "table.csv")
    lines = (tmp_path / "table.csv").read_text("utf-8-sig").splitlines()
    assert len(lines) == 1 + 14
    first = dict(zip(lines[0].split(","), lines[1].split(","), strict=True))
    assert (first["metric"], first["seed"]) == ("MSE", "0")
