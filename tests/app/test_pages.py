"""Every page at the defaults."""

import re

import pytest
from advisor_page import simulate_little
from app_steps import COMPARE, ESTIMATE, ROOT, assert_calm, charts, go_to, open_page

from ldpui import navigation
from pages.table import PAGES

ADDRESSES = (
    *("", "compare", "tradeoff", "advisor", "your_data", "your_reports"),
    *("learn", "teach", "class", "ibu_lab", "over_time", "paper", "which_estimator", "findings", "about"),
)


@pytest.fixture(scope="module")
def estimate():
    return open_page()


@pytest.fixture(scope="module")
def compare():
    return open_page(COMPARE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.title)
def test_every_page_runs_at_the_defaults(page, monkeypatch):
    # As often as it says itself the Advisor simulates in the browser's tests, at smaller settings: here it would take
    # longer than all other pages.
    simulate_little(monkeypatch)
    at = open_page(page.address)
    assert_calm(at)
    assert not at.warning
    assert [title.value for title in at.title] == [page.title]
    # The page's question, in the page's own words.
    assert "?" in at.main.markdown[0].value


def test_the_addresses_are_those_that_links_have():
    assert tuple(page.address for page in PAGES) == ADDRESSES


def test_every_folder_with_a_page_is_in_the_table():
    holders = [
        path for path in (ROOT / "pages").rglob("*.py") if re.search(r"^def page\(", path.read_text(), re.MULTILINE)
    ]
    folders = {path.parent if path.name == "__init__.py" else path.with_suffix("") for path in holders}
    listed = {"/".join(page.draw.__module__.split(".")) for page in PAGES}
    assert {str(folder.relative_to(ROOT)) for folder in folders} == listed


def test_no_page_lies_directly_under_pages():
    # Streamlit's other multipage mode would take such a file for a page of its own, and bypass app.py.
    assert [path.name for path in (ROOT / "pages").glob("*.py")] == ["__init__.py"]


def test_estimate_shows_chart_metrics_and_table(estimate):
    assert estimate.title[0].value == "Estimate"
    assert set(charts(estimate)) == {"estimate_chart", "error_chart"}
    assert len(estimate.metric) == 6
    assert all(metric.value.strip() and metric.help for metric in estimate.metric)
    table = next(text.value for text in estimate.main.markdown if text.value.startswith("|"))
    errors = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    assert [row[0] for row in errors] == ["Mean over 20 runs", "---", "MI", "IBU", "IBU limit"]
    assert [name.split(" ")[0] for name in errors[0][1:]] == ["MSE", "MAE"]
    assert all(float(cell.split(" ± ")[0].replace(",", "")) > 0 for row in errors[2:] for cell in row[1:])


def test_estimate_draws_truth_mi_and_ibu(estimate):
    drawn = [trace.get("name") for trace in charts(estimate)["estimate_chart"]["data"] if trace.get("showlegend", True)]
    assert drawn == ["Truth", "MI", "IBU"]


def test_every_chart_and_table_has_a_description(estimate, compare):
    for at in (estimate, compare):
        for kind in ("plotly_chart", "arrow_data_frame"):
            assert all(len(element.proto.alt) > 20 for element in at.main.get(kind))


@pytest.mark.slow
def test_settings_and_page_controls_survive_a_switch_of_pages():
    at = open_page(state={"k": "20", "limit": True, "axis": "log", "runs": "2"})
    go_to(at, COMPARE)
    assert at.main.select_slider(key="k").value == "20"
    at.main.select_slider(key="k").set_value("10")
    go_to(at, ESTIMATE)
    assert_calm(at)
    assert at.main.select_slider(key="k").value == "10"


@pytest.mark.parametrize(
    ("switch", "series"),
    [
        ("limit", "IBU limit"),
        ("raw", "raw MI"),
        ("auto", "auto"),
        ("full", "full-report IBU"),
        ("observed", "Observed"),
    ],
)
def test_switches_add_their_series(switch, series):
    at = open_page(state={"n": "1k", "k": "10", "runs": "2", switch: True})
    assert_calm(at)
    assert series in [trace.get("name") for trace in charts(at)["estimate_chart"]["data"]]


def test_full_report_ibu_says_why_it_refuses():
    at = open_page(state={"n": "1M", "runs": "2", "full": True})
    assert_calm(at)
    assert "n·k" in at.info[0].value
    assert "full-report IBU" not in [trace.get("name") for trace in charts(at)["estimate_chart"]["data"]]


def test_drawing_another_report_changes_the_story_only():
    at = open_page(state={"n": "1k", "runs": "2", "closer": "One user's report"})
    before, story = charts(at), [m.value for m in at.main.markdown]
    next(b for b in at.main.button if "another report" in b.label).click().run()
    assert_calm(at)
    assert charts(at)["estimate_chart"]["data"] == before["estimate_chart"]["data"]
    assert [m.value for m in at.main.markdown] != story


def test_names_of_streamlit_s_own_may_go():
    """Without them going back takes a step more, and the page is drawn all the same."""
    navigation._let_go_of_the_controls(PAGES, {page.address: object() for page in PAGES})
