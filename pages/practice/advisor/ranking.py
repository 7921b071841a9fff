"""The answer and the ranked table of the Advisor, as they grow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from ldpcore import advisor as core
from pages.practice.advisor import errors, needs, sentences, tables
from pages.practice.advisor.participants import twins_sentence
from pages.practice.advisor.question import Question


@dataclass(frozen=True, eq=False)
class Ranking:
    """The table, the candidates behind it, what is to be said below, and the place for what the first one does."""

    table: pd.DataFrame
    candidates: list[core.Candidate]
    notes: tuple[str, ...]
    introduction: Any


class _Places:
    """Where the answer, the introduction and the table stand: above each other, whenever they come."""

    def __init__(self, q: Question) -> None:
        self.answer, self.introduction, self._table = st.empty(), st.empty(), st.empty()
        self._columns = tables.columns(q)

    def draw(self, sentence: str, table: pd.DataFrame, last: bool) -> None:
        """Draw the answer and the ranked table."""
        self.answer.markdown(sentence)
        with self._table:
            st.dataframe(
                table,
                hide_index=True,
                height=390,
                placeholder="–",
                # A key of its own for every picture: one script run may draw the growing table many times.
                key="ranking" if last else f"ranking_{len(table)}",
                alt="Mechanisms with estimators, ranked: error or what is needed, bits, and the chance of an attacker.",
                column_config=self._columns,
            )


def ranking(q: Question) -> Ranking:
    """Rank by the error at this ε and n, or by the least ε or number of users that is enough."""
    return _by_error(q) if q.sought is None else _by_need(q)


def _by_error(q: Question) -> Ranking:
    places = _Places(q)
    candidates: list[core.Candidate] = []
    for iterated in (False, True):
        with st.spinner("IBU, step by step…" if iterated else "Simulating every mechanism…"):
            candidates = core.ranked(candidates + errors.candidates(q.settings, q.accuracy.kind, iterated))
        table = tables.error_table(candidates, q)
        places.draw(sentences.accuracy_sentence(candidates, q.setting, q.accuracy), table, last=iterated)
    return Ranking(table, candidates, q.notes, places.introduction)


def _by_need(q: Question) -> Ranking:
    places, so_far = _Places(q), needs.Needs()
    for so_far in needs.search(q):
        _draw_needs(places, q, so_far, last=False)
    _draw_needs(places, q, so_far, last=True)
    notes = (*q.notes, twins_sentence(so_far.twins)) if so_far.twins else q.notes
    candidates = so_far.candidates(q.settings, str(q.sought))
    return Ranking(tables.needed_table(so_far.rows, q), candidates, notes, places.introduction)


def _draw_needs(places: _Places, q: Question, so_far: needs.Needs, *, last: bool) -> None:
    if so_far.rows:
        places.draw(sentences.needed_sentence(so_far.rows, q), tables.needed_table(so_far.rows, q), last)
