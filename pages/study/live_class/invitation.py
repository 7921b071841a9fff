"""How students come into a room: by a code for their cameras, or by typing it."""

from __future__ import annotations

import html
from urllib.parse import urlsplit

import segno
import streamlit as st

from ldpui.address import links
from pages.study.live_class import visitor
from pages.study.live_class.codes import spoken

_OWN_MACHINE = ("localhost", "127.0.0.1", "::1", "0.0.0.0")  # noqa: S104 - looked for, not bound to


def link(code: str) -> str:
    """Return the address that leads into a room."""
    return f"{links.address()}?{visitor.ROOM}={code}"


def picture(address: str) -> str:
    """Return the address as a QR code: an SVG as a data URI, dark on white whatever the theme is."""
    code = segno.make(address, error="m", micro=False)
    return str(code.svg_data_uri(scale=8, border=3, dark="#000", light="#fff", xmldecl=False, nl=False))


def only_here(address: str) -> bool:
    """Tell whether an address leads nowhere from another machine.

    >>> only_here("http://localhost:8501/class"), only_here("http://10.0.0.7:8501/class")
    (True, False)
    """
    return urlsplit(address).hostname in _OWN_MACHINE


def draw(code: str) -> None:
    """Show the way into the room."""
    address = link(code)
    with st.container(key="class_invitation", gap="small"):
        _show(address, "100%")
        st.button("Show it large", icon=":material/qr_code_2:", on_click=_large, args=(code, address), width="stretch")
        st.code(address, language=None, wrap_lines=True)
        if only_here(address):
            st.warning("This address opens on this machine only: phones need the server's name in your network.")


def _show(address: str, width: str) -> None:
    st.html(
        f'<img src="{html.escape(picture(address))}" alt="QR code of the link into the room" '
        f'style="display: block; width: {width}; margin: 0 auto; border-radius: 0.5rem">'
    )


@st.dialog("Join the room", width="medium")
def _large(code: str, address: str) -> None:
    """Fill the wall with the code, until it is closed."""
    _show(address, "min(100%, 60vh)")
    st.markdown(f"## {spoken(code)}", text_alignment="center")
    st.code(address, language=None, wrap_lines=True)


def teachers_link(code: str, key: str) -> str:
    """Return the address that makes whoever opens it the teacher.

    The key stands behind a #: a browser keeps that to itself, so it is in no log of a server or of a proxy.
    """
    return f"{link(code)}#{visitor.KEY}={key}"
