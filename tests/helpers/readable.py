"""What a browser shows that is hard to read: text that does not stand out, headings that skip a level."""

from __future__ import annotations

from typing import Any

# WCAG 2.2, success criterion 1.4.3; here of large text, too.
ENOUGH = 4.5
# Text that is drawn on more than a plain ground is tested where its colours are made: cells of maps, words on bars.
_DRAWN_ON = ".heatmap-label, .bars"
# The colour of a text and that of its ground, with all that is translucent in between laid over each other.
_FAINT = """([enough, drawnOn]) => {
  const context = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const known = {};
  const parts = color => known[color] ??= (() => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  })();
  const over = (top, ground) => [0, 1, 2].map(i => top[3] * top[i] + (1 - top[3]) * ground[i]);
  const light = rgb => rgb.map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const ground = element => {
    const layers = [];
    let solid = [255, 255, 255];
    const at = element.getBoundingClientRect();
    const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
    for (let e = element; e; e = e.parentElement) {
      const box = e.getBoundingClientRect();
      const beside = x < box.left || x > box.right || y < box.top || y > box.bottom;
      // What is drawn beside its parent, as the number above a slider's handle, is not drawn on it; what a parent
      // scrolls or cuts off is.
      if (beside && getComputedStyle(e).overflowY === 'visible') continue;
      const plot = e.classList.contains('js-plotly-plot') && e._fullLayout;
      const color = parts(plot ? e._fullLayout.paper_bgcolor : getComputedStyle(e).backgroundColor);
      if (color[3] === 1) { solid = color.slice(0, 3); break; }
      if (color[3] > 0) layers.push(color);
    }
    return layers.reduceRight((below, color) => over(color, below), solid);
  };
  const opacity = element => {
    let product = 1;
    for (let e = element; e; e = e.parentElement) product *= Number(getComputedStyle(e).opacity);
    return product;
  };
  const shown = element => {
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    return style.visibility === 'visible' && box.width > 1 && box.height > 1 && opacity(element) > 0;
  };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const faint = {};
  let texts = 0;
  while (walk.nextNode()) {
    const text = walk.currentNode.data.trim();
    const element = walk.currentNode.parentElement;
    if (!text || element.closest('script, style, noscript, canvas, [disabled], [aria-disabled=true]')) continue;
    if (element.closest(drawnOn) || /Material/.test(getComputedStyle(element).fontFamily) || !shown(element)) continue;
    texts += 1;
    const style = getComputedStyle(element);
    const color = [...parts(element instanceof SVGElement ? style.fill : style.color)];
    color[3] *= opacity(element);
    const below = ground(element);
    const ratio = contrast(over(color, below), below);
    if (ratio < enough) faint[text.slice(0, 60)] = Math.round(100 * ratio) / 100;
  }
  return [texts, faint];
}"""
_HEADINGS = """() => [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]
  .filter(e => e.getClientRects().length).map(e => [Number(e.tagName[1]), e.innerText])"""


def faint_texts(page: Any, enough: float = ENOUGH) -> tuple[int, dict[str, float]]:
    """Return how many texts there are on screen, and those with too little contrast to their ground.

    What can't be used just now is left out, as WCAG does, and so are icons that are made of letters.
    """
    texts, faint = page.evaluate(_FAINT, [enough, _DRAWN_ON])
    return texts, faint


def headings(page: Any) -> list[tuple[int, str]]:
    """Return level and words of the headings, in their order."""
    return [(level, text) for level, text in page.evaluate(_HEADINGS)]


def skips(levels: list[int]) -> list[int]:
    """Return where a heading lies more than one level below the one before it.

    >>> skips([1, 2, 3, 2]), skips([1, 3]), skips([2])
    ([], [1], [0])
    """
    return [i for i, (before, level) in enumerate(zip([0, *levels], levels, strict=False)) if level > before + 1]
