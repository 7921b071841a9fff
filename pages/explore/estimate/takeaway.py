"""What a reader takes away from Estimate: numbers, the picture, programs, and whom to cite."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from ldpui import citation, export, programs, widgets
from pages.explore.estimate.view import View


def downloads(view: View, figure: go.Figure) -> None:
    """Offer everything for download."""
    result = view.result
    setting, name = result.setting, export.file_name(result.setting)
    program = programs.script(result, view.collection)

    def table() -> bytes:
        return export.csv(export.with_setting(export.estimates(result), setting))

    with st.container(horizontal=True):
        widgets.download("Estimates (CSV)", table, f"{name}.csv")
        widgets.download("Setting and results (JSON)", lambda: export.as_json(result), f"{name}.json")
        widgets.download("Figure (HTML)", lambda: export.html(figure, export.described(setting)[0]), f"{name}.html")
        widgets.download("Python script", program, f"{name}.py")
        widgets.download("Notebook", lambda: programs.notebook(result, view.collection), f"{name}.ipynb")
        widgets.download("BibTeX", citation.bibtex, "ldp-explorer.bib")
    widgets.pick("The camera in the chart's tool bar saves", "image", ("PNG", "SVG"))
    st.caption("Script and notebook give the numbers on this page:")
    st.code(program, language="python")
    address = citation.source_address()
    if address:
        st.markdown(f"Source: <{address}>")
    with st.expander("How to cite"):
        st.code(citation.bibtex(), language=None)
