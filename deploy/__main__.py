"""`python -m deploy`: several processes of the dashboard behind one door."""

from __future__ import annotations

import argparse
import logging
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

from deploy.config import Door
from deploy.folders import own_folder
from deploy.supervisor import Supervisor, busy, is_taken


def main() -> int:
    """Do what the command line says."""
    options = _options()
    ports = tuple(range(options.first_port, options.first_port + options.processes))
    door = Door(
        options.bind, ports, "", options.certificate, options.frame_ancestors, options.base, options.uploads == "on",
        options.requests, options.sessions, options.files, options.connections,
    )  # fmt: skip
    try:
        config = door.config()
    except ValueError as wrong:
        return _refuse(str(wrong))
    if options.print_config:  # without the supervisor there is nobody to use its socket
        sys.stdout.write(config)
        return 0
    haproxy = shutil.which("haproxy")
    if haproxy is None:
        return _refuse("HAProxy is not installed; on Debian: apt-get install haproxy")
    if taken := busy(ports):
        return _refuse(f"something else listens at {', '.join(map(str, taken))}; end it, or take another --first-port")
    if why := _wrong(haproxy, config):
        return _refuse(f"HAProxy does not take these options\n{why}")
    if is_taken(options.bind):
        return _refuse(f"something else listens at {options.bind}; end it, or take another --bind")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    with own_folder() as folder:
        door = replace(door, socket=str(folder / "haproxy.sock"))
        Supervisor(door, folder, host=options.host, drain=options.drain, haproxy=haproxy).run()
    return 0


def _refuse(why: str) -> int:
    sys.stderr.write(f"python -m deploy: {why}\n")
    return 1


def _wrong(haproxy: str, config: str) -> str:
    """Return what HAProxy finds wrong with a configuration: it would be started again and again, and never stay."""
    command = [haproxy, "-c", "-f", "/dev/stdin"]
    checked = subprocess.run(command, input=config, capture_output=True, text=True, check=False)  # noqa: S603 - HAProxy
    if checked.returncode == 0:
        return ""
    alerts = [line.partition(" : ")[2] for line in checked.stderr.splitlines() if line.startswith("[ALERT]")]
    return "\n".join(alerts) or f"it ended with {checked.returncode}"


def _number(of: type[int] | type[float], low: int, high: int) -> Callable[[str], float]:
    """Return what reads a number within bounds; argparse says whose it is."""

    def read(word: str) -> float:
        try:
            if low <= (number := of(word)) <= high:
                return number
        except ValueError:
            pass
        raise argparse.ArgumentTypeError(f"must be a number from {low:,} to {high:,}; got {word!r:.60}")

    return read


def _path(word: str) -> str:
    """Read a path: the proxy and the dashboard compare it letter by letter."""
    if not re.fullmatch(r"/?([\w.~-]+(/[\w.~-]+)*/?)?", word, re.ASCII):
        raise argparse.ArgumentTypeError(f"must be a path of plain letters and digits, such as /ldp; got {word!r:.60}")
    return f"/{word.strip('/')}".rstrip("/")


def _name(word: str) -> str:
    """Read the name of a machine; of a whole address the dashboard would find no page's name in it."""
    if not re.fullmatch(r"[\w.-]*|\[?[0-9A-Fa-f:]+\]?", word):
        raise argparse.ArgumentTypeError(f"must be a name, such as ldp.example.org, without more; got {word!r:.60}")
    return word


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m deploy", description=__doc__)
    parser.add_argument(
        "--processes", type=_number(int, 1, 64), default=2, help="of the dashboard; one for each core (default: 2)"
    )
    parser.add_argument("--bind", default=":8080", help="where the proxy listens (default: :8080)")
    parser.add_argument(
        "--first-port", type=_number(int, 1, 65_535), default=8601, help="of the processes (default: 8601)"
    )
    parser.add_argument(
        "--host", type=_name, default="", help="the name in visitors' address bars, such as ldp.example.org"
    )
    parser.add_argument("--base", type=_path, default="", help="the path below which the dashboard is, such as /ldp")
    parser.add_argument("--certificate", default="", help="PEM file with certificate and key, for TLS")
    parser.add_argument("--frame-ancestors", default="'self'", help="who may show it in a frame (default: 'self')")
    parser.add_argument("--uploads", choices=("on", "off"), default="on", help="whether visitors may bring files")
    parser.add_argument(
        "--requests", type=_number(int, 1, 10**9), default=6_000, help="of one address in ten seconds (default: 6000)"
    )
    parser.add_argument("--sessions", type=_number(int, 1, 10**9), default=200, help="likewise (default: 200)")
    parser.add_argument("--files", type=_number(int, 1, 10**9), default=40, help="likewise (default: 40)")
    parser.add_argument(
        "--connections", type=_number(int, 1, 10**9), default=2_000, help="of one address at a time (default: 2000)"
    )
    parser.add_argument(
        "--drain", type=_number(float, 0, 3_600), default=10.0, help="seconds before a process is renewed (default: 10)"
    )
    parser.add_argument("--print-config", action="store_true", help="print the proxy's configuration, and end")
    options = parser.parse_args()
    if options.first_port + options.processes - 1 > 65_535:
        parser.error("there are no ports beyond 65535: take another --first-port, or fewer --processes")
    return options


if __name__ == "__main__":
    sys.exit(main())
