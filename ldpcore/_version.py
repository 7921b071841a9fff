"""The version of the library and of the dashboard."""

__version__ = "0.1.0"
