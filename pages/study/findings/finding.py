"""What a finding is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import plotly.graph_objects as go


@dataclass(frozen=True)
class Finding:
    """A title, what it means with its numbers, its picture, and how to see it.

    Attributes
    ----------
    key : str
        What its note and its picture are called.
    title, text : str
        The finding, and what it means with its numbers.
    picture : callable
        Draws it, for a dark ground or not.
    alt : str
        What the picture shows, for readers who cannot see it.
    words : dict
        Of a link to Estimate that shows it, if that can. A note then goes along: see `note_texts`.
    page : str
        The address of the page that has more, where there are no words.
    """

    key: str
    title: str
    text: str
    picture: Callable[[bool], go.Figure]
    alt: str
    words: dict[str, str] = field(default_factory=dict)
    page: str = "paper"


def percent(value: float) -> str:
    """Write a percentage, with a real minus.

    >>> percent(-18.34)
    '−18.3%'
    """
    return f"{float(value):.1f}%".replace("-", "−")
