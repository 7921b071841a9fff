"""What was brought to a page: a new upload takes the place of the one before only if it can be used."""

import logging
import tomllib
from pathlib import Path

from app_steps import assert_logged

import ldpcore as ldp
from ldpcore.tables import MAX_BYTES
from ldpui import failures
from ldpui.session import Uploads

ROOT = Path(__file__).resolve().parents[2]


def refuse():
    raise ldp.Refused("it is empty")


def break_down():
    raise ValueError("zip() argument 2 is shorter than argument 1")


def test_what_can_not_be_used_leaves_what_was_there():
    uploads = Uploads()
    assert uploads.take(lambda: "first", version=1)
    assert not uploads.take(refuse, version=2)
    assert (uploads.upload, uploads.problem) == ("first", "it is empty")
    assert uploads.take(lambda: "third", version=3)
    assert (uploads.upload, uploads.problem) == ("third", None)


def test_a_version_is_read_once():
    uploads, reads = Uploads(), []
    for version in (1, 1, 2, 2, 1):
        uploads.take(lambda version=version: reads.append(version), version)
    assert reads == [1, 2, 1]
    # What is wrong with it is said as long as it is there.
    assert not uploads.take(refuse, version=3)
    assert not uploads.take(refuse, version=3)
    assert uploads.problem == "it is empty"


def test_what_has_no_version_is_always_read_and_says_nothing_of_the_file():
    uploads, reads = Uploads(), []
    uploads.take(lambda: "file", version=1)
    for _ in range(2):
        uploads.take(lambda: reads.append("text"))
    assert len(reads) == 2
    assert not uploads.take(lambda: "file", version=1)


def test_what_is_forgotten_does_not_come_back_from_its_box():
    uploads = Uploads()
    uploads.take(lambda: "file", version=1)
    uploads.forget()
    assert not uploads.take(lambda: "file", version=1)
    assert uploads.upload is None


def test_a_bug_is_one_calm_sentence_and_goes_to_the_log(caplog):
    uploads = Uploads()
    with caplog.at_level(logging.ERROR, failures.__name__):
        assert not uploads.take(break_down)
    assert uploads.problem == "something went wrong while it was read"
    assert_logged(caplog, "shorter")


def test_the_box_takes_files_as_large_as_the_reader_does():
    """The limit of Streamlit's own box stands in its configuration, which can't ask the library."""
    config = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))
    assert config["server"]["maxUploadSize"] * 2**20 == MAX_BYTES
