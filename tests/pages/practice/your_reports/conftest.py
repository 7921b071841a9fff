"""What tests of this page share."""

import pytest

from ldpcore.collected import estimates


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    """Let IBU take a hundred steps by default, on the page and in the library alike.

    They would not agree by chance after a hundred either, and ten thousand take far longer.
    """
    for function in (estimates.estimate, estimates.estimate_counted):
        monkeypatch.setitem(function.__kwdefaults__, "max_iter", 100)
