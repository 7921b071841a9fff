"""A file that somebody asks for waits for the browser, whatever others do meanwhile, and goes with its visitor."""

from __future__ import annotations

import asyncio
import http.client
import time
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from streamlit.runtime import Runtime
from threads import awaited
from visitor import Visitor

from ldpui import uploads
from ldpui.serving import downloads, leaving


def fetch(server, path):
    """Fetch a file as a browser does; None where it is not there."""
    connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=30)
    connection.request("GET", path)
    answer = connection.getresponse()
    text = answer.read().decode("utf-8-sig")
    connection.close()
    return None if answer.status == 404 else text


# First: others who leave would have it dropped.
@pytest.mark.slow
def test_a_file_of_own_data_goes_with_its_visitor(server):
    """It stayed until somebody else drew two pages, with the words of the visitor who had left."""
    word = "taradiddle"
    data = b"word\n" + b"".join(b"%s%d\n" % (word.encode(), i % 5) for i in range(2_000))
    with Visitor(server.address) as visitor:
        visitor.run("your_data")
        assert not visitor.upload("own_file", "words.csv", data).problems
        assert not visitor.run("", "data=Your data&k=5&runs=2&closer=Take it away").problems
        path = visitor.take("Estimates (CSV)")
        assert word in fetch(server, path)
    time.sleep(uploads.GRACE + leaving.SWEEP + 1)
    assert fetch(server, path) is None


@pytest.mark.slow
def test_every_file_of_own_data_can_be_made(server):
    """The figure was drawn only when somebody asked for it, where there is no session, and was never had."""
    data = b"number\n" + b"".join(b"%d\n" % (i * i % 97) for i in range(2_000))
    with Visitor(server.address) as visitor:
        visitor.run("your_data")
        assert not visitor.upload("own_file", "numbers.csv", data).problems
        for page, query in (("", "closer=Take it away&k=5&runs=2"), ("compare", "k=5&runs=2"), ("ibu_lab", "k=5")):
            visitor.files.clear()
            assert not visitor.run(page, f"{query}&data=Your data").problems
            made = {label: fetch(server, visitor.take(label)) for label, button in visitor.files.items() if button}
            assert made
            assert all(made.values())
            assert page or "own data" in made["Figure (HTML)"]


@pytest.mark.slow
def test_a_file_waits_for_its_browser_while_others_draw_pages(server):
    """Two pages that others drew were enough, in a class a moment, and the browser found nothing."""
    with Visitor(server.address) as one, Visitor(server.address) as other:
        assert not one.run("", "closer=Take it away&k=7&runs=2&n=1k").problems
        paths = {name: one.take(name) for name in ("Estimates (CSV)", "Setting and results (JSON)")}
        for _ in range(3):
            assert not other.run("about").problems
        assert len(fetch(server, paths["Estimates (CSV)"]).splitlines()) == 8
        assert '"k": 7' in fetch(server, paths["Setting and results (JSON)"])
        # Who draws the page anew has no use for them any more.
        one.run(query="closer=Take it away&k=8&runs=2&n=1k")
        for _ in range(3):
            other.run("about")
        assert [fetch(server, path) for path in paths.values()] == [None, None]


@dataclass(eq=False)
class Session:
    """Whoever asks."""

    id: str


@pytest.fixture
def ask(monkeypatch):
    """Ask for files as sessions do; what was made, as the session and the number of the file, in order."""
    here, made = set(), []
    monkeypatch.setattr(Runtime, "exists", lambda: True)
    monkeypatch.setattr(Runtime, "instance", lambda: SimpleNamespace(is_active_session=here.__contains__))

    async def make(session, number):
        made.append((session.id, number))
        await asyncio.sleep(0.05)
        made.append((session.id, -number))

    return downloads._in_turn(make), here, made


def test_a_session_has_one_file_made_after_the_other(ask):
    """A program that asked for two hundred had them all made at once, and the client's code came after them."""
    handle, here, made = ask
    one, other = Session("one"), Session("other")
    here |= {"one", "other"}

    async def all_at_once():
        await asyncio.gather(*(handle(one, number) for number in (1, 2, 3)), handle(other, 9))

    awaited(all_at_once())
    assert [number for who, number in made if who == "one"] == [1, -1, 2, -2, 3, -3]
    assert made.index(("other", 9)) < made.index(("one", -1))


def test_who_has_left_has_none_made(ask):
    handle, here, made = ask
    one = Session("one")
    here.add("one")

    async def leaves():
        requests = [asyncio.create_task(handle(one, number)) for number in (1, 2, 3)]
        await asyncio.sleep(0.01)
        here.clear()
        await asyncio.gather(*requests)

    awaited(leaves())
    assert made == [("one", 1), ("one", -1)]
