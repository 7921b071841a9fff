"""One server, one browser and its tabs for a worker; every page stays silent and at home.

A test loads its pages anew, but for those that tests look at and leave as they were: such a page is loaded once.
"""

from __future__ import annotations

import contextlib
import re
from functools import partial
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser_steps import FLAGS, HOW_TO_GET_ONE, PATIENCE_MS, chromium, open_page, serving

playwright_api = pytest.importorskip(
    "playwright.sync_api", reason="no Playwright; get it with `pip install playwright`"
)
# Tabs of one person share a process, and so the client's code once it is compiled. A page lives for seconds here: what
# a browser would spend on making its code faster never pays.
CHEAP = ["--process-per-site", "--js-flags=--no-opt --no-maglev"]
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
        started = playwright.chromium.launch(executable_path=where, args=[*FLAGS, *CHEAP])
        yield started
        started.close()


class Watch:
    """Notes what a page must not do: log errors, fail, or ask anybody but our server."""

    def __init__(self) -> None:
        self.homes: set[str] = set()
        self.complaints: list[str] = []

    def allow(self, address: str) -> None:
        self.homes.add(urlsplit(address).netloc)

    def note(self, kind: str, event: Any) -> None:
        if kind == "pageerror":
            self.complaints.append(f"page error: {event}")
        elif kind == "console":
            where = event.location.get("url", "")
            if event.type == "error" and not PROBES.match(urlsplit(where).path):
                self.complaints.append(f"console: {event.text} ({where})")
        else:
            url = urlsplit(event.url)
            if url.scheme not in ("data", "blob") and url.netloc not in self.homes:
                self.complaints.append(f"{kind} to {event.url}")


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


class Tab:
    """A tab of a browser, and who watches over it now."""

    def __init__(self, context) -> None:
        self.page = context.new_page()
        self.watch: Watch | None = None
        for kind in ("console", "pageerror", "request", "websocket"):
            self.page.on(kind, partial(self._note, kind))

    def _note(self, kind: str, event: Any) -> None:
        if self.watch is not None:
            self.watch.note(kind, event)

    def leave(self, address: str) -> None:
        """End the session, and forget what the client remembers in the browser: no business of the next test."""
        # Nowhere else than at home, where the tab keeps what it has read and compiled.
        self.page.goto(f"{address}/_stcore/health")
        self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear() }")
        self.watch = None


@pytest.fixture(scope="session")
def tabs(browser):
    """The context that tests share, and its tabs that nobody uses.

    A tab that has loaded the client once has its code compiled: there it loads in less than half of the time.
    """
    return SimpleNamespace(context=_timed(browser.new_context()), free=[], kept=None)


def _timed(context):
    context.set_default_timeout(PATIENCE_MS)
    return context


def _free_tab(tabs, address, spare_kept=True):
    """Return a tab that nobody uses; that of the kept page where there is no other, or it need not be spared."""
    if tabs.kept and not (tabs.free and spare_kept):
        _, tab = tabs.kept
        tabs.kept = None
        tab.leave(address)
        return tab
    return tabs.free.pop() if tabs.free else Tab(tabs.context)


@pytest.fixture
def open_once(tabs, address, watch):
    """Open a page for a test that leaves it as it was: whoever asks for the same next finds it open."""
    watch.allow(address)

    @contextlib.contextmanager
    def give(path="", viewport=VIEWPORT, color_scheme="light", **query):
        wanted = (address, path, viewport, color_scheme, query)
        is_open = tabs.kept is not None and tabs.kept[0] == wanted
        tab = tabs.kept[1] if is_open else _free_tab(tabs, address, spare_kept=False)
        tabs.kept = None
        tab.watch = watch
        try:
            if not is_open:
                _prepare(tab, viewport, color_scheme)
                open_page(tab.page, address, path, **query)
            yield tab.page
        except BaseException:
            tab.leave(address)
            tabs.free.append(tab)
            raise
        tab.watch = None
        tabs.kept = (wanted, tab)

    return give


def _prepare(tab, viewport, color_scheme):
    tab.page.set_viewport_size(viewport)
    tab.page.emulate_media(color_scheme=color_scheme)


@pytest.fixture
def new_page(browser, tabs, address, watch):
    """Give pages; those of another person, or with more wishes than size and colours, in a context of their own."""
    used, contexts = [], []
    watch.allow(address)

    def give(viewport=VIEWPORT, color_scheme="light", person=False, **options):
        if person or options:
            contexts.append(_timed(browser.new_context(**options)))
            tab = Tab(contexts[-1])
        else:
            tab = _free_tab(tabs, address)
            used.append(tab)
        tab.watch = watch
        _prepare(tab, viewport, color_scheme)
        return tab.page

    yield give
    for tab in used:
        tab.leave(address)
        tabs.free.append(tab)
    for own in contexts:
        own.close()


@pytest.fixture
def page(new_page):
    return new_page()
