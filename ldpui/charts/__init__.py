"""Figures that several pages draw, and how a figure gets onto a page."""
