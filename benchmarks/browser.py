"""What a reader waits for, measured in a real browser: `python -m benchmarks.browser`.

Times are taken inside the page, from the key press (or the start of the navigation) to the frame in which the new chart
is drawn and the script has ended. No result comes from a cache. Beside them stands what a page of Streamlit's own takes
that is as large as Estimate and computes nothing (benchmarks/plain_page.py): machines differ. By the processor time
that a step of that page costs its server, before and after the rest, the medians are also given for the machine that
the targets were set on. That leaves out that some waits, about 35 ms of a step, do not depend on the machine.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.browser_study import waits
from benchmarks.speed import Bench
from benchmarks.table import markdown

ROOT = Path(__file__).resolve().parents[1]
FLAGS = (
    "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync "
    "--no-first-run"
).split()
REPEATS, LOADS = 20, 5

# Looks at every frame; a chart counts when all of its traces are there and the script has ended.
WATCH = """([keys, before]) => new Promise(resolve => {
  const shown = key => {
    const plot = document.querySelector(`.st-key-${key} .js-plotly-plot`);
    if (!plot || !plot._fullData || !plot._fullData.length || !plot.querySelector('.main-svg .trace')) return null;
    return JSON.stringify(plot._fullData.map(t => [Array.from(t.y || []), t.z]));
  };
  const look = () => {
    const app = document.querySelector('[data-testid="stApp"]');
    const ended = app && app.dataset.testScriptState === 'notRunning';
    if (ended && keys.every((key, i) => { const now = shown(key); return now !== null && now !== before[i]; }))
      resolve(performance.now() - (window.pressedAt || 0));
    else requestAnimationFrame(look);
  };
  look();
})"""
SHOWN = """keys => keys.map(key => {
  const plot = document.querySelector(`.st-key-${key} .js-plotly-plot`);
  return plot && plot._fullData ? JSON.stringify(plot._fullData.map(t => [Array.from(t.y || []), t.z])) : null;
})"""
ON_PRESS = "addEventListener('keydown', () => { window.pressedAt = performance.now() }, true)"


@dataclass(frozen=True)
class Timing:
    """Milliseconds of one kind of wait, and how long it may take, if there is a target."""

    what: str
    ms: list[float]
    target_s: float | None = None

    def cells(self, slowness: float) -> tuple[str, ...]:
        """Return a row of the table; `slowness` is how many times slower the machine is than that of the targets."""
        middle, late = statistics.median(self.ms), sorted(self.ms)[int(0.9 * (len(self.ms) - 1) + 0.5)]
        cells = self.what, str(len(self.ms)), f"{middle:,.0f}", f"{late:,.0f}", f"{middle / slowness:,.0f}"
        if self.target_s is None:
            return *cells, "–", "–", "–"
        ok = ("yes" if ms <= 1000 * self.target_s else "NO" for ms in (middle, middle / slowness))
        return *cells, f"{self.target_s:g} s", *ok


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def wait_for(address: str) -> None:
    """Wait until a server is there, half a minute at the most."""
    for _ in range(300):
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).close()  # noqa: S310 - our own server
            return
        time.sleep(0.1)


@contextlib.contextmanager
def serving(script: str = "app.py") -> Iterator[str]:
    """Run a server on a free port; its address."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port)]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=ROOT, stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603 - our own app
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(address)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def _press(page: Any, keys: list[str], control: str, press: str) -> float:
    handle = page.locator(f'.st-key-{control} [data-testid="stSlider"] input[type=range]')
    before = page.evaluate(SHOWN, keys)
    handle.focus()
    handle.press(press)
    return float(page.evaluate(WATCH, [keys, before]))


def slider(
    new_page: Callable[[], Any], address: str, path: str, keys: list[str], repeats: int, control: str = "eps"
) -> list[float]:
    """Time steps of a slider, up and down in turn, each with a seed of its own: nothing comes from a cache."""
    times: list[float] = []
    page = new_page()
    for seed in range(1000, 1000 + repeats):
        page.goto(f"{address}/{path}{'&' if '?' in path else '?'}seed={seed}")
        page.evaluate(WATCH, [keys, [None] * len(keys)])
        page.evaluate(ON_PRESS)
        page.wait_for_timeout(300)
        times.append(_press(page, keys, control, "ArrowRight" if seed % 2 else "ArrowLeft"))
    page.context.close()
    return times


def first_load(new_page: Callable[[], Any], script: str = "app.py", key: str = "estimate_chart") -> tuple[float, float]:
    """Time the first page that a fresh server shows to a browser which has nothing cached, and then Advisor's table."""
    with serving(script) as address:
        page = new_page()
        page.goto(address, wait_until="commit")
        passed = float(page.evaluate(WATCH, [[key], [None]]))
        table = _first_table(page) if script == "app.py" else 0.0
        page.context.close()
        return passed, table


def _first_table(page: Any) -> float:
    """Time from the link to Advisor to its table, which nobody has asked for before."""
    link = page.get_by_test_id("stSidebarNav").get_by_text("Advisor", exact=True)
    begun = time.perf_counter()
    link.click()
    page.get_by_test_id("stDataFrame").first.wait_for()
    return 1000 * (time.perf_counter() - begun)


def chromium() -> str | None:
    """Return where a Chromium is, if there is one."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for name in names if (path := shutil.which(name))), None)


def problem() -> str | None:
    """Return why the pages can't be measured, or None if they can."""
    return None if chromium() else "no Chromium found; get one with `apt-get install chromium`"


def section(bench: Bench) -> list[str]:
    """Return the table for the document."""
    repeats, loads = (3, 1) if bench.short else (REPEATS, LOADS)
    from playwright.sync_api import sync_playwright  # not needed to import the other benchmarks

    from benchmarks.load import slowness  # which needs this module

    slow = [slowness(4 if bench.short else 15)]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)

        def new_page() -> Any:
            return browser.new_context(viewport={"width": 1280, "height": 900}).new_page()

        with serving("benchmarks/plain_page.py") as address:
            plain = slider(new_page, address, "", ["chart_0", "chart_1"], repeats)
        with serving() as address:
            estimate = slider(new_page, address, "", ["estimate_chart"], repeats)
            both = ["compare_once", "compare_repeatedly"]
            compare = slider(new_page, address, "compare", both, repeats)
            curves = slider(new_page, address, "tradeoff", ["curves"], loads, "k")
            gains = slider(new_page, address, "tradeoff?view=gain+map", ["map"], loads, "n")
            best = slider(new_page, address, "tradeoff?view=best+mechanism", ["map"], loads, "n")
            study = waits(new_page, address, 3 if bench.short else 10)
        plain_first = [first_load(new_page, "benchmarks/plain_page.py", "chart_1")[0] for _ in range(loads)]
        first, advice = zip(*(first_load(new_page) for _ in range(loads)), strict=True)
        browser.close()
    slow.append(slowness(4 if bench.short else 15))
    rows = [
        Timing("a plain page of Streamlit's: a step of ε", plain),
        Timing("Estimate: a step of ε", estimate, 0.25),
        Timing("Compare: a step of ε, 14 mechanisms, 20 runs", compare, 0.6),
        Timing("first load of a plain page, fresh server and browser", plain_first),
        Timing("first load, fresh server and browser", list(first), 2.5),
        Timing("Trade-off: all curves, from a step of k", curves, 1.5),
        Timing("Trade-off: the whole map of the gain, from a step of n", gains, 4),
        Timing("Trade-off: the whole map of the best mechanism, from a step of n", best, 4),
        Timing("Advisor: the first table, from the link", list(advice), 1.5),
    ]
    signs = {f"{words} (or a sign)": times for words, times in study.items() if "picture" not in words}
    rows += [Timing(words, times, 0.5) for words, times in signs.items()]
    rows += [Timing(words, times) for words, times in study.items() if "picture" in words]
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    title = f"## browser: from the key press to the drawn chart, nothing cached ({os.cpu_count()} cores{load})"
    told = (
        f"A step of a plain page cost its server {slow[0]:.1f} times as much processor time before, and {slow[1]:.1f} "
        "times after, as on the machine that the targets were set on; “scaled” are medians divided by the mean of both."
    )
    head = ("what", "times", "median ms", "90th percentile ms", "scaled ms", "target", "median ok", "scaled ok")
    table = markdown(head, [row.cells(statistics.mean(slow)) for row in rows])
    return [f"{title}\n\n{told}\n\n{table}\n"]


def main() -> int:
    """Measure and print."""
    if reason := problem():
        print(reason, file=sys.stderr)
        return 1
    print(*section(Bench()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
