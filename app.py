"""LDP Explorer: `streamlit run app.py`."""

import streamlit as st

if __name__ == "__main__":
    from ldpui import navigation
    from pages.table import PAGES

    navigation.show(PAGES)
else:
    # The server imports this file once, before anybody is connected; then it runs it for every visitor.
    from ldpui.serving import logs

    # Of each cache it would be said that there is no server yet.
    with logs.quiet("streamlit.runtime.caching.cache_data_api"):
        from ldpui import failures
        from ldpui.serving import delivery, incoming, pace, server
        from pages.table import PAGES  # which takes a second to import that nobody need wait for later

    server.prepare()
    with_charts = [page.address for page in PAGES if page.needs == "setting"]
    layers = (*delivery.layers(with_charts), *incoming.LAYERS, *pace.LAYERS)
    app = st.App(__file__, middleware=layers, on_script_error=failures.say_calmly)
