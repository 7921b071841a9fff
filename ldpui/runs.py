"""One experiment on a page: what takes long shows how far it is, and stops where the controls have moved on."""

from __future__ import annotations

import streamlit as st

import ldpcore as ldp
from ldpui import cache
from ldpui.own import Upload
from ldpui.progress import with_progress


def run(setting: ldp.Setting, data: Upload | None) -> ldp.Result:
    """Run an experiment; a long one with a bar, while the picture of the last one stays on the page."""
    parts = cache.parts_of(setting)
    # A place of its own in either case: else the bar would stand in the place of the picture, which would be gone.
    with st.container():
        if len(parts) == 1:
            with st.spinner("Simulating the collection…"):
                return cache.run(setting, data)
        for first, number in with_progress(parts, "Simulating"):
            cache.run_part(setting, data, first, number)
    return cache.run(setting, data)
