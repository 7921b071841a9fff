"""What one server bears: `python -m benchmarks.load [--quick] [cached | uncached | heavy | closed | tabs | caches]`.

Visitors without browsers (benchmarks/visitor.py) move ε every two seconds on a server that is started for it. Times are
from the message to the end of the script; the processor time is that of the server, and with its workers where said.
Ratios, because machines differ: what others feel is compared with what the same visitors feel alone.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

import psutil

from benchmarks.browser import serving
from benchmarks.table import markdown
from benchmarks.visitor import Visitor

EPS = "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 1.25 1.5 1.75 2 2.5 3 3.5 4 4.5 5 6 7 8 9 10".split()
# The heaviest things that a page does. The last is more than a page does: it says so.
HEAVY = {
    "Compare, k = 1000, 100 runs": ("compare", "k=1000&runs=100&seed={}"),
    "gain map, k = 1000, 100 runs": ("tradeoff", "view=gain+map&k=1000&runs=100&seed={}"),
    "Advisor, k = 1000": ("advisor", "k=1000&runs=100&seed={}"),
}
HEAVIEST = ("compare", "k=1000&runs=100&iterations=14k&seed={}")
HEADS = ("what", "measured", "goal", "met")


@dataclass(frozen=True)
class Row:
    """A figure, what it should be at the most, and in which unit."""

    what: str
    value: float
    goal: float
    unit: str
    at_least: bool = False

    def cells(self) -> tuple[str, ...]:
        met = self.value >= self.goal if self.at_least else self.value <= self.goal
        sign = "≥" if self.at_least else "≤"
        return self.what, f"{self.value:,.3g} {self.unit}", f"{sign} {self.goal:,.3g}", "yes" if met else "NO"


@dataclass(frozen=True)
class Bench:
    """A running server, and how long to measure."""

    address: str
    seconds: float
    most: int

    @property
    def server(self) -> psutil.Process:
        port = int(self.address.rpartition(":")[2])
        listening = (c for c in psutil.net_connections("tcp") if c.laddr and c.laddr.port == port)
        return psutil.Process(next(c.pid for c in listening if c.status == "LISTEN"))


def processor(process: psutil.Process, workers: bool = False) -> float:
    """Return the seconds of processor time that a server has had; with its workers, those that have ended too."""
    if not workers:
        return float(sum(process.cpu_times()[:2]))
    return float(sum(sum(one.cpu_times()[:4]) for one in (process, *process.children(recursive=True))))


def late(seconds: Sequence[float]) -> float:
    """Return the 95 % quantile."""
    return sorted(seconds)[min(len(seconds) - 1, int(0.95 * len(seconds)))] if seconds else float("nan")


async def steps(bench: Bench, number: int, seconds: float, page: str = "", new: bool = False) -> list[float]:
    """Let visitors move ε every two seconds; return how long each step took. With `new` nothing is known before."""

    async def visit(one: int) -> list[float]:
        chance, took = random.Random(one * 7919 + time.time_ns()), []  # noqa: S311 - no secret
        async with Visitor(bench.address, page) as visitor:
            await visitor.draw()
            await ready.wait()
            await asyncio.sleep(chance.uniform(0, 2))
            while time.monotonic() < end:
                visitor.set("eps", string_array_value=[chance.choice(EPS)])
                if new:
                    visitor.set("seed", double_value=float(chance.randrange(1, 2**31 - 2)))
                took.append(await visitor.draw())
                await asyncio.sleep(max(0.0, chance.uniform(1.5, 2.5) - took[-1]))
            assert not visitor.problems, visitor.problems
        return took

    ready, end = asyncio.Event(), time.monotonic() + 3600
    visits = [asyncio.create_task(visit(one)) for one in range(number)]
    await asyncio.sleep(1 + 0.2 * number)
    end = time.monotonic() + seconds
    ready.set()
    return [step for took in await asyncio.gather(*visits) for step in took]


async def warm(bench: Bench, page: str = "") -> None:
    """Have every ε computed once."""
    async with Visitor(bench.address, page) as visitor:
        await visitor.draw()
        for eps in EPS:
            visitor.set("eps", string_array_value=[eps])
            await visitor.draw()


async def cached(bench: Bench) -> list[Row]:
    """Server CPU a step, and how many sessions there may be."""
    rows = []
    for page, name, goal in (("", "Estimate", 25), ("compare", "Compare", 40)):
        await warm(bench, page)
        before = processor(bench.server)
        took = await steps(bench, 5, bench.seconds, page)
        spent = (processor(bench.server) - before) / len(took)
        rows.append(Row(f"server CPU a cached step, {name}", 1000 * spent, goal, "ms"))
    number = await _sessions(bench, 0.5, (10, 25, 50, 75, 100), new=False)
    return [*rows, Row("cached sessions at p95 < 500 ms", number, 50, "sessions", at_least=True)]


async def uncached(bench: Bench) -> list[Row]:
    """How many sessions there may be whose settings nobody has asked for before."""
    number = await _sessions(bench, 1.0, (5, 10, 20, 30, 40), new=True)
    return [Row("uncached sessions at p95 < 1 s", number, 20, "sessions", at_least=True)]


async def _sessions(bench: Bench, limit: float, numbers: Sequence[int], new: bool) -> int:
    best = 0
    for number in (n for n in numbers if n <= bench.most):
        p95 = late(await steps(bench, number, bench.seconds, new=new))
        print(f"  {number} {'uncached' if new else 'cached'} sessions: p95 {1000 * p95:,.0f} ms", flush=True)
        if p95 >= limit:
            break
        best = number
    return best


async def _beside(bench: Bench, tabs: Sequence[tuple[str, str]]) -> tuple[float, float]:
    """Return the p95 of five visitors alone, and while somebody has heavy pages open."""
    await warm(bench)
    alone = late(await steps(bench, 5, bench.seconds))
    visitors = [
        Visitor(bench.address, page, query.format(time.time_ns() % 10**8 + i)) for i, (page, query) in enumerate(tabs)
    ]
    for visitor in visitors:
        await visitor.__aenter__()
        await visitor.ask()
    readers = [asyncio.create_task(_again(visitor)) for visitor in visitors]
    together = late(await steps(bench, 5, bench.seconds))
    for reader, visitor in zip(readers, visitors, strict=True):
        reader.cancel()
        await visitor.leave()
    await asyncio.gather(*readers, return_exceptions=True)
    return alone, together


async def _again(visitor: Visitor) -> None:
    """Keep a heavy page busy: as soon as it is drawn, another seed is asked for."""
    while True:
        await visitor.draw()
        visitor.set("seed", double_value=float(time.time_ns() % 10**8))


async def heavy(bench: Bench) -> list[Row]:
    """Measure what others feel of one who runs the heaviest things."""
    rows = []
    for name, tab in HEAVY.items():
        alone, together = await _beside(bench, [tab])
        rows.append(Row(f"others' p95 over alone: {name}", together / alone, 1.5, "×"))
    return rows


async def tabs(bench: Bench) -> list[Row]:
    """Measure what others feel of one who opens twenty heavy tabs."""
    _, together = await _beside(bench, [HEAVIEST] * 20)
    return [Row("others' p95 while one visitor opens twenty heavy tabs", together, 0.6, "s")]


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
    return [Row("CPU after a heavy tab was closed", burnt, 1.0, "s")]


async def caches(bench: Bench) -> list[Row]:
    """Memory after one visitor tried to fill the caches."""
    server, end = bench.server, time.monotonic() + 10 * bench.seconds
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
    return [Row("resident memory after one visitor fills the caches", max(seen), 1024, "MiB")]


PARTS: dict[str, Callable[[Bench], Coroutine[Any, Any, list[Row]]]] = {
    "cached": cached, "uncached": uncached, "heavy": heavy, "closed": closed, "tabs": tabs, "caches": caches,
}  # fmt: skip


def measure(names: Sequence[str], quick: bool) -> str:
    """Run parts, each on a server of its own; return the table."""
    rows: list[Row] = []
    for name in names:
        with serving() as address:
            bench = Bench(address, 10 if quick else 60, 25 if quick else 100)
            rows += asyncio.run(PARTS[name](bench))
    return markdown(HEADS, [row.cells() for row in rows])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen parts, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description="What one server bears.")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"{', '.join(PARTS)}; all if none is given")
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes, and no more than 25 sessions")
    options = parser.parse_args(arguments)
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    print(measure(options.parts or list(PARTS), options.quick))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
