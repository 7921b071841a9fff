"""The rooms of a live class: bounded in every direction, never mixed, and deaf to whatever is no report."""

import itertools
import threading

import numpy as np
import pytest

import ldpcore as ldp
from pages.study.live_class import codes, demo
from pages.study.live_class.limits import LIMITS, Limits
from pages.study.live_class.question import Question
from pages.study.live_class.store import Rooms

QUESTION = Question.of("Tea or coffee?", "tea\ncoffee\nneither")


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def token(number):
    return f"{number:032x}"


def message(number=1, report=0, round_=1):
    return {"round": round_, "token": token(number), "report": report}


class Class:
    """A room with its teacher, and a clock."""

    def __init__(self, mechanism="GRR", students=100, question=QUESTION, **limits):
        self.clock = Clock()
        self.rooms = Rooms(Limits(**limits), self.clock)
        self.code, self.key = self.rooms.open(question, mechanism, 1.0, students)

    def view(self):
        return self.rooms.watch(self.code, self.key)

    def another(self):
        return self.rooms.open(QUESTION, "GRR", 1.0, 10)


# ---- codes and keys -----------------------------------------------------------------


def test_codes_can_not_be_guessed_by_trying():
    drawn = {codes.new_code() for _ in range(2_000)}
    # Two equal ones among 2 000: a chance of 2·10⁻⁶.
    assert len(drawn) == 2_000
    assert all(codes.read_code(code) == code for code in drawn)
    assert set("".join(drawn)) == set(codes.ALPHABET)
    # A thousand sessions that try all day while every room of the server is taken find one with a chance below 1%.
    tries = 1_000 * LIMITS.wrong_codes * 24 * 3600 / LIMITS.code_pause
    assert tries * LIMITS.rooms / len(codes.ALPHABET) ** codes.LENGTH < 0.01


def test_a_session_that_tries_codes_has_to_wait():
    tries = codes.Tries(most=3, pause=60)
    for second in range(3):
        assert tries.may_try(second)
        tries.wrong(second)
    assert not tries.may_try(59)
    assert tries.may_try(60)


@pytest.mark.parametrize("word", ["", "ABCD", "ABCDEFG0", "ABCDEFGHI", "ABCD EFGÉ", "../../../", "A" * 10**6])
def test_what_is_no_code_is_none(word):
    assert codes.read_code(word) is None


def test_only_the_teacher_rules_a_room():
    one = Class()
    _, foreign = one.another()
    for key in (foreign, "", one.key[:-1], one.key + "x", "é", None):
        assert not one.rooms.is_teacher(one.code, key)
        assert one.rooms.watch(one.code, key) is None
    for act in (
        lambda: one.rooms.close_round(one.code, foreign),
        lambda: one.rooms.start_round(one.code, foreign, "GRR", 2.0),
        lambda: one.rooms.simulate(one.code, foreign, 5, np.random.default_rng(0)),
        lambda: one.rooms.end(one.code, foreign),
    ):
        with pytest.raises(ldp.Refused):
            act()
    assert one.view().rounds[0].open
    assert len(one.view().rounds) == 1


# ---- bounds -------------------------------------------------------------------------


def test_rooms_are_bounded_and_a_deserted_one_gives_way():
    one = Class(rooms=3)
    first = one.code
    one.another(), one.another()
    with pytest.raises(ldp.Refused, match="all 3 rooms"):
        one.another()
    one.clock.now += LIMITS.deserted - 1
    kept = one.view()  # its teacher is still there
    one.clock.now += 2
    code, _ = one.another()
    assert len(one.rooms) == 3
    assert one.rooms.exists(first)
    assert one.rooms.exists(code)
    assert kept.code == first


def test_rooms_can_not_be_opened_by_the_thousand():
    one = Class(openings_burst=5, openings_per_second=1)
    for _ in range(4):
        one.another()
    with pytest.raises(ldp.Refused, match="too many rooms"):
        one.another()
    one.clock.now += 1
    one.another()


@pytest.mark.parametrize(("seen_every", "lives"), [(60, LIMITS.lifetime), (10**9, LIMITS.idle)])
def test_rooms_expire(seen_every, lives):
    one = Class()
    end = one.clock.now + lives
    while one.clock.now + 60 < end:
        one.clock.now += 60
        if seen_every == 60:
            assert one.rooms.join(one.code, "student") is not None
    assert one.rooms.exists(one.code)
    one.clock.now = end
    assert len(one.rooms) == 0
    assert one.rooms.join(one.code, "student") is None
    with pytest.raises(ldp.Refused, match="ended"):
        one.rooms.report(one.code, "student", message())


def test_a_room_holds_as_many_phones_as_it_was_opened_for():
    one = Class(students=3)
    for visitor in "abc":
        one.rooms.join(one.code, visitor)
        assert one.rooms.report(one.code, visitor, message(ord(visitor)))
    with pytest.raises(ldp.Refused, match="full"):
        one.rooms.join(one.code, "d")
    assert one.view().phones == 3
    # Those who are away make place, but nobody makes more reports than there are phones.
    one.clock.now += LIMITS.away
    assert one.rooms.join(one.code, "d").phones == 1
    with pytest.raises(ldp.Refused, match="as many phones"):
        one.rooms.report(one.code, "d", message(ord("d")))
    assert one.view().now.n == 3
    one.rooms.leave(one.code, "d")
    assert one.view().phones == 0


def test_a_room_takes_so_many_messages_a_second():
    one = Class(students=500, burst=50, per_second=10)
    assert all(one.rooms.report(one.code, f"student {number}", message(number)) for number in range(50))
    for number in range(50, 200):
        with pytest.raises(ldp.Refused, match="too many messages"):
            one.rooms.report(one.code, f"student {number}", message(number))
    one.clock.now += 2
    assert one.rooms.report(one.code, "late", message(999))


def test_rounds_and_simulated_students_are_bounded():
    one = Class(rounds=2, simulated=100)
    rng = np.random.default_rng(0)
    one.rooms.simulate(one.code, one.key, 10**9, rng)
    assert one.view().coming + one.view().now.n == 100
    with pytest.raises(ldp.Refused, match="no more simulated"):
        one.rooms.simulate(one.code, one.key, 1, rng)
    one.rooms.start_round(one.code, one.key, "OUE", 2.0)
    with pytest.raises(ldp.Refused, match="at most 2 rounds"):
        one.rooms.start_round(one.code, one.key, "OUE", 2.0)
    with pytest.raises(ldp.Refused, match="phones know GRR and OUE"):
        Class(mechanism="SS")
    with pytest.raises(ldp.Refused):
        Rooms().open(QUESTION, "GRR", float("nan"), 10)


@pytest.mark.parametrize(
    ("text", "answers", "why"),
    [
        ("", "a\nb", "question must have 1"),
        ("\u200b\u202e \x00", "a\nb", "question must have 1"),
        ("x" * 201, "a\nb", "1 to 200 letters"),
        ("x" * 10**7, "a\nb", "1 to 200 letters"),
        ("x?", "a", "2 to 8 answers"),
        ("x?", "\n".join("abcdefghi"), "2 to 8 answers"),
        ("x?", "a\n" * 10**6, "2 to 8 answers"),
        ("x?", "a\n" + "b" * 41, "at most 40 letters"),
        ("x?", "Yes\nyes ", "different"),
    ],
)
def test_questions_are_bounded(text, answers, why):
    with pytest.raises(ldp.Refused, match=why):
        Question.of(text, answers)


def test_a_question_is_text_and_stays_so():
    asked = Question.of("<script>alert(1)</script>\u202e\n **b**", "<b>yes</b>\r\n[no](http://x)")
    assert asked.text == "<script>alert(1)</script> **b**"
    assert asked.answers == ("<b>yes</b>", "[no](http://x)")


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
    one = Class(mechanism, refusals=1_000)
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
    assert not one.rooms.report(one.code, "a", message(2, 0))  # another token in the same session
    assert not one.rooms.report(one.code, "b", message(1, 0))  # the same phone in another session
    assert one.view().now.counts == (0, 0, 1)
    assert one.rooms.report(one.code, "b", message(2, 0))
    assert one.view().now.counts == (1, 0, 1)


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


def test_threads_lose_no_report():
    one = Class(students=400)
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
