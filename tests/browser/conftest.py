"""One server, one browser and one context for a worker; fresh pages for each test, which stay silent and at home."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from browser_steps import FLAGS, HOW_TO_GET_ONE, chromium, serving

playwright_api = pytest.importorskip(
    "playwright.sync_api", reason="no Playwright; get it with `pip install playwright`"
)
VIEWPORT = {"width": 1280, "height": 900}
# On a deep link Streamlit's own client first asks for its server below the page's path, is told 404, and
# finds it at the root. The browser logs both as errors; nothing else may be logged.
PROBES = re.compile(r"^/[a-z_]+/_stcore/(health|host-config)$")


@pytest.fixture(scope="session")
def address():
    if chromium() is None:
        pytest.skip(HOW_TO_GET_ONE)
    with serving() as found:
        yield found


@pytest.fixture(scope="session")
def browser():
    where = chromium()
    if where is None:
        pytest.skip(HOW_TO_GET_ONE)
    with playwright_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=where, args=FLAGS)
        yield started
        started.close()


class Watch:
    """Notes what a page must not do: log errors, fail, or ask anybody but our server."""

    def __init__(self) -> None:
        self.homes: set[str] = set()
        self.complaints: list[str] = []

    def allow(self, address: str) -> None:
        self.homes.add(urlsplit(address).netloc)

    def over(self, page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))
        page.on("request", self._request)
        page.on("websocket", self._request)

    def _console(self, message) -> None:
        if message.type == "error" and not PROBES.match(urlsplit(message.location.get("url", "")).path):
            self.complaints.append(f"console: {message.text} ({message.location.get('url')})")

    def _request(self, request) -> None:
        url = urlsplit(request.url)
        if url.scheme not in ("data", "blob") and url.netloc not in self.homes:
            self.complaints.append(f"request to {request.url}")


@pytest.fixture
def watch():
    watching = Watch()
    yield watching
    assert not watching.complaints


@pytest.fixture
def fresh_address(watch):
    """Start a server for one test alone."""
    if chromium() is None:
        pytest.skip(HOW_TO_GET_ONE)
    with serving() as found:
        watch.allow(found)
        yield found


@pytest.fixture(scope="session")
def context(browser):
    """The context that tests share: there the client's code is loaded and compiled once, not for every page."""
    return _timed(browser.new_context())


def _timed(context):
    context.set_default_timeout(20_000)
    return context


@pytest.fixture
def new_page(browser, context, address, watch):
    """Make pages; those of another person, or with more wishes than size and colours, in a context of their own."""
    pages, contexts = [], []
    watch.allow(address)

    def make(viewport=VIEWPORT, color_scheme="light", person=False, **options):
        home = context
        if person or options:
            home = _timed(browser.new_context(**options))
            contexts.append(home)
        page = home.new_page()
        pages.append(page)
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=color_scheme)
        watch.over(page)
        return page

    yield make
    for page in pages:
        # What the client remembers in the browser is no business of the next test.
        if page.url.startswith("http"):
            page.evaluate("() => { localStorage.clear(); sessionStorage.clear() }")
        page.close()
    for own in contexts:
        own.close()


@pytest.fixture
def page(new_page):
    return new_page()
