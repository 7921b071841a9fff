"""Make docs/screenshot.png: start the app, open it in headless Chromium, take a picture.

.venv/bin/python scripts/screenshot.py
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
READY = '[data-testid="stApp"][data-test-script-state="notRunning"][data-test-connection-state="CONNECTED"]'


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def wait_for(url: str, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            urllib.request.urlopen(url, timeout=1)  # noqa: S310 - our own server
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise TimeoutError(f"{url} did not answer within {seconds:g} s")


def main() -> None:
    browser_path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(f"http://localhost:{port}/_stcore/health")
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": 1360, "height": 860})
            page.goto(f"http://localhost:{port}/")
            page.wait_for_selector(".js-plotly-plot")
            page.wait_for_selector(READY)
            page.wait_for_timeout(1500)
            page.screenshot(path=ROOT / "docs" / "screenshot.png")
            browser.close()
    finally:
        server.terminate()
    print("docs/screenshot.png")


if __name__ == "__main__":
    main()
