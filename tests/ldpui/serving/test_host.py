"""What a host switches off."""

import pytest

from ldpui.serving import host


@pytest.mark.parametrize(
    ("word", "on"), [(None, True), ("", True), ("Yes", True), (" 1 ", True), ("no", False), ("of", False), ("2", False)]
)
def test_a_switch_is_on_where_nothing_is_said_and_off_at_any_word_but_on(monkeypatch, word, on):
    monkeypatch.delenv("LDP_EXPLORER_SOMETHING", raising=False)
    if word is not None:
        monkeypatch.setenv("LDP_EXPLORER_SOMETHING", word)
    assert host.allows("LDP_EXPLORER_SOMETHING") is on


@pytest.mark.parametrize(("word", "here"), [("", True), ("here", True), ("elsewhere", False), (" Elsewhere\n", False)])
def test_rooms_are_here_unless_they_are_said_to_be_elsewhere(monkeypatch, word, here):
    monkeypatch.setenv("LDP_EXPLORER_ROOMS", word)
    assert host.has_rooms() is here
