"""Bars to draw a start with: by pointer or finger, or with the arrow keys."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.study.ibu_lab import own_start

_HTML = "<div class='sheet' tabindex='0' role='slider' aria-orientation='vertical'></div>"
_CSS = """
.sheet {
  display: flex; align-items: flex-end; gap: 2px; height: 120px; touch-action: none; cursor: crosshair;
  border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius); padding: 2px; user-select: none;
}
.sheet:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
.bar { flex: 1; min-height: 1px; background: var(--st-primary-color); opacity: 0.65; }
.bar.here { opacity: 1; }
"""
# What is drawn is sent when the pointer is lifted, or a moment after the last key.
_JS = """
export default function ({ parentElement, data, setTriggerValue }) {
  const sheet = parentElement.querySelector(".sheet");
  const heights = [...data.heights];
  let here = 0, down = false, last = null, waiting = null;
  sheet.replaceChildren(...heights.map(() => Object.assign(document.createElement("div"), {className: "bar"})));
  sheet.setAttribute("aria-label", data.label);
  sheet.setAttribute("aria-valuemin", "0");
  sheet.setAttribute("aria-valuemax", "100");
  const show = () => {
    [...sheet.children].forEach((bar, i) => {
      bar.style.height = heights[i] + "%";
      bar.classList.toggle("here", i === here);
    });
    sheet.setAttribute("aria-valuenow", String(Math.round(heights[here])));
    sheet.setAttribute("aria-valuetext", `bar ${here + 1} of ${heights.length}: ${Math.round(heights[here])}`);
  };
  const send = () => setTriggerValue("drawn", heights.map((h) => Math.round(h)));
  const set = (i, height) => { heights[i] = Math.max(0, Math.min(100, height)); };
  const draw = (event) => {
    const box = sheet.getBoundingClientRect();
    const i = Math.max(0, Math.min(heights.length - 1,
      Math.floor((event.clientX - box.left) / box.width * heights.length)));
    const height = 100 * (1 - (event.clientY - box.top - 3) / (box.height - 6));
    const from = last === null ? i : last;
    for (let j = Math.min(from, i); j <= Math.max(from, i); j++) set(j, height);
    here = last = i;
    show();
  };
  sheet.onpointerdown = (event) => { down = true; last = null; sheet.setPointerCapture(event.pointerId); draw(event); };
  sheet.onpointermove = (event) => { if (down) draw(event); };
  sheet.onpointerup = sheet.onpointercancel = () => { if (down) { down = false; send(); } };
  sheet.onkeydown = (event) => {
    const moves = {ArrowLeft: -1, ArrowRight: 1}, changes = {ArrowUp: 5, ArrowDown: -5, PageUp: 20, PageDown: -20};
    if (event.key in moves) here = Math.max(0, Math.min(heights.length - 1, here + moves[event.key]));
    else if (event.key in changes) {
      set(here, heights[here] + changes[event.key]);
      clearTimeout(waiting);
      waiting = setTimeout(send, 800);
    } else return;
    event.preventDefault();
    show();
  };
  show();
  return () => clearTimeout(waiting);
}
"""
_KEY = "lab_drawing"


def draw(own: own_start.OwnStart | None, k: int) -> None:
    """Offer the bars; what is drawn becomes the text of the start."""
    heights = own_start.bars(own, k)
    label = f"Your start as {len(heights)} bars: left and right choose a bar, up and down change it"
    component: Any = st.components.v2.component("ldp_drawn_start", html=_HTML, css=_CSS, js=_JS)
    with st.container(key="lab_sheet"):
        component(data={"heights": heights, "label": label}, key=_KEY, height=126, on_drawn_change=lambda: _take(k))


def _take(k: int) -> None:
    text = own_start.written(getattr(st.session_state[_KEY], "drawn", None), k)
    if text is not None:
        st.session_state["lab_own"] = text
