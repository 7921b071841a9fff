"""How long a reader of the Study pages waits from a control to its picture, or to a sign that it is being computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# All that is drawn on the page: the numbers of every chart, and the words within components.
SHOWN = """window.shown = () => {
  const plots = [...document.querySelectorAll('.js-plotly-plot')].map(
    (plot) => (plot._fullData || []).map((one) => [one.name, Array.from(one.x || []), Array.from(one.y || [])]));
  const parts = [...document.querySelectorAll('[data-testid="stMain"] *')].filter((e) => e.shadowRoot).map(
    (e) => e.shadowRoot.innerHTML);
  return JSON.stringify([plots, parts]);
};
window.signed = () => [...document.querySelectorAll('[data-testid="stMarkdown"]')].some(
  (e) => e.textContent.startsWith('hourglass_top'));
for (const kind of ['keydown', 'pointerdown'])
  addEventListener(kind, () => { window.pressedAt = performance.now(); window.before = window.shown(); }, true);"""
WAIT = """() => new Promise((resolve) => {
  const look = () => {
    const passed = performance.now() - window.pressedAt;
    if (window.signed() || window.shown() !== window.before || passed > 30_000) resolve(passed);
    else requestAnimationFrame(look);
  };
  look();
})"""
# Looked at in every frame of the browser: a program beside it is not heard while it draws.
OPENED = """() => {
  const passed = {};
  addEventListener('pointerdown', () => { window.pressedAt = performance.now(); }, true);
  window.opened = new Promise((resolve) => {
    const see = (words, there) => { if (there && !(words in passed)) passed[words] = performance.now() - pressedAt; };
    const look = () => {
      const [title, main] = ['h1', '[data-testid="stMain"]'].map((e) => document.querySelector(e));
      const here = window.pressedAt && title && title.textContent === 'What we found';
      const frame = '[data-testid^="stSkeleton"], [data-testid="stSpinner"], [class*=st-key-picture_]';
      see('its heading and a frame', here && main.querySelector(frame));
      see('the first picture', here && main.querySelector('[class*=st-key-picture_] .main-svg .trace'));
      if (Object.keys(passed).length === 2) resolve(passed);
      else requestAnimationFrame(look);
    };
    look();
  });
}"""
READY = '[data-testid="stApp"][data-test-script-state="notRunning"][data-test-connection-state="CONNECTED"]'


def _settle(page: Any) -> None:
    page.wait_for_timeout(400)
    page.wait_for_selector(READY)
    page.wait_for_timeout(400)


def _open(page: Any, address: str, path: str) -> None:
    page.goto(f"{address}/{path}")
    page.wait_for_selector("h1")
    _settle(page)
    page.evaluate(SHOWN)


def _timed(page: Any, act: Callable[[Any], None]) -> float:
    act(page)
    return float(page.evaluate(WAIT))


def _step(key: str) -> Callable[[Any], None]:
    def act(page: Any) -> None:
        page.locator(f".st-key-{key} input[type=range]").press("ArrowRight")

    return act


def _press(key: str) -> Callable[[Any], None]:
    return lambda page: page.locator(f".st-key-{key} button").first.click()


def _guess(page: Any) -> None:
    page.locator('[class*="st-key-guess_"] label').last.click()
    _settle(page)


def _students(page: Any) -> None:
    page.get_by_role("button", name="simulated students").click()


def _open_room(page: Any) -> None:
    page.get_by_role("button", name="Open the room").click()
    page.locator(".st-key-class_question").wait_for()
    _settle(page)


# Page with its settings, what is done before, and the control; {} is a number that no page before had.
WAITS: tuple[tuple[str, str, Callable[[Any], None] | None, Callable[[Any], None]], ...] = (
    ("Learn: a step of ε in lesson 6", "learn?lesson=6", _guess, _step("promise")),
    ("IBU lab: a step of ε", "ibu_lab?seed={}", None, _step("eps")),
    ("IBU lab: a start of one's own", "ibu_lab?seed={}", None, _press("lab_shape_hill")),
    ("Over time: a step of ε∞", "over_time?seed={}&k=100", None, _step("eps_inf")),
    ("Over time: another life", "over_time?seed={}&aspect=one+user%27s+life", None, _press("another_life")),
    ("Live class: simulated students", "class", _open_room, _students),
)


def waits(new_page: Callable[[], Any], address: str, repeats: int) -> dict[str, list[float]]:
    """Return milliseconds from each control to the new picture, or to the sign of it; nothing is cached."""
    times: dict[str, list[float]] = {}
    for words, path, prepare, act in WAITS:
        for number in range(repeats):
            page = new_page()
            _open(page, address, path.format(5_000 + number))
            if prepare is not None:
                prepare(page)
            times.setdefault(words, []).append(_timed(page, act))
            page.context.close()
    for _ in range(repeats):
        for words, passed in _opened(new_page(), address).items():
            times.setdefault(f"What we found: {words}, from the link", []).append(passed)
    return times


def _opened(page: Any, address: str) -> dict[str, float]:
    """Return milliseconds from the link to the page's heading with the frame of a picture, and to the first picture."""
    page.goto(address)
    page.wait_for_selector("h1")
    _settle(page)
    page.evaluate(OPENED)
    page.get_by_test_id("stSidebar").get_by_role("link", name="What we found").click()
    passed: dict[str, float] = page.evaluate("window.opened")
    page.context.close()
    return passed
