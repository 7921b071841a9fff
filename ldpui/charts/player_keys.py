"""Keys for figures that play: Plotly draws its buttons and its slider as pictures, which a keyboard does not reach."""

from __future__ import annotations

from typing import Any

import streamlit as st

# Buttons and slider get a place in the order of the Tab key, a role and a name. What a key asks for is done by the same
# events as the mouse's, so without this script the player plays as before.
_JS = """
export default function ({ data }) {
  const chart = () => document.querySelector(`.st-key-${data.key} .js-plotly-plot`);
  const press = (element, type, at) => element.dispatchEvent(new MouseEvent(type,
    {bubbles: true, cancelable: true, view: window, clientX: at?.[0] ?? 0, clientY: at?.[1] ?? 0}));
  const slider = (plot) => plot._fullLayout?.sliders?.[0];
  const label = (plot, now) => {
    const group = plot?.querySelector(".slider-group");
    if (!group || !now) return;
    group.setAttribute("aria-valuenow", String(now.active));
    group.setAttribute("aria-valuetext", data.words.replace("{}", now.steps[now.active].label));
  };
  const go = (plot, step) => {
    const rail = plot.querySelector(".slider-rail-touch-rect"), now = slider(plot);
    const box = rail.getBoundingClientRect(), last = now.steps.length - 1, inset = 10;
    const share = Math.max(0, Math.min(last, step)) / last;
    press(rail, "mousedown", [box.left + inset + (box.width - 2 * inset) * share, box.top + box.height / 2]);
    press(plot, "mouseup");
  };
  const onButton = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    press(event.currentTarget, "click");
  };
  const onSlider = (event) => {
    const plot = chart(), now = slider(plot);
    const moves = {ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10};
    const ends = {Home: 0, End: now.steps.length - 1};
    if (!(event.key in moves) && !(event.key in ends)) return;
    event.preventDefault();
    go(plot, event.key in ends ? ends[event.key] : now.active + moves[event.key]);
  };
  // Told of every step, whoever asked for it: a key, the mouse, or the player. What the plot itself says of its slider
  // follows a moment later. A plot that is made anew has another `on`.
  const relabel = (event) => label(chart(), event.slider);
  let on = null;
  const listen = (plot) => {
    if (!plot.on || plot.on === on) return;
    on = plot.on;
    on("plotly_sliderchange", relabel);
  };
  const dress = () => {
    const plot = chart();
    if (!plot) return;
    listen(plot);
    plot.querySelectorAll(".updatemenu-button:not([tabindex])").forEach((button) => {
      button.setAttribute("tabindex", "0");
      button.setAttribute("role", "button");
      button.setAttribute("aria-label", button.textContent.replace(/[^A-Za-z ]/g, "").trim());
      button.addEventListener("keydown", onButton);
    });
    plot.querySelectorAll(".slider-group:not([tabindex])").forEach((group) => {
      group.setAttribute("tabindex", "0");
      group.setAttribute("role", "slider");
      group.setAttribute("aria-label", data.slider);
      group.setAttribute("aria-valuemin", "0");
      group.setAttribute("aria-valuemax", String(slider(plot).steps.length - 1));
      group.addEventListener("keydown", onSlider);
      group.addEventListener("focus", () => label(plot, slider(plot)));
      label(plot, slider(plot));
    });
  };
  // Plotly makes its elements anew when the chart changes its size or its data.
  const watch = new MutationObserver(dress);
  watch.observe(document.querySelector(`.st-key-${data.key}`) ?? document.body, {childList: true, subtree: true});
  dress();
  return () => {
    watch.disconnect();
    chart()?.removeListener?.("plotly_sliderchange", relabel);
  };
}
"""


def draw(key: str, slider: str, words: str = "{}") -> None:
    """Let the keyboard reach the buttons and the slider of the chart with this key.

    Parameters
    ----------
    key : str
        The chart's.
    slider : str
        What its slider moves, for those who do not see it.
    words : str
        Where it stands, with {} for the label of the step.
    """
    component: Any = st.components.v2.component("ldp_player_keys", html="<span hidden></span>", js=_JS)
    component(data={"key": key, "slider": slider, "words": words}, key=f"{key}_keys", height=1)
