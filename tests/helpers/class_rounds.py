"""Rounds and rooms that tests of the class share."""

from pages.study.live_class import numbers
from pages.study.live_class import sentences as say
from pages.study.live_class.question import Question
from pages.study.live_class.rooms import RoomView, RoundView

ANSWERS = ("never", "once", "often")


def round_of(counts, n, mechanism="GRR", eps=1.0, number=1, is_open=True, simulated=0, truth=None):
    return RoundView(number, mechanism, eps, is_open, tuple(counts), n, simulated, truth or (0,) * len(counts))


def room_of(*rounds, phones=0, answers=ANSWERS):
    return RoomView("ABCDEFGH", Question("Really?", answers), rounds, phones, 100, 0)


def learned(*arguments, answers=ANSWERS, **more):
    view = round_of(*arguments, **more)
    return say.learned(view, answers, numbers.estimates(view))
