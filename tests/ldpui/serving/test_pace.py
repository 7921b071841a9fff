"""A page that speaks without end is cut off, and holds nobody up before."""

from __future__ import annotations

import asyncio
from itertools import count
from types import SimpleNamespace

import pytest
from threads import awaited

from ldpui.serving import pace
from ldpui.serving.pace import BURST, Pace


async def flood(number, meanwhile=()):
    """Have all of so many messages there at once; return how many were heard, what was sent, and what came before."""
    messages, sent, heard, first = [b"x"] * number, [], [], []

    async def serve(scope, receive, send):
        while (message := await receive())["type"] == "websocket.receive":
            heard.append(message)
        await send({"type": "websocket.send", "bytes": b"late"})

    async def receive():
        if not messages:
            return {"type": "websocket.disconnect", "code": 1005}
        return {"type": "websocket.receive", "bytes": messages.pop()}

    async def send(message):
        sent.append(message)

    async def other():
        first.append(len(heard))

    task = asyncio.create_task(Pace(serve)({"type": "websocket"}, receive, send))
    await asyncio.sleep(0)
    await asyncio.create_task(other())
    await task
    return len(heard), sent, first[0]


@pytest.fixture(autouse=True)
def _no_time_passes(monkeypatch):
    monkeypatch.setattr(pace, "time", SimpleNamespace(monotonic=lambda: 7.0))


def test_a_flood_ends_its_connection():
    """A hundred thousand messages were all answered, one after the other, also when their visitor had left."""
    heard, sent, _ = awaited(flood(100_000))
    assert heard == BURST
    assert sent == [{"type": "websocket.close", "code": 1008}]  # and nothing after it


def test_others_are_served_between_two_messages():
    """As long as there were messages nobody else had a turn."""
    _, _, before = awaited(flood(BURST))
    assert before <= 2


def test_a_key_that_is_held_down_is_heard(monkeypatch):
    clock = count()
    monkeypatch.setattr(pace, "time", SimpleNamespace(monotonic=lambda: next(clock) / 30))
    heard, sent, _ = awaited(flood(1_000))
    assert heard == 1_000
    assert sent == [{"type": "websocket.send", "bytes": b"late"}]


def test_what_is_no_page_passes():
    passed = []

    async def serve(scope, receive, send):
        passed.append((scope, receive, send))

    awaited(Pace(serve)({"type": "http"}, "receive", "send"))
    assert passed == [({"type": "http"}, "receive", "send")]
