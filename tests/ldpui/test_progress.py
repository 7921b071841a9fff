"""A bar moves a few times a second; the picture beside it takes a small share of the interpreter that all share."""

from types import SimpleNamespace

import pytest

from ldpui import progress


@pytest.fixture
def now(monkeypatch):
    """A clock that stands still until it is moved."""
    clock = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: clock.seconds))
    return clock


def pictures(now, seconds, takes):
    """Return when a picture that takes so long was drawn, while something reports every 50 ms for so long."""
    drawn = []

    def draw():
        drawn.append(now.seconds - 100.0)
        now.seconds += takes

    bar = progress.Bar("Simulating", draw)
    done = 1
    while now.seconds < 100.0 + seconds:
        bar.tell(done, 10**6)
        done, now.seconds = done + 1, now.seconds + 0.05
    return drawn


@pytest.mark.parametrize("takes", [0.02, 0.1, 0.4])
def test_a_slow_picture_is_drawn_rarely(now, takes):
    """A map of the best mechanism took 50 ms four times a second, and steps of other visitors waited for it."""
    drawn = pictures(now, 60.0, takes)
    assert 0.5 <= drawn[0] <= 0.6  # none for what is done in a moment
    assert len(drawn) == pytest.approx(60.0 / (progress.SHARE * takes), rel=0.2, abs=1)
    assert len(drawn) * takes < 0.05 * 60.0


def test_a_quick_picture_comes_as_often_as_the_bar_moves(now):
    assert 9.5 / 0.3 - 1 <= len(pictures(now, 10.0, 0.001)) <= 9.5 / 0.25 + 1
