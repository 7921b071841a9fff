"""One experiment on a page: what takes long shows how far it is, and stops where the controls have moved on."""

from __future__ import annotations

import streamlit as st

import ldpcore as ldp
from ldpui import cache
from ldpui.computing import compute, work
from ldpui.own import Upload
from ldpui.progress import Bar


def begin(setting: ldp.Setting) -> None:
    """Have an experiment begun, if it is not known and takes a moment only: a long one can wait for its bar."""
    if work.amount(setting) + work.drawing(setting) <= work.PART_WORK and cache.run.known(setting, None) is None:
        compute.begin(work.run, setting, None, key=cache.same(work.run, setting, None))


def run(setting: ldp.Setting, data: Upload | None) -> ldp.Result:
    """Run an experiment; a long one with a bar, while the picture of the last one stays on the page."""
    # The container is made even if it stays empty: Streamlit counts elements, and without it the bar would replace the
    # picture of the last run.
    with st.container():
        result = cache.run.known(setting, data)
        if result is not None:
            return result
        if len(work.slices(setting)) == 1:
            with st.spinner("Simulating the collection…"):
                return cache.run(setting, data)
        with Bar("Simulating") as bar:
            result = cache.run_slices(setting, data, bar.tell)
        return cache.run.keep(result, setting, data)
