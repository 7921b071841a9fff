"""What a server bears: `python -m benchmarks.load [--quick | --long] [--write docs/hosting.md] [part …]`.

Visitors without browsers (benchmarks/visitor.py) move ε every two seconds on a server that is started for it. Times are
from the message to the end of the script; the processor time is that of the server, and with its workers where said.
Ratios, because machines differ: what others feel is compared with what the same visitors feel alone, in turns, and a
step of a page with one of a page of Streamlit's own (benchmarks/plain_page.py) in the same run. How quick the machine
was, a loop says before each part. All parts take about twenty minutes; `--quick` is to see whether they work, and
`--long` fills the caches for ten minutes instead of one and a half.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import shlex
import shutil
import statistics
import subprocess
import sys
import time
import timeit
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from benchmarks.browser import ROOT, free_port, serving, wait_for
from benchmarks.table import markdown
from benchmarks.visitor import Visitor

EPS = "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 1.25 1.5 1.75 2 2.5 3 3.5 4 4.5 5 6 7 8 9 10".split()
# The heaviest things that pages do. The maps are over n: over k they end at k = 200, whatever the sidebar says. With
# one step more of k they are refused.
HEAVY = {
    "Compare, k = 1000, 100 runs": ("compare", "k=1000&runs=100&eps=5&seed={}"),
    "gain map, k = 400, 100 runs": ("tradeoff", "view=gain+map&over=n&k=400&runs=100&seed={}"),
    "map of the best mechanism, k = 500, 100 runs": ("tradeoff", "view=best+mechanism&over=n&k=500&runs=100&seed={}"),
    "Advisor, k = 1000": ("advisor", "k=1000&runs=100&seed={}"),
    "All estimators, k = 1000, 100 runs": (
        "",
        "k=1000&runs=100&iterations=10&closer=All+estimators&data=Gaussian&seed={}",
    ),
}
# At this ε IBU takes the most time: at smaller ones it takes strides, and at larger ones it ends soon.
HEAVIEST = ("compare", "k=1000&runs=100&iterations=14k&eps=5&seed={}")
# A comparable page of Streamlit's own cost 13 ms where these goals were set.
PLAIN_MS, CACHED_MS = 13, {"Estimate": 25, "Compare": 40}
# So many sessions are tried.
CACHED = (10, 25, 50, 75)
# How often a loop adds that says how quick the machine is.
LOOP = 3_000_000
HEADS = ("what", "measured", "goal", "met")
PLACE = ("<!-- benchmarks.load -->", "<!-- end of benchmarks.load -->")


@dataclass(frozen=True)
class Row:
    """A figure, what it should be at the most if there is a goal, and in which unit."""

    what: str
    value: float
    goal: float | None
    unit: str
    at_least: bool = False

    def cells(self) -> tuple[str, ...]:
        if self.goal is None:
            return self.what, f"{self.value:,.3g} {self.unit}", "–", "–"
        met = self.value >= self.goal if self.at_least else self.value <= self.goal
        sign = "≥" if self.at_least else "≤"
        return self.what, f"{self.value:,.3g} {self.unit}", f"{sign} {self.goal:,.3g}", "yes" if met else "NO"


@dataclass(frozen=True)
class Bench:
    """A running server, and how long to measure; to fill the caches takes `filling` seconds.

    What others feel is measured in so many windows, in turns with and without: a machine may change its speed
    meanwhile, and of one window of fifteen seconds the p95 is the second slowest step.
    """

    address: str
    seconds: float
    most: int
    filling: float
    windows: int = 1

    @property
    def server(self) -> psutil.Process:
        port = int(self.address.rpartition(":")[2])
        listening = (c for c in psutil.net_connections("tcp") if c.laddr and c.laddr.port == port)
        return psutil.Process(next(c.pid for c in listening if c.status == "LISTEN"))


@dataclass(frozen=True)
class Steps:
    """How long steps took, and the server's processor time for all of them; seconds."""

    took: list[float]
    processor: float

    def __add__(self, other: Steps) -> Steps:
        return Steps(self.took + other.took, self.processor + other.processor)

    @property
    def late(self) -> float:
        """The 95 % quantile."""
        return sorted(self.took)[min(len(self.took) - 1, int(0.95 * len(self.took)))]


def processor(process: psutil.Process, workers: bool = False) -> float:
    """Return the seconds of processor time that a server has had; with its workers, those that have ended too."""
    if not workers:
        return float(sum(process.cpu_times()[:2]))
    return float(sum(sum(one.cpu_times()[:4]) for one in (process, *process.children(recursive=True))))


async def steps(bench: Bench, number: int, page: str = "", new: bool = False, eps: Sequence[str] = EPS) -> Steps:
    """Let visitors move ε every two seconds; with `new` nothing is known before."""

    async def visit(one: int) -> list[float]:
        chance, took = random.Random(one * 7919 + time.time_ns()), []  # noqa: S311 - no secret
        async with Visitor(bench.address, page) as visitor:
            await visitor.draw()
            there.append(one)
            await ready.wait()
            await asyncio.sleep(chance.uniform(0, 2))
            while time.monotonic() < end:
                visitor.set("eps", string_array_value=[chance.choice(eps)])
                if new:
                    visitor.set("seed", double_value=float(chance.randrange(1, 2**31 - 2)))
                took.append(await visitor.draw())
                await asyncio.sleep(max(0.0, chance.uniform(1.5, 2.5) - took[-1]))
            assert not visitor.problems, visitor.problems
            done.append(one)
            await over.wait()  # to leave costs the server something too, which is not a step's
        return took

    ready, over, end = asyncio.Event(), asyncio.Event(), float("inf")
    there, done = list[int](), list[int]()
    visits = []
    for one in range(number):
        visits.append(asyncio.create_task(visit(one)))
        await asyncio.sleep(0.05)
    await _all_of(number, there, visits)
    server, end = bench.server, time.monotonic() + bench.seconds
    before = processor(server)
    ready.set()
    await _all_of(number, done, visits)
    spent = processor(server) - before
    over.set()
    return Steps([step for visit in await asyncio.gather(*visits) for step in visit], spent)


async def _all_of(number: int, there: list[int], visits: list[asyncio.Task[list[float]]]) -> None:
    """Wait until all visitors have come so far; one that has failed is not waited for."""
    while len(there) < number and not any(visit.done() for visit in visits):
        await asyncio.sleep(0.05)


async def warm(bench: Bench, page: str = "", eps: Sequence[str] = EPS) -> None:
    """Have every ε computed once."""
    async with Visitor(bench.address, page) as visitor:
        await visitor.draw()
        for one in eps:
            visitor.set("eps", string_array_value=[one])
            await visitor.draw()


async def cached(bench: Bench) -> list[Row]:
    """Server CPU a step, and how many sessions there may be; beside a page that does nothing but to be drawn."""
    rows = []
    with serving("benchmarks/plain_page.py") as address:
        other = replace(bench, address=address)
        plain, others = await _step(other, "", EPS), await _sessions(other, 0.5, CACHED, new=False)
    rows.append(Row("server CPU a step of a plain page", 1000 * plain, None, "ms"))
    for page, name, eps in (("", "Estimate", EPS), ("compare", "Compare", EPS[::4])):
        spent, goal = await _step(bench, page, eps), CACHED_MS[name]
        rows.append(Row(f"server CPU a cached step, {name}", 1000 * spent, goal, "ms"))
        rows.append(Row(f"the same over a plain page's step, {name}", spent / plain, goal / PLAIN_MS, "×"))
    number = await _sessions(bench, 0.5, CACHED, new=False)
    rows.append(Row("cached sessions at p95 < 500 ms, one process", number, 50, "sessions", at_least=True))
    return [*rows, Row("the same of a plain page", others, None, "sessions")]


async def _step(bench: Bench, page: str, eps: Sequence[str]) -> float:
    """Return the server's processor time for a cached step, in seconds."""
    await warm(bench, page, eps)
    done = await steps(bench, 5, page, eps=eps)
    return done.processor / len(done.took)


def slowness(seconds: float = 15) -> float:
    """Return how many times slower this machine is now than that of the goals, by a step of the plain page."""
    with serving("benchmarks/plain_page.py") as address:
        return 1000 * asyncio.run(_step(Bench(address, seconds, 0, 0), "", EPS)) / PLAIN_MS


async def proxy(bench: Bench) -> list[Row]:
    """How many sessions there may be at two processes behind the proxy."""
    # Both processes have to know the answers: each new connection goes to the one that has fewer.
    await asyncio.gather(*(warm(bench) for _ in range(4)))
    number = await _sessions(bench, 0.5, (25, 50, 100), new=False)
    return [Row("cached sessions at p95 < 500 ms, two processes", number, 100, "sessions", at_least=True)]


async def uncached(bench: Bench) -> list[Row]:
    """How many sessions there may be whose settings nobody has asked for before."""
    number = await _sessions(bench, 1.0, (5, 10, 20, 30), new=True)
    return [Row("uncached sessions at p95 < 1 s, one process", number, 20, "sessions", at_least=True)]


async def _sessions(bench: Bench, limit: float, numbers: Sequence[int], new: bool) -> int:
    best = 0
    for number in (n for n in numbers if n <= bench.most):
        p95 = (await steps(bench, number, new=new)).late
        print(f"  {number} {'uncached' if new else 'cached'} sessions: p95 {1000 * p95:,.0f} ms", flush=True)
        if p95 >= limit:
            break
        best = number
    return best


async def _beside(bench: Bench, tabs: Sequence[tuple[str, str]]) -> Steps:
    """Return the steps of five visitors while somebody has heavy pages open."""
    visitors = [
        Visitor(bench.address, page, query.format(time.time_ns() % 10**8 + i)) for i, (page, query) in enumerate(tabs)
    ]
    for visitor in visitors:
        await visitor.__aenter__()
    readers = [asyncio.create_task(_again(visitor)) for visitor in visitors]
    together = await steps(bench, 5)
    for reader, visitor in zip(readers, visitors, strict=True):
        reader.cancel()
        await visitor.leave()
    for ended in await asyncio.gather(*readers, return_exceptions=True):
        # One that ended by itself was shown an error, and had nothing heavy computed any more.
        if isinstance(ended, Exception):
            raise ended
    return together


async def _again(visitor: Visitor) -> None:
    """Keep a heavy page busy: as soon as it is drawn, another seed is asked for."""
    while True:
        await visitor.draw()
        assert not visitor.problems, visitor.problems
        visitor.set("seed", double_value=float(time.time_ns() % 10**8))


async def heavy(bench: Bench) -> list[Row]:
    """Measure what others feel of one who runs the heaviest things."""
    await warm(bench)
    rows = []
    for name, tab in HEAVY.items():
        alone = beside = Steps([], 0.0)
        for _ in range(bench.windows):
            alone += await steps(bench, 5)
            beside += await _beside(bench, [tab])
        alone += await steps(bench, 5)
        print(f"  {name}, p95 alone and beside: {1000 * alone.late:,.0f} and {1000 * beside.late:,.0f} ms", flush=True)
        rows.append(Row(f"others' p95 over alone: {name}", beside.late / alone.late, 1.5, "×"))
    return rows


async def tabs(bench: Bench) -> list[Row]:
    """Measure what others feel of one who opens twenty heavy tabs."""
    await warm(bench)
    together = await _beside(bench, [HEAVIEST] * 20)
    return [Row("others' p95 while one visitor opens twenty heavy tabs", together.late, 0.6, "s")]


async def closed(bench: Bench) -> list[Row]:
    """Processor time of the server and its workers after a heavy tab was closed."""
    server = bench.server
    visitor = Visitor(bench.address, HEAVIEST[0], HEAVIEST[1].format(time.time_ns() % 10**8))
    await visitor.__aenter__()
    await visitor.ask()
    await asyncio.sleep(5)
    busy = processor(server, workers=True)
    await asyncio.sleep(1)
    assert processor(server, workers=True) - busy > 0.3, "the heavy page is not at work"
    await visitor.leave()
    before = processor(server, workers=True)
    await asyncio.sleep(bench.seconds)
    burnt = processor(server, workers=True) - before
    return [Row("CPU after a heavy tab was closed (Compare, k = 1000, 100 runs, 14k)", burnt, 1.0, "s")]


async def caches(bench: Bench) -> list[Row]:
    """Memory after one visitor tried to fill the caches."""
    server, end = bench.server, time.monotonic() + bench.filling
    seen = []
    async with Visitor(bench.address, "", "k=1000&runs=100&iterations=10") as visitor:
        await visitor.draw()
        seed = 0
        while time.monotonic() < end:
            seed += 1
            visitor.set("seed", double_value=float(seed))
            await visitor.draw()
            seen.append(server.memory_info().rss / 2**20)
    half = statistics.median(seen[len(seen) // 2 : 3 * len(seen) // 4])
    last = statistics.median(seen[3 * len(seen) // 4 :])
    print(f"  {seed} settings; resident memory {half:,.0f}, then {last:,.0f} MiB", flush=True)
    what = f"resident memory after one visitor fills the caches for {bench.filling:.0f} s"
    return [Row(what, max(seen), 1024, "MiB"), Row("growth in the last quarter of that", last / half, 1.1, "×")]


PARTS: dict[str, Callable[[Bench], Coroutine[Any, Any, list[Row]]]] = {
    "cached": cached, "proxy": proxy, "uncached": uncached, "heavy": heavy, "closed": closed, "tabs": tabs,
    "caches": caches,
}  # fmt: skip


@contextlib.contextmanager
def behind_proxy() -> Iterator[str]:
    """Run two processes behind the proxy; its address."""
    ports = [free_port() for _ in range(2)]
    command = [sys.executable, "-m", "deploy", "--bind", f"127.0.0.1:{ports[0]}", "--first-port", str(ports[1])]
    # A load test comes from one address.
    command += ["--requests", "1000000", "--sessions", "100000"]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=ROOT, stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603 - our own app
    try:
        address = f"http://127.0.0.1:{ports[0]}"
        wait_for(address)
        time.sleep(5)  # until the second one is there
        yield address
    finally:
        process.terminate()
        process.wait(30)


def measure(names: Sequence[str], bench: Bench, command: str) -> str:
    """Run parts, each on a server of its own; return the table, with the command that made it."""
    rows: list[Row] = []
    loops = []
    for name in names:
        loops.append(timeit.timeit(f"for i in range({LOOP}): s += i", "s = 0", number=1))
        print(f"{name} …", file=sys.stderr, flush=True)
        with behind_proxy() if name == "proxy" else serving() as address:
            rows += asyncio.run(PARTS[name](replace(bench, address=address)))
    when = f"Measured on {datetime.now(UTC):%Y-%m-%d} with `{command}` ({os.cpu_count()} cores)."
    when += f" A loop of {LOOP:,} additions took {min(loops):.2f} to {max(loops):.2f} s before the parts."
    return f"{when}\n\n{markdown(HEADS, [row.cells() for row in rows])}"


def write(page: Path, table: str) -> None:
    """Put the table where a page has a place for it."""
    before, _, rest = page.read_text(encoding="utf-8").partition(PLACE[0])
    _, mark, after = rest.partition(PLACE[1])
    if not mark:
        raise SystemExit(f"{page} has no place for the table")
    page.write_text(f"{before}{PLACE[0]}\n{table}\n{PLACE[1]}{after}", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen parts, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description="What a server bears.")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"{', '.join(PARTS)}; all if none is given")
    parser.add_argument("--quick", action="store_true", help="a few seconds each, and no more than 25 sessions")
    parser.add_argument("--long", action="store_true", help="fill the caches for ten minutes")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into docs/hosting.md")
    options = parser.parse_args(arguments)
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    seconds, most, filling, windows = (4, 25, 15, 1) if options.quick else (15, 1000, 600 if options.long else 90, 4)
    names = options.parts or [name for name in PARTS if name != "proxy" or shutil.which("haproxy")]
    chosen = ["--quick"] * options.quick + ["--long"] * options.long + options.parts
    command = shlex.join(["python", "-m", "benchmarks.load", *chosen])
    table = measure(names, Bench("", seconds, most, filling, windows), command)
    print(table)
    if options.write:
        write(options.write, table)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
