"""The answer and the ranked table of the Advisor, as they grow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore import advisor as core
from ldpui.address import opening
from pages.practice.advisor import errors, needs, opened, phrases, runs, sentences, tables
from pages.practice.advisor.participants import twins_sentence
from pages.practice.advisor.question import Question


@dataclass(frozen=True, eq=False)
class Ranking:
    """The table, the candidates behind it, what is to be said below, and the place for what the first one does.

    `settings` has what every row of the table opens in Estimate, None for what is out of reach.
    """

    table: pd.DataFrame
    candidates: list[core.Candidate]
    settings: tuple[ldp.Setting | None, ...]
    notes: tuple[str, ...]
    introduction: Any


class _Places:
    """Where the answer, the introduction and the table stand: above each other, whenever they come."""

    def __init__(self, q: Question) -> None:
        self.answer, self.introduction, self._table = st.empty(), st.empty(), st.empty()
        self._columns = tables.columns(q)

    def draw(self, sentence: str, table: pd.DataFrame, stage: int) -> None:
        """Draw the answer and the ranked table as they are so far."""
        # A key of its own for every stage: one script run may draw the growing table many times.
        self._draw(sentence, table, f"ranking_{stage}")

    def finish(self, sentence: str, table: pd.DataFrame, settings: Sequence[ldp.Setting | None]) -> None:
        """Draw them for good; a row that is ticked opens its setting in Estimate."""
        open_ticked = partial(opening.calmly, partial(opened.open_ticked, "ranking", settings))
        self._draw(sentence, table, "ranking", on_select=open_ticked, selection_mode="single-row")

    def _draw(self, sentence: str, table: pd.DataFrame, key: str, **selection: Any) -> None:
        self.answer.markdown(sentence)
        with self._table:
            st.dataframe(
                table,
                hide_index=True,
                height=390,
                placeholder="–",
                key=key,
                alt="Mechanisms with estimators, ranked: error or what is needed, bits, and the chance of an attacker.",
                column_config=self._columns,
                **selection,
            )


def ranking(q: Question) -> Ranking:
    """Rank by the error at this ε and n, or by the least ε or number of users that is enough."""
    if q.sought is None:
        runs.check(q.settings)
    elif q.iterated:
        needs.check(q.settings)
    return _by_error(q) if q.sought is None else _by_need(q)


def _by_error(q: Question) -> Ranking:
    places = _Places(q)
    candidates: list[core.Candidate] = []
    for number, (words, simulate) in enumerate(_stages(q)):
        with st.spinner(words):
            candidates = core.ranked(simulate(candidates))
        table = tables.error_table(candidates, q)
        sentence = sentences.accuracy_sentence(candidates, q.setting, q.accuracy)
        places.draw(sentence, table, number)
    settings = tuple(opened.setting_of(q, c.mechanism.name) for c in candidates)
    places.finish(sentence, table, settings)
    return Ranking(table, candidates, settings, q.notes, places.introduction)


_Simulate = Callable[[list[core.Candidate]], list[core.Candidate]]


def _stages(q: Question) -> list[tuple[str, _Simulate]]:
    """Return what is simulated one after the other, the quickest first: words, and what makes more candidates."""
    kind = q.accuracy.kind
    by_speed = [[t for t in q.settings if runs.is_slow(t.mechanism) == slow] for slow in (False, True)]
    stages: list[tuple[str, _Simulate]] = [
        (f"Simulating {core.listed([t.mechanism for t in part])}…", partial(_more, part, kind, False))
        for part in by_speed
        if part
    ]
    stages.append(("IBU, step by step…", partial(_more, q.settings, kind, True)))
    if phrases.in_points(q.accuracy):
        # Here the error is a quantile, which takes more runs than a mean; and the first of many is first by luck, too.
        stages.append(("The first once more…", partial(errors.refined, q.settings, kind)))
    if q.auto:
        stages.append(("auto, which tries all the others…", partial(_with_auto, q.settings, kind)))
    return stages


def _with_auto(settings: Sequence[ldp.Setting], kind: str, candidates: list[core.Candidate]) -> list[core.Candidate]:
    return [*candidates, *errors.with_auto(settings, kind)]


def _more(
    settings: Sequence[ldp.Setting], kind: str, iterated: bool, candidates: list[core.Candidate]
) -> list[core.Candidate]:
    return [*candidates, *errors.candidates(settings, kind, iterated)]


def _by_need(q: Question) -> Ranking:
    places, so_far = _Places(q), needs.Needs()
    for number, so_far in enumerate(needs.search(q)):
        if so_far.rows:
            places.draw(sentences.needed_sentence(so_far.rows, q), tables.needed_table(so_far.rows, q), number)
    table, settings = tables.needed_table(so_far.rows, q), tuple(opened.setting_at(q, row) for row in so_far.rows)
    if so_far.rows:
        places.finish(sentences.needed_sentence(so_far.rows, q), table, settings)
    notes = (*q.notes, twins_sentence(so_far.twins)) if so_far.twins else q.notes
    candidates = so_far.candidates(q.settings, str(q.sought))
    return Ranking(table, candidates, settings, notes, places.introduction)
