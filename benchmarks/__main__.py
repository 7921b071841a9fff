"""Command line: `python -m benchmarks [--quick] [--write PAGE] [limit | published | reports | users | ...]`."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import auto, browser, count, coverage, document, paper_time, peer, speed, users

SECTIONS: dict[str, Callable[[speed.Bench], Sequence[Any]]] = {
    "limit": speed.limit,
    "published": speed.published,
    "reports": speed.reports,
    "users": users.users,
    "auto": auto.section,
    "paper": paper_time.paper_time,
    "count": count.section,
    "coverage": coverage.section,
    "browser": browser.section,
}
WITH_PEER = {"limit", "published", "reports", "paper"}


def _section(name: str) -> str:
    if name not in SECTIONS:
        raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(SECTIONS)}")
    return name


def _problem(chosen: Sequence[str]) -> str | None:
    """Return what is missing for the chosen sections, if anything is."""
    return (WITH_PEER.intersection(chosen) and peer.problem()) or ("browser" in chosen and browser.problem()) or None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen sections, print their tables as they come, and write them to a page if there is one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Time ldpcore beside multi-freq-ldpy.")
    parser.add_argument(
        "sections", nargs="*", type=_section, metavar="section", help=f"{', '.join(SECTIONS)}; all if none is given"
    )
    parser.add_argument("--quick", action="store_true", help="fewer repeats; the hashing peers extrapolated")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="replace these sections of docs/benchmarks.md")
    options = parser.parse_args(arguments)
    chosen = options.sections or list(SECTIONS)
    if problem := _problem(chosen):
        print(problem, file=sys.stderr)
        return 1
    bench = speed.Bench.quick() if options.quick else speed.Bench()
    print("# ldpcore benchmarks\n")
    for name in chosen:
        command = shlex.join(["python", "-m", "benchmarks", *(["--quick"] if options.quick else []), name])
        when = document.measured(command, name in WITH_PEER)
        tables = SECTIONS[name](bench)
        print(f"{when}\n", *tables, sep="\n", flush=True)
        if options.write:
            document.write(options.write, {name: document.section(when, tables)}, list(SECTIONS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
