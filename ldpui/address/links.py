"""Every setting by its key in the URL: what it may be, what it is if nothing is said, and links made of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote_plus, urlsplit

import streamlit as st

import ldpcore as ldp
from ldpui import session
from ldpui.address import vocabulary
from ldpui.format import plain


@dataclass(frozen=True)
class Control:
    """A setting in the URL: its key there, its default, and which words are allowed."""

    key: str
    default: Any
    allows: Callable[[str], bool]
    page: bool = False  # belongs to single pages: presets leave it alone
    read: Callable[[Sequence[str]], Any] = field(default=lambda words: words[-1])
    stays: bool = False  # says how the visitor looks at the dashboard: presets and reset leave it alone
    live: bool = False  # may move without a rerun of the page, in a part of it
    # Says what it stands at where neither link nor session does; None for its default.
    first: Callable[[], Any] | None = None
    text: bool = False  # a box for any text: it shows what a link or a visitor says, possible or not


def one_of(key: str, default: Any, options: Any, page: bool = False, also: Mapping[str, str] | None = None) -> Control:
    """Return a control for one word of a list, or for several (then the default is a tuple).

    Capitals do not matter in a link. `also` has other words for some of the options.
    """
    spelled = {word.casefold(): option for word, option in (also or {}).items()}
    spelled |= {option.casefold(): option for option in options}

    def read(words: Sequence[str]) -> Any:
        chosen = [spelled[word.casefold()] for word in words]
        return chosen if isinstance(default, tuple) else chosen[-1]

    return Control(key, default, lambda word: word.casefold() in spelled, page, read)


def number(
    key: str, default: float | int | None, low: float = -math.inf, high: float = math.inf, page: bool = False
) -> Control:
    """Return a control for a finite number; a whole one if the default is."""

    def allows(word: str) -> bool:
        try:
            value = float(word)
        except ValueError:
            return False
        return low <= value <= high and math.isfinite(value) and (not isinstance(default, int) or value.is_integer())

    return Control(key, default, allows, page, lambda words: float(words[-1]))


def scale(key: str, default: str) -> Control:
    """Return a control for any number of a scale."""
    numbers = vocabulary.SCALES[key]
    return Control(key, default, numbers.allows, read=lambda words: numbers.read(words[-1], default))


def switch(key: str, page: bool = True) -> Control:
    return replace(one_of(key, False, ("true", "false"), page), read=lambda words: words[-1].casefold() == "true")


# The version of what links mean. It rises when a control gets another default; links of an earlier version keep what
# they meant then (`is_older`). docs/guide/links.md says what changed.
VERSION = 2
VERSION_KEY = "v"


def parameter_key(data: str, name: str) -> str:
    return f"{data}_{name}"


# The shared controls; those of single pages follow as the pages declare them. The order is that of a link.
CONTROLS: dict[str, Control] = {
    control.key: control
    for control in (
        one_of("data", "ACS income", (*vocabulary.DATA, vocabulary.OWN), also=vocabulary.DATA_NAMES),
        switch("resample", page=False),
        *(
            number(parameter_key(name, p.name), p.default, p.low, p.high)
            for name in ldp.DATASETS
            for p in ldp.distribution(name).parameters()
        ),
        one_of("reports", vocabulary.ONE_TIME, (vocabulary.ONE_TIME, vocabulary.REPEATED)),
        one_of("mechanism", "OUE", ldp.ONE_TIME),
        one_of("chain", "L-OSUE", ldp.LONGITUDINAL),
        scale("eps", "2"),
        scale("eps_inf", "4"),
        scale("share", "50%"),
        scale("n", "20k"),
        scale("k", "100"),
        one_of("runs", "20", vocabulary.RUNS),
        number("seed", 0, 0, vocabulary.SEED_MAX),
        scale("iterations", "10k"),
        one_of("tol", "1e-12", vocabulary.TOLERANCES),
        one_of("stop", "max_abs", ldp.STOPS),
        one_of("start", "uniform", ldp.STARTS),
        one_of("channel", "exact", ("exact", "published")),
        one_of("calibration", "published", ldp.CALIBRATIONS),
        one_of("binning", "equal-width", ldp.BINNINGS),
        # Several pages measure errors.
        replace(one_of("metric", "MSE", vocabulary.METRICS, page=True), live=True),
        # Several pages can leave out auto, which takes long.
        switch("with_auto"),
        # Whether the way in for beginners is offered.
        replace(one_of("intro", "on", ("on", "off"), page=True), stays=True),
        # Whether it is shown to an audience.
        replace(switch("present"), stays=True),
    )
}


def declare(*controls: Control, live: bool = False) -> None:
    """Add the controls of a page to what a link can say; `live` ones move without a rerun of the page."""
    for control in controls:
        declared = replace(control, live=live)
        known = CONTROLS.setdefault(control.key, declared)
        if _meaning(known) != _meaning(declared):
            raise ValueError(
                f"links have a control {control.key!r} already, with another meaning; call this one otherwise"
            )


def _meaning(control: Control) -> tuple[Any, ...]:
    return control.default, control.page, control.stays, control.live


def apply(values: dict[str, Any]) -> None:
    """Set the shared controls to the given values, and to their defaults where none is given."""
    for key, control in CONTROLS.items():
        if not control.page:
            st.session_state[key] = values.get(key, control.default)


def reset(shared: bool) -> None:
    """Set the controls on screen to their defaults, and with `shared` the shared ones that are not there too."""
    here = session.current()
    here.undo = None
    before = {}
    for key, control in CONTROLS.items():
        if control.stays or not (key in here.drawn or (shared and not control.page)):
            continue
        before[key] = st.session_state.get(key, control.default)
        if key in st.query_params and key not in here.drawn:
            # The address may still name a control of another page. This page does not draw it, so nothing else would
            # take it out.
            del st.query_params[key]
        st.session_state[key] = list(control.default) if isinstance(control.default, tuple) else control.default
    here.undo = session.Undo(before, link())


def undo() -> None:
    """Give the controls the values that they had before they were reset."""
    here = session.current()
    if here.undo is not None:
        st.session_state.update(here.undo.values)
    here.undo = None


def shared_query() -> str:
    """Return the query of the shared controls alone."""
    return query({key: value(key) for key, control in CONTROLS.items() if not control.page})


def take_up() -> None:
    """Give every control the value that the link asks for, and every shared one a value.

    Streamlit reads the address for a bound widget when it is drawn. But a control may be drawn later, or on another
    page: Streamlit keeps in the address what is drawn, and only in the session what is not. Nor does it write to the
    address what a preset sets, unless it has known the control since an earlier run.
    """
    # Session and address are read once as a whole: to ask them for each key takes ten times as long.
    values, keys_in_address = st.session_state.to_dict(), set(st.query_params)
    here = session.current()
    if here.opened is None:
        here.opened = session.Opened(_version(), frozenset(keys_in_address))
    for key, control in CONTROLS.items():
        if key in values:
            continue
        words = st.query_params.get_all(key) if key in keys_in_address else []
        if words and all(control.allows(word) for word in words):
            st.session_state[key] = control.read(words)
        elif words == [""] and isinstance(control.default, tuple):
            st.session_state[key] = []
        elif not control.page:
            st.session_state[key] = control.default
        elif control.first is not None and (first := control.first()) is not None:
            # Streamlit does not write to the address what a new widget is given.
            st.session_state[key] = st.query_params[key] = first


def _version() -> int:
    """Return the version of the link in the address: the first had none, and what is no version is taken for ours."""
    word = st.query_params.get(VERSION_KEY, "1")
    return min(int(word), VERSION) if re.fullmatch("[1-9][0-9]?", word) else VERSION


def is_older(version: int, key: str) -> bool:
    """Tell whether the session was opened by a link from before this version that says something of `key`."""
    opened = session.current().opened
    return opened is not None and opened.version < version and key in opened.keys


def say_version() -> None:
    """Write the version to the address: it shows a default that an earlier version did not have."""
    if st.query_params.get(VERSION_KEY) != str(VERSION):
        st.query_params[VERSION_KEY] = str(VERSION)


def value(key: str) -> Any:
    """Return what a control stands at, whether it is drawn or not."""
    return st.session_state.get(key, CONTROLS[key].default)


def in_use(keys: Collection[str]) -> bool:
    """Tell whether any of these controls stands at something else than its default, or is in the address."""
    return not set(st.query_params).isdisjoint(keys) or any(value(key) != CONTROLS[key].default for key in keys)


def notes_on_link() -> list[str]:
    """Return a sentence for each value in the URL that no control can take; the widgets fall back to their defaults."""
    notes = []
    for key in list(st.query_params):
        control = CONTROLS.get(key)
        # What somebody has typed is not what a link asks for; the page says what is wrong with it.
        if control is None or (control.text and key in st.session_state):
            continue
        several = isinstance(control.default, tuple)
        # Where several can be chosen, an empty word is legal: it says that none is.
        bad = [w for w in st.query_params.get_all(key) if not control.allows(w) and (w or not several)]
        if not bad:
            continue
        instead = "it is left out" if several or control.default is None else f"{_said(control.default)} is used"
        instead = "change it in its box" if control.text else instead
        legal = f" ({vocabulary.SCALES[key].bounds} is)" if key in vocabulary.SCALES else ""
        notes.append(f"The link asks for {key} = “{plain(bad[0], 40)}”, which is not possible here{legal}; {instead}.")
    return notes


def _said(value: Any) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def link(changes: dict[str, Any] | None = None) -> str:
    """Return the query of a link that reproduces what is on screen, with other values where given.

    It says its version, unless it says nothing else: then it leads to the page as it comes.
    """
    # How own data is binned is chosen on a page of its own, and holds on all others.
    upload = session.current().own.upload if st.session_state.get("data") == vocabulary.OWN else None
    binning = {} if upload is None else upload.words()
    words = query(binning | st.session_state.to_dict() | (changes or {}))
    return words and f"?{VERSION_KEY}={VERSION}&{words[1:]}"


def query(values: dict[str, Any]) -> str:
    """Return the query that asks for these values; those that are the default need not be said."""
    pairs = []
    for key, control in CONTROLS.items():
        several = isinstance(control.default, tuple)
        value = values.get(key, control.default)
        whole = isinstance(control.default, int) and not isinstance(control.default, bool)
        if value is None or (tuple(value) if several else value) == control.default:
            continue
        # Of several words none may be chosen: an empty one says so.
        for part in (value or [""]) if several else [value]:
            word = str(part).lower() if isinstance(part, bool) else f"{part:.0f}" if whole else str(part)
            pairs.append(f"{key}={quote_plus(word)}")
    return "?" + "&".join(pairs) if pairs else ""


def address() -> str:
    """Return the address of the page on screen, without its query."""
    base = urlsplit(st.context.url or "")
    return f"{base.scheme}://{base.netloc}{base.path}" if base.netloc else ""
