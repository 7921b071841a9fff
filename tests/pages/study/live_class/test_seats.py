"""Phones find their places again, and are counted once."""

from class_rounds import ANSWERS

from pages.study.live_class.question import Question
from pages.study.live_class.store import rooms


def test_a_phone_finds_its_place_again(session):
    code, key = rooms().open(Question("Really?", ANSWERS), "GRR", 1.0, 2, "teacher")
    session.sit_down("nowhere")  # in no room
    session.code = code
    rooms().join(code, "first")
    rooms().set_door(code, key, 1, False)
    name = session.name
    for wrong in (None, 1, "guessed", "\ud800"):
        session.sit_down(wrong)
        assert session.name == name
    session.sit_down("first")
    assert session.name == "first"
    assert rooms().join(code, session.name).phones == 1


def test_a_phone_that_is_loaded_again_is_the_same_phone(session):
    """Its new session had come in anew, and the wall counted two phones until the old place was given up."""
    code, _ = rooms().open(Question("Really?", ANSWERS), "GRR", 1.0, 5, "teacher")
    session.code = code
    rooms().join(code, "before")
    assert rooms().join(code, session.name).phones == 2
    session.sit_down("before")
    assert rooms().join(code, session.name).phones == 1
    assert session.name == "before"
    session.sit_down("before")  # told again, as by another tab
    assert rooms().join(code, session.name).phones == 1
