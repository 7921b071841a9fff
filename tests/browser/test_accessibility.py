"""On every page, light and dark: text that stands out, headings in their order, a focus that can be seen."""

import pytest
from browser_steps import go_to, open_page, pick, settle
from readable import faint_texts, headings, skips

from pages.table import PAGES

QUICK = {"data": "Gaussian", "n": "1k", "k": "10", "runs": "2", "iterations": "10"}
# Besides every page as it opens: what another word of a control shows, that is folded away or not drawn at first.
MORE = {"Estimate": ("closer", ("All estimators", "One user's report")), "Trade-off": ("view", ("gain map",))}


def places(page, address):
    """Visit a page with a note on its link, every page as it opens, and what some show besides; yield where we are."""
    open_page(page, address, **QUICK, eps="nonsense")
    page.get_by_test_id("stAlert").wait_for()
    yield "a link with nonsense"
    first, *others = PAGES
    for there in (*others, first):
        go_to(page, there.title)
        yield there.title
        key, words = MORE.get(there.title, ("", ()))
        for word in words:
            pick(page, key, word)
            settle(page)
            yield f"{there.title}, {word}"


# Whether page and charts have the ground of a theme, and nothing is on its way to another colour.
IN_THEME = """dark => {
  const brightness = color => color.match(/[0-9.]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
  const ground = getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor;
  const charts = [...document.querySelectorAll('.js-plotly-plot')].map(plot => getComputedStyle(plot
    .querySelector('.main-svg')).backgroundColor);
  const moving = document.getAnimations().some(each => each instanceof CSSTransition);
  return !moving && [ground, ...charts].every(color => (brightness(color) < 384) === dark);
}"""


def take_theme(page, dark):
    """Let the open page take a theme, as from its menu or in the evening; wait until its charts have it too."""
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.wait_for_function(IN_THEME, arg=dark, polling=100)
    settle(page)
    page.wait_for_function(IN_THEME, arg=dark, polling=100)


def test_text_stands_out_and_headings_skip_no_level_and_charts_follow_the_theme(new_page, address):
    page = new_page(viewport={"width": 1366, "height": 768})
    faint, skipped, dark = {}, {}, False
    for place in places(page, address):
        # First in the theme that the last place was left in, then in the other.
        look(page, (place, dark), faint, skipped)
        dark = not dark
        take_theme(page, dark)
        look(page, (place, dark), faint, skipped)
    assert not faint
    assert not skipped


def look(page, place, faint, skipped):
    """Note what is hard to read on the page as it is now."""
    texts, found = faint_texts(page)
    assert texts > 20, place
    faint |= {(*place, text): ratio for text, ratio in found.items()}
    outline = headings(page)
    assert [level for level, _ in outline].count(1) == 1, place
    skipped |= {(*place, outline[i]): outline for i in skips([level for level, _ in outline])}


def test_faint_text_and_skipped_headings_are_found(page, address):
    open_page(page, address, "about", **QUICK)
    page.evaluate("""() => {
      const ground = document.querySelector('[data-testid="stMain"]');
      ground.insertAdjacentHTML('afterbegin', '<p style="color: #777; background: #fff">grey words</p>'
        + '<p style="color: #000; opacity: 0.5; background: #fff">words behind glass</p>'
        + '<p style="color: #767676; background: #fff">words just dark enough</p><h5>too deep</h5>');
    }""")
    _, faint = faint_texts(page)
    assert faint == {"grey words": pytest.approx(4.48, abs=0.01), "words behind glass": pytest.approx(3.95, abs=0.03)}
    levels = [level for level, _ in headings(page)]
    assert skips(levels) == [0]


FOCUS = """e => {
  const style = getComputedStyle(e);
  return style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth);
}"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_links_to_pages_show_that_they_have_the_focus(open_once, dark):
    # Estimate offers beginners a page to start with.
    with open_once(color_scheme="dark" if dark else "light", **QUICK) as page:
        page.keyboard.press("Tab")  # from now on the browser takes it that somebody uses the keyboard
        links = page.get_by_test_id("stSidebarNavLink").all() + page.get_by_test_id("stMain").locator("a").all()
        assert len(links) > len(PAGES)
        for link in links:
            assert link.evaluate(FOCUS) == 0
            link.focus()
            assert link.evaluate(FOCUS) >= 2, link.inner_text()
