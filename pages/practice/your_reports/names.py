"""Names for the values: typed by the reader, or the words of a column of GRR."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

import ldpcore as ldp
from ldpcore.collected.names import NAME_LENGTH, check_names, read_names
from ldpui import uploads
from ldpui.computing import reading
from ldpui.format import plain
from pages.practice.your_reports import controls, texts
from pages.practice.your_reports.choices import recall, remember
from pages.practice.your_reports.report_file import ReportFile
from pages.practice.your_reports.state import Outcome, reports

_KEY = "reports_names"


def ask(k: int) -> tuple[str, ...]:
    """Offer a box for names; return those of the k values, or none if there are none that can be used."""
    with st.expander("Names of the values", icon=":material/label:"):
        text = st.text_area(
            "One name in each line, or all in one line with commas between them",
            key=recall(_KEY),
            placeholder="red, green, blue",
            max_chars=controls.REPORT_BINS_MAX * (NAME_LENGTH + 1),
            height=120,
            help=texts.NAMES,
        )
    remember(_KEY, text)
    names = read_names(text or "")
    if not any(names):
        return ()
    try:
        return check_names(names, k)
    except ldp.Refused as refused:
        st.warning(f"The names are not used: {plain(str(refused), 300)}.", icon=":material/label_off:")
        return ()


def words_of(upload: ReportFile, column: str, k: int, names: tuple[str, ...]) -> tuple[str, ...]:
    """Ask whether the cells of a column are names; return those of the values, or none where the cells are numbers."""
    key = f"reports_words_{upload.file.number}"
    default = reports().choices.get(key, column in upload.head.worded)
    st.session_state.setdefault(recall(key), default)
    if not remember(key, st.toggle("The cells are names of the values", key=key, help=texts.WORDS)):
        return ()
    return names or upload_words(upload, column, k)


def upload_words(upload: ReportFile, column: str, k: int) -> tuple[str, ...]:
    """Return the words of a column; they are looked up once."""
    here, version = reports(), (*upload.version, column, k)
    if here.words is None or here.words[0] != version:
        here.words = (version, uploads.ask(reading.words, upload.raw, column, k, rows=upload.rows))
    return here.words[1]


def named(outcome: Outcome, names: tuple[str, ...]) -> Outcome:
    """Return a result with these names, or with the words of its file; without any if they are of other values."""
    names = outcome.job.words or names
    if len(names) != outcome.collected.counts.size:
        return outcome
    return replace(outcome, collected=outcome.collected.named(names))
