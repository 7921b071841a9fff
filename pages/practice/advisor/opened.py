"""What the Advisor found, opened in Estimate: the mechanism of a row, at the ε and the users of the answer."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

import ldpcore as ldp
from ldpcore import advisor as core
from ldpui.address import opening
from pages.practice.advisor.needs import Need
from pages.practice.advisor.question import Question


def setting_of(q: Question, mechanism: str) -> ldp.Setting:
    """Return the setting with a mechanism of the table."""
    return next(t for t in q.settings if t.mechanism == mechanism)


def setting_at(q: Question, need: Need) -> ldp.Setting | None:
    """Return the setting with what a mechanism needs, rounded up as it is shown; None if that is out of reach."""
    if not need.answer.reached:
        return None
    t, sought = setting_of(q, need.mechanism.name), str(q.sought)
    try:
        return core.at(t, sought, core.round_up(need.answer.value))
    except ldp.Refused:
        # The rounded value is beyond what this mechanism can have.
        return core.at(t, sought, need.answer.value)


def open_ticked(key: str, settings: Sequence[ldp.Setting | None]) -> None:
    """Open the row of a table that was ticked."""
    ticked = st.session_state[key].selection.rows
    setting = settings[ticked[0]] if ticked else None
    if setting is not None:
        opening.in_estimate(setting)


def button(setting: ldp.Setting | None) -> None:
    """Offer to open the first of the table."""
    if setting is not None:
        label = f"Open {setting.mechanism} in Estimate"
        st.button(label, key="open_first", on_click=opening.in_estimate, args=(setting,), icon=":material/bar_chart:")
