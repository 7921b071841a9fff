"""What a reader takes away from Estimate: numbers, the picture, programs, and whom to cite."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpui import cache, export, widgets
from ldpui.own import Upload
from pages.explore.estimate import citation, picture, programs
from pages.explore.estimate.view import View


def downloads(s: ldp.Setting, data: Upload | None, view: View) -> None:
    """Offer everything for download."""
    result = cache.run(s, data)
    name = export.file_name(s)
    program = programs.script(result, view.collection)

    def table() -> bytes:
        return export.csv(export.with_setting(export.estimates(result), s))

    # Drawn now: a file is made when somebody asks for it, and then there is no session whose data could be drawn.
    figure = picture.figure(s, data, view)

    def page() -> str:
        return export.html(figure, export.described(s)[0])

    with st.container(horizontal=True):
        widgets.download("Estimates (CSV)", table, f"{name}.csv")
        widgets.download("Setting and results (JSON)", lambda: as_json(result), f"{name}.json")
        widgets.download("Figure (HTML)", page, f"{name}.html")
        widgets.download("Python script", program, f"{name}.py")
        widgets.download("Notebook", lambda: programs.notebook(result, view.collection), f"{name}.ipynb")
        widgets.download("BibTeX", citation.bibtex, "ldp-explorer.bib")
    widgets.pick("The camera in the chart's tool bar saves", "image", ("PNG", "SVG"), on_change=st.rerun, args=("app",))
    st.caption("Script and notebook give the numbers on this page:")
    st.code(program, language="python")
    address = citation.source_address()
    if address:
        st.markdown(f"Source: <{address}>")
    with st.expander("How to cite"):
        st.code(citation.bibtex(), language=None)


def as_json(result: ldp.Result) -> str:
    """Write setting and results as JSON; what is not a number in JSON becomes null."""
    frame = export.estimates(result)
    content = {
        "made_by": f"LDP Explorer {ldp.__version__}",
        "setting": result.setting.as_dict(),
        "summary": {name: _plain(value) for name, value in result.summary().items()},
        "bins": {name: [_plain(v) for v in frame[name].tolist()] for name in frame},
    }
    return json.dumps(content, indent=1)


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value
