"""What tests of Your reports share: reports, and what the page must say of them."""

from __future__ import annotations

import numpy as np
from app_steps import YOUR_REPORTS, assert_calm, charts
from collected_reports import collect_reports
from report_uploads import K, outcome

PAGE = YOUR_REPORTS


N = 400


SERIES = ("raw", "mi", "ibu", "limit", "noise", "population")


def collect(name, n=N, k=K, eps=1.0, **more):
    return collect_reports(name, n=n, k=k, eps=eps, seed=4, **more)


def errors(at):
    # As they are read: without the signs that keep a text from being Markdown, or a link.
    return [box.value.replace("\\", "").replace("\u2060", "") for box in at.error]


def assert_estimates(at, expected, full=True):
    assert_calm(at)
    collected = outcome(at).collected
    assert collected.n == expected.n
    for name in SERIES:
        a, b = getattr(collected, name), getattr(expected, name)
        assert (a is None) == (b is None), name
        if a is not None:
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-12, err_msg=name)
    if full:
        np.testing.assert_allclose(collected.full, expected.full, rtol=0, atol=1e-3)
    else:
        assert collected.full is None
    assert "reports_chart" in charts(at)
    assert len(at.main.dataframe[0].value) == collected.counts.size
