"""How little ldpcore's time and memory depend on the number of users."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import ldpcore as ldp
from benchmarks.memory import peak_mebibytes
from benchmarks.speed import Bench
from benchmarks.table import Row, Table, best_pair_ms, markdown

FEW, MANY = 10**4, 10**9
K, EPS, RUNS = 100, 1.0, 20
# Both timings are short and close to each other: a quick run has time for these many.
REPEATS = 5
MEMORY_OF = ("SS", "OUE")


def experiment(mechanism: str, n: int) -> None:
    """Do one whole experiment: data, reports, MI, IBU and the metrics of 20 runs."""
    ldp.run(ldp.Setting(data="gaussian", mechanism=mechanism, eps=EPS, n=n, k=K, runs=RUNS, seed=0))


def users(bench: Bench) -> list[Table | str]:
    """Time a thousand million users against ten thousand."""
    rows = [_row(name, max(REPEATS, bench.repeats)) for name in (*ldp.ONE_TIME, *ldp.LONGITUDINAL)]
    note = f"ldpcore.run with {RUNS} runs (longitudinal: ε∞ = 2ε₁). The ratio is the time of the many over the few."
    title = f"users: Gaussian data, k = {K}, ε = {EPS:g}"
    return [Table(title, f"n = {FEW:,} ms", f"n = {MANY:,} ms", rows, note), memory()]


def _row(name: str, repeats: int) -> Row:
    few, many = best_pair_ms(lambda: experiment(name, FEW), lambda: experiment(name, MANY), repeats)
    return Row(name, few, many, target=2, at_most=True)


# ---- memory -----------------------------------------------------------------------


def memory() -> str:
    """Return a table of the peak memory of fresh processes, one with nothing to do and one for each mechanism."""
    idle = _peak_of("")
    rows = [("(only the imports)", f"{idle:.0f}", "")]
    for name in MEMORY_OF:
        peak = _peak_of(name)
        rows.append((name, f"{peak:.0f}", f"{peak - idle:.1f}"))
    table = markdown(("mechanism", "peak MiB", "above the imports MiB"), rows)
    return f"### Peak memory of a process that runs n = {MANY:,} once\n\n{table}\n"


def _peak_of(name: str) -> float:
    command = [sys.executable, "-m", "benchmarks.users", name]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)  # noqa: S603 - our own module
    return float(done.stdout)


def _child(name: str) -> None:
    if name:
        experiment(name, MANY)
    print(peak_mebibytes())


if __name__ == "__main__":
    _child(sys.argv[1])
