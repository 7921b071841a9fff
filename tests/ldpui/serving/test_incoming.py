"""Files on their way to the server are bounded before they are read."""

from __future__ import annotations

import asyncio

import pytest
from starlette.responses import PlainTextResponse
from threads import awaited

from ldpui.serving import held_files, incoming, presence
from ldpui.serving.incoming import Incoming


class Site:
    """The layer before a server that reads a file whole, as Streamlit does, once it is let to."""

    def __init__(self):
        self.read, self.go_on = 0, asyncio.Event()
        self.layer = Incoming(self._serve)

    async def _serve(self, scope, receive, send):
        await self.go_on.wait()
        while True:
            message = await receive()
            self.read += len(message["body"])
            if not message["more_body"]:
                break
        await PlainTextResponse("", 204)(scope, receive, send)

    async def put(self, session="a", length=60, method="PUT", path="/_stcore/upload_file/{}/f", **headers):
        """Send a file that states its length; return the status."""
        headers = {"content-length": length} | {name.replace("_", "-"): value for name, value in headers.items()}
        stated = [(name.encode(), str(value).encode()) for name, value in headers.items() if value is not None]
        scope = {"type": "http", "method": method, "path": path.format(session), "headers": stated}
        statuses = []

        async def receive():
            return {"type": "http.request", "body": b"x", "more_body": False}

        async def send(message):
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        await self.layer(scope, receive, send)
        return statuses

    async def begin(self, *arguments, **more):
        """Begin to send a file that does not come to its end yet."""
        task = asyncio.create_task(self.put(*arguments, **more))
        for _ in range(5):
            await asyncio.sleep(0)
        return task


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setattr(held_files, "OF_ONE", 150)
    monkeypatch.setattr(held_files, "OF_ALL", 300)
    monkeypatch.setattr(presence, "_drawn", dict.fromkeys("abcd", 0.0))

    def run(script):
        async def scripted():
            await script(Site())

        awaited(scripted())

    return run


def test_files_that_are_coming_count_before_they_are_read(run):
    """Any number came at once, each of 50 MB, and was counted when all of it was in memory."""

    async def script(site):
        files = [await site.begin("a"), await site.begin("a")]
        assert await site.put("a") == [413]
        files += [await site.begin("b"), await site.begin("b"), await site.begin("c", 50)]
        assert await site.put("d") == [507]
        assert site.read == 0
        site.go_on.set()
        assert await asyncio.gather(*files) == [[204]] * 5
        # They have come, and are none of those that are coming any more.
        assert await site.put("a", 150) == [204]
        assert not site.layer._coming

    run(script)


def test_a_session_without_a_page_sends_nothing(run):
    """Nobody sees it leave: its files stayed for ever, and a few such sessions left no room for anybody's."""

    async def script(site):
        site.go_on.set()
        assert await site.put("no page") == [403]
        assert site.read == 0
        presence.note("no page")
        assert await site.put("no page") == [204]
        presence.forget("no page")
        assert await site.put("no page") == [403]

    run(script)


def test_a_page_sends_a_few_at_a_time(run):
    async def script(site):
        files = [await site.begin("a", 1) for _ in range(incoming.AT_A_TIME)]
        assert await site.put("a", 1) == [429]
        site.go_on.set()
        await asyncio.gather(*files)
        assert await site.put("a", 1) == [204]

    run(script)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"length": None}, 411),
        ({"transfer_encoding": "chunked"}, 411),
        ({"length": "-1"}, 400),
        ({"length": "\u0663"}, 400),
        ({"length": "9" * 5_000}, 413),
        ({"length": 60 * 2**20}, 413),
    ],
)
def test_a_file_says_how_long_it_is(run, headers, status):
    async def script(site):
        site.go_on.set()
        assert await site.put(**headers) == [status]
        assert site.read == 0

    run(script)


def test_a_file_that_does_not_come_gives_its_room_back(run, monkeypatch):
    monkeypatch.setattr(incoming, "SECONDS", 0.05)

    async def script(site):
        assert await site.put("a", 150) == [408]
        assert not site.layer._coming
        left = await site.begin("a", 150)  # and who goes away does
        left.cancel()
        await asyncio.gather(left, return_exceptions=True)
        assert not site.layer._coming

    run(script)


@pytest.mark.parametrize("other", [{"method": "DELETE"}, {"method": "OPTIONS"}, {"path": "/_stcore/health"}])
def test_everything_else_is_the_servers_own(run, other):
    async def script(site):
        site.go_on.set()
        assert await site.put(length=None, **other) == [204]

    run(script)
