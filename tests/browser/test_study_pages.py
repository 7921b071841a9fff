"""Trade-off, The paper and What we found in a real browser."""

import re
from itertools import pairwise

import pytest
from browser_steps import READY, changing, go_to, open_page, pick, series, settle, slider, step

from pages.study import findings

QUICK = {"data": "Gaussian", "n": "1k", "k": "10", "runs": "2", "iterations": "10"}
SEEN = """() => {
  window.seen = [];
  new MutationObserver(() => {
    const bar = document.querySelector('[data-testid="stProgress"]');
    if (bar && bar.innerText !== window.seen.at(-1)) window.seen.push(bar.innerText);
  }).observe(document.body, {subtree: true, childList: true, characterData: true});
}"""


@pytest.mark.parametrize(
    ("path", "title", "charts"),
    [
        ("tradeoff", "Trade-off", 1),
        ("advisor", "Advisor", 1),
        ("paper", "The paper", 4),
        ("which_estimator", "Which estimator?", 7),
        ("findings", "What we found", 12),
    ],
)
def test_the_pages_open_by_deep_link_on_a_phone_in_the_dark(new_page, address, path, title, charts):
    page = new_page(viewport={"width": 420, "height": 800}, color_scheme="dark")
    open_page(page, address, path, **QUICK)
    assert page.locator("h1").inner_text() == title
    assert page.get_by_test_id("stAlert").count() == 0
    assert page.get_by_test_id("stException").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    # Streamlit scrolls an element of its own, not the document.
    inner = page.get_by_test_id("stMain").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert inner[0] <= inner[1]
    drawn = page.locator(".js-plotly-plot")
    assert drawn.count() == charts
    for chart in drawn.all():
        box = chart.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 420
        ground = chart.evaluate("e => e._fullLayout.paper_bgcolor")
        assert all(int(ground[i : i + 2], 16) < 60 for i in (1, 3, 5))
    ways = page.get_by_role("button", name="See it in Estimate")
    assert ways.count() == (sum(bool(finding.words) for finding in findings.every()) if path == "findings" else 0)
    if path == "findings":
        # To Estimate, at the root, in the same tab.
        tabs = len(page.context.pages)
        ways.nth(3).click()
        page.wait_for_url(lambda url: url.startswith(f"{address}/?") and "mechanism=SUE" in url)
        assert len(page.context.pages) == tabs
        # Its note goes along, and stays on top of the page.
        note = page.locator(".st-key-note")
        note.wait_for()
        settle(page)
        assert note.inner_text().startswith("Clipping every run makes gains of noise.")
        assert note.bounding_box()["y"] < page.locator(".st-key-estimate_chart").bounding_box()["y"]


def test_another_axis_is_another_chart_and_another_file(page, address, tmp_path):
    open_page(page, address, "tradeoff", **QUICK)
    drawn = [series(page, "curves")]
    for word in ("n", "k"):
        with changing(page, "curves"):
            pick(page, "against", word)
        drawn.append(series(page, "curves"))
    assert page.locator(".js-plotly-plot").count() == 1
    ibu = [next(line for line in lines if line[0] == "IBU") for lines in drawn]
    assert [(line[2][0], line[2][-1]) for line in ibu] == [(0.1, 10), (100, 10**9), (2, 1000)]
    assert "against=k" in page.url
    with page.expect_download() as waiting:
        page.get_by_test_id("stDownloadButton").get_by_role("button").click()
    assert waiting.value.suggested_filename == "ldp-against-k-gaussian-OUE-eps2-n1000.csv"
    waiting.value.save_as(tmp_path / "curves.csv")
    lines = (tmp_path / "curves.csv").read_text("utf-8-sig").splitlines()
    assert len(lines) == 1 + 30
    assert lines[0].startswith("mechanism,eps,")
    assert ",TV," in lines[1]


def test_a_change_stops_the_sweep_that_is_on(page, address):
    # 13 settings, each of a second or so; with ε = 2.5, which is not in the grid, 14, less those that are done.
    # From another start than the uniform one, and with no tolerance, every single step is taken.
    query = {"n": "20k", "k": "200", "runs": "30", "iterations": "30k", "seed": "918273", "start": "mi", "tol": "0"}
    page.goto(f"{address}/tradeoff?" + "&".join(f"{key}={word}" for key, word in query.items()))
    progress = page.get_by_test_id("stProgress")
    progress.filter(has_text="of 13,").wait_for()
    page.evaluate(SEEN)
    step(page, "eps")
    page.wait_for_timeout(2_000)
    assert slider(page, "eps").get_attribute("aria-valuetext") == "2.5"
    told = [int(re.search(r"(\d+) of \d+,", text)[1]) for text in page.evaluate("window.seen")]
    # The old sweep did not come to its end, nor back: the numbers begin anew once at the most.
    assert max(told, default=0) < 13
    assert sum(after < before for before, after in pairwise(told)) <= 1
    # Going elsewhere ends this one, too.
    go_to(page, "About")
    assert progress.count() == 0
    assert page.locator(READY).count() == 1


def test_a_cell_of_the_paper_is_run_on_the_spot(page, address):
    open_page(page, address, "paper")
    # Scrolling there draws the figures above it; a list that is open meanwhile would close.
    page.locator(".st-key-rerun_data").scroll_into_view_if_needed()
    settle(page)
    page.get_by_role("button", name="Run this part").click()
    page.get_by_test_id("stDataFrame").wait_for()
    settle(page)
    assert page.get_by_test_id("stProgress").count() == 0
    assert page.get_by_text("One draw of the data sets, seed").count() == 1
