"""What the Advisor is asked: all that its answer depends on."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

import ldpcore as ldp
from ldpcore.advisor import Accuracy
from ldpui import glossary, sidebar, widgets
from pages.practice.advisor import controls
from pages.practice.advisor.errors import LEVEL
from pages.practice.advisor.participants import participants

SOUGHT = {controls.SOLVE[1]: "eps", controls.SOLVE[2]: "n"}
# The controls that are hidden, by what is sought.
_HIDDEN = {"eps": ("privacy",), "n": ("users",)}


@dataclass(frozen=True)
class Question:
    """The setting, the accuracy wanted, what is sought ("eps", "n" or the error), and the mechanisms that take part."""

    setting: ldp.Setting
    accuracy: Accuracy
    sought: str | None
    iterated: bool
    settings: tuple[ldp.Setting, ...]
    notes: tuple[str, ...]
    auto: bool = False

    @property
    def repeated(self) -> bool:
        """Whether users report repeatedly."""
        return self.setting.eps_inf is not None

    @property
    def eps_title(self) -> str:
        return "budget of the first report ε₁" if self.repeated else "privacy budget ε"


def ask() -> Question:
    """Draw the questions."""
    sought = SOUGHT.get(widgets.pick("What do you want to know?", "solve", controls.SOLVE, help=glossary.SOLVE))
    s = sidebar.questions(_HIDDEN.get(sought or "", ()))
    accuracy = _accuracy()
    iterated = sought is None or widgets.switch(
        "Also IBU as the paper iterates it (slow)", "iterated", help=glossary.IBU
    )
    auto = widgets.switch("Also auto (slow)", "with_auto", help=glossary.AUTO)
    field = participants(s, sought)
    return Question(s, accuracy, sought, iterated, field.settings, field.notes, auto)


def _accuracy() -> Accuracy:
    """Ask what counts as accurate enough."""
    kind, bound = st.columns([1, 2], gap="medium", vertical_alignment="bottom")
    with kind:
        goal = widgets.pick("What must be accurate?", "goal", controls.GOALS, help=glossary.GOAL)
    with bound:
        if goal == controls.GOALS[0]:
            label = "All bins within ± percentage points, 95% of the time"
            return Accuracy("every bin", float(widgets.slide(label, "points", controls.POINTS)) / 100, LEVEL)
        tv = widgets.slide("Total variation at most, on average", "tv", controls.TV_BOUNDS)
        return Accuracy("tv", float(tv), LEVEL)
