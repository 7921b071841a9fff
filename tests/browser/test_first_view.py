"""What is on screen before anybody scrolls: name, purpose, the privacy budget, and the chart that it changes."""

import pytest
from browser_steps import changing, open_page, series, settle, slider, step

from ldpui import brand

QUICK = {"n": "1k", "k": "20", "runs": "2"}
# How much of the chart is to be seen at least, in pixels.
SIZES = {(1366, 768): 350, (420, 900): 350}


def box(page, selector):
    return page.locator(selector).first.bounding_box()


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_name_purpose_privacy_and_chart_are_in_the_first_view(new_page, address, size):
    width, height = size
    page = new_page(viewport={"width": width, "height": height})
    open_page(page, address)
    assert page.title() == f"Estimate · {brand.NAME}"
    purpose = page.get_by_text(brand.PURPOSE).bounding_box()
    logos = [logo.bounding_box() for logo in page.locator('[data-testid*="Logo"]:visible').all()]
    eps, chart = box(page, ".st-key-eps"), box(page, ".st-key-estimate_chart")
    menu = box(page, '[data-testid="stMainMenu"]')
    assert menu["x"] + menu["width"] <= width
    for seen in (*logos, purpose, eps, chart):
        assert seen["x"] >= 0
        assert seen["x"] + min(seen["width"], 100) <= width
        assert 0 <= seen["y"] < height
    assert logos
    assert purpose["y"] < eps["y"] < chart["y"]
    assert eps["y"] + eps["height"] <= height
    assert min(height, chart["y"] + chart["height"]) - chart["y"] >= SIZES[size]
    with changing(page):
        step(page, "eps")
    # Nothing had to be scrolled for it.
    assert box(page, ".st-key-eps") == eps
    assert box(page, ".st-key-estimate_chart")["y"] == chart["y"]


def test_a_typed_number_and_the_hidden_way_in_stay_and_are_in_the_copied_link(page, address):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_page(page, address, **QUICK)
    page.locator(".st-key-hide_intro button").click()
    page.wait_for_selector(".st-key-intro", state="detached")
    page.wait_for_function("location.search.includes('intro=off')")
    with changing(page):
        typed = page.locator(".st-key-eps_typed input")
        typed.fill("0.73")
        typed.press("Enter")
    assert slider(page, "eps").get_attribute("aria-valuetext") == "0.73"
    assert "eps=0.73" in page.url
    button = page.locator(".st-key-copy_link button")
    button.click()
    page.wait_for_function("navigator.clipboard.readText().then(text => text.includes('eps=0.73'))")
    assert button.inner_text() == "Copied"
    page.context.clear_permissions()
    shown = series(page)
    page.reload()
    page.wait_for_selector("h1")
    page.wait_for_function("document.querySelector('.st-key-eps_typed input')?.value === '0.73'")
    assert series(page) == shown
    assert page.locator(".st-key-intro").count() == 0


def test_a_box_takes_a_number_with_an_exponent_and_an_emptied_one_goes_back_to_the_default(page, address):
    open_page(page, address, **QUICK)
    users = page.locator(".st-key-n_typed input")
    for words, number in (("2e5", "200000"), ("", "20000")):
        with changing(page):
            users.fill(words)
            users.press("Enter")
        assert users.input_value() == number
    assert slider(page, "n").get_attribute("aria-valuetext") == "20k"


def leaves_most_to_the_chart(page, size, chart, least):
    """See that an audience has so many pixels of the chart above the controls, and whole controls."""
    bar = box(page, '[data-testid="stBottomBlockContainer"]')
    page.wait_for_selector(f".st-key-{chart} .js-plotly-plot")
    drawn = box(page, f".st-key-{chart}")
    assert bar["height"] <= 0.2 * size[1]
    assert min(bar["y"], drawn["y"] + drawn["height"]) - drawn["y"] >= least
    # No label is broken into letters, and every slider has a track.
    for key in ("eps", "n", "k"):
        assert box(page, f".st-key-{key} label")["height"] <= 50
        assert box(page, f".st-key-{key}")["width"] >= 70


@pytest.mark.parametrize(("where", "chart", "least"), [("compare", "compare_once", 380), ("tradeoff", "curves", 350)])
def test_a_presentation_leaves_most_of_the_screen_to_the_chart(new_page, address, where, chart, least):
    page = new_page(viewport={"width": 1366, "height": 768})
    open_page(page, address, where, **QUICK, present="true")
    leaves_most_to_the_chart(page, (1366, 768), chart, least)


def test_a_presentation_has_its_controls_below_and_no_sidebar_also_on_a_phone(new_page, address):
    page = new_page(viewport={"width": 420, "height": 900})
    open_page(page, address, **QUICK, present="true")
    leaves_most_to_the_chart(page, (420, 900), "estimate_chart", 350)
    page.set_viewport_size({"width": 1280, "height": 900})
    settle(page)
    assert not page.get_by_test_id("stSidebar").is_visible()
    eps, chart = box(page, ".st-key-eps"), box(page, ".st-key-estimate_chart")
    assert eps["y"] > chart["y"] + 200
    assert eps["y"] + eps["height"] <= 900
    with changing(page):
        step(page, "eps")
    page.locator(".st-key-leave button").click()
    page.wait_for_selector('[data-testid="stSidebar"]', state="visible")
