"""Examples to start from: each says what to look at, and offers the setting that it is best compared with."""

from __future__ import annotations

import streamlit as st

from ldpui import session
from ldpui.address import links, vocabulary
from ldpui.address.vocabulary import REPEATED
from ldpui.session import Example, ShownExample

MENU = "examples"

_INCOME = {"data": "ACS income", "mechanism": "OUE", "eps": "2", "n": "20k", "k": "100"}
_STRICT = {"data": "ACS income", "mechanism": "GRR", "eps": "0.5", "n": "100k", "k": "20"}
_SURVEY = {"data": "Poisson", "binning": "values", "mechanism": "GRR", "eps": "2", "n": "1k"}
_BROWSERS = {
    "data": "Exponential", "reports": REPEATED, "chain": "L-OSUE", "eps_inf": "4", "n": "1M", "k": "100",
}  # fmt: skip
_POOR = {"data": "ACS income", "mechanism": "GRR", "eps": "1", "n": "1M", "k": "500"}

EXAMPLES = (
    Example(
        "The paper's example",
        "Figure 1 of the paper: incomes, OUE at ε = 2. Look at the tallest bars: MI, which cuts off what is below 0 "
        "and rescales the rest, is too low there, and IBU much less so. Its squared error is less than half of MI's.",
        _INCOME,
        Example(
            "now GRR",
            "The same promise, but each user names one bin instead of sending 100 bits. With 100 bins most answers are "
            "then lies, and a bin is off by half as much again with MI.",
            _INCOME | {"mechanism": "GRR"},
        ),
    ),
    Example(
        "High privacy",
        "ε = 0.5: a report says almost nothing, and 100,000 of them still show the incomes. The price: with MI a bin "
        "is off by more than 2 percentage points. IBU has less than half of MI's squared error.",
        _STRICT,
        Example(
            "now ε = 2",
            "Four times the ε, and with MI a bin is off by less than a fifth of what it was.",
            _STRICT | {"eps": "2"},
        ),
    ),
    Example(
        "Small survey",
        "1,000 people say how often they saw a doctor, one bin per number of visits. So few users, so few bins: MI and "
        "IBU are equally good, and a bin is off by about 2 percentage points.",
        _SURVEY,
        Example(
            "now OUE",
            "A yes or no for each number of visits. With few values that is no better: GRR, which names one of them, "
            "was off by a little less.",
            _SURVEY | {"mechanism": "OUE"},
        ),
        "visits to a doctor in a year",
    ),
    Example(
        "Browser telemetry",
        "A million browsers report again and again, say how many seconds a page took to load; what each ever gives "
        "away is bounded by ε∞. IBU is nearer to the truth than MI, and not yet where it would arrive.",
        _BROWSERS,
        Example(
            "now L-SUE, as in RAPPOR",
            "IBU loses to MI here, by its iteration cap alone: it stops after 10,000 steps, before it has arrived. "
            "Switch on *IBU limit*: where it would arrive, its squared error is below MI's.",
            _BROWSERS | {"chain": "L-SUE"},
        ),
        "seconds until the page is there",
    ),
    Example(
        "A poor choice worth seeing",
        "GRR with 500 bins at ε = 1: nearly every answer is a lie. A million users, and MI still puts two thirds of "
        "them into the wrong bin.",
        _POOR,
        Example(
            "now OLH",
            "The same promise with hashing: MI puts a quarter of the users into the wrong bin. IBU is far off by its "
            "iteration cap alone: at its limit (switch on *IBU limit*) it beats MI.",
            _POOR | {"mechanism": "OLH"},
        ),
    ),
)


def menu() -> None:
    """Offer the examples; the menu closes when one is chosen."""
    with st.popover(
        "Start from an example", icon=":material/auto_awesome:", width="stretch", key=MENU, on_change="rerun"
    ) as box:
        for example in EXAMPLES if box.open else ():
            st.button(example.name, key=example.key, on_click=_open, args=(example,), width="stretch")


def _open(example: Example) -> None:
    st.session_state[MENU] = False
    links.apply(dict(example.values))
    if example.axis:
        # The example's title of the axis stays while the reader tries other settings: it is not to change meanwhile.
        session.current().meanings[vocabulary.DATA[example.values["data"]]] = example.axis
    session.current().example = ShownExample(example, links.shared_query())


def callout() -> None:
    """Say what to look at, as long as the setting is that of the example, and offer the next one."""
    shown = session.current().example
    if shown is None:
        return
    if shown.query != links.shared_query():
        session.current().example = None
        return
    with st.container(horizontal=True, vertical_alignment="center", border=True, gap="small", key="example"):
        st.markdown(f"**What to look at.** {shown.example.look}", width="stretch")
        following = shown.example.next
        if following is not None:
            label = following.name[0].upper() + following.name[1:]
            st.button(label, key="next_example", on_click=_open, args=(following,))
        st.button("Hide", icon=":material/close:", key="hide_example", type="tertiary", on_click=_hide)


def _hide() -> None:
    session.current().example = None
