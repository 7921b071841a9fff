"""How much the server holds of texts, and of files whose box was emptied: they count with the rest."""

import gc
import sys

import numpy as np
import pytest
from app_steps import ABOUT, YOUR_DATA, YOUR_REPORTS, assert_calm, go_to, open_page, session_of
from starlette.exceptions import HTTPException
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

import ldpcore as ldp
from ldpcore.datasets import OwnBinning, OwnNumbers
from ldpui.computing.reading import File, UploadedTable
from ldpui.own import Upload
from ldpui.serving import held_files, held_texts, presence
from ldpui.session import OwnData
from pages.practice.your_reports.state import Reports

SMALL = {"runs": "2", "iterations": "30", "k": "10"}
NUMBERS = "\n".join(str(i % 50) for i in range(8_000))
NAMES = ", ".join(f"value number {i:05d}" for i in range(2_000))
TOO_MUCH = "the server holds too much data of other visitors; bring it again in a minute"


@pytest.fixture(autouse=True)
def _nothing_held(monkeypatch):
    gc.collect()
    monkeypatch.setattr(held_files, "_things", type(held_files._things)())
    monkeypatch.setattr(presence, "has_drawn", lambda session: True)


def held():
    return sum(held_files._together({}).values())


def complaints(at):
    return [box.value.replace("\\", "") for box in at.error]


def typed(text):
    """Open Your data in a new session, and paste a text."""
    return open_page(YOUR_DATA, SMALL).text_area(key="own_text").set_value(text).run()


def press(at, words):
    next(button for button in at.main.button if words in button.label).click().run()


def test_a_text_in_its_box_counts_and_is_given_back(monkeypatch):
    """Any number of visitors could paste 12 MB each: only files and columns were counted."""
    at = typed(NUMBERS)
    assert held() >= len(NUMBERS)
    monkeypatch.setattr(held_files, "OF_ALL", 2 * len(NUMBERS))  # and the next file finds less room
    with pytest.raises(HTTPException) as refused:
        held_files.check("another", len(NUMBERS) + 1, {})
    assert refused.value.status_code == 507
    at.text_area(key="own_text").set_value("").run()
    assert held() == 0


def test_a_text_is_given_back_where_its_page_is_left():
    at = typed(NUMBERS)
    assert held() >= len(NUMBERS)
    go_to(at, ABOUT)
    go_to(at, ABOUT)
    assert held() == 0


@pytest.mark.slow
def test_a_text_that_is_too_much_is_not_taken_and_nothing_else_is_lost(monkeypatch):
    other, at = typed(NUMBERS), typed("1, 2, 3, 4")
    press(at, "Use these values")
    monkeypatch.setattr(held_files, "OF_ALL", held() + 20_000)
    at.text_area(key="own_text").set_value(NUMBERS).run()
    assert complaints(at) == [f"The text in a box is not taken: {TOO_MUCH}."]
    assert not at.exception
    assert session_of(at).own.upload.users == 4
    assert at.session_state["own_text"] == "1, 2, 3, 4"
    # Who was there before notices nothing; where there is room again, the text is taken.
    other.run()
    assert_calm(other)
    other.text_area(key="own_text").set_value("").run()
    at.text_area(key="own_text").set_value(NUMBERS).run()
    assert_calm(at)
    press(at, "Use these values")
    assert_calm(at)
    assert session_of(at).own.upload.users == 8_000


def test_a_text_in_use_counts_beside_its_box(monkeypatch):
    at = typed(NUMBERS)
    press(at, "Use these values")
    at.text_area(key="own_text").set_value("").run()
    assert session_of(at).own.upload.users == 8_000
    assert len(NUMBERS) <= held() < 1.2 * sys.getsizeof(NUMBERS)
    press(at, "Forget the data")
    assert held() == 0


def test_names_of_values_count(monkeypatch):
    at = open_page(YOUR_REPORTS)
    at.text_area(key="reports_names").set_value(NAMES).run()
    assert held() >= len(NAMES)
    go_to(at, ABOUT)  # they are there again when the page is
    assert held() >= len(NAMES)
    monkeypatch.setattr(held_files, "OF_ALL", held() + 10_000)
    second = open_page(YOUR_REPORTS)
    second.text_area(key="reports_names").set_value(NAMES).run()
    assert complaints(second) == [f"The text in a box is not taken: {TOO_MUCH}."]


def test_a_long_word_of_any_control_counts():
    """A program may say as much as a message has in every control that takes words, one after the other."""
    assert held_texts._size("x" * 50_000) > 50_000
    assert held_texts._size({"a": ["x" * 50_000, {"y" * 50_000: 1.0}]}) > 100_000
    assert held_texts._size([0.5] * 10_000) > 200_000
    assert held_texts._size({"a": [[]] * 1_000, "b": [{}] * 1_000}) > 120_000  # lists take memory, empty ones too
    assert held_texts._size(object()) == 0


@pytest.mark.parametrize("page", [YOUR_DATA, YOUR_REPORTS])
def test_a_file_in_use_counts_when_its_box_is_empty(page):
    """Taken out of its box it was counted no longer, and its bytes stayed with its column."""
    data = ("value\n" + NUMBERS).encode()
    at = open_page(page, SMALL | {"r_mechanism": "GRR", "r_k": 50.0})
    at.file_uploader[0].upload("mine.csv", data).run()
    assert not at.exception
    at.file_uploader[0].set_value([]).run()
    assert not at.exception
    assert len(data) <= held() < 1.2 * len(data)
    press(at, "Forget")
    assert held() == 0


def test_a_file_that_is_in_its_box_too_counts_once():
    data = bytes(1_000)
    boxes = {"one": [data]}
    file = File(data)
    held_files._things[file] = held_files._Room("one", file.nbytes)
    assert held_files._together(boxes) == {"one": 1_000}
    assert held_files._together({"one": []}) == {"one": 1_000}
    other = File(bytes(500))
    held_files._things[other] = held_files._Room("one", other.nbytes)
    assert held_files._together(boxes) == {"one": 1_500}


def test_files_in_use_count_for_their_visitor_too(monkeypatch):
    monkeypatch.setattr(held_files, "OF_ONE", 1_000)
    file = File(bytes(800))
    held_files._hold(file, "one", None)
    with pytest.raises(HTTPException) as refused:
        held_files.check("one", 201, {})
    assert refused.value.status_code == 413
    held_files.check("two", 201, {})
    with pytest.raises(ldp.Refused, match="this page holds too much"):
        held_files._hold(File(bytes(300)), "one", None)


def test_reports_that_are_too_much_leave_the_file_before(monkeypatch):
    reports = Reports()
    reports.bring("first.csv", bytes(1_000))
    first = reports.pending
    monkeypatch.setattr(held_files, "OF_ALL", 1_500)
    reports.bring("second.csv", bytes(1_000))
    assert reports.pending is first
    assert reports.refusal == f"second.csv: {TOO_MUCH}"


def test_a_refused_column_leaves_the_one_before_counted(monkeypatch):
    """Names of columns count too: ten thousand of them can take ten megabytes."""

    def numbers(size, names=()):
        data = OwnNumbers(np.arange(size) / 2, np.ones(size, dtype=np.int64), size, {})
        return Upload(UploadedTable(File(b""), "a.csv", names, size), "x", data, OwnBinning())

    monkeypatch.setattr(held_files, "OF_ALL", 10_000)
    own = OwnData()
    own.use(numbers(100))
    with pytest.raises(ldp.Refused, match="too much data"):
        own.use(numbers(100, ("x" * 9_000,)))
    gc.collect()
    assert held() == 16 * 100


def test_what_nobody_uses_leaves_the_boxes():
    """Where a visitor forgot a file, its box was replaced, and Streamlit kept the file until the visitor left."""
    manager = MemoryUploadedFileManager("/upload")
    used = bytes(10)
    for name, data in (("used", used), ("unused", bytes(20))):
        manager.add_file("one", UploadedFileRec(name, f"{name}.csv", "text/csv", data))
    manager.add_file("two", UploadedFileRec("other", "other.csv", "text/csv", bytes(30)))
    file = File(used)
    held_files._hold(file, "one", None)
    held_files.drop_unused(manager, "one")
    assert {owner: list(files) for owner, files in manager.file_storage.items()} == {"one": ["used"], "two": ["other"]}
