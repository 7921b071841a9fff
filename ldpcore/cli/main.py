"""The command line: `python -m ldpcore run | sweep | reproduce | tournament | count`, on the functions of all."""

from __future__ import annotations

import argparse
import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, CancelledError

import ldpcore
from ldpcore.cli import count, reproduce, run, sweep, tournament
from ldpcore.cli.console import FAILED, INTERRUPTED, OK, USAGE, cluster, complain, say
from ldpcore.errors import Refused


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(prog="python -m ldpcore", description=(ldpcore.__doc__ or "").splitlines()[0])
    top.add_argument("--version", action="version", version=f"ldpcore {ldpcore.__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="{run,sweep,reproduce,tournament,count}")
    run.add_command(commands)
    long = [part.add_command(commands) for part in (sweep, reproduce, tournament, count)]
    long[-1].set_defaults(do=_count)
    for command in long:
        command.add_argument("--workers", type=int, help="processes (default: one for each core)")
        command.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster that is to do the work")
    return top


def _count(options: argparse.Namespace) -> int:
    with cluster(options.scheduler) as executor:
        say(count.count(options, executor))
    return OK


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say and return the exit code; what is wrong is said in a sentence.

    Anything that is raised here is a bug: Python prints where it happened, and ends with 1.
    """
    options = parser().parse_args(arguments)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # to be told to end is like Ctrl-C
    try:
        return int(options.do(options))
    except BrokenPipeError:  # the reader of a pipe, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return FAILED
    except Refused as problem:
        return complain(problem, USAGE)
    except (OSError, ImportError) as problem:
        return complain(problem, FAILED)
    except CancelledError:  # what Dask's executor says when its scheduler is gone for good
        return complain("the Dask scheduler is gone; what is done is saved, the same command goes on", FAILED)
    except (BrokenExecutor, MemoryError) as problem:
        return complain(f"{problem or 'out of memory'}; what is done is saved, the same command goes on", FAILED)
    except KeyboardInterrupt:
        return complain("interrupted", INTERRUPTED)
