"""LDP Explorer: `streamlit run app.py`."""

import streamlit as st

if __name__ == "__main__":
    from ldpui import navigation
    from pages.table import PAGES

    navigation.show(PAGES)
else:
    # The server imports this file once, before anybody is connected; then it runs it for every visitor.
    from ldpui import failures
    from ldpui.serving import delivery, incoming, server
    from pages import table  # noqa: F401 - what takes a second to import need not be waited for by anybody

    server.prepare()
    app = st.App(__file__, middleware=(*delivery.LAYERS, *incoming.LAYERS), on_script_error=failures.say_calmly)
