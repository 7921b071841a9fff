"""How much memory a process has taken."""

from __future__ import annotations

import sys
from pathlib import Path


def peak_mebibytes() -> float:
    """Return the peak resident memory of this process.

    Linux lets ru_maxrss of a child start at its parent's, so VmHWM is taken where it exists.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    import resource  # not on every system

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)
