"""The folder of the command: what a killed one has left goes, and what another one uses stays."""

from __future__ import annotations

import os
import tempfile

import pytest

from deploy import folders


@pytest.fixture(autouse=True)
def _place(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_folders_of_killed_processes_go_and_others_stay(tmp_path):
    """Each kill left one for ever."""
    left, young, other = (tmp_path / name for name in ("ldp-explorer-left", "ldp-explorer-young", "mine"))
    for folder in (left, young, other):
        folder.mkdir()
    for folder in (left, other):
        (folder / "haproxy.cfg").write_text("bind")
    (tmp_path / "ldp-explorer-link").symlink_to(other)
    with folders.own_folder() as first:
        (first / "haproxy.cfg").write_text("bind")
        with folders.own_folder() as second:
            assert second != first
            assert (first / "haproxy.cfg").exists()
            names = {path.name for path in tmp_path.iterdir()}
            assert names == {first.name, second.name, "ldp-explorer-young", "ldp-explorer-link", "mine"}
    assert (other / "haproxy.cfg").exists()
    assert not first.exists()


def test_folders_of_others_stay(tmp_path, monkeypatch):
    left = tmp_path / "ldp-explorer-left"
    left.mkdir()
    (left / "haproxy.cfg").write_text("bind")
    monkeypatch.setattr(os, "getuid", lambda: -1)
    with folders.own_folder():
        assert left.exists()
