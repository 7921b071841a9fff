"""Your reports: what takes long is done in turns with what others ask for, and what would take minutes is not begun."""

from __future__ import annotations

import pytest
from app_steps import assert_calm
from collected_reports import frame_of
from report_uploads import as_file, opened, outcome, upload
from your_reports_page import N, assert_estimates, collect, errors

import ldpcore as ldp
from ldpcore.collected import parts
from ldpcore.mechanisms.reports import PAIRS
from ldpui import uploads
from ldpui.computing import compute, counting, reading
from pages.practice.your_reports import counting as page_counting
from pages.practice.your_reports import downloads, outcomes


@pytest.fixture
def jobs(monkeypatch):
    """The functions that workers are asked for, and whether as something long."""
    asked, run = [], compute.run

    def noted(function, *arguments, **bounds):
        asked.append((function, bounds["long"]))
        return run(function, *arguments, **bounds)

    monkeypatch.setattr(compute, "run", noted)
    monkeypatch.setattr(uploads, "SLICE", 0.0)
    monkeypatch.setattr(page_counting, "FIRST_SLICE", 0.0)
    monkeypatch.setattr(outcomes, "AT_ONCE", 0.0)
    return asked


def test_counting_and_climbing_are_many_jobs(jobs, monkeypatch):
    """Each was one job of up to two minutes, for which everybody else's long ones waited."""
    monkeypatch.setattr(parts, "CELLS", 600)
    m, reports = collect("OUE")
    at = upload(opened("OUE"), as_file(frame_of(reports)))
    assert_estimates(at, ldp.estimate_reports(reports, m))
    counts = [long for function, long in jobs if function is reading.count]
    assert counts == [False, *[True] * (N // 100 - 1)]  # a hundred reports of six bits in each
    climbs = [long for function, long in jobs if function is reading.climb]
    assert climbs == [False, *[True] * (len(climbs) - 1)]
    assert len(climbs) > 1


def test_what_would_take_minutes_is_refused_with_the_command_that_does_it(monkeypatch):
    """After two minutes of computing there was a refusal, and no word of where to go."""
    m, reports = collect("OLH")
    at = upload(opened("OLH"), as_file(frame_of(reports)))
    command = downloads.command(outcome(at)).removesuffix(" --full")
    monkeypatch.setitem(counting.MINUTE, PAIRS.key, N * m.k - 1)
    at = upload(opened("OLH"), as_file(frame_of(reports)))
    assert not at.exception
    assert outcome(at) is None
    assert errors(at) == [
        f"mine.csv: to count {N} reports of OLH with k = {m.k} would take more than a minute of one core, where this "
        "page stops. On your own machine the command below does it, on all cores."
    ]
    assert command in [code.value for code in at.main.code]
    assert command.startswith("python -m ldpcore count mine.csv --mechanism OLH")
    # With fewer values it is counted, and nothing is left of the refusal.
    monkeypatch.setitem(counting.MINUTE, PAIRS.key, N * m.k)
    at.number_input(key="r_k").set_value(float(m.k - 1)).run()
    assert_calm(at)
    assert outcome(at).collected.n == N
    assert command not in [code.value for code in at.main.code]
