"""A click on a cell opens that setting in Estimate, in the same tab."""

import pytest
from browser_steps import click_into_estimate, go_to, is_on, open_page, settle, slider

QUICK = {"data": "Gaussian", "n": "1k", "k": "10", "runs": "2", "iterations": "10"}
# Where a cell lies on the screen: beside its middle, where there is no point to hit but the cell itself.
CELL = """([key, x, y]) => {
  const plot = document.querySelector(`.st-key-${key} .js-plotly-plot`);
  const {xaxis, yaxis} = plot._fullLayout;
  const box = plot.getBoundingClientRect();
  const [across, up] = [xaxis._categories.indexOf(x) + 0.35, yaxis._categories.indexOf(y)];
  return [box.left + xaxis._offset + xaxis.l2p(across), box.top + yaxis._offset + yaxis.l2p(up)];
}"""


def click_cell(page, key, x, y):
    # A map is drawn again and again while its settings are computed, and never holds still for Playwright's own wait.
    page.locator(f".st-key-{key} .js-plotly-plot").evaluate("plot => plot.scrollIntoView({block: 'center'})")
    settle(page)
    tabs = len(page.context.pages)
    click_into_estimate(page, CELL, [key, x, y])
    assert len(page.context.pages) == tabs
    assert page.get_by_test_id("stAlert").count() == 0


# The best of seven mechanisms at up to 200 bins, on every core that the other tests want too, would take a minute.
@pytest.mark.parametrize(
    ("view", "over", "label", "said"), [("gain map", "k", "50", "50"), ("best mechanism", "n", "10,000", "10k")]
)
def test_a_cell_of_a_map_opens(page, address, view, over, label, said):
    open_page(page, address, "tradeoff", **QUICK, view=view, over=over)
    click_cell(page, "map", "0.25", label)
    assert slider(page, "eps").get_attribute("aria-valuetext") == "0.25"
    assert slider(page, over).get_attribute("aria-valuetext") == said
    # The way back is not a trap: the old click does not send the reader away again.
    go_to(page, "Trade-off")
    assert page.locator("h1").inner_text() == "Trade-off"


def test_a_cell_of_the_paper_opens(page, address):
    open_page(page, address, "paper", table="Table 2, reporting repeatedly", value="at convergence")
    click_cell(page, "paper_table", "L-OLH", "Poisson")
    words = [page.locator(f".st-key-{key} input[role=combobox]").get_attribute("value") for key in ("chain", "data")]
    assert words == ["L-OLH", "Poisson"]
    assert slider(page, "eps_inf").get_attribute("aria-valuetext") == "4"
    assert "binning=paper" in page.url
    assert is_on(page, "limit")
