"""The rooms of a live class: codes that can't be guessed, and bounds in every direction."""

import contextlib
import itertools

import numpy as np
import pytest
import streamlit as st
from class_rooms import QUESTION, Class, message

import ldpcore as ldp
from pages.study.live_class import codes
from pages.study.live_class.limits import LIMITS
from pages.study.live_class.question import Question
from pages.study.live_class.store import Rooms, rooms

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
    for key in (foreign, "", one.key[:-1], one.key + "x", "é", "\ud800", None):
        assert not one.rooms.is_teacher(one.code, key)
        assert one.rooms.watch(one.code, key) is None
    for act in (
        lambda: one.rooms.close_round(one.code, foreign),
        lambda: one.rooms.start_round(one.code, foreign, "GRR", 2.0),
        lambda: one.rooms.simulate(one.code, foreign, 5, np.random.default_rng(0)),
        lambda: one.rooms.set_door(one.code, foreign, 1, False),
        lambda: one.rooms.end(one.code, foreign),
    ):
        with pytest.raises(ldp.Refused):
            act()
    assert one.view().rounds[0].open
    assert len(one.view().rounds) == 1


# ---- bounds -------------------------------------------------------------------------


def test_rooms_are_bounded_and_those_that_nobody_would_miss_give_way():
    one = Class(rooms=3)
    reported, _ = one.another()
    one.rooms.report(reported, "student", message())
    empty, _ = one.another()
    with pytest.raises(ldp.Refused, match="all 3 rooms"):
        one.another()
    one.clock.now += LIMITS.away
    one.view()  # its teacher is still there
    # Nobody is in the other two: the one without a report goes, though its teacher was seen later.
    one.rooms.simulate(empty, one.rooms._rooms[empty].key, 5, np.random.default_rng(0))
    one.clock.now += LIMITS.away
    one.view()
    newer, newer_key = one.another()
    assert len(one.rooms) == 3
    assert not one.rooms.exists(empty)
    assert one.rooms.exists(one.code)
    assert one.rooms.exists(reported)
    # Reports stay until their teacher has been away for long, and whatever happens as long as a phone is there.
    one.rooms.watch(newer, newer_key)
    with pytest.raises(ldp.Refused, match="all 3 rooms"):
        one.another()
    one.clock.now += LIMITS.deserted
    one.view(), one.rooms.watch(newer, newer_key), one.rooms.join(reported, "student")
    with pytest.raises(ldp.Refused, match="all 3 rooms"):
        one.another()
    one.clock.now += LIMITS.away
    one.view(), one.rooms.watch(newer, newer_key)
    one.another()
    assert not one.rooms.exists(reported)


def test_one_session_takes_few_rooms():
    one = Class()
    codes_ = [one.another("enemy")[0] for _ in range(LIMITS.own_rooms)]
    for _ in range(1_000):
        with pytest.raises(ldp.Refused, match="3 rooms that you have opened"):
            one.another("enemy")
    # Others are not kept waiting by the thousand.
    code, key = one.another("somebody else")
    one.rooms.end(code, key)
    one.rooms.end(codes_[0], one.rooms._rooms[codes_[0]].key)
    one.another("enemy")


def test_the_caches_of_streamlit_hold_no_room():
    """Any visitor can have them cleared, by a message that no page sends."""
    rooms.cache_clear()
    code, _ = rooms().open(QUESTION, "GRR", 1.0, 10, "teacher")
    st.cache_resource.clear()
    st.cache_data.clear()
    assert rooms().exists(code)
    rooms.cache_clear()


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
    # Those who have reported keep their places while their phones sleep, but not for ever.
    one.clock.now += LIMITS.asleep - 1
    with pytest.raises(ldp.Refused, match="full"):
        one.rooms.join(one.code, "d")
    one.clock.now += 1
    assert one.rooms.join(one.code, "d").phones == 1
    # And nobody makes more reports than there are phones.
    with pytest.raises(ldp.Refused, match="as many phones"):
        one.rooms.report(one.code, "d", message(ord("d")))
    assert one.view().now.n == 3
    one.rooms.leave(one.code, "d")
    assert one.view().phones == 0


def test_a_phone_that_only_looked_makes_place_soon():
    one = Class(students=1)
    one.rooms.join(one.code, "a")
    one.clock.now += LIMITS.away
    assert one.rooms.join(one.code, "b").phones == 1


@pytest.mark.slow
def test_a_room_takes_so_many_messages_a_second():
    one = Class(students=500, burst=50, per_second=10, arrivals_burst=500)
    heard = 0
    for number, _ in itertools.product(range(100), range(30)):
        with contextlib.suppress(ldp.Refused):
            one.rooms.report(one.code, f"enemy {number}", message(number))
            heard += 1
    # The first message of each, and the fifty that the room takes besides.
    assert heard == 100 + 50
    # However many enemies there are, a student is heard, in every round; for further messages there is a limit.
    for round_ in (1, 2):
        assert one.rooms.report(one.code, "student", message(999, round_=round_))
        with pytest.raises(ldp.Refused, match="too many messages"):
            one.rooms.report(one.code, "student", message(999, round_=round_))
        one.rooms.start_round(one.code, one.key, "GRR", 1.0)
    one.clock.now += 2
    with pytest.raises(ldp.Refused, match="over"):
        one.rooms.report(one.code, "student", message(999))


@pytest.mark.slow
def test_a_visitor_has_a_limit_of_its_own():
    """Below that of the room: a hundred enemies can't take what is left for a phone that has to send again."""
    one = Class(students=500)
    for number, _ in itertools.product(range(100), range(50)):
        with contextlib.suppress(ldp.Refused):
            one.rooms.report(one.code, f"enemy {number}", message(number))
    assert one.rooms.report(one.code, "student", message(999))
    assert not one.rooms.report(one.code, "student", message(999))


def test_phones_come_in_at_a_bounded_rate_and_not_through_a_closed_door():
    one = Class(students=500)
    for number in range(int(LIMITS.arrivals_burst)):
        one.rooms.join(one.code, f"enemy {number}")
    with pytest.raises(ldp.Refused, match="many phones are coming in"):
        one.rooms.join(one.code, "student")
    one.clock.now += 1
    one.rooms.join(one.code, "student")
    one.rooms.set_door(one.code, one.key, 10**9, False)
    assert (one.view().students, one.view().door_open) == (LIMITS.students, False)
    with pytest.raises(ldp.Refused, match="closed the door"):
        one.rooms.join(one.code, "stranger")
    with pytest.raises(ldp.Refused, match="closed the door"):
        one.rooms.report(one.code, "stranger", message(1))
    assert one.rooms.report(one.code, "student", message(2))
    # Nobody loses a place behind a closed door, however long the phone slept.
    one.clock.now += LIMITS.idle - 1
    assert one.rooms.join(one.code, "student") is not None


def test_a_teacher_makes_more_places():
    one = Class(students=2)
    for enemy in (1, 2):
        one.rooms.report(one.code, f"enemy {enemy}", message(enemy))
    with pytest.raises(ldp.Refused, match="full"):
        one.rooms.join(one.code, "student")
    one.rooms.set_door(one.code, one.key, 3, True)
    assert one.rooms.report(one.code, "student", message(3))
    assert one.view().now.n == 3


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
        Rooms().open(QUESTION, "GRR", float("nan"), 10, "teacher")


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
    # Words and emoji that are made with joiners stay whole; marks that pile up do not cover the wall.
    joined = Question.of("می\u200cخواهم?", "👨\u200d👩\u200d👧\ne" + 30 * "\u0301")
    assert joined.text == "می\u200cخواهم?"
    assert joined.answers == ("👨\u200d👩\u200d👧", "e" + 4 * "\u0301")
