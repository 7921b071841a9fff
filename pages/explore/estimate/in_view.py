"""What is far below on a page is drawn when its reader comes near it.

A chart that nobody looks at takes a browser as long to draw as one that somebody waits for, and the server sends it
with every step of a control.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import streamlit as st

from ldpui import session

# Whether a part counts as near the reader before the browser has said so.
ASSUMED = False
# So many pixels before it comes into view a part is drawn.
_NEAR = 200
_JS = """
export default function ({ data, parentElement, setStateValue }) {
  const part = document.querySelector(`.st-key-${data.key}`), room = parentElement.querySelector(".room");
  // Until it is drawn, the part keeps its place: nothing that follows moves.
  room.style.height = data.drawn ? "0" : `${data.height}px`;
  if (!part) return;
  const root = document.querySelector('[data-testid="stMain"]');
  const watch = new IntersectionObserver((entries) => {
    const near = entries[entries.length - 1].isIntersecting;
    if (near !== data.drawn) setStateValue("near", near);
  }, {root, rootMargin: `${data.near}px`});
  watch.observe(part);
  return () => watch.disconnect();
}
"""


@dataclass
class Near:
    """The parts of the page of which the browser has said whether the reader is near."""

    parts: dict[str, bool] = field(default_factory=dict)


def in_view(key: str, height: int) -> bool:
    """Tell whether the reader is near this part of the page; if not, keep room for so many pixels.

    To be called within a fragment, and within a container that has the `key`: only these are drawn again.
    """
    near = session.current().part(Near).parts.get(key, ASSUMED)
    component: Any = st.components.v2.component("ldp_in_view", html='<div class="room"></div>', js=_JS)
    data = {"key": key, "height": height, "drawn": near, "near": _NEAR}
    component(data=data, key=f"{key}_view", height="content", on_near_change=partial(_take, key))
    return near


def _take(key: str) -> None:
    """Note what the browser says; what is no truth value was not sent by our script."""
    near = getattr(st.session_state.get(f"{key}_view"), "near", None)
    if isinstance(near, bool):
        session.current().part(Near).parts[key] = near
