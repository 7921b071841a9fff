"""A server of its own for each module, that tells what it holds and writes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request

import pytest
from browser_steps import ROOT, free_port


class Witness:
    """A server that tells what it holds and writes."""

    def __init__(self, process, address, log):
        self.process, self.address, self.log = process, address, log

    def ask(self, word=""):
        print(*word, file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    port, log = free_port(), tmp_path_factory.mktemp("server") / "log"
    command, pipe = [sys.executable, "tests/helpers/witness.py", str(port)], subprocess.PIPE
    with (
        log.open("w") as written,
        subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=written, text=True) as process,
    ):
        try:
            address = f"http://127.0.0.1:{port}"
            for _ in range(600):
                try:
                    urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).close()  # noqa: S310 - our own server
                    break
                except OSError:
                    time.sleep(0.1)
            # Until the server is there, its own banner is printed.
            process.stdin.write("\n")
            process.stdin.flush()
            while not process.stdout.readline().startswith("{"):
                pass
            yield Witness(process, address, log)
        finally:
            process.kill()
