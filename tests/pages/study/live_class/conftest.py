"""Rooms that no other test has seen, and students without a page."""

import pytest

from ldpui.session import Session
from pages.study.live_class import visitor
from pages.study.live_class.store import rooms


@pytest.fixture(autouse=True)
def _fresh_rooms():
    """Every test has a server of its own."""
    rooms.cache_clear()
    yield
    rooms.cache_clear()


@pytest.fixture
def session(monkeypatch):
    """A student's session without a page."""
    here = Session()
    monkeypatch.setattr(visitor.session, "current", lambda: here)
    return here.part(visitor.Visitor)
