"""ldpcore beside the peer: the closed-form limit, the published experiment, and real reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

import ldpcore as ldp
from benchmarks.peer import HASHING, NAMES, Peer
from benchmarks.table import Row, Table, best_ms

USERS, K, EPS, EPS_INF = 20_000, 100, 1.0, 2.0
RUNS = 20
SETTING = f"n = {USERS:,}, ε = {EPS:g} (longitudinal: ε₁ = {EPS:g}, ε∞ = {EPS_INF:g}), Poisson(5) data"

PeerWork = Callable[[Peer, list[int]], object]


@dataclass
class Bench:
    """How much work to spend on timing, and the peer's timings so far."""

    repeats: int = 5
    slow_repeats: int = 1
    hashing_users: int = USERS
    short: bool = False
    _peer_ms: dict[tuple[str, int, PeerWork], float] = field(default_factory=dict)

    @classmethod
    def quick(cls) -> Bench:
        return cls(repeats=2, hashing_users=2_000, short=True)

    def extrapolates(self, name: str) -> bool:
        return name in HASHING and self.hashing_users < USERS

    def peer_ms(self, name: str, k: int, work: PeerWork) -> float:
        """Return the peer's best time; measured once, however many tables show it."""
        key = (name, k, work)
        if key not in self._peer_ms:
            self._peer_ms[key] = self._measure_peer(Peer(name, k=k, eps=EPS, eps_inf=EPS_INF), work)
        return self._peer_ms[key]

    def _measure_peer(self, peer: Peer, work: PeerWork) -> float:
        values = poisson_values(peer.k).tolist()
        if not self.extrapolates(peer.name):
            repeats = self.slow_repeats if peer.name in HASHING else self.repeats
            return best_ms(lambda: work(peer, values), repeats)
        # A line through two numbers of users: what doesn't depend on the users is not scaled up.
        few, many = self.hashing_users // 10, self.hashing_users
        few_ms, many_ms = (best_ms(partial(work, peer, values[:n]), self.repeats) for n in (few, many))
        return few_ms + (many_ms - few_ms) * (USERS - few) / (many - few)

    def ldpcore_ms(self, work: Callable[[], object]) -> float:
        """Return our best time."""
        return best_ms(work, self.repeats)


def poisson_values(k: int) -> np.ndarray:
    """Return the true values of all users."""
    return np.minimum(np.random.default_rng(0).poisson(5, USERS), k - 1)


def make(name: str, k: int) -> ldp.Mechanism:
    return ldp.mechanism(name, k=k, eps=EPS, eps_inf=EPS_INF if name in ldp.LONGITUDINAL else None)


# ---- what the peer is timed at ----------------------------------------------------


def peer_estimates(peer: Peer, values: list[int]) -> None:
    reports = peer.privatize(values)
    peer.mi(reports)
    peer.ibu(reports)


def peer_counts(peer: Peer, values: list[int]) -> None:
    peer.mi(peer.privatize(values))


# ---- the sections -----------------------------------------------------------------


def limit(bench: Bench) -> list[Table]:
    """Time one collection, estimated by MI and by IBU's closed-form limit."""
    values, rng = poisson_values(K), np.random.default_rng(1)

    def ours(name: str) -> None:
        m = make(name, K)
        counts = m.sample_counts(np.bincount(values, minlength=K), 1, rng)
        ldp.mi(counts, USERS, m)
        ldp.ibu_limit(counts, m)

    rows = [
        Row(
            name,
            bench.peer_ms(name, K, peer_estimates),
            bench.ldpcore_ms(partial(ours, name)),
            target=1000 if name in HASHING else 30 if name == "SS" else 50,
            extrapolated=bench.extrapolates(name),
        )
        for name in NAMES
    ]
    note = (
        "peer: every user's report, then its MI and its IBU (10 000 iterations at most). ldpcore: the mechanism made, "
        "the support counts drawn in one piece, MI, and the limit of IBU in closed form."
    )
    return [Table(f"limit: k = {K}, {SETTING}", "peer ms", "ldpcore ms", rows, note)]


def published(bench: Bench) -> list[Table]:
    """Time the paper's estimators with its number of iterations, a batch of runs at once."""
    return [_published(bench, K, 4), _published(bench, 2 * K, 10)]


def _published(bench: Bench, k: int, target: float) -> Table:
    values, rng = poisson_values(k), np.random.default_rng(2)

    def ours(name: str) -> None:
        m = make(name, k)
        counts = m.sample_counts(np.bincount(values, minlength=k), RUNS, rng)
        ldp.mi(counts, USERS, m)
        ldp.ibu(counts, m)

    rows = [
        Row(
            name,
            bench.peer_ms(name, k, peer_estimates),
            bench.ldpcore_ms(partial(ours, name)) / RUNS,
            target,
            extrapolated=bench.extrapolates(name),
        )
        for name in NAMES
    ]
    note = (
        f"Time of one run. peer: as in the table of the limit. ldpcore: {RUNS} runs in one batch, MI and IBU with the "
        "same stopping rule and at most 10 000 iterations, with the exact channel."
    )
    return Table(f"published: k = {k}, {SETTING}", "peer ms", "ldpcore ms", rows, note)


def reports(bench: Bench) -> list[Table]:
    """Time real reports, as a deployment makes and counts them."""
    values, rng = poisson_values(K), np.random.default_rng(3)

    def ours(name: str) -> None:
        m = make(name, K)
        m.support_counts(m.privatize(values, rng))

    rows = [
        Row(
            name,
            bench.peer_ms(name, K, peer_counts),
            bench.ldpcore_ms(partial(ours, name)),
            target=3,
            extrapolated=bench.extrapolates(name),
        )
        for name in NAMES
    ]
    note = (
        "peer: every user's report, then its MI: it has no function that only counts, and the inversion of the counts "
        "itself takes microseconds. ldpcore: privatize and support_counts."
    )
    return [Table(f"reports: k = {K}, {SETTING}", "peer ms", "ldpcore ms", rows, note)]
