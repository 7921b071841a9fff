"""What visitors are told of their files, checked on a server: nothing goes to a disk, and nothing stays."""

from __future__ import annotations

import asyncio
import http.client
import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from threads import awaited
from visitor import Visitor
from websockets.exceptions import ConnectionClosed, InvalidStatus

from ldpui import session, uploads
from ldpui.serving import leaving

pytestmark = pytest.mark.slow


def test_an_upload_stays_in_memory_and_is_dropped_when_its_visitor_leaves(server):
    data = b"age\n" + b"".join(b"%d\n" % (i % 90) for i in range(1_000_000))
    assert len(data) > 2 * 2**20
    with Visitor(server.address) as visitor:
        visitor.run("your_data")
        before = server.ask()
        said = visitor.upload("own_file", "ages.csv", data)
        assert not said.problems
        assert any("1,000,000" in text for text in said.texts)
        there = server.ask()
        assert there["tables"] == before["tables"] + 1
        assert there["files"] == 1
        assert there["written"] == before["written"]
    # The connection is gone; a lost one could come back within the grace.
    assert server.ask()["tables"] == there["tables"]
    end = time.monotonic() + uploads.GRACE + 10
    while (left := server.ask())["tables"] > before["tables"] and time.monotonic() < end:
        time.sleep(0.2)
    assert left | {"sessions": 1} == before


def test_data_that_a_page_has_drawn_is_dropped_where_nobody_else_comes(server):
    """The parts of Estimate that are drawn without the page had it, until the server spoke to somebody else."""
    before = server.ask()
    with Visitor(server.address) as visitor:
        visitor.run("your_data")
        assert not visitor.upload(
            "own_file", "ages.csv", b"age\n" + b"".join(b"%d\n" % (i % 90) for i in range(999))
        ).problems
        assert not visitor.run("", "data=Your data&k=5&runs=2&closer=Take it away").problems
        assert server.ask()["tables"] == before["tables"] + 1
    end = time.monotonic() + uploads.GRACE + 10
    while (left := server.ask())["tables"] > before["tables"] and time.monotonic() < end:
        time.sleep(0.2)
    assert left["tables"] == before["tables"]


@pytest.fixture(scope="module")
def gone(server):
    """Let visitors bring words, and leave; how often the server held each word while they were there, and at the end.

    They wait together to be forgotten. What is asked of the memory frees what nobody can reach, so that no other test
    may have a visitor who has just left.
    """
    # Who empties the caches comes first: afterwards nothing in them would be found. Who brings a file comes last:
    # threads hold the last answer, until they have another.
    brought = {
        "a file, caches emptied by a stranger": ("zyzzogeton", _bring_words_and_have_caches_emptied),
        "a link": ("xenodocheionology", _open_a_link),
        "messages that no page sends": ("floccinaucity", _send_what_no_page_sends),
        "a file": ("quomodocunquize", _bring_words),
    }
    there = {what: bring(server, word) for what, (word, bring) in brought.items()}
    time.sleep(uploads.GRACE + leaving.SWEEP)
    end = time.monotonic() + uploads.GRACE + 10

    def still(word):
        while (left := server.ask(word)["mentions"]) and time.monotonic() < end:
            time.sleep(0.5)
        return left

    left = {what: still(word) for what, (word, _) in brought.items()}
    left["a link"] += still(ZEROS[:1_000])
    return there, left


ZEROS = "0" * 100_000


def _bring_words(server, word, meanwhile=lambda: None):
    data = b"word\n" + b"".join(b"%s%d\n" % (word.encode(), i % 7) for i in range(20_000))
    with Visitor(server.address) as visitor:
        visitor.run("your_data")
        assert not visitor.upload("own_file", "words.csv", data).problems
        assert not visitor.run("").problems
        there = server.ask(word)["mentions"]
        meanwhile()
        return there


def _bring_words_and_have_caches_emptied(server, word):
    with Visitor(server.address) as stranger:

        def empty():
            stranger.run("about")
            stranger.clear_caches()
            stranger.run("about")

        return _bring_words(server, word, empty)


def _open_a_link(server, word):
    with Visitor(server.address) as visitor:
        asked = "&".join(f"{key}={word}{key}" for key in ("k", "eps", "data", "mechanism", "closer", "room", word))
        # Few runs and steps: what the pages compute is not asked.
        visitor.run("", f"{asked}&n={ZEROS}7&runs=2&iterations=30")
        there = server.ask(word)["mentions"]
        for page in ("compare", "advisor", "class", "your_reports"):
            visitor.run(page)
        return there


def _send_what_no_page_sends(server, word):
    with Visitor(server.address) as visitor:
        assert not visitor.run("paper").problems
        visitor.set("paper_seed", string_value="seven")
        assert not visitor.run().problems
        visitor.run("your_data")
        visitor.set("own_text", string_value=f"{word} " * 5_000)
        visitor.run()
        # As a browser that connects again says what a new session does not know yet, and in the wrong kind.
        visitor.states["stranger"] = WidgetState(id="$$ID-stranger-None", string_value=f"{word} " * 5_000)
        visitor.set("own_bare", string_value=word)
        assert not visitor.run().problems
        return server.ask(word)["mentions"]


@pytest.mark.parametrize("what", ["a file", "a file, caches emptied by a stranger"])
def test_nothing_is_left_of_words_that_a_visitor_has_brought(gone, what):
    """Threads held the last answer, a cache of all visitors the figures, and who emptied the caches kept everybody."""
    there, left = gone
    assert there[what] > 2
    assert left[what] == 0


def test_nothing_is_left_of_a_link(gone):
    """What a link asked of a scale stayed in a cache that all visitors share, half a megabyte a link."""
    there, left = gone
    assert there["a link"] > 0
    assert left["a link"] == 0


def test_a_message_that_no_page_sends_changes_nothing(gone):
    """Text for a control of numbers ended the session: no page was answered any more, and nothing was dropped."""
    there, left = gone
    assert there["messages that no page sends"] > 0
    assert left["messages that no page sends"] == 0


def test_what_was_never_used_is_freed_too(server):
    """Nobody could reach it any more; but it stayed in memory until something else happened."""
    file, text = "quizzaciouslyfile", "quizzaciouslytext"
    with Visitor(server.address) as one, Visitor(server.address) as other:
        # A file that is refused, and a text that is not used.
        one.run("your_data")
        assert one.upload("own_file", "words.csv", b"word,again\n" + f'"{file}\n'.encode() * 5_000).problems
        other.run("your_data")
        other.set("own_text", string_value=f"{text} " * 5_000)
        assert not other.run().problems
        assert all(server.ask(f"{word}!")["mentions"] > 0 for word in (file, text))
    # Not before: who looks at everything holds everything, and the server sweeps once.
    time.sleep(uploads.GRACE + leaving.SWEEP + 4)
    assert [server.ask(f"{word}!")["mentions"] for word in (file, text)] == [0, 0]


@pytest.mark.parametrize(("page", "key"), [("your_data", "own_file"), ("your_reports", "reports_file_0")])
def test_what_is_forgotten_is_gone_while_its_visitor_stays(server, page, key):
    """Its box was replaced by an empty one, and the server kept the file: of a box that is gone nobody tells it."""
    word = f"gardyloo{page.replace('_', '')}"
    data = b"value\n" + b"".join(b"%s%d\n" % (word.encode(), i % 7) for i in range(2_000))
    with Visitor(server.address) as visitor:
        before = server.ask()["files"]
        visitor.run(page, "r_mechanism=GRR&r_k=7")
        assert not visitor.upload(key, "words.csv", data).problems
        del visitor.states[key]
        visitor.run("about")
        visitor.run(page)
        assert server.ask(word)["files"] == before + 1
        visitor.press("Forget the data" if page == "your_data" else "Forget the file")
        visitor.run()
        left = server.ask(word)
        assert left["files"] == before
        assert left["mentions"] == 0


def test_the_log_does_not_begin_with_warnings(server):
    """A hundred came after the address, one of each cache, that no server was there yet."""
    assert "No runtime" not in server.log.read_text()


def test_no_word_of_a_visitor_is_in_the_log(server):
    """Exceptions, and what Streamlit says of messages that it can't use, were logged in their own words."""
    word = "pneumatocyst"
    with Visitor(server.address) as visitor:
        visitor.run("paper", f"k={word}&{word}=1&paper_seed={word}&data={word}")
        visitor.set("paper_seed", string_value=word)
        visitor.run()
        del visitor.states["paper_seed"]
        visitor.run("your_data")
        assert visitor.upload("own_file", f"{word}.csv", f'{word},b\n"{word}\n'.encode() * 50).problems
        visitor.socket.send(
            BackMsg(backend_operation_request={"request_id": word, "session_id": word}).SerializeToString()
        )
        visitor.socket.send(BackMsg(rerun_script={"fragment_id": word}).SerializeToString())
        visitor.run("about")
        visitor.socket.send(b"\xff" + word.encode())
        with pytest.raises(ConnectionClosed):
            visitor.run("about")
    with pytest.raises(InvalidStatus):
        Visitor(server.address, origin=f"http://{word}.example")
    time.sleep(0.2)
    log = server.log.read_text()
    assert word not in log
    # It was asked for: each has left its line.
    assert "Rejecting WebSocket connection" in log
    assert "Rejecting backend operation request <str>" in log
    assert "google.protobuf.message.DecodeError" in log


def processor(pid):
    """The processor time of a process and its children, in seconds."""
    taken = 0
    for one in (pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())):
        # Its own, and that of children which have ended.
        taken += sum(map(int, Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return taken / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux")
def test_work_ends_with_its_visitor(server):
    """Compare at a thousand bins went on for more than a minute after its visitor had left."""
    pid = server.process.pid
    with Visitor(server.address) as visitor:
        visitor.ask("compare", "k=1000&runs=100&iterations=14k&eps=1.1")
        end, before = time.monotonic() + 60, processor(pid)
        while processor(pid) - before < 1.5 and time.monotonic() < end:
            time.sleep(0.1)
        assert processor(pid) - before >= 1.5  # it is hard at work
        # Nobody reads what the page still says, which the end of the connection would wait for.
        visitor.socket.close_timeout = 0.2
    left = processor(pid)
    time.sleep(3)
    assert processor(pid) - left <= 1.0


def test_pages_of_other_names_are_refused(server):
    with pytest.raises(InvalidStatus, match="403"):
        Visitor(server.address, origin="http://stranger.example")
    with Visitor(server.address, origin=server.address) as visitor:
        assert not visitor.run("about").problems


def test_a_file_that_does_not_say_how_long_it_is_is_not_read(server):
    connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=10)
    connection.putrequest("PUT", "/_stcore/upload_file/any/file")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    assert connection.getresponse().status == 411
    connection.close()


@pytest.mark.parametrize(
    "path",
    [
        "/app.py", "/ldpui/computing/pool.py", "/../app.py", "/static/../app.py", "/static/%2e%2e/app.py",
        "/.streamlit/config.toml",
        "/%2e%2e/%2e%2e/etc/passwd", "/app/static/../../app.py", "/media/../app.py", "/component/../app.py",
        "/_stcore/../app.py", "/pyproject.toml",
    ],
)  # fmt: skip
def test_no_source_is_served(server, path):
    connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=10)
    connection.request("GET", path)
    answer = connection.getresponse()
    words = answer.read()
    connection.close()
    # What is not there is the client's own page, which then says so.
    assert answer.status >= 400 or b"<title>Streamlit</title>" in words
    assert not any(word in words for word in (b"import ", b"[server]", b"root:", b"[project]")) or b"<title>" in words


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux")
def test_sessions_that_come_and_go_leave_nothing(server):
    """In small what was tried with two thousand of them: memory and threads are level."""

    def visits(number):
        for _ in range(number):
            with Visitor(server.address) as visitor:
                assert not visitor.run("about").problems
        end = time.monotonic() + uploads.GRACE + 15
        while server.ask("")["sessions"] and time.monotonic() < end:
            time.sleep(0.2)
        lines = dict(line.split(":", 1) for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines())
        return int(lines["VmRSS"].split()[0]) / 1024, int(lines["Threads"]), server.ask()["sessions"]

    memory, threads, _ = visits(15)
    more_memory, more_threads, left = visits(30)
    assert left == 0
    assert more_threads <= threads + 2
    assert more_memory <= memory + 15  # a session held half a megabyte


def test_who_comes_back_in_time_keeps_what_there_was(monkeypatch):
    closed = []
    active = {"there"}
    files = SimpleNamespace(remove_orphaned_files=lambda: None)
    server = SimpleNamespace(is_active_session=active.__contains__, close_session=closed.append, media_file_mgr=files)
    swept = []
    monkeypatch.setattr(leaving, "GRACE", 0.01)
    monkeypatch.setattr(leaving, "SWEEP", 0.02)
    monkeypatch.setattr(leaving.gc, "collect", lambda: swept.append(len(closed)))
    monkeypatch.setattr(leaving.runtime, "get_instance", lambda: server)
    visitors = {name: leaving._Visitor(name, session.Session()) for name in ("there", "gone", "gone too")}
    for visitor in visitors.values():
        visitor.holds.part(list).append("something")

    async def leave():
        for visitor in visitors.values():
            leaving._left(visitor)
        await asyncio.sleep(0.1)

    awaited(leave())
    assert closed == ["gone", "gone too"]
    assert swept == [2]  # once for both: it holds everybody up
    assert visitors["there"].holds.parts
    assert not visitors["gone"].holds.parts
    assert not visitors["gone too"].holds.parts
    # Where caches are cleared by hand there is no loop, and nobody has left.
    leaving._left(visitors["there"])
    assert visitors["there"].holds.parts
