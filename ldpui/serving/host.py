"""What the host of a server switches off, by the environment."""

from __future__ import annotations

import os

_ON = ("", "on", "yes", "true", "1")


def allows(switch: str) -> bool:
    """Tell whether a switch is on: so unless the host says anything but "on"."""
    return os.environ.get(switch, "").strip().lower() in _ON


def has_rooms() -> bool:
    """Tell whether rooms of live classes are in this process: of several behind a proxy, in one (see `deploy`)."""
    return os.environ.get("LDP_EXPLORER_ROOMS", "").strip().lower() != "elsewhere"
