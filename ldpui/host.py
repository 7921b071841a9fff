"""What the host of a server switches off, by the environment."""

from __future__ import annotations

import os

_ON = ("", "on", "yes", "true", "1")


def allows(switch: str) -> bool:
    """Tell whether a switch is on: so unless the host says anything but "on"."""
    return os.environ.get(switch, "").strip().lower() in _ON
