"""What the reader says about collected reports: the questions of the page Your reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpcore.collected.report_tables import some_eps
from ldpui import glossary, links, session, widgets
from pages.practice.your_reports import controls

_KINDS = {name: ldp.mechanism_class(name).report_kind.key for name in ldp.ONE_TIME + ldp.LONGITUDINAL}
HASHING = tuple(name for name, kind in _KINDS.items() if kind == "pairs")
CALIBRATED = tuple(name for name in ldp.LONGITUDINAL if ldp.mechanism_class(name).calibration_matters)
SINGLE_VALUE = tuple(name for name, kind in _KINDS.items() if kind == "values")


@dataclass(frozen=True)
class Asked:
    """What the reader says about the reports; what does not concern the mechanism is None."""

    mechanism: str
    k: int
    eps: float | None  # None: every report has its own
    eps_inf: float | None
    calibration: str | None
    hash_family: str | None
    holds: str
    n: int | None  # None: as many as the counts say, or as there are rows
    pair: str | None
    header: bool

    @property
    def counts(self) -> bool:
        return self.holds == controls.COUNTS

    def options(self) -> dict[str, Any]:
        """Return the mechanism as the library and the command line take it, without what is left at its default."""
        names = ("eps_inf", "calibration", "hash_family")
        chosen = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return {"k": self.k} | ({} if self.eps is None else {"eps": self.eps}) | chosen

    def make(self) -> ldp.Mechanism:
        """Make the mechanism; where reports bring their own ε, with some ε."""
        eps = some_eps(self.mechanism, self.eps_inf) if self.eps is None else self.eps
        return ldp.mechanism(self.mechanism, **self.options() | {"eps": eps})

    def told(self) -> str:
        """Write it as a reader does."""
        first = "ε₁" if self.eps_inf is not None else "ε"
        eps = f"{first} in a column" if self.eps is None else f"{first} = {self.eps:g}"
        inf = "" if self.eps_inf is None else f", ε∞ = {self.eps_inf:g}"
        more = [word for word in (self.calibration, self.hash_family) if word is not None]
        return ", ".join([self.mechanism, f"k = {self.k:,}", eps + inf, *more])


@dataclass
class Memory:
    """What a session knows of the questions: whether a link brought answers, and the answers that were given last."""

    by_link: bool | None = None
    answers: dict[str, Any] = field(default_factory=dict)


def _remember() -> None:
    """Give the controls the values that they had before the reader went to another page, where they are forgotten."""
    memory = session.current().part(Memory)
    if memory.by_link is None:
        memory.by_link = any(key.startswith("r_") for key in st.query_params)
    for key in (key for key in links.CONTROLS if key.startswith("r_")):
        if key in st.session_state:
            memory.answers[key] = st.session_state[key]
        elif key in memory.answers and key not in st.query_params:
            st.session_state[key] = memory.answers[key]


def came_by_link() -> bool:
    """Tell whether the page was opened by a link with settings for it."""
    return bool(session.current().part(Memory).by_link)


def ask() -> Asked:
    """Draw the questions on what made the reports."""
    _remember()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = widgets.choose(
            "Mechanism",
            "r_mechanism",
            ldp.ONE_TIME + ldp.LONGITUDINAL,
            help=glossary.REPORTS_MECHANISM,
            width=150,
        )
        k = widgets.whole_number("Values k", "r_k", 2, controls.REPORT_BINS_MAX, help=glossary.REPORTS_K, width=130)
        holds = widgets.choose(
            "The file holds", "r_holds", (controls.REPORTS, controls.COUNTS), help=glossary.REPORTS_HOLDS, width=170
        )
        with st.container(key="reports_each", width=190):
            each = widgets.choose("ε is", "r_each", (controls.SAME, controls.COLUMN), help=glossary.REPORTS_EACH)
        return _ask_more(name, k, holds, each)


def _ask_more(name: str, k: int, holds: str, each: str) -> Asked:
    """Draw what only some mechanisms need. All of it is always there, hidden: what is not there leaves the URL."""
    chain, counts = name in ldp.LONGITUDINAL, holds == controls.COUNTS
    own_eps = each == controls.COLUMN and not counts
    with st.container(key="reports_eps", width=170):
        eps = _real("ε of one report (ε₁)" if chain else "Privacy budget ε", "r_eps", glossary.EPS)
    with st.container(key="reports_eps_inf", width=170):
        eps_inf = _real("ε∞ of all reports", "r_eps_inf", glossary.EPS_INF)
    with st.container(key="reports_calibration", width=150):
        calibration = widgets.choose(
            "Calibration", "r_calibration", ldp.CALIBRATIONS, help=glossary.REPORTS_CALIBRATION
        )
    with st.container(key="reports_family", width=310):
        families = (controls.OWN_HASH, controls.PEERS_HASH)
        family = widgets.choose("Hash functions", "r_family", families, help=glossary.REPORTS_FAMILY)
    with st.container(key="reports_pair", width=190):
        orders = (controls.VALUE_SEED, controls.SEED_VALUE)
        pair = widgets.choose("Columns without names", "r_pair", orders, help=glossary.REPORTS_PAIR)
    with st.container(key="reports_n", width=170):
        n = widgets.whole_number("Reports n", "r_n", 0, controls.REPORT_USERS_MAX, help=glossary.REPORTS_N)
    hashing, asks_n = name in HASHING, counts and ldp.mechanism_class(name).support_law != "fixed size"
    _hide(
        each=counts, eps=own_eps, eps_inf=not chain, calibration=name not in CALIBRATED, n=not asks_n,
        family=not hashing or counts, pair=not hashing or counts,
    )  # fmt: skip
    return Asked(
        mechanism=name,
        k=k,
        eps=None if own_eps else eps,
        eps_inf=eps_inf if chain else None,
        calibration=calibration if name in CALIBRATED and calibration != "published" else None,
        hash_family="xxh32" if hashing and family == controls.PEERS_HASH and not counts else None,
        holds=holds,
        n=n if asks_n else None,
        pair=pair if hashing and not counts else None,
        header=True,
    )


def _real(label: str, key: str, what: str) -> float:
    default, high = links.CONTROLS[key].default, 100.0 if key == "r_eps_inf" else 50.0
    bound: dict[str, Any] = {"key": key, "bind": "query-params"}
    return float(st.number_input(label, 1e-4, high, default, 0.1, format="%g", help=what, **bound))


def _hide(**hidden: bool) -> None:
    # With the box around it, which would leave a gap.
    keys = [f".st-key-reports_{name}" for name, hide in hidden.items() if hide]
    where = ", ".join(f"{key}, [data-testid=stLayoutWrapper]:has(> {key})" for key in keys)
    st.html(f"<style>{where} {{ display: none; }}</style>")


def describe(asked: Asked) -> str:
    """Say what the file must look like."""
    about = f"**{ldp.mechanism_class(asked.mechanism).full_name}.** {glossary.MECHANISMS[asked.mechanism]} "
    if asked.counts:
        return about + (
            f"The file has a row for each of the k = {asked.k:,} values: a column *count* with the number of reports "
            "that support it, and a column *value* if the rows are not in the order 0, 1, 2, …"
        )
    if asked.mechanism in HASHING:
        return about + (
            "The file has two columns, *seed* and *value* (the cell), or one of pairs such as *(2, 4318013)*; one "
            "row a report."
        )
    if asked.mechanism in SINGLE_VALUE:
        return about + f"The file has one column of values from 0 to {asked.k - 1:,}; one row a report."
    if _KINDS[asked.mechanism] == "sets":
        size = "ω" if asked.eps is None else f"ω = {asked.make().support_size}"
        return about + f"The file has {size} columns of values, or one column such as *3 7 9*; one row a report."
    reals = ", or of real numbers before the threshold" if ldp.mechanism_class(asked.mechanism).takes_reals else ""
    return about + (
        f"The file has k = {asked.k:,} columns of 0 and 1{reals}, or one column of strings such as *0110…*; "
        "one row a report."
    )
