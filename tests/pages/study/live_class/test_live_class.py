"""Live class as a page: the doors, the teacher's wall, a student's room, and what each of them says."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from app_steps import ABOUT, CLASS, assert_calm, go_to, open_page, sentences
from class_rounds import ANSWERS, room_of, round_of

import ldpcore as ldp
from pages.study.live_class import chart, doors, invitation, numbers, parts, student, table, visitor
from pages.study.live_class.codes import spoken
from pages.study.live_class.limits import LIMITS
from pages.study.live_class.question import Question
from pages.study.live_class.store import Rooms, rooms

TOKEN = "0" * 32


class Rerun(BaseException):
    """What Streamlit raises to draw the page again; like that, no `Exception`."""


# ---- what is shown ------------------------------------------------------------------


def test_the_chart_shows_the_librarys_estimates_and_the_truth_of_simulated_students_only():
    view = round_of([12, 5, 4], 21)
    m = view.make_mechanism()
    rows = chart.data(view, ANSWERS, numbers.estimates(view), dark=False)["rows"]
    np.testing.assert_allclose([row["mi"] for row in rows], 100 * ldp.mi([12, 5, 4], 21, m), atol=0.01)
    np.testing.assert_allclose([row["ibu"] for row in rows], 100 * ldp.ibu([12, 5, 4], m), atol=0.01)
    low, high = 100 * ldp.intervals([12, 5, 4], 21, m)
    np.testing.assert_allclose([[row["low"], row["high"]] for row in rows], np.stack([low, high], axis=1), atol=0.01)
    assert {row["truth"] for row in rows} == {None}
    known = round_of([12, 5, 4], 21, simulated=21, truth=(14, 7, 0))
    rows = chart.data(known, ANSWERS, numbers.estimates(known), dark=True)["rows"]
    assert [row["truth"] for row in rows] == [66.67, 33.33, 0]
    empty = chart.data(round_of([0, 0, 0], 0), ANSWERS, None, dark=False)
    assert all(row["mi"] is None and row["words"] == "" for row in empty["rows"])
    assert "no report" in empty["alt"]
    assert json.dumps(empty)


def test_the_rounds_are_a_table_whatever_answers_are_called():
    room = room_of(round_of([5, 3, 4], 12), round_of([0, 0, 0], 0, number=2), answers=("round", "ε", "reports"))
    frame = table.frame(room)
    assert list(frame["round"]) == [1, 2]
    assert list(frame.columns) == ["round", "mechanism", "ε", "reports", "“round”", "“ε”", "“reports”"]
    assert frame["“round”"][1] == "–"
    assert frame["“round”"][0].startswith(f"{100 * ldp.ibu([5, 3, 4], ldp.mechanism('GRR', k=3, eps=1.0))[0]:.0f}% (0–")


def test_the_code_for_cameras_is_made_here():
    uri = invitation.picture("http://10.0.0.7:8501/class?room=ABCDEFGH")
    assert uri.startswith("data:image/svg+xml")
    assert "http%3A//10" not in uri  # drawn, not fetched
    assert invitation.only_here("http://[::1]:8501/class")


# ---- the doors ----------------------------------------------------------------------


def press(at, label):
    next(button for button in at.main.button if label in button.label).click().run()
    assert_calm(at)
    return at


def open_room(**query):
    """Open a room as a teacher does; return the page and what the session knows."""
    at = open_page(CLASS, query={"c_answers": "never\nonce\noften"} | query)
    press(at, "Open the room")
    return at, at.session_state["_session"].part(visitor.Visitor)


def shown(at):
    return "\n".join(element.value for kind in (at.main.markdown, at.main.text, at.main.caption) for element in kind)


def programs(at):
    """Return what the programs in the browser are told, by their names."""
    return {
        element.proto.component_name: json.loads(element.proto.json)
        for element in at.main.get("bidi_component")
        if element.proto.json
    }


def test_a_link_brings_a_prepared_question_and_a_long_one_is_named():
    at = open_page(CLASS, query={"c_question": "Do you <b>lie</b>?", "c_eps": "0.5", "c_mechanism": "oue"})
    assert_calm(at)
    assert at.main.text_input(key="c_question").value == "Do you <b>lie</b>?"
    assert at.session_state["c_eps"] == "0.5"
    assert at.session_state["c_mechanism"] == "OUE"
    long = open_page(CLASS, query={"c_question": "x" * 500})
    assert "c_question" in long.warning[0].value


def test_a_room_that_can_not_be_says_why():
    at = open_page(CLASS, query={"c_answers": "only one"})
    next(button for button in at.main.button if "Open the room" in button.label).click().run()
    assert at.error[0].value == (
        "The room can't be opened: there must be 2 to 8 answers, one in each line; there are 1."
    )
    assert len(rooms()) == 0
    assert_calm(at.run())


@pytest.mark.parametrize("word", ["abc", "ABCDEFG1", ""])
def test_a_link_with_what_is_no_code_says_so(word):
    at = open_page(CLASS, query={"room": word})
    assert sentences(at) == [visitor.NO_ROOM]
    assert "room" not in at.query_params
    assert sentences(at.run()) == []


def test_wrong_codes_are_counted_and_then_not_looked_at():
    code, _ = rooms().open(Question("Really?", ANSWERS), "GRR", 1.0, 10, "teacher")
    at = open_page(CLASS, query={"room": "AAAA-AAAA"})
    assert sentences(at) == [visitor.NO_ROOM]
    assert "room" not in at.query_params
    for _ in range(LIMITS.wrong_codes - 1):
        at.main.text_input(key="class_code").set_value("<script>")
        press(at, "Join")
        assert sentences(at) == [visitor.NO_ROOM]
    at.main.text_input(key="class_code").set_value(code)
    press(at, "Join")
    assert sentences(at) == [visitor.WAIT]
    # Another session is not kept waiting.
    other = open_page(CLASS)
    other.main.text_input(key="class_code").set_value(spoken(code).lower())
    press(other, "Join")
    assert "ldp_class_answer" in programs(other)


# ---- the teacher's wall -------------------------------------------------------------


def test_a_class_from_the_first_round_to_the_end():
    at, here = open_room(c_question="Really <b>so</b>? **yes**", c_eps="2")
    code, key = here.code, here.key
    assert at.query_params["room"] == code
    assert at.main.text[0].value == "Really <b>so</b>? **yes**"
    assert "Nobody has reported yet" in shown(at)
    assert spoken(code) in shown(at)
    # The key is in the teacher's link alone: in no text, and in no link that others are offered.
    assert key not in shown(at)
    assert [key in box.value for box in at.main.code].count(True) == 1
    assert all(key not in box.value for box in at.sidebar.code)
    assert programs(at)["ldp_class_key"] == {"room": code, "key": key}

    press(at, "simulated students")
    for number in range(10):
        rooms().report(code, f"student {number}", {"round": 1, "token": f"{number:032x}", "report": 1})
    at.run()
    assert "of them of simulated students" in shown(at)
    assert programs(at)["ldp_class_wall"]["rows"][0]["truth"] is None
    n = rooms().watch(code, key).now.n
    press(at, "Close round 1")
    assert "Round 1 is closed" in at.subheader[0].value
    at.main.select_slider(key="c_eps").set_value("0.5").run()
    assert f"With {n} reports again" in shown(at)
    press(at, "Start round 2 at ε = 0.5")
    assert "**0 reports** in round 2" in shown(at)
    assert "ε = 2 + 0.5 = **2.5**" in shown(at)
    assert at.main.dataframe[0].value["reports"].tolist() == [n, 0]

    frame = pd.read_csv(pd.io.common.BytesIO(table.csv(code, key)))
    assert len(frame) == 6
    assert frame["count"].sum() == n
    assert frame["ibu"].notna().sum() == 3
    assert table.csv(code, "wrong").strip() == b"\xef\xbb\xbf"

    press(at, "End it now")
    assert sentences(at) == ["The room has ended. Nothing of it is kept."]
    assert "room" not in at.query_params
    assert len(rooms()) == 0


def test_the_room_is_there_again_after_a_look_at_other_pages():
    at, here = open_room()
    go_to(at, ABOUT)
    at.query_params.clear()
    go_to(at, CLASS)
    assert_calm(at)
    assert at.query_params["room"] == here.code
    assert "ldp_class_wall" in programs(at)


def test_the_teachers_link_makes_a_teacher_and_is_taken_out_of_the_address():
    _, here = open_room()
    at = open_page(CLASS, query={"room": here.code, "key": here.key})
    assert_calm(at)
    assert "ldp_class_wall" in programs(at)
    assert "key" not in at.query_params
    wrong = open_page(CLASS, query={"room": here.code, "key": "guessed"})
    assert "ldp_class_wall" not in programs(wrong)
    assert "key" not in wrong.query_params


def test_what_a_teacher_may_not_is_said(monkeypatch):
    at, here = open_room()
    rooms().end(here.code, here.key)
    next(button for button in at.main.button if "Close round" in button.label).click().run()
    assert not at.exception
    assert sentences(at)[0] == visitor.ENDED
    at, here = open_room()
    monkeypatch.setattr(Rooms, "close_round", lambda *_: (_ for _ in ()).throw(ldp.Refused("not now")))
    at.run()
    next(button for button in at.main.button if "Close round" in button.label).click().run()
    assert at.error[0].value == "That was not possible: not now."
    assert_calm(at.run())


# ---- a student's room ---------------------------------------------------------------


def test_a_student_is_told_the_law_and_not_the_key():
    code, key = rooms().open(Question("Really?", ANSWERS), "OUE", 0.5, 10, "teacher")
    at = open_page(CLASS, query={"room": code})
    assert_calm(at)
    told = programs(at)
    m = ldp.mechanism("OUE", k=3, eps=0.5)
    expected = {"mechanism": "OUE", "eps": 0.5, "p": m.p, "q": m.q, "round": 1, "open": True, "received": False}
    assert expected.items() <= told["ldp_class_answer"].items()
    here = at.session_state["_session"].part(visitor.Visitor)
    assert told["ldp_class_key"] == {"room": code, "key": None, "seat": here.name}
    assert key not in json.dumps(told)
    assert rooms().watch(code, key).phones == 1
    rooms().close_round(code, key)
    at.run()
    assert programs(at)["ldp_class_answer"]["open"] is False
    rooms().end(code, key)
    at.run()
    assert sentences(at) == [visitor.ENDED]


def test_a_full_room_says_so_and_lets_the_phone_in_when_there_is_a_place():
    code, key = rooms().open(Question("Really?", ANSWERS), "GRR", 1.0, 1, "teacher")
    rooms().join(code, "first")
    at = open_page(CLASS, query={"room": code})
    assert not at.exception
    assert "it has places for 1 phone." in at.warning[0].value
    # A teacher who comes back is let in by the key, and a phone by its place, though the room is full.
    assert programs(at)["ldp_class_key"] == {"room": code, "key": None, "seat": None}
    rooms().set_door(code, key, 2, False)
    assert "closed the door" in at.run().warning[0].value
    rooms().set_door(code, key, 2, True)
    at.run()
    assert not at.warning
    assert programs(at)["ldp_class_answer"]["question"] == "Really?"


def test_a_phone_that_slept_and_lost_its_place_is_told_so(caplog):
    """The parts of the page run alone every two seconds: what they are refused is no bug of theirs."""
    code, _ = rooms().open(Question("Really?", ANSWERS), "GRR", 1.0, 1, "teacher")
    at = open_page(CLASS, query={"room": code})
    rooms().leave(code, at.session_state["_session"].part(visitor.Visitor).name)
    rooms().join(code, "another")
    for draw in (student._answer, student._watch, student._knock):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(visitor, "current", lambda: SimpleNamespace(code=code, name="slept", problem=""))
            patch.setattr(student.st, "rerun", lambda: (_ for _ in ()).throw(Rerun()))
            if draw is student._knock:
                draw.__wrapped__()
                continue
            with pytest.raises(Rerun):
                draw.__wrapped__((1, True))
    at.run()
    assert "the room is full" in at.warning[0].value
    assert not [record for record in caplog.records if record.name.startswith("ldpui")]


def test_one_session_opens_few_rooms(session, monkeypatch):
    monkeypatch.setattr(doors, "st", SimpleNamespace(query_params={}))
    monkeypatch.setattr(
        doors.links, "value", lambda key: {"c_question": "Really?", "c_answers": "a\nb", "c_students": 5}[key]
    )
    monkeypatch.setattr(doors.stage, "chosen", lambda: ("GRR", 1.0))
    for _ in range(1_000):
        doors._open_room()
    assert len(rooms()) == LIMITS.own_rooms
    assert session.problem == "The room can't be opened: you have opened several rooms just now; wait a minute."
    # Whoever comes next is not kept waiting by that.
    rooms().open(Question("Really?", ANSWERS), "GRR", 1.0, 10, "another")


def test_what_a_phone_sends_goes_to_its_room(monkeypatch, session):
    code, key = rooms().open(Question("Really?", ANSWERS), "GRR", 1.0, 10, "teacher")
    sent = {"round": 1, "token": TOKEN, "report": 2}
    monkeypatch.setattr(visitor, "PAUSE", 0)
    for message, counted, problem in (
        (None, False, ""),
        ("<script>", False, "this is not a report"),
        (sent | {"report": 9}, False, "the report must be one of the 3 answers"),
        (sent, True, ""),
        (sent, True, ""),
        (
            sent | {"token": "1" * 32},
            True,
            "another report from here was counted in this round, and only that one counts",
        ),
    ):
        monkeypatch.setattr(parts, "sent", lambda *_, message=message: message)
        student._take(code, "class_answer_1")
        assert ((code, 1) in session.received, session.problem) == (counted, problem)
    assert rooms().watch(code, key).now.counts == (0, 0, 1)
    assert student.data(rooms().join(code, session.name), session)["received"] is True


def test_of_ten_thousand_events_in_one_message_one_is_read(monkeypatch, session):
    code, key = rooms().open(Question("Really?", ANSWERS), "GRR", 1.0, 10, "teacher")
    reads = []
    monkeypatch.setattr(parts, "sent", lambda *_: reads.append(1) or {"round": 1, "token": TOKEN, "report": 2})
    monkeypatch.setattr(visitor, "PAUSE", 60)
    for _ in range(10_000):
        student._take(code, "class_answer_1")
    assert len(reads) == 1
    assert rooms().watch(code, key).now.n == 1


def test_a_report_is_read_right_after_the_phone_found_its_place(monkeypatch, session):
    monkeypatch.setattr(visitor, "PAUSE", 60)
    monkeypatch.setattr(parts, "sent", lambda key, event: (key, event))
    assert session.listen("class_key", "seat") == ("class_key", "seat")
    assert session.listen("class_answer_1", "report") == ("class_answer_1", "report")
    assert session.listen("class_answer_1", "report") is None


def test_a_tab_hands_over_the_key_that_it_kept(session):
    code, key = rooms().open(Question("Really?", ANSWERS), "GRR", 1.0, 10, "teacher")
    session.teach(key)  # in no room
    session.code = code
    for wrong in (None, 1, "x", "\ud800"):
        session.teach(wrong)
        assert session.key is None
    rooms().join(code, session.name)
    session.teach(key)
    assert session.key == key
    assert rooms().watch(code, key).phones == 0


def test_what_a_program_sent_is_read_whatever_it_is(monkeypatch):
    for state, value in (({"report": 1}, 1), ({}, None), (None, None), ("x", None)):
        monkeypatch.setattr(parts.st, "session_state", SimpleNamespace(get=lambda _, state=state: state))
        assert parts.sent("key", "report") == value


# ---- the host -----------------------------------------------------------------------


def test_a_host_can_switch_classes_off(monkeypatch, session):
    code, _ = rooms().open(Question("Really?", ANSWERS), "GRR", 1.0, 10, "teacher")
    monkeypatch.setenv(visitor.SWITCH, "off")
    monkeypatch.setattr(parts, "sent", lambda *_: {"round": 1, "token": TOKEN, "report": 2})
    student._take(code, "class_answer_1")
    assert session.problem == "live classes are switched off on this server"
    monkeypatch.undo()
    monkeypatch.setenv(visitor.SWITCH, "off")
    at = open_page(CLASS, query={"room": code})
    assert_calm(at)
    assert "switched off" in at.info[0].value
    assert not at.main.button
    assert not at.main.text_input
