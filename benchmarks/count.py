"""Time and memory of `python -m ldpcore count` on large files: `python -m benchmarks.count [--quick]`.

Every row is a command of its own, as a user would start it: interpreter, imports, reading, counting and estimating. The
memory is the largest sum of what the command and its worker processes hold, looked at every 20 ms; what they share
counts more than once.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import ldpcore as ldp
from benchmarks.speed import Bench
from benchmarks.table import markdown

# What is timed: mechanism, reports, suffix, further arguments; seconds allowed on two cores, if any were promised.
CASES = [
    ("GRR", 10_000_000, ".parquet", [], 5.0),
    ("OLH", 1_000_000, ".parquet", [], 10.0),
    ("OLH", 1_000_000, ".parquet", ["--hash-family", "xxh32"], 10.0),
    ("GRR", 10_000_000, ".csv", [], None),
    ("OLH", 1_000_000, ".csv", [], None),
    ("OUE", 1_000_000, ".parquet", [], None),
    ("SS", 1_000_000, ".parquet", [], None),
]
K, EPS, MEMORY_MIB = 100, 1.0, 500


def write_reports(name: str, n: int, path: Path, family: str | None) -> None:
    """Write reports as a server may have them, 10⁵ users at a time."""
    options: dict[str, Any] = {"hash_family": family} if family else {}
    m = ldp.mechanism(name, k=K, eps=EPS, **options)
    rng = np.random.default_rng(0)

    def parts() -> Iterator[pd.DataFrame]:
        for start in range(0, n, 100_000):
            reports = m.privatize(rng.poisson(5, min(100_000, n - start)), rng)
            if isinstance(reports, ldp.HashedReports):
                yield pd.DataFrame({"seed": reports.seed, "value": reports.value})
            else:
                columns = reports[:, None] if reports.ndim == 1 else reports.astype(np.uint8)
                yield pd.DataFrame(columns, columns=[f"v{i}" for i in range(columns.shape[1])])

    whole = pd.concat(parts(), ignore_index=True)
    if path.suffix == ".csv":
        whole.to_csv(path, index=False)
    else:
        whole.to_parquet(path, index=False)


def measure(command: list[str]) -> tuple[float, float]:
    """Run a command; return its seconds, and the peak of the memory of it and its children in MiB."""
    begin, peak = time.perf_counter(), 0.0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:  # noqa: S603 - our own command
        while process.poll() is None:
            peak = max(peak, _resident(process.pid))
            time.sleep(0.02)
        seconds = time.perf_counter() - begin
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return seconds, peak


def _resident(pid: int) -> float:
    """Return the resident memory of a process and its children in MiB (Linux)."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (OSError, IndexError):  # it has just ended
        return 0.0
    threads = Path(f"/proc/{pid}/task")
    for thread in threads.iterdir():
        if thread.name != str(pid):
            children += (thread / "children").read_text().split() if (thread / "children").exists() else []
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20 + sum(_resident(int(child)) for child in children)


def section(bench: Bench) -> list[str]:
    """Return the table for the document."""
    return [table(bench.short)[0]]


def table(quick: bool) -> tuple[str, bool]:
    """Return the table, and whether all promises are kept."""
    rows, kept = [], True
    for name, n, suffix, more, allowed in CASES:
        n = n // 20 if quick else n
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"reports{suffix}")
            write_reports(name, n, path, more[1] if more else None)
            words = ["count", str(path), "--mechanism", name, "--eps", str(EPS), "--k", str(K), *more]
            seconds, peak = measure([sys.executable, "-m", "ldpcore", *words])
        ok = (allowed is None or seconds < allowed) and peak < MEMORY_MIB
        kept &= ok
        target = f"< {allowed:g}" if allowed else ""
        cells = [name, f"{n:,}", suffix[1:], " ".join(more[1:]), f"{seconds:.2f}", target, f"{peak:.0f}"]
        rows.append([*cells, "yes" if ok else "NO"])
    header = ["mechanism", "reports", "file", "hash", "s", "target s", "peak MiB", "ok"]
    note = "Every row is a command of its own: interpreter, imports, reading, counting and estimating."
    return f"## count: k = {K}, ε = {EPS:g}, {os.cpu_count()} cores\n\n{markdown(header, rows)}\n\n{note}\n", kept


def main(quick: bool = False) -> int:
    """Print the table; return 1 if a promise is not kept."""
    text, kept = table(quick)
    print(text)
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main("--quick" in sys.argv[1:]))
