"""How long the paper's two tables take: ldpcore in full, the peer extrapolated from a small part."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.peer import Peer
from benchmarks.speed import USERS, Bench
from benchmarks.table import best_ms, markdown
from ldpcore import paper
from ldpcore.sweep.workers import cores

RUNS = 20
LIMIT_SECONDS, AIM_SECONDS = 120, 60
PEER_USERS = 1_000


def paper_time(bench: Bench) -> list[str]:
    """Time one draw of both tables, three variants each, beside the peer's one."""
    rows, ours_all, peers_all = [], 0.0, 0.0
    for number in paper.TABLES:
        start = time.perf_counter()
        details = paper.reproduce(number, draws=1, runs=RUNS)
        ours = time.perf_counter() - start
        peers = peer_seconds(paper.TABLES[number], bench) / cores()
        settings = len(details) // (len(paper.VARIANTS) * len(paper.GAIN_METRICS))
        rows.append(_cells(f"Table {number}, {settings:,} settings", peers, ours))
        ours_all, peers_all = ours_all + ours, peers_all + peers
    rows.append(_cells("both", peers_all, ours_all))
    table = markdown(("what", "peer s *", "ldpcore s", "ratio"), rows)
    which = "ε" if _all_eps(bench) else "the middle ε"
    kept = "met" if ours_all <= LIMIT_SECONDS else "NOT met"
    note = (
        f"One draw of the data sets, {RUNS} runs, all k, n and ε of the paper, {cores()} cores. ldpcore: "
        "paper.reproduce, measured once, in full, with all three variants. "
        f"At most {LIMIT_SECONDS} s for both: {kept} (the aim is {AIM_SECONDS} s). "
        f"(*) Extrapolated: the peer's client, MI and IBU were timed for each mechanism, k and {which} with "
        f"{PEER_USERS:,} users; the times of the client and of counting were scaled to n users, all of it to the "
        "number of data sets and runs, and divided by the number of cores."
    )
    return [f"## paper: both tables\n\n{table}\n\n{note}\n"]


def _cells(what: str, peers: float, ours: float) -> tuple[str, ...]:
    return what, f"{peers:,.0f}", f"{ours:.1f}", f"{peers / ours:,.0f}x"


def peer_seconds(table: paper.Table, bench: Bench) -> float:
    """Return what one process of the peer would take for a table."""
    all_eps = table.eps if _all_eps(bench) else table.eps[1:2]
    total = 0.0
    for name in table.mechanisms:
        for k in table.k:
            each = np.mean([_peer_seconds_of(name, k, eps, table.n, min(bench.repeats, 3)) for eps in all_eps])
            total += float(each) * len(table.eps)
    return total * len(table.data) * RUNS


def _all_eps(bench: Bench) -> bool:
    """Return whether there is time for every ε; a quick benchmark has none for all users of the hashing peers."""
    return bench.hashing_users == USERS


def _peer_seconds_of(name: str, k: int, eps: float, users: tuple[int, ...], repeats: int) -> float:
    """Return the time of one run for each number of users. IBU's own part, its iterations, does not grow with them."""
    peer = Peer(name, k=k, eps=eps, eps_inf=2 * eps)
    values = np.minimum(np.random.default_rng(0).poisson(5, PEER_USERS), k - 1).tolist()
    reports = peer.privatize(values)
    client = best_ms(lambda: peer.privatize(values), repeats)
    counting = best_ms(lambda: peer.mi(reports), repeats)
    iterations = max(0.0, best_ms(lambda: peer.ibu(reports), repeats) - counting)
    return sum((client + 2 * counting) * n / PEER_USERS + iterations for n in users) / 1000
