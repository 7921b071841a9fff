"""The ranked table of the Advisor, as it grows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore import advisor as core
from pages.practice.advisor import candidates, text


@dataclass(frozen=True)
class Question:
    """What is asked: the setting, the accuracy wanted, what is sought, and the mechanisms that take part."""

    setting: ldp.Setting
    accuracy: core.Accuracy
    sought: str | None
    iterated: bool
    settings: list[ldp.Setting]
    notes: list[str]

    @property
    def twins(self) -> str:
        """The sentence on mechanisms that are the same as others."""
        return text.TWINS["repeatedly" if self.setting.eps_inf else "once"]

    @property
    def eps_title(self) -> str:
        return "budget of the first report ε₁" if self.setting.eps_inf else "privacy budget ε"


@dataclass(frozen=True, eq=False)
class Ranked:
    """The table, the candidates behind it, what is to be said below, and the place for what the first one does."""

    frame: pd.DataFrame
    candidates: list[core.Candidate]
    notes: list[str]
    names: Any


class _Places:
    """Where the answer, the names and the table stand: above each other, whenever they come."""

    def __init__(self, q: Question) -> None:
        self.answer, self.names, self.table = st.empty(), st.empty(), st.empty()
        self.columns = text.columns(q.accuracy, q.sought, repeated=q.setting.eps_inf is not None)

    def draw(self, sentence: str, frame: pd.DataFrame, last: bool) -> None:
        """Draw the answer and the ranked table."""
        self.answer.markdown(sentence)
        with self.table:
            st.dataframe(
                frame,
                hide_index=True,
                height=390,
                placeholder="–",
                # A key of its own for every picture: one script run may draw the growing table many times.
                key="ranking" if last else f"ranking_{len(frame)}",
                alt="Mechanisms with estimators, ranked: error or what is needed, bits, and the chance of an attacker.",
                column_config=self.columns,
            )


def how_accurate(q: Question) -> Ranked:
    """Rank by the error at this ε and n."""
    places = _Places(q)
    found: list[core.Candidate] = []
    for slow in (False, True):
        with st.spinner("IBU, step by step…" if slow else "Simulating every mechanism…"):
            found = core.ranked(found + candidates.candidates(q.settings, q.accuracy.kind, iterated=slow))
        frame = text.error_table(found, q.accuracy)
        places.draw(text.accuracy_sentence(found, q.setting, q.accuracy), frame, last=slow)
    return Ranked(frame, found, q.notes, places.names)


def what_is_needed(q: Question) -> Ranked:
    """Rank by the least ε or number of users that is enough."""
    sought, places = str(q.sought), _Places(q)

    def draw(rows: list[candidates.Row], last: bool = False) -> None:
        places.draw(text.needed_sentence(rows, q.setting, q.accuracy, sought), text.needed_table(rows), last)

    rows = candidates.needed_rows(q.settings, q.accuracy, sought, q.iterated, draw)
    draw(rows, last=True)
    left_out = sought == "eps" and len(rows) < len(q.settings) * (len(candidates.QUICK) + q.iterated)
    notes = q.notes + ([q.twins] if left_out else [])
    return Ranked(text.needed_table(rows), candidates.as_candidates(rows, q.settings, sought), notes, places.names)
