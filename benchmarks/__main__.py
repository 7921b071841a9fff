"""Command line: `python -m benchmarks [--quick] [limit | published | reports | users | paper ...]`."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

from benchmarks import paper_time, peer, speed, users

SECTIONS: dict[str, Callable[[speed.Bench], Sequence[Any]]] = {
    "limit": speed.limit,
    "published": speed.published,
    "reports": speed.reports,
    "users": users.users,
    "paper": paper_time.paper_time,
}
WITHOUT_PEER = {"users"}


def _section(name: str) -> str:
    if name not in SECTIONS:
        raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(SECTIONS)}")
    return name


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen sections and print their tables as they come."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Time ldpcore beside multi-freq-ldpy.")
    parser.add_argument(
        "sections", nargs="*", type=_section, metavar="section", help=f"{', '.join(SECTIONS)}; all if none is given"
    )
    parser.add_argument("--quick", action="store_true", help="fewer repeats; the hashing peers extrapolated")
    given = parser.parse_args(arguments)
    chosen = given.sections or list(SECTIONS)

    needs_peer = not WITHOUT_PEER.issuperset(chosen)
    if needs_peer and (problem := peer.problem()):
        print(problem, file=sys.stderr)
        return 1
    print(heading(needs_peer))
    bench = speed.Bench.quick() if given.quick else speed.Bench()
    for name in chosen:
        for table in SECTIONS[name](bench):
            print(table, flush=True)
    return 0


def heading(with_peer: bool) -> str:
    """Say when and on what the timings were taken."""
    versions = [f"Python {platform.python_version()}", f"NumPy {np.__version__}"]
    if with_peer:
        versions += [f"{package} {version(package)}" for package in ("multi-freq-ldpy", "numba")]
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    return f"# ldpcore benchmarks\n\n{day}, {', '.join(versions)}, {os.cpu_count()} cores; best times.\n"


if __name__ == "__main__":
    sys.exit(main())
