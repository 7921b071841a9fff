"""One user's life in a real browser: it plays without the server, and by keys."""

from browser_steps import open_page, settle, traffic_of

COME = """() => {
  const plot = document.querySelector('.st-key-over_time_life_memo .js-plotly-plot');
  const curtain = plot.querySelector('.shapelayer path');
  return plot._fullLayout.shapes.length && curtain ? plot._fullLayout.shapes[0].x0 : -1;
}"""


def test_a_life_plays_without_the_server_and_by_keys(page, address):
    traffic = traffic_of(page)
    open_page(page, address, "over_time", aspect="one user's life", n="1k", k="10")
    play = page.locator(".st-key-over_time_life_memo .updatemenu-button").first
    play.wait_for()
    settle(page)
    assert len(traffic) > 10  # the page came this way, so a rerun would be seen
    traffic.clear()
    assert page.evaluate(COME) == -1  # all reports are there
    play.focus()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Play"
    page.keyboard.press("Enter")
    page.wait_for_function(f"({COME})() > 2 && ({COME})() < 20")
    # What is still to come is hidden, to the end of the axis.
    page.wait_for_function(f"({COME})() === 40.5")
    assert traffic == []
