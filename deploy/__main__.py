"""`python -m deploy`: several processes of the dashboard behind one door."""

from __future__ import annotations

import argparse
import logging
import shutil
import sys
from dataclasses import replace

from deploy.config import Door
from deploy.folders import own_folder
from deploy.supervisor import Supervisor, busy


def main() -> int:
    """Do what the command line says."""
    options = _options()
    ports = tuple(range(options.first_port, options.first_port + options.processes))
    door = Door(
        options.bind, ports, "", options.certificate, options.frame_ancestors, options.base, options.uploads == "on",
        options.requests, options.sessions, options.files, options.connections,
    )  # fmt: skip
    if options.print_config:  # without the supervisor there is nobody to use its socket
        sys.stdout.write(door.config())
        return 0
    haproxy = shutil.which("haproxy")
    if haproxy is None:
        return _refuse("HAProxy is not installed; on Debian: apt-get install haproxy")
    if taken := busy(ports):
        return _refuse(f"something else listens at {', '.join(map(str, taken))}; end it, or take another --first-port")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    with own_folder() as folder:
        door = replace(door, socket=str(folder / "haproxy.sock"))
        Supervisor(door, folder, host=options.host, drain=options.drain, haproxy=haproxy).run()
    return 0


def _refuse(why: str) -> int:
    sys.stderr.write(f"python -m deploy: {why}\n")
    return 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m deploy", description=__doc__)
    parser.add_argument("--processes", type=int, default=2, help="of the dashboard; one for each core (default: 2)")
    parser.add_argument("--bind", default=":8080", help="where the proxy listens (default: :8080)")
    parser.add_argument("--first-port", type=int, default=8601, help="of the processes (default: 8601)")
    parser.add_argument("--host", default="", help="the name in visitors' address bars, such as ldp.example.org")
    parser.add_argument("--base", default="", help="the path below which the dashboard is, such as /ldp")
    parser.add_argument("--certificate", default="", help="PEM file with certificate and key, for TLS")
    parser.add_argument("--frame-ancestors", default="'self'", help="who may show it in a frame (default: 'self')")
    parser.add_argument("--uploads", choices=("on", "off"), default="on", help="whether visitors may bring files")
    parser.add_argument("--requests", type=int, default=6_000, help="of one address in ten seconds (default: 6000)")
    parser.add_argument("--sessions", type=int, default=200, help="likewise (default: 200)")
    parser.add_argument("--files", type=int, default=40, help="likewise (default: 40)")
    parser.add_argument("--connections", type=int, default=2_000, help="of one address at a time (default: 2000)")
    parser.add_argument("--drain", type=float, default=10.0, help="seconds before a process is renewed (default: 10)")
    parser.add_argument("--print-config", action="store_true", help="print the proxy's configuration, and end")
    options = parser.parse_args()
    if not 1 <= options.processes <= 64:
        parser.error("--processes must be from 1 to 64")
    return options


if __name__ == "__main__":
    sys.exit(main())
