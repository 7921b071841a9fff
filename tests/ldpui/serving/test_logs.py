"""What the log says of what fails: its kind and its place, and no word of a visitor's."""

import asyncio
import io
import logging
import subprocess
import sys
import threading
import traceback
import warnings

import pytest
from app_steps import ROOT, YOUR_DATA, YOUR_REPORTS, assert_logged, open_page
from streamlit import error_util
from threads import awaited
from worker_tasks import say_and_break, say_everywhere

from ldpui.computing import reading
from ldpui.computing.pool import Job, Process, WorkerGoneError
from ldpui.computing.worker import attempt
from ldpui.serving import logs

WORD = "zaphrentis"


@pytest.fixture
def log(monkeypatch):
    """The log of a server: what is written to it since."""
    make = logging.getLogRecordFactory()
    for place, name in (
        (sys, "excepthook"), (sys, "unraisablehook"), (threading, "excepthook"), (warnings, "showwarning"),
    ):  # fmt: skip
        monkeypatch.setattr(place, name, getattr(place, name))
    monkeypatch.setattr(logging, "raiseExceptions", True)
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    logging.getLogger().addHandler(handler)
    logs.keep_words_out()
    logs.keep_words_out()  # once is enough
    yield log.getvalue
    logging.getLogger().removeHandler(handler)
    logging.setLogRecordFactory(make)


def fail(word):
    try:
        float(word)
    except ValueError as cause:
        raise KeyError(word) from cause


def caught():
    try:
        fail(WORD)
    except KeyError as error:
        return error
    raise AssertionError


def test_an_exception_is_its_kind_and_its_way_and_what_it_came_from():
    said = logs.described(caught())
    assert WORD not in said
    assert WORD in "".join(traceback.format_exception(caught()))  # as it was
    assert said.index("ValueError") < said.index("KeyError")
    assert said.count("in fail") == 2
    assert "test_logs.py" in said
    ring = ValueError()
    ring.__cause__ = ring
    assert logs.described(ring) == "ValueError"


def test_what_streamlit_and_other_packages_log_has_no_words(log, monkeypatch):
    monkeypatch.setattr(error_util.config, "get_option", lambda name: False)
    streamlit = logging.getLogger("streamlit.error_util")
    monkeypatch.setattr(streamlit, "propagate", True)
    error_util.handle_user_script_exception(caught(), lambda error: True)
    stranger = logging.getLogger("stranger")
    stranger.warning("origin=%s, size=%d", WORD, 4711)
    stranger.warning("origin=%(origin)s", {"origin": WORD})
    stranger.warning(ValueError(WORD))
    stranger.warning("it was %s", ValueError(WORD))
    stranger.error("it was", exc_info=caught())
    said = log()
    assert WORD not in said
    assert said.count("in fail") >= 4
    for words in ("Uncaught app execution", "size=4711", "origin=<str>", "it was ValueError", "KeyError"):
        assert words in said


def test_what_we_log_ourselves_keeps_its_words_but_those_of_exceptions(log):
    logging.getLogger("ldpui.somewhere").error("failed while %s (%s)", "it was read", ValueError(WORD))
    assert "failed while it was read (ValueError)" in log()


def test_a_loop_that_fails_says_no_words(log):
    """It writes down everything that had to do with it, the callback's arguments and the exception among them."""

    async def script():
        loop = asyncio.get_running_loop()
        loop.call_soon(fail, WORD)
        task = loop.create_task(asyncio.to_thread(fail, WORD))
        await asyncio.wait([task])
        del task
        await asyncio.sleep(0.05)

    awaited(script())
    said = log()
    assert WORD not in said
    assert "Exception in callback" in said
    assert "KeyError" in said


def test_threads_warnings_and_what_is_freed_say_no_words(log):
    threading.excepthook(threading.ExceptHookArgs((KeyError, caught(), None, None)))
    sys.excepthook(KeyError, caught(), None)
    sys.unraisablehook(type("What", (), {"exc_value": caught()}))
    warnings.showwarning(UserWarning(WORD), UserWarning, "somewhere.py", 7)
    said = log()
    assert WORD not in said
    assert said.count("KeyError") == 3
    assert "UserWarning in somewhere.py, line 7" in said


@pytest.mark.parametrize("page", [YOUR_DATA, YOUR_REPORTS])
def test_a_cell_that_breaks_a_reader_is_not_in_the_log(monkeypatch, caplog, page):
    def broken(file, *_):
        raise ValueError(f"not so: {file.data!r}")

    monkeypatch.setattr(reading, "open_data" if page == YOUR_DATA else "look", broken)
    at = open_page(page)
    at.file_uploader[0].upload("mine.csv", f"value\n{WORD}\n".encode()).run()
    assert not at.exception
    assert any("something went wrong" in box.value.lower() for box in at.error)
    assert_logged(caplog, WORD)
    assert "in broken" in caplog.text


def test_a_file_does_not_print_itself():
    assert WORD not in repr(reading.File(WORD, "a.csv"))
    assert WORD not in repr(Job(reading.look, (reading.File(WORD.encode()),), None, 1.0))


@pytest.fixture
def worker():
    process = Process()
    yield process
    process.close()


def test_a_worker_writes_nothing_into_the_log_but_kinds_and_places(worker, capfd):
    ok, error = worker.ask(Job(say_everywhere, (WORD,), None, 60.0))
    assert not ok
    assert isinstance(error, ValueError)
    said = "".join(capfd.readouterr())
    assert WORD not in said
    assert "UserWarning in" in said
    assert "in vain: <str>" in said
    # And the server's log names the steps that were taken there.
    assert "in say_everywhere" in logs.described(error)
    assert WORD not in logs.described(error)


def test_a_worker_that_breaks_leaves_its_signal_in_the_log_and_not_its_last_words(worker, capfd, caplog):
    with pytest.raises(WorkerGoneError):
        worker.ask(Job(say_and_break, (WORD,), None, 60.0))
    assert WORD not in "".join(capfd.readouterr())
    assert "a worker ended with -6 while it did say_and_break" in caplog.text
    assert WORD not in caplog.text


def test_a_worker_that_can_not_start_says_why():
    code = "from ldpui.computing import pool; print(pool._START)"
    start = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    done = subprocess.run([sys.executable, "-c", start, "1", "/nowhere"], capture_output=True, text=True)
    assert "ldpui" in done.stderr


def test_a_cluster_is_given_no_exception_to_write_down():
    """Its workers would log what a function raised, with the first thousand letters of its arguments."""
    ok, error = attempt(fail, (WORD,))
    assert not ok
    assert "in fail" in logs.described(error)
    assert attempt(len, (WORD,)) == (True, len(WORD))
