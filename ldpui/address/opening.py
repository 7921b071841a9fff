"""A page, or a setting that is shown anywhere, opened with a click, in the same tab."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpui import failures, privacy, session
from ldpui.address import links, vocabulary


def words(s: ldp.Setting) -> dict[str, Any]:
    """Return where the shared controls stand for a setting."""
    chain = ldp.mechanism_class(s.mechanism).longitudinal
    return (
        {
            "reports": vocabulary.REPEATED if chain else vocabulary.ONE_TIME,
            "chain" if chain else "mechanism": s.mechanism,
            "k": vocabulary.SCALES["k"].word(s.k),
            "runs": str(s.runs),
            "seed": float(s.seed),
            "iterations": vocabulary.SCALES["iterations"].word(s.max_iter),
            "stop": s.stop,
            "tol": next((word for word in vocabulary.TOLERANCES if float(word) == s.tol), f"{s.tol:g}"),
            "start": s.start,
            "channel": s.channel,
            "calibration": s.calibration,
        }
        | privacy.privacy_words(s.eps, privacy.eps_inf(s), s.mechanism)
        | _data_words(s)
    )


def _data_words(s: ldp.Setting) -> dict[str, Any]:
    """Return where the controls of the data stand; own data stay what they are, with other numbers of users drawn."""
    if s.data == ldp.OWN_DATA:
        upload = session.current().own.upload
        is_upload = upload is not None and s.n == upload.users
        return {"resample": not is_upload} | ({} if is_upload else {"n": vocabulary.SCALES["n"].word(s.n)})
    chosen = dict(s.params)
    params = {
        links.parameter_key(s.data, p.name): float(chosen.get(p.name, p.default))
        for p in ldp.distribution(s.data).parameters()
    }
    return {"data": vocabulary.DATA_NAMES[s.data], "n": vocabulary.SCALES["n"].word(s.n), "binning": s.binning} | params


def in_estimate(s: ldp.Setting, **controls: Any) -> None:
    """Go to the page Estimate with this setting, and with these of the page's own controls as they are given."""
    st.session_state.update(words(s) | controls)
    session.current().go_to = ""


def link_in_estimate(link_words: dict[str, str]) -> None:
    """Go to the page Estimate as a link with these words opens it: what they do not say has its default."""
    link_in("", link_words)


def link_in(address: str, link_words: dict[str, str]) -> None:
    """Go to a page as a link with these words opens it: what they do not say of the setting has its default."""
    links.apply(_values(link_words))
    page(address, link_words)


def page(address: str, link_words: dict[str, str]) -> None:
    """Go to a page, with these of its controls as a link would set them, and all others as they are."""
    st.session_state.update(_values(link_words))
    session.current().go_to = address


def _values(link_words: dict[str, str]) -> dict[str, Any]:
    return {key: links.CONTROLS[key].read([word]) for key, word in link_words.items()}


def on_click(callback: Callable[[], None]) -> dict[str, Any]:
    """Return what makes the points of a chart clickable; `clicked` tells the callback which it was."""
    return {"on_select": partial(calmly, callback), "selection_mode": "points"}


def calmly(callback: Callable[[], None]) -> None:
    """Do what a click on a chart or a table means; a program may say of it what no browser does, and opens nothing."""
    try:
        callback()
    except Exception as error:  # Streamlit's own control flow does not derive from Exception
        failures.reason(error, "a click was read")


def clicked(key: str) -> dict[str, Any] | None:
    """Return the point of a chart that was clicked."""
    points = st.session_state[key].selection.points
    return dict(points[0]) if points else None
