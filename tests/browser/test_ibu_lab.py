"""The IBU lab in a real browser: the player plays by itself, keys reach it, and a start can be drawn."""

from browser_steps import changing, open_page, settle, traffic_of

QUICK = {"data": "Poisson", "n": "1k", "k": "10", "runs": "2"}
ACTIVE = "document.querySelector('.st-key-lab_player .js-plotly-plot')._fullLayout.sliders[0].active"
LAST = "document.querySelector('.st-key-lab_player .js-plotly-plot')._fullLayout.sliders[0].steps.length - 1"
SHOWN = """() => {
  const drawn = document.querySelector('.st-key-lab_player .js-plotly-plot')._fullData;
  return Array.from(drawn.find(trace => trace.name === 'IBU').y);
}"""


def test_the_player_plays_without_the_server_and_by_keys(page, address):
    traffic = traffic_of(page)
    open_page(page, address, "ibu_lab", **QUICK)
    play = page.locator(".st-key-lab_player .updatemenu-button").first
    play.wait_for()
    settle(page)
    assert len(traffic) > 10  # the page came this way, so a rerun would be seen
    traffic.clear()
    first = page.evaluate(SHOWN)
    assert len(set(first)) == 1  # all bins alike
    play.click()
    # To its end: Plotly logs an empty rejection where an animation is cut short.
    page.wait_for_function(f"{ACTIVE} === {LAST}")
    assert page.evaluate(SHOWN) != first
    # Whoever does not see the slider is told where it is, also by what no key has moved.
    slider = page.locator(".st-key-lab_player [role=slider]")
    page.wait_for_function(f"""{ACTIVE} === Number(document.querySelector(
        '.st-key-lab_player [role=slider]').getAttribute('aria-valuenow'))""")
    assert slider.get_attribute("aria-valuetext") != "after 0 steps"
    # By the keyboard alone.
    slider.focus()
    page.keyboard.press("Home")
    page.wait_for_function(f"{ACTIVE} === 0")
    page.wait_for_function("document.activeElement.getAttribute('aria-valuetext') === 'after 0 steps'")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{ACTIVE} === 1")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Play"
    page.keyboard.press("Enter")
    page.wait_for_function(f"{ACTIVE} > 5")
    assert traffic == []


def test_a_start_is_drawn_on_a_phone_in_the_dark(new_page, address):
    page = new_page(viewport={"width": 420, "height": 800}, color_scheme="dark")
    open_page(page, address, "ibu_lab", **QUICK)
    inner = page.get_by_test_id("stMain").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert inner[0] <= inner[1]
    sheet = page.locator(".st-key-lab_sheet .sheet")
    sheet.scroll_into_view_if_needed()
    settle(page)
    box = sheet.bounding_box()
    with changing(page, "lab_starts"):
        page.mouse.move(box["x"] + 5, box["y"] + box["height"] - 30)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] - 5, box["y"] + 30, steps=20)
        page.mouse.up()
    page.wait_for_url(lambda url: "lab_own=" in url)
    words = page.locator(".st-key-lab_own input").input_value().split()
    heights = [int(word) for word in words]
    assert len(heights) == 10
    assert heights == sorted(heights)
    assert heights[0] < 40 < 60 < heights[-1]
    assert page.locator(".st-key-lab_start_own .js-plotly-plot").count() == 1
    # The link gives the same start again, and keys change it.
    page.reload()
    page.wait_for_selector("h1")
    settle(page)
    assert page.locator(".st-key-lab_own input").input_value().split() == words
    sheet.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("PageUp")
    page.wait_for_function("old => document.querySelector('.st-key-lab_own input').value !== old", arg=" ".join(words))
    assert page.locator(".st-key-lab_own input").input_value().split()[1] == str(min(100, heights[1] + 20))
