"""The link to what is on screen, and the way back to the defaults."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ldpui import glossary, session, theme
from ldpui.address import links, vocabulary
from ldpui.serving import turns

# The key of the box that shows the link.
IN_FULL = "link_in_full"
_HTML = "<button type='button'>Copy link</button>"
_CSS = """
button {
  font: inherit; font-size: 0.875rem; color: var(--st-text-color); background: transparent;
  cursor: pointer; white-space: nowrap; border: 1px solid var(--st-border-color);
  border-radius: var(--st-button-radius); min-height: 2.5rem; padding: 0.25rem 0.75rem;
}
button:hover, button:focus-visible { border-color: var(--st-primary-color); color: var(--st-primary-color); }
"""
# The clipboard is open to pages by https or on the visitor's own machine; elsewhere the older way may work.
_JS = """
export default function ({ parentElement, data, setTriggerValue }) {
  const button = parentElement.querySelector("button");
  const say = (words) => {
    button.textContent = words;
    setTimeout(() => { button.textContent = "Copy link"; }, 2000);
  };
  // Some controls move without a rerun of the page: what they say is in the address alone.
  const now = () => {
    const link = new URL(data.link || window.location.origin + window.location.pathname);
    const here = new URLSearchParams(window.location.search);
    for (const key of data.live) {
      link.searchParams.delete(key);
      here.getAll(key).forEach((word) => link.searchParams.append(key, word));
    }
    return link.toString();
  };
  const olderWay = () => {
    const box = document.createElement("textarea");
    box.value = now();
    document.body.appendChild(box);
    box.select();
    const done = document.execCommand("copy");
    box.remove();
    return done;
  };
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(now());
      say("Copied");
    } catch {
      say(olderWay() ? "Copied" : "Not allowed: see below");
    }
  };
  // This program is on every page, so that it looks after the theme too: one more would cost every step of a control.
  return follow(data.dark, (dark) => setTriggerValue("theme", dark));
}
"""


def draw(shared: bool = True) -> None:
    """Offer the link, and a reset of the controls on screen, with `shared` of all shared ones too."""
    live = [key for key, control in links.CONTROLS.items() if control.live]
    here, link = session.current(), links.link()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        data = {"link": links.address() + link, "live": live, "dark": theme.is_dark()}
        component: Any = st.components.v2.component("ldp_copy_link", html=_HTML, css=_CSS, js=theme.FOLLOW_JS + _JS)
        component(data=data, key="copy_link", width="content", on_theme_change=_run_again)
        if here.undo is not None and here.undo.query == link:
            st.button("Undo reset", icon=":material/undo:", key="undo", on_click=links.undo)
        else:
            here.undo = None
            st.button("Reset", icon=":material/restart_alt:", on_click=links.reset, args=(shared,))
    _in_full()


def _run_again() -> None:
    """Do nothing more: the page runs anyway, and asks for the theme."""


@st.fragment
def _in_full() -> None:
    """Offer the link to read; it is made when it is opened, without the page."""
    with turns.turn():
        _read_link()


def _read_link() -> None:
    with st.popover("The link in full", type="tertiary", icon=":material/link:", key=IN_FULL, on_change="rerun") as box:
        if not box.open:
            return
        own = st.session_state.get("data") == vocabulary.OWN
        st.caption(
            glossary.OWN_LINK if own else "This address opens the same settings, for anybody; a zoom is not in it."
        )
        st.code(links.address() + links.link(), language=None, wrap_lines=True)
