"""What rooms of a live class make of reports: never mixed, counted once, and deaf to whatever is none."""

import itertools
import threading

import numpy as np
import pytest
from class_rooms import Class, message, token

import ldpcore as ldp
from pages.study.live_class import demo
from pages.study.live_class.limits import LIMITS

# ---- reports ------------------------------------------------------------------------

GOOD = message()
BAD_FOR_ALL = [
    None, 0, True, "report", [], [GOOD], {}, {"report": 0}, GOOD | {"more": 1}, GOOD | {"round": "1"},
    GOOD | {"round": True}, GOOD | {"round": 1.0}, GOOD | {"round": 0}, GOOD | {"round": 2}, GOOD | {"round": 10**400},
    GOOD | {"token": ""}, GOOD | {"token": "0" * 31}, GOOD | {"token": "0" * 33}, GOOD | {"token": "G" * 32},
    GOOD | {"token": "0" * 31 + "\n"}, GOOD | {"token": "٠" * 32}, GOOD | {"token": 0}, GOOD | {"token": "0" * 10**6},
    GOOD | {"report": None}, GOOD | {"report": "0"}, GOOD | {"report": {}}, GOOD | {"report": float("nan")},
]  # fmt: skip
BAD_VALUES = [-1, 3, True, 0.0, 10**400, [0], [0, 1, 0]]
BAD_BITS = [
    0,
    [],
    [1, 1],
    [0, 1, 0, 1],
    [0, 1, 2],
    [0, 1, -1],
    [0, 1, True],
    [0, 1, 1.0],
    [[0, 1, 0]],
    [0] * 10**6,
    "010",
]


@pytest.mark.parametrize(("mechanism", "bad"), [("GRR", BAD_VALUES), ("OUE", BAD_BITS)])
def test_whatever_is_no_report_changes_nothing(mechanism, bad):
    one = Class(mechanism, refusals=1_000, own_burst=1_000)
    one.rooms.report(one.code, "student", message(7, 1 if mechanism == "GRR" else [0, 1, 1]))
    one.rooms.join(one.code, "enemy")
    before = one.view()
    good = [1, 0, 0] if mechanism == "OUE" else 0
    messages = [m | {"report": good} if type(m) is dict and m.get("report") == 0 else m for m in BAD_FOR_ALL]
    messages += [message(report=report) for report in bad]
    for sent in messages:
        with pytest.raises(ldp.Refused):
            one.rooms.report(one.code, "enemy", sent)
    assert one.view() == before
    # The same enemy with a report is a student.
    assert one.rooms.report(one.code, "enemy", message(report=good))
    assert one.view().now.n == 2


def test_a_report_is_counted_once_for_each_phone_and_session():
    one = Class()
    assert one.rooms.report(one.code, "a", message(1, 2))
    assert not one.rooms.report(one.code, "a", message(1, 2))  # a replay
    with pytest.raises(ldp.Refused, match="another report from here"):
        one.rooms.report(one.code, "a", message(2, 0))  # another token in the same session
    assert not one.rooms.report(one.code, "b", message(1, 0))  # the same phone in another session
    assert one.view().now.counts == (0, 0, 1)
    assert one.rooms.report(one.code, "b", message(2, 0))
    assert one.view().now.counts == (1, 0, 1)


def test_a_phone_that_sends_again_in_every_round_is_heard_in_all_of_them():
    one = Class()
    for number in range(1, LIMITS.rounds + 1):
        if number > 1:
            one.rooms.start_round(one.code, one.key, "GRR", 1.0)
        assert one.rooms.report(one.code, "a", message(1, round_=number))
        for _ in range(3):
            one.clock.now += 6
            assert not one.rooms.report(one.code, "a", message(1, round_=number))


def test_whoever_sends_rubbish_is_not_heard_in_this_round_but_in_the_next():
    one = Class(own_per_second=1000, own_burst=1000)
    for _ in range(LIMITS.refusals):
        with pytest.raises(ldp.Refused, match="not a report"):
            one.rooms.report(one.code, "a", "rubbish")
    with pytest.raises(ldp.Refused, match="nothing more is read"):
        one.rooms.report(one.code, "a", message(1))
    one.rooms.start_round(one.code, one.key, "GRR", 1.0)
    assert one.rooms.report(one.code, "a", message(1, round_=2))


@pytest.mark.slow
def test_ten_thousand_reports_of_one_visitor_are_one_and_others_are_heard():
    one, (other, other_key) = Class(), (None, None)
    other, other_key = one.another()
    refused = 0
    for number in range(10_000):
        try:
            one.rooms.report(one.code, "enemy", message(number, number % 3))
        except ldp.Refused:
            refused += 1
    assert one.view().now.n == 1
    assert refused >= 10_000 - LIMITS.refusals - 1
    for number in range(20):
        assert one.rooms.report(one.code, f"student {number}", message(10**6 + number))
    assert one.view().now.n == 21
    assert one.rooms.watch(other, other_key).now.n == 0


def test_two_rooms_never_mix():
    one = Class()
    code, key = one.another()
    one.rooms.report(one.code, "a", message(1, 2))
    # The same phone may be in both.
    one.rooms.report(code, "a", message(1, 0))
    one.rooms.end(code, key)
    assert one.view().now.counts == (0, 0, 1)
    assert one.rooms.join(code, "a") is None
    with pytest.raises(ldp.Refused):
        one.rooms.end(code, key)


def test_a_closed_round_takes_nothing_and_the_next_begins_empty():
    one = Class()
    one.rooms.report(one.code, "a", message(1, 2))
    one.rooms.simulate(one.code, one.key, 40, np.random.default_rng(0))
    one.rooms.close_round(one.code, one.key)
    closed = one.view()
    assert (closed.stage, closed.coming, closed.now.n) == ((1, False), 0, 1)
    with pytest.raises(ldp.Refused, match="over"):
        one.rooms.report(one.code, "b", message(2, 0))
    with pytest.raises(ldp.Refused):
        one.rooms.simulate(one.code, one.key, 5, np.random.default_rng(0))
    one.rooms.start_round(one.code, one.key, "OUE", 0.5)
    with pytest.raises(ldp.Refused):
        one.rooms.report(one.code, "a", message(1, 2))  # a report of the round before
    assert one.rooms.report(one.code, "a", message(1, [1, 0, 1], round_=2))
    first, second = one.view().rounds
    assert first == closed.now
    assert (second.counts, second.n, second.mechanism, second.eps) == ((1, 0, 1), 1, "OUE", 0.5)


def test_no_report_and_no_phone_is_kept():
    one = Class()
    one.rooms.report(one.code, "a", message(0xABC, 2))
    (held,) = one.rooms._rooms[one.code].rounds
    assert held.tokens == {token(0xABC)}
    one.rooms.close_round(one.code, one.key)
    assert not held.tokens
    assert not held.visitors
    assert held.counts == [0, 0, 1]


@pytest.mark.slow
def test_threads_lose_no_report():
    one = Class(students=400, arrivals_burst=400)
    numbers = itertools.count()

    def students():
        for _ in range(50):
            number = next(numbers)
            one.rooms.join(one.code, f"student {number}")
            one.rooms.report(one.code, f"student {number}", message(number, number % 3))
            one.view()

    threads = [threading.Thread(target=students) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert one.view().now.n == 400
    assert one.view().now.counts == (134, 133, 133)


# ---- simulated students -------------------------------------------------------------


def test_simulated_students_arrive_in_batches_and_their_truth_is_known():
    one = Class("OUE")
    one.rooms.simulate(one.code, one.key, 80, np.random.default_rng(1))
    seen = []
    for _ in range(12):
        seen.append(one.view().now.n)
        one.view()  # another wall of the same teacher does not hurry them
        one.clock.now += demo.PAUSE
    assert seen[:8] == [10, 20, 30, 40, 50, 60, 70, 80]
    assert seen[-1] == 80
    now = one.view().now
    assert (sum(now.truth), now.simulated, now.n) == (80, 80, 80)
    # They take no place of a student.
    assert one.rooms.report(one.code, "a", message(1, [0, 0, 0]))
    assert (one.view().now.simulated, one.view().now.n) == (80, 81)


@pytest.mark.parametrize("mechanism", ["GRR", "OUE"])
def test_simulated_students_follow_the_mechanism(mechanism):
    """Support of the own and of the other answers, each within five standard deviations: false alarms 10⁻⁶."""
    m, n = ldp.mechanism(mechanism, k=4, eps=1.0), 20_000
    drawn = demo.students(m, n, np.random.default_rng(2))
    own = sum(value in supported for value, supported in drawn)
    others = sum(len(supported) for _, supported in drawn) - own
    assert abs(own - n * m.p) < 5 * np.sqrt(n * m.p * (1 - m.p))
    assert abs(others - 3 * n * m.q) < 5 * np.sqrt(3 * n * m.q)
