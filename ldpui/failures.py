"""What is said when something fails: a refusal in its own words, and one calm sentence for anything else."""

from __future__ import annotations

import logging

import streamlit as st

import ldpcore as ldp
from ldpui.serving import logs

# Settings are in the address: whoever loads the page anew has them.
_BEFORE_THE_PAGE = (
    "Something went wrong before the page could be drawn. Load it anew: your settings are in its address."
)
NO_MEMORY = "there is not enough memory for it here"


def reason(error: Exception, doing: str) -> str:
    """Say why something failed; of what nobody foresaw, kind and place go to the log, and its words nowhere.

    >>> reason(ldp.Refused("k must be small"), "the page was drawn"), reason(MemoryError(), "the page was drawn")
    ('k must be small', 'there is not enough memory for it here')
    """
    if isinstance(error, ldp.Refused):
        return str(error)
    if isinstance(error, MemoryError):
        return NO_MEMORY
    logging.getLogger(__name__).error("failed while %s\n%s", doing, logs.described(error))
    return f"something went wrong while {doing}"


def say_calmly(_error: Exception) -> bool:
    """Say one sentence where Streamlit would show an exception; it has gone to the log already.

    What fails within a page never comes here, and a control that is told what it can't be stays where it was (see
    `ldpui.serving.forged`). What may come is a failure of what a button does.
    """
    st.error(_BEFORE_THE_PAGE, icon=":material/error:")
    return True
