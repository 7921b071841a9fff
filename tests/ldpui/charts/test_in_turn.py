"""Pages with many pictures open with their words; the pictures follow one after the other."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from app_steps import ABOUT, FINDINGS, charts, go_to, open_page

from ldpui.charts import in_turn, show
from pages.study import findings


@pytest.fixture
def events(monkeypatch):
    """What a page does, in order: a picture by its key, or a pause."""
    seen: list[str] = []
    draw = show.chart

    def chart(figure, key, *arguments, **options):
        seen.append(key)
        return draw(figure, key, *arguments, **options)

    monkeypatch.setattr(show, "chart", chart)
    monkeypatch.setattr(in_turn, "_pause", lambda: seen.append("pause"))
    return seen


def test_the_pictures_of_what_we_found_come_one_after_the_other_below_its_words(events):
    at = open_page(FINDINGS)
    keys = [f"picture_{finding.key}" for finding in findings.every()]
    assert events == [event for key in keys for event in ("pause", key)]
    assert list(charts(at)) == keys
    assert [header.value for header in at.header] == [finding.title for finding in findings.every()]


def test_who_has_the_pictures_does_not_wait_for_them_again(events):
    at = open_page(FINDINGS)
    pictures = charts(at)
    events.clear()
    at.run()
    assert events == list(pictures)
    assert charts(at) == pictures
    # Who comes back has them no longer.
    go_to(at, ABOUT)
    events.clear()
    go_to(at, FINDINGS)
    assert events.count("pause") == len(pictures)


def test_a_frame_stands_where_a_picture_is_to_come(monkeypatch):
    """Nothing that follows moves when it comes."""

    class Leave(BaseException):
        """The reader leaves before the first picture."""

    def leave():
        raise Leave

    placed = []

    class Place:
        def skeleton(self, height):
            placed.append(height)

    monkeypatch.setattr(in_turn, "st", SimpleNamespace(empty=Place))
    monkeypatch.setattr(in_turn, "_pause", leave)
    pictures = in_turn.Pictures(opened=True)
    pictures.place(260, lambda: placed.append("drawn"))
    assert placed == [260]
    with pytest.raises(Leave):
        pictures.send()
    assert placed == [260]
