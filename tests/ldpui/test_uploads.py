"""Where a file goes is said at every box for one, and a host can switch uploads off."""

from __future__ import annotations

import subprocess
import sys

import pytest
import streamlit as st
from app_steps import ROOT, YOUR_DATA, YOUR_REPORTS, assert_calm, charts, open_page, session_of

from ldpui import uploads
from ldpui.computing import compute, pool, reading
from ldpui.computing.reading import File
from ldpui.computing.worker import TooLongError
from pages.practice.your_reports import state

PAGES = (YOUR_DATA, YOUR_REPORTS)
GOES = "goes to the server that runs this app"


def captions(at):
    return [caption.value for caption in at.main.caption]


def codes(at):
    return [code.value for code in at.main.code]


@pytest.fixture
def off(monkeypatch):
    monkeypatch.setenv(uploads.SWITCH, "off")


@pytest.mark.parametrize(("page", "boxes"), [(YOUR_DATA, ["file", "text"]), (YOUR_REPORTS, ["file"])])
def test_every_box_says_where_the_data_goes_and_how_to_run_it_yourself(page, boxes):
    at = open_page(page)
    assert [what for what in ("file", "text") if any(f"The {what} {GOES}" in text for text in captions(at))] == boxes
    assert codes(at).count(uploads.COMMAND) == len(boxes)
    # What was said before was not so: the file left the visitor's device.
    said = " ".join([*captions(at), *(m.value for m in at.main.markdown), at.file_uploader[0].help])
    assert "stays in" not in said


def test_the_command_is_that_of_the_readme():
    assert f"```sh\n{uploads.COMMAND}\n```" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "docs/hosting.md", "docs/guide/collected.md"])
def test_documents_do_not_say_that_a_file_stays_with_the_visitor(name):
    text = " ".join((ROOT / name).read_text(encoding="utf-8").split())
    for untrue in ("in the browser, with an example", "stays in the memory of", "stay in the session"):
        assert untrue not in text


@pytest.mark.parametrize(
    ("word", "on"), [("", True), ("on", True), ("TRUE ", True), ("off", False), ("0", False), ("disabled", False)]
)
def test_the_switch_errs_on_the_side_of_off(monkeypatch, word, on):
    monkeypatch.setenv(uploads.SWITCH, word)
    assert uploads.are_on() is on


@pytest.mark.parametrize("page", PAGES)
def test_where_uploads_are_off_there_is_no_box_and_the_page_says_why(off, page):
    at = open_page(page)
    assert_calm(at)
    assert not at.get("file_uploader")
    assert not at.text_area or page == YOUR_REPORTS
    assert any("Uploads are switched off on this server" in box.value for box in at.info)
    assert uploads.COMMAND in codes(at)
    assert not any(GOES in text for text in captions(at))


def test_examples_work_where_uploads_are_off(off):
    at = open_page(YOUR_REPORTS)
    at.button(key="reports_try").click().run()
    assert_calm(at)
    assert "reports_chart" in charts(at)
    at = open_page(YOUR_DATA)
    next(button for button in at.main.button if "survey" in button.label).click().run()
    assert_calm(at)
    assert "own_chart" in charts(at)


def force_boxes(monkeypatch):
    """Draw the boxes all the same, as a hidden one that somebody found a way to fill."""
    monkeypatch.setattr(uploads, "file_box", lambda label, key, **more: st.file_uploader(label, key=key, **more))
    monkeypatch.setattr(uploads, "offered", lambda what: True)


def test_nothing_is_taken_where_uploads_are_off(off, monkeypatch):
    force_boxes(monkeypatch)
    at = open_page(YOUR_REPORTS, {"r_mechanism": "GRR"})
    at.file_uploader[0].set_value(("mine.csv", b"v\n1\n2\n", "text/csv")).run()
    held = session_of(at).part(state.Reports)
    assert (held.pending, held.upload, held.outcome) == (None, None, None)

    at = open_page(YOUR_DATA)
    at.file_uploader(key="own_file").set_value(("mine.csv", b"v\n1\n2\n", "text/csv")).run()
    assert session_of(at).own.upload is None
    assert "uploads are switched off" in at.error[0].value
    at.text_area(key="own_text").set_value("1, 2, 2, 3").run()
    next(button for button in at.main.button if "these values" in button.label).click().run()
    assert session_of(at).own.upload is None
    assert "uploads are switched off" in at.error[0].value


@pytest.mark.slow
@pytest.mark.parametrize(("word", "megabytes"), [("off", "0"), ("on", "50")])
def test_the_server_refuses_files_that_no_page_asked_for(word, megabytes):
    program = (
        "from streamlit import config; from ldpui.serving import server; server.prepare(); "
        "print(config.get_option('server.maxUploadSize'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), uploads.SWITCH: word},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [megabytes]


# ---- whose turn it is -------------------------------------------------------------


@pytest.fixture
def jobs(monkeypatch):
    """What workers are asked for: whether it is long, and for how many seconds; files named "slow" take too long."""
    asked = []

    def run(function, file, *arguments, long, seconds, **bounds):
        asked.append((long, seconds))
        if file.name.startswith("slow") and not long:
            raise pool.LateError("it took longer")
        return "done"

    monkeypatch.setattr(compute, "run", run)
    return asked


LONG, SHORT = (True, uploads.READ_SECONDS), (False, uploads.SHORT_SECONDS)


@pytest.mark.parametrize(
    ("file", "rows", "expected"),
    [
        (File(b"a\n1\n", "a.csv"), None, [SHORT]),
        (File("1\n2\n"), None, [SHORT]),
        (File(bytes(6 << 20), "large.csv"), None, [LONG]),
        # A small Parquet file may hold any number of rows.
        (File(b"PAR1", "a.parquet"), 10**7, [LONG]),
        (File(b"PAR1", "slow.parquet"), None, [SHORT, LONG]),
    ],
    ids=["small", "pasted", "large", "many rows", "slow"],
)
def test_a_small_file_does_not_stand_behind_what_is_long(jobs, file, rows, expected):
    """A look at a kilobyte waited for all counts of all other visitors, of two minutes each."""
    assert uploads.ask(reading.look, file, rows=rows) == "done"
    assert jobs == expected


def test_what_is_said_to_be_long_is_not_tried_before(jobs):
    uploads.ask(reading.look, File(b"a\n1\n", "a.csv"), long=True)
    assert jobs == [LONG]


def test_a_refusal_of_what_would_take_minutes_is_not_asked_for_twice(monkeypatch):
    asked = []

    def run(*arguments, **bounds):
        asked.append(bounds)
        raise TooLongError("it would take minutes")

    monkeypatch.setattr(compute, "run", run)
    with pytest.raises(TooLongError):
        uploads.ask(reading.count, File(b"a\n1\n", "a.csv"))
    assert len(asked) == 1
