"""Pages of several visitors are drawn one after the other, and nobody is held up by what takes long."""

import threading
import time
from contextlib import contextmanager

import pytest
from app_steps import ABOUT, assert_calm, open_page
from worker_tasks import pid_after

from ldpui import style
from ldpui.computing import compute
from ldpui.serving import turns

# Longer than any step here takes, and shorter than what a test would be given up after; seconds.
LONG = 20.0


@contextmanager
def somebody_else():
    """Let somebody else ask for a page meanwhile; what is yielded says when it has been drawn."""
    drawn = threading.Event()

    def draw():
        with turns.turn():
            drawn.set()

    thread = threading.Thread(target=draw)
    thread.start()
    yield drawn
    thread.join(LONG)
    assert not thread.is_alive()


@pytest.fixture
def patient(monkeypatch):
    monkeypatch.setattr(turns, "PATIENCE", LONG)


def nobody_has_it():
    return turns._line._value == 1


@pytest.fixture(autouse=True)
def _left_as_it_was():
    assert nobody_has_it()
    yield
    assert nobody_has_it()


def waiting():
    return len(turns._line._cond._waiters)


def until(condition):
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_a_page_is_drawn_in_its_turn(monkeypatch):
    in_turn = []
    monkeypatch.setattr(style, "apply", lambda *_: in_turn.append(not nobody_has_it()))
    assert_calm(open_page(ABOUT))
    assert in_turn == [True]


@pytest.mark.usefixtures("patient")
def test_pages_are_drawn_one_after_the_other_in_the_order_in_which_they_were_asked_for():
    drawn, at_once = [], []

    def draw(number):
        with turns.turn():
            at_once.append(number)
            assert len(at_once) == 1
            time.sleep(0.002)
            at_once.clear()
            drawn.append(number)

    threads = [threading.Thread(target=draw, args=(number,)) for number in range(5)]
    with turns.turn():
        for number, thread in enumerate(threads):
            thread.start()
            until(lambda number=number: waiting() == number + 1)
        assert not drawn
    for thread in threads:
        thread.join(LONG)
    assert drawn == [0, 1, 2, 3, 4]


@pytest.mark.usefixtures("patient")
def test_who_waits_for_something_lets_the_others_draw_and_goes_on_in_turn():
    with turns.turn(), somebody_else() as drawn:
        until(lambda: waiting() == 1)
        with turns.away():
            assert drawn.wait(LONG)
        assert not nobody_has_it()


def test_who_has_waited_long_enough_draws_beside_the_others_and_takes_nothing_from_them(monkeypatch):
    monkeypatch.setattr(turns, "PATIENCE", 0.01)
    with turns.turn():
        with somebody_else() as drawn:
            assert drawn.wait(LONG)
        assert not nobody_has_it()


def test_a_page_that_fails_gives_its_turn_back():
    with pytest.raises(ZeroDivisionError), turns.turn():
        raise ZeroDivisionError


@pytest.mark.usefixtures("patient")
def test_a_part_that_is_drawn_with_its_page_has_the_pages_turn():
    with turns.turn():
        with turns.turn():
            assert not nobody_has_it()
        assert not nobody_has_it()


def test_a_wait_that_is_cut_short_and_ends_after_the_page_does_not_take_the_turn_again():
    def answers():
        with turns.away():
            yield 1
            yield 2

    left = answers()
    with turns.turn():
        assert next(left) == 1
    left.close()  # as the interpreter does when it forgets the page


@pytest.mark.usefixtures("patient", "one_worker")
@pytest.mark.parametrize(
    "ask", [lambda: compute.run(pid_after, 0.2), lambda: list(compute.stream(pid_after, [(0.2,)]))]
)
def test_the_others_draw_while_a_worker_computes(ask):
    with turns.turn(), somebody_else() as drawn:
        until(lambda: waiting() == 1)
        ask()
        assert drawn.is_set()


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("ask", [compute.run, lambda task: list(compute.stream(task, [()]))], ids=["run", "stream"])
def test_the_others_draw_while_the_server_itself_computes(monkeypatch, ask):
    monkeypatch.setattr(compute, "_pool", None)
    with turns.turn(), somebody_else() as drawn:
        until(lambda: waiting() == 1)
        ask(lambda: drawn.wait(LONG / 4))
        assert drawn.is_set()
