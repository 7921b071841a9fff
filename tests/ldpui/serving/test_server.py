"""What is done once, when the server starts."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from browser_steps import ROOT

ASKED = """
import requests

def get(*_, **__):
    raise SystemExit("a service outside was asked")

requests.get = get

from streamlit import config
from streamlit.web import bootstrap
from streamlit.web.server.starlette.starlette_websocket import _is_origin_allowed

from ldpui.serving import server

server.prepare()
print(_is_origin_allowed("http://stranger.example", "ldp.example.org"))
print(_is_origin_allowed("http://ldp.example.org", "ldp.example.org"))
config.set_option("server.headless", True)
bootstrap._print_url(False)
"""


@pytest.mark.slow
def test_nobody_outside_is_asked_who_we_are():
    """Every page of another name had the server ask for its own address, up to two seconds long, and all waited."""
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "LDP_EXPLORER_WORKERS": "off"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[:2] == ["False", "True"]
    # Who starts a server is still told where it is.
    assert "Local URL: http://localhost" in done.stdout
    assert "External URL" not in done.stdout
