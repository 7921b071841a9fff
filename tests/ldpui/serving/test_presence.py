"""Who is here: those who have drawn a page lately and are still connected."""

from types import SimpleNamespace

from ldpui.serving import presence


def test_company_is_who_has_drawn_a_page_lately(monkeypatch):
    monkeypatch.setattr(presence, "_drawn", {})
    assert not presence.others("me")
    presence.note("me")
    assert not presence.others("me")
    assert presence.others(None)
    presence.note("you")
    assert presence.others("me")
    monkeypatch.setattr(presence, "RECENT", 0.0)
    assert not presence.others("me")
    monkeypatch.undo()
    presence.forget("you")
    presence.forget("nobody")


def test_who_has_left_is_no_company(monkeypatch):
    """Somebody who reloads a page has a new session, and no need to leave a worker to the old one."""
    monkeypatch.setattr(presence, "_drawn", {})
    connected = {"you"}
    server = SimpleNamespace(is_active_session=connected.__contains__)
    monkeypatch.setattr(presence, "Runtime", SimpleNamespace(exists=lambda: True, instance=lambda: server))
    presence.note("you")
    assert presence.others("me")
    connected.clear()
    assert not presence.others("me")
