"""The name of the dashboard, and what it is in one line."""

from __future__ import annotations

from base64 import b64encode
from functools import lru_cache
from pathlib import Path

NAME = "LDP Explorer"
PURPOSE = "Everyone blurs their own answer before it leaves their phone. What can the server still learn?"
ABOUT = (
    f"**{NAME}** shows what local differential privacy costs, and how much of it good estimation wins back. "
    "MIT licence. The page *About* has the whole story."
)
# A histogram and its blurred double; a file of our own, because icons by name are fetched from elsewhere.
_DRAWING = Path(__file__).with_name("icon.svg").read_text(encoding="utf-8")


def _picture(drawing: str) -> str:
    """Return a drawing as the address of itself: of a file Streamlit would make that anew for every page."""
    return f"data:image/svg+xml;base64,{b64encode(drawing.encode()).decode()}"


ICON = _picture(_DRAWING)


@lru_cache(maxsize=2)
def wordmark(dark: bool) -> str:
    """Return icon and name as one picture, legible on the ground of the theme."""
    drawing = _DRAWING[_DRAWING.index(">") + 1 : _DRAWING.rindex("</svg>")]
    ink = "#E8ECF1" if dark else "#1B2430"
    name = (
        f'<text x="42" y="23" font-family="Source Sans Pro, Helvetica, Arial, sans-serif" font-size="21" '
        f'font-weight="700" fill="{ink}" textLength="128" lengthAdjust="spacingAndGlyphs">{NAME}</text>'
    )
    size = 'viewBox="0 0 172 32" width="172" height="32"'
    return _picture(f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{drawing}{name}</svg>')
