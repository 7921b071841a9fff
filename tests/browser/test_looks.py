"""What is on screen, and further below: themes, narrow screens, the keyboard, screen readers, zoom."""

import pytest
from browser_steps import changing, click_into_estimate, go_to, open_page, pick, series, settle, slider, step

from ldpui import theme

QUICK = {"n": "1k", "k": "20", "runs": "2"}
PHONE = {"width": 420, "height": 800}
COLORS = """key => document.querySelector(`.st-key-${key} .js-plotly-plot`)._fullData.map(
  t => [t.name, t.type === 'bar' ? t.marker.color : t.line ? t.line.color : t.marker.color])"""


def ground(page):
    """Return how bright the page is, 0 to 255."""
    color = page.get_by_test_id("stApp").evaluate("e => getComputedStyle(e).backgroundColor")
    return sum(int(part) for part in color[color.index("(") + 1 : -1].split(",")[:3]) / 3


@pytest.mark.parametrize("path", ["compare", "about"])
def test_a_phone_shows_the_page_without_scrolling_sideways(new_page, address, path):
    page = new_page(viewport=PHONE)
    open_page(page, address, path, **QUICK)
    nothing_sticks_out(page)


def test_a_phone_shows_estimate_and_its_downloads_without_scrolling_sideways(new_page, address):
    page = new_page(viewport=PHONE)
    open_page(page, address, **QUICK)
    nothing_sticks_out(page)
    for closer in ("All estimators", "One user's report", "Take it away"):
        pick(page, "closer", closer)
        settle(page)
        inner = page.get_by_test_id("stMain").evaluate("e => [e.scrollWidth, e.clientWidth]")
        assert inner[0] <= inner[1], closer


@pytest.mark.parametrize("more", [{"beside": "GRR&beside=SUE&beside=SS&beside=THE&beside=BLH"}, {"present": "true"}])
def test_words_of_tradeoff_lie_on_no_others_on_a_phone_and_are_whole(new_page, address, more):
    """With many lines the plot is low, and the legend lay on what stands below it; in large type a title was cut."""
    page = new_page(viewport=PHONE)
    page.goto(f"{address}/tradeoff?" + "&".join(f"{key}={word}" for key, word in (QUICK | more).items()))
    settle(page)
    page.wait_for_selector(".js-plotly-plot .legendtext")
    boxes = {
        part: page.locator(f".js-plotly-plot {part}").first.bounding_box() for part in (".legend", ".xtitle", ".ytitle")
    }
    whole = page.locator(".js-plotly-plot").bounding_box()
    assert boxes[".xtitle"]["y"] + boxes[".xtitle"]["height"] <= boxes[".legend"]["y"] + 2
    assert boxes[".legend"]["y"] + boxes[".legend"]["height"] <= whole["y"] + whole["height"] + 1
    assert boxes[".ytitle"]["y"] >= whole["y"]


@pytest.mark.parametrize("width", [800, 1000])
def test_names_of_the_dials_stand_in_a_line_beside_the_sidebar_of_a_tablet(new_page, address, width):
    """They were broken letter by letter: a dial had the room of its box and of a letter."""
    page = new_page(viewport={"width": width, "height": 1100})
    open_page(page, address, **QUICK)
    labels = page.locator('.st-key-dials [data-testid="stSlider"] [data-testid="stWidgetLabel"]').all()
    assert len(labels) == 3
    assert max(label.bounding_box()["height"] for label in labels) < 50


BUTTONS_ON_WORDS = """plot => {
  const box = e => e.getBoundingClientRect();
  const buttons = [...plot.querySelectorAll('.modebar-btn')].map(box);
  const on = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const words = [...plot.querySelectorAll('.legendtext')].filter(e => buttons.some(b => on(box(e), b)));
  return [buttons.length, words.map(e => e.textContent)];
}"""


def test_buttons_of_compare_lie_on_no_word_of_the_legend_on_a_touch_screen(new_page, address):
    """There they are always shown, and the last letter of "IBU" was below them."""
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    open_page(page, address, "compare", **QUICK)
    for chart in page.locator(".js-plotly-plot").all():
        buttons, covered = chart.evaluate(BUTTONS_ON_WORDS)
        assert buttons
        assert covered == []


def test_axes_of_compare_have_their_whole_name_in_large_type_on_a_phone(new_page, address):
    page = new_page(viewport=PHONE)
    open_page(page, address, "compare", **QUICK | {"present": "true"})
    charts = page.locator(".js-plotly-plot").all()
    assert len(charts) == 2
    for chart in charts:
        chart.scroll_into_view_if_needed()
        name, whole = chart.locator(".ytitle").bounding_box(), chart.bounding_box()
        assert whole["y"] <= name["y"]
        assert name["y"] + name["height"] <= whole["y"] + whole["height"]


def nothing_sticks_out(page):
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    # Streamlit scrolls an element of its own, not the document.
    inner = page.get_by_test_id("stMain").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert inner[0] <= inner[1]
    for chart in page.locator(".js-plotly-plot").all():
        chart.scroll_into_view_if_needed()
        box = chart.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 420
        assert box["width"] > 250
        assert box["height"] > 200


@pytest.mark.parametrize("dark", [True, False])
def test_the_charts_follow_the_theme(open_once, dark):
    with open_once(color_scheme="dark" if dark else "light", **QUICK) as page:
        assert (ground(page) < 60) == dark
        colors = dict(page.evaluate(COLORS, "estimate_chart"))
        for look in (theme.TRUTH, theme.MI, theme.IBU):
            assert colors[look.name] == look.color(dark)
        paper = page.evaluate("document.querySelector('.js-plotly-plot')._fullLayout.paper_bgcolor")
        assert paper == theme.layout(dark)["paper_bgcolor"]


def test_the_keyboard_alone_reaches_and_moves_the_sidebar(open_once):
    focused = "document.activeElement.closest('.st-key-eps') !== null && document.activeElement.type === 'range'"
    with open_once(**QUICK) as page:
        page.evaluate("document.activeElement.blur()")
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate(focused):
                break
        assert page.evaluate(focused)
        with changing(page):
            page.keyboard.press("ArrowRight")
        assert slider(page, "eps").get_attribute("aria-valuetext") == "2.5"
        with changing(page):
            page.keyboard.press("ArrowLeft")


def test_what_is_far_below_is_drawn_when_one_comes_near(open_once):
    with open_once(**QUICK) as page:
        page.set_viewport_size({"width": 1366, "height": 768})
        below, chart = page.locator(".st-key-error_part"), page.locator(".st-key-error_chart")
        room = below.bounding_box()["height"]
        assert chart.count() == 0
        with changing(page):
            step(page, "eps")
        assert chart.count() == 0
        below.scroll_into_view_if_needed()
        chart.wait_for()
        # Nothing that follows has moved.
        assert below.bounding_box()["height"] == pytest.approx(room, abs=8)
        assert [name for name, *_ in series(page, "error_chart") if name in ("MI", "IBU")] == ["MI", "IBU"]
        page.locator("h1").scroll_into_view_if_needed()
        chart.wait_for(state="detached")
        with changing(page):
            step(page, "eps", "ArrowLeft")
        page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.parametrize("path", ["", "compare"])
def test_charts_and_pictures_say_what_they_show(open_once, path):
    with open_once(path, **QUICK) as page:
        if not path:  # the second chart of Estimate is drawn when one comes near
            page.locator(".st-key-error_part").scroll_into_view_if_needed()
            page.locator(".st-key-error_chart").wait_for()
        charts = page.get_by_test_id("stPlotlyChart")
        assert charts.count() == 2
        for chart in charts.all():
            assert len(chart.get_attribute("aria-label")) > 20
        assert page.locator('[data-testid="stSidebar"] [role=img]').get_attribute("aria-label")
        bare = "[...document.querySelectorAll('img')].filter(i => !i.hasAttribute('alt')).map(i => i.src)"
        assert page.evaluate(bare) == []
        nameless = """[...document.querySelectorAll('input, select, textarea')].filter(e =>
          !e.getAttribute('aria-label') && !e.getAttribute('aria-labelledby') && !e.labels?.length
        ).map(e => e.outerHTML)"""
        assert page.evaluate(nameless) == []
        page.locator("h1").scroll_into_view_if_needed()


RANGE = "document.querySelector('.st-key-estimate_chart .js-plotly-plot')._fullLayout.xaxis.range.map(Number)"


def drag(page):
    """Zoom into the middle third of the chart."""
    box = page.locator(".st-key-estimate_chart .nsewdrag").first.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 3, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 2 * box["width"] / 3, middle + 2, steps=8)
    page.mouse.up()
    settle(page)


def test_zoom_is_kept_when_the_privacy_moves(page, address):
    open_page(page, address, **QUICK, data="Gaussian")
    whole = page.evaluate(RANGE)
    drag(page)
    page.wait_for_function(
        f"width => {{ const [from, to] = {RANGE}; return to - from < width }}", arg=0.6 * (whole[1] - whole[0])
    )
    settle(page)
    zoomed = page.evaluate(RANGE)
    with changing(page):
        step(page, "eps")
    assert page.evaluate(RANGE) == zoomed


POINT = """([key, number]) => {
  const trace = document.querySelector(`.st-key-${key} .scatterlayer .trace`);
  const box = trace.querySelectorAll('.point')[number].getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}"""


def click_point(page, key, number):
    point = page.locator(f".st-key-{key} .scatterlayer .trace").first.locator(".point").nth(number)
    point.scroll_into_view_if_needed()
    click_into_estimate(page, POINT, [key, number])


@pytest.mark.parametrize("query", [QUICK, QUICK | {"reports": "repeatedly", "share": "30%"}], ids=str)
def test_clicking_a_point_opens_that_mechanism(page, address, query):
    open_page(page, address, "compare", **query)
    wanted = series(page, "compare_repeatedly")[0][2][1]
    click_point(page, "compare_repeatedly", 1)
    assert page.get_by_test_id("stAlert").count() == 0
    assert page.locator(".st-key-chain input[role=combobox]").get_attribute("value") == wanted
    if query is not QUICK:
        return  # the rest is the same
    shown = series(page)
    # The address says so too.
    page.reload()
    page.wait_for_selector("h1")
    settle(page)
    assert series(page) == shown
    # The way back is not a trap: the old click does not send the reader away again.
    go_to(page, "Compare")
    assert page.locator("h1").inner_text() == "Compare"
