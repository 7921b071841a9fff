"""A server, a browser, and the few things that the browser tests and the browser benchmark do with them."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[2]
FLAGS = (
    "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync "
    "--no-first-run"
).split()
HOW_TO_GET_ONE = "no Chromium found; get one with `apt-get install chromium`, or put yours on the PATH"
READY = '[data-testid="stApp"][data-test-script-state="notRunning"][data-test-connection-state="CONNECTED"]'
# So long may anything take that a test waits for: with all workers at work a page takes its time. No test waits for
# what does not come, so that this costs nothing.
PATIENCE_MS = 75_000
# A change takes a moment to reach the server; until then the last run still looks finished.
SETTLE_MS = 300
# Elements whose code is still being loaded.
LOADING = '[data-testid="stSkeleton"]'


def chromium() -> str | None:
    """Return where a Chromium is, if there is one."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((found for name in names if (found := shutil.which(name))), None)


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """Run a server of our own on a free port; its address."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1"]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=ROOT, stdin=quiet, stdout=quiet, stderr=quiet)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/_stcore/health", process)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(url: str, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"the server stopped with {process.returncode} before it answered")
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310 - our own server
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the server did not answer within {seconds:g} s")


# ---- on a page ----------------------------------------------------------------------


def settle(page: Any) -> None:
    """Wait until the script has run and the page is drawn."""
    page.wait_for_timeout(SETTLE_MS)
    page.wait_for_selector(READY, timeout=PATIENCE_MS)
    page.wait_for_selector(LOADING, state="detached", timeout=PATIENCE_MS)
    page.wait_for_timeout(100)


def open_page(page: Any, address: str, path: str = "", **query: str) -> None:
    page.goto(f"{address}/{path}" + (f"?{urlencode(query)}" if query else ""))
    page.wait_for_selector('[data-testid="stApp"] h1', timeout=PATIENCE_MS)
    settle(page)


# Plotly keeps the numbers packed in `data` and unpacked in `_fullData`.
_SERIES = """key => {
  const plot = document.querySelector(`.st-key-${key} .js-plotly-plot`);
  if (!plot || !plot._fullData || !plot._fullData.length) return null;
  return JSON.stringify(plot._fullData.map(t => [t.name, t.type, Array.from(t.x || []), Array.from(t.y || [])]));
}"""


def traffic_of(page: Any) -> list[str]:
    """Return a list that gets a word for every message between a page that is opened next and its server."""
    traffic: list[str] = []

    def listen(socket: Any) -> None:
        socket.on("framesent", lambda frame: traffic.append("sent"))
        socket.on("framereceived", lambda frame: traffic.append("received"))

    page.on("websocket", listen)
    return traffic


def _drawn(page: Any, key: str) -> str:
    page.wait_for_function(f"key => ({_SERIES})(key) !== null", arg=key)
    return str(page.evaluate(_SERIES, key))


def series(page: Any, key: str = "estimate_chart") -> list[Any]:
    """Return name, kind, x and y of what a chart draws."""
    return list(json.loads(_drawn(page, key)))


@contextlib.contextmanager
def changing(page: Any, key: str = "estimate_chart") -> Iterator[None]:
    """Do something that changes a chart, and wait until it has."""
    before = _drawn(page, key)
    yield
    changed = f"([key, old]) => {{ const now = ({_SERIES})(key); return now !== null && now !== old }}"
    page.wait_for_function(changed, arg=[key, before])
    settle(page)


def slider(page: Any, key: str) -> Any:
    return page.locator(f'.st-key-{key} [data-testid="stSlider"] input[type=range]')


def step(page: Any, key: str, press: str = "ArrowRight") -> None:
    handle = slider(page, key)
    handle.focus()
    handle.press(press)


def choose(page: Any, key: str, word: str, tries: int = 5) -> None:
    """Choose a word from a list as a user does, who opens it once more where the page was drawn anew meanwhile."""
    option = page.get_by_role("option", name=word, exact=True)
    for left in reversed(range(tries)):
        page.locator(f".st-key-{key} input[role=combobox]").click()
        try:
            option.click(timeout=4_000 if left else None)
        except Exception:  # Playwright's, of a package that the other users of this module do not have
            if not left:
                raise
        else:
            return


def click_into_estimate(page: Any, where: str, argument: Any, tries: int = 5) -> None:
    """Click at a place of a chart, which opens Estimate, as a user does: again where the chart was drawn meanwhile.

    `where` is a function in the page's language that gives the place.
    """
    for left in reversed(range(tries)):
        at = page.evaluate(where, argument)
        # Plotly takes a click for one on a point or cell only if it has seen the mouse come.
        page.mouse.move(0, 0)
        page.mouse.move(*at, steps=4)
        page.wait_for_timeout(200)
        page.mouse.click(*at, delay=50)
        try:
            page.wait_for_selector('h1:has-text("Estimate")', timeout=10_000 if left else None)
        except Exception:  # Playwright's, of a package that the other users of this module do not have
            if not left:
                raise
        else:
            break
    settle(page)


def switch(page: Any, key: str) -> None:
    page.locator(f".st-key-{key} label").first.click()


def is_on(page: Any, key: str) -> bool:
    return bool(page.locator(f".st-key-{key} input[role=switch]").is_checked())


def pick(page: Any, key: str, word: str, tries: int = 5) -> None:
    """Choose one of a few words side by side, as a user does, who clicks again where a click went astray."""
    radio = page.locator(f".st-key-{key}").get_by_role("radio", name=word, exact=True)
    for _ in range(tries):
        radio.click()
        page.wait_for_timeout(100)
        if radio.get_attribute("aria-checked") == "true":
            return


def copied_link(page: Any) -> str:
    """Return the address that the sidebar offers to copy."""
    page.get_by_test_id("stSidebar").get_by_test_id("stPopover").last.get_by_role("button").click()
    text = page.get_by_test_id("stPopoverBody").get_by_test_id("stCode").locator("code").inner_text()
    page.keyboard.press("Escape")
    return str(text).strip()


def go_to(page: Any, name: str) -> None:
    page.get_by_test_id("stSidebarNav").get_by_text(name, exact=True).click()
    page.wait_for_selector(f'h1:has-text("{name}")')
    settle(page)


def metrics(page: Any) -> list[str]:
    return list(page.get_by_test_id("stMetricValue").all_inner_texts())
