"""The questions of the Advisor are the controls of the other pages: what is answered here holds there."""

from browser_steps import go_to, open_page, pick, settle, slider, step

QUICK = {"data": "Gaussian", "n": "1k", "k": "10", "runs": "2", "iterations": "30", "mechanism": "SS"}


def test_answers_hold_on_other_pages_and_in_the_address(page, address):
    open_page(page, address, "advisor", **QUICK)
    page.wait_for_selector(".st-key-contours .js-plotly-plot")
    before = page.get_by_test_id("stMain").inner_text()
    step(page, "eps")
    settle(page)
    assert "ε = 2.5" in page.get_by_test_id("stMain").inner_text() != before
    pick(page, "solve", "how many users")
    settle(page)
    assert not slider(page, "n").is_visible()
    pick(page, "solve", "how accurate")
    settle(page)
    assert slider(page, "n").get_attribute("aria-valuetext") == "1k"
    assert {"eps=2.5", "n=1k", "k=10", "mechanism=SS"} <= set(page.url.split("?")[1].split("&"))
    go_to(page, "Estimate")
    assert slider(page, "eps").get_attribute("aria-valuetext") == "2.5"
    assert page.locator(".st-key-mechanism input[role=combobox]").get_attribute("value") == "SS"
    step(page, "k")
    settle(page)
    go_to(page, "Advisor")
    assert slider(page, "k").get_attribute("aria-valuetext") == "12"
    assert slider(page, "eps").get_attribute("aria-valuetext") == "2.5"
    # What is first opens in Estimate, in the same tab and session.
    button = page.locator(".st-key-open_first button")
    first = button.inner_text().split("Open ")[1].split(" in Estimate")[0]
    button.click()
    page.wait_for_selector(".st-key-mechanism")
    settle(page)
    assert page.locator(".st-key-mechanism input[role=combobox]").get_attribute("value") == first
    assert slider(page, "k").get_attribute("aria-valuetext") == "12"
