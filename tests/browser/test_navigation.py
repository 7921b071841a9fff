"""Pages, links and reloads in a real browser."""

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from browser_steps import (
    changing,
    choose,
    copied_link,
    go_to,
    is_on,
    metrics,
    open_page,
    pick,
    series,
    settle,
    slider,
    step,
    switch,
)
from visitor import Visitor

from ldpui.address import presets
from pages.table import PAGES

QUICK = {"n": "1k", "k": "10", "runs": "2"}


def words(page):
    return {key: found[0] for key, found in parse_qs(urlsplit(page.url).query).items()}


def test_every_page_opens_by_deep_link_on_a_fresh_server(fresh_address, page):
    # A deep link may be the first thing that a server ever gets.
    open_page(page, fresh_address, "compare", **QUICK)
    assert page.get_by_role("dialog").count() == 0
    assert page.locator("h1").inner_text() == "Compare"
    assert page.get_by_test_id("stException").count() == 0
    assert page.get_by_test_id("stAlert").count() == 0
    assert slider(page, "eps").count() == 1
    query = urlencode(QUICK | {"data": "Gaussian", "iterations": "10"})
    for there in PAGES:
        with Visitor(fresh_address) as visitor:
            said = visitor.run(there.address, query)
        assert not said.problems, there.title
        assert there.title in said.texts


def test_a_slider_a_mechanism_and_a_distribution_change_the_chart_and_the_address(page, address):
    open_page(page, address, **QUICK)
    with changing(page):
        step(page, "eps")
    with changing(page):
        choose(page, "mechanism", "SS")
    with changing(page):
        choose(page, "data", "Poisson")
    # Whole numbers have a bin each when they are chosen; then k is not on the page.
    expected = {"n": "1k", "runs": "2", "eps": "2.5", "mechanism": "SS", "data": "Poisson", "binning": "values"}
    assert words(page) == expected
    shown = metrics(page), series(page)
    page.reload()
    page.wait_for_selector("h1")
    settle(page)
    assert (metrics(page), series(page)) == shown
    assert words(page) == expected


def test_going_to_another_page_and_back_keeps_the_settings(page, address):
    open_page(page, address, **QUICK)
    with changing(page):
        step(page, "eps", "ArrowLeft")
    with changing(page):
        switch(page, "limit")
    pick(page, "axis", "log")
    settle(page)
    pick(page, "closer", "All estimators")
    settle(page)
    before = metrics(page), series(page)
    go_to(page, "Compare")
    assert slider(page, "eps").get_attribute("aria-valuetext") == "1.75"
    go_to(page, "About")
    assert slider(page, "eps").count() == 0
    go_to(page, "Estimate")
    assert (metrics(page), series(page)) == before
    assert is_on(page, "limit")
    assert page.locator(".st-key-axis").get_by_role("radio", name="log").get_attribute("aria-checked") == "true"
    assert words(page) == QUICK | {"eps": "1.75", "limit": "true", "axis": "log", "closer": "All estimators"}


def test_the_copied_link_opens_the_same_page_for_somebody_else(page, new_page, address):
    query = {"data": "Triangular", "reports": "repeatedly", "chain": "L-SUE", "share": "40%"}
    open_page(page, address, **QUICK, **query, closer="One user's report")
    with changing(page):
        switch(page, "raw")
    link = copied_link(page)
    assert link.startswith(address)
    other = new_page()
    other.goto(link)
    other.wait_for_selector("h1")
    settle(other)
    assert series(other) == series(page)
    assert series(other, "posterior_chart") == series(page, "posterior_chart")
    assert metrics(other) == metrics(page)
    # The link says its version besides, which the address need not.
    assert words(other) == words(page) | {"v": "2"}


def test_controls_that_are_not_drawn_keep_their_values(page, new_page, address):
    open_page(page, address, **QUICK, reports="repeatedly", chain="L-SUE")
    with changing(page):
        step(page, "eps_inf")
    chosen = words(page)
    assert chosen == QUICK | {"reports": "repeatedly", "chain": "L-SUE", "eps_inf": "5"}
    with changing(page):
        pick(page, "reports", "once")
    # The address says what is drawn; the link to copy also what is not.
    assert words(page) == QUICK
    other = new_page()
    other.goto(copied_link(page))
    other.wait_for_selector("h1")
    settle(other)
    go_to(other, "About")
    go_to(other, "Estimate")
    go_to(page, "Over time")
    go_to(page, "Estimate")
    for one in (page, other):
        with changing(one):
            pick(one, "reports", "repeatedly")
        assert words(one) == chosen


def test_the_choice_of_compare_survives_a_visit_elsewhere_and_is_in_the_copied_link(page, new_page, address):
    open_page(page, address, "compare", **QUICK, sort="gain Γ")
    with changing(page, "compare_once"):
        choose(page, "metric", "MAE")
    with changing(page, "compare_once"):
        page.locator(".st-key-mechanisms").get_by_role("button", name="GRR", exact=True).click()
    before = series(page, "compare_once")
    other = new_page()
    other.goto(copied_link(page))
    other.wait_for_selector("h1")
    settle(other)
    assert series(other, "compare_once") == before
    go_to(page, "Estimate")
    go_to(page, "Compare")
    assert series(page, "compare_once") == before


def test_an_example_closes_its_menu_says_what_to_look_at_and_is_in_the_address(page, address):
    open_page(page, address, runs="2")
    for name in ("High privacy", "Browser telemetry", "Small survey"):
        example = next(example for example in presets.EXAMPLES if example.name == name)
        page.get_by_test_id("stSidebar").get_by_test_id("stPopover").first.get_by_role("button").click()
        with changing(page):
            page.locator('[class*="st-key-preset_"]').get_by_role("button", name=name).click()
        assert page.get_by_test_id("stPopoverBody").count() == 0
        assert example.look[:40] in page.locator(".st-key-example").inner_text()
        if name == "High privacy":
            continue  # the other two say the rest
        shown = metrics(page), series(page)
        page.reload()
        page.wait_for_selector("h1")
        settle(page)
        assert (metrics(page), series(page)) == shown


def test_a_bad_link_shows_a_note_and_the_defaults(page, address):
    open_page(page, address, **QUICK, eps="7777", mechanism="XX")
    notes = page.get_by_test_id("stAlert").all_inner_texts()
    assert len(notes) == 1
    assert "7777" in notes[0]
    assert "XX" in notes[0]
    assert slider(page, "eps").get_attribute("aria-valuetext") == "2"
    assert words(page) == QUICK


def test_two_readers_do_not_meet(new_page, address):
    one, two = new_page(), new_page()
    open_page(one, address, **QUICK)
    open_page(two, address, **QUICK, mechanism="GRR", eps="1")
    untouched = metrics(one), series(one)
    with changing(two):
        choose(two, "data", "Uniform")
    with changing(two):
        step(two, "eps")
    settle(one)
    assert (metrics(one), series(one)) == untouched
    with changing(one):
        step(one, "eps")
    assert words(one) == QUICK | {"eps": "2.5"}
    assert words(two) == QUICK | {"mechanism": "GRR", "data": "Uniform", "eps": "1.25"}


def test_the_back_button_goes_back_a_page(page, address):
    open_page(page, address, **QUICK, eps="1")
    # About has none of the controls, Over time some of them.
    for elsewhere in ("About", "Over time"):
        go_to(page, elsewhere)
        page.go_back()
        page.wait_for_selector('h1:has-text("Estimate")')
        settle(page)
        assert words(page) == QUICK | {"eps": "1"}
        assert slider(page, "eps").get_attribute("aria-valuetext") == "1"
        assert slider(page, "k").get_attribute("aria-valuetext") == "10"


@pytest.mark.parametrize("path", ["compare", "over_time", "learn", "about"])
def test_no_page_is_in_the_history_twice(address, path):
    """An address that changes after its page has come is a step more on the way back, if the browser is quick."""
    with Visitor(address) as visitor:
        assert visitor.run("", urlencode(QUICK | {"eps": "1"})).steps == ["/"]
        # As a browser does, say that the controls are there.
        for key in (*QUICK, "eps"):
            visitor.set(key)
        *before, last = visitor.run(path).steps
        assert last == f"/{path}"
        assert before in ([], ["?"])
