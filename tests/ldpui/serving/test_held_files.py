"""How much the server holds: of files, and open."""

import pytest
from starlette.exceptions import HTTPException
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from ldpui.serving import held_files, presence, server


@pytest.fixture
def manager(monkeypatch):
    monkeypatch.setattr(MemoryUploadedFileManager, "add_file", MemoryUploadedFileManager.add_file)
    monkeypatch.setattr(held_files, "OF_ONE", 100)
    monkeypatch.setattr(held_files, "OF_ALL", 250)
    monkeypatch.setattr(presence, "_drawn", dict.fromkeys(("one", "two", "three", "four"), 0.0))
    held_files.bound()
    held_files.bound()  # once is enough
    return MemoryUploadedFileManager("/upload")


def send(manager, session, name, size):
    manager.add_file(session, UploadedFileRec(name, f"{name}.csv", "text/csv", bytes(size)))


def test_one_visitor_and_all_together_have_a_bound(manager):
    """A program could send any number of files of 50 MB, which were all held as long as it stayed."""
    for name in ("a", "b"):
        send(manager, "one", name, 50)
    with pytest.raises(HTTPException) as refused:
        send(manager, "one", "c", 1)
    assert refused.value.status_code == 413
    send(manager, "two", "a", 100)
    send(manager, "three", "a", 50)
    with pytest.raises(HTTPException) as refused:
        send(manager, "four", "a", 1)
    assert refused.value.status_code == 507
    assert "four" not in manager.file_storage
    manager.remove_session_files("two")
    send(manager, "four", "a", 100)
    manager.remove_file("one", "a")
    send(manager, "one", "c", 50)


def test_a_file_that_comes_when_its_visitor_has_left_is_not_held(manager):
    """It was on its way when what the session held was dropped, and nobody dropped it later."""
    presence.forget("one")
    with pytest.raises(HTTPException) as refused:
        send(manager, "one", "a", 1)
    assert refused.value.status_code == 403
    assert not manager.file_storage.get("one")


def test_a_server_may_have_as_many_open_files_as_the_system_lets():
    resource = pytest.importorskip("resource")
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(200, most) if most > 0 else 200, most))
        server.raise_limit_of_files()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (most, most)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, most))
