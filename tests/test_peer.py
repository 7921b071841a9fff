"""The same reports, aggregated by multi-freq-ldpy and by ldpcore: the same estimates to 1e-10.

The reports are made by the peer's client functions. Its hash family, xxh32 of the value as text, is one of ours too:
for local hashing the counts are those of `hash_family="xxh32"`, and they are compared with the peer's own hash as well.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ldpcore as ldp

REASON = 'the peer is not installed: pip install multi-freq-ldpy==0.2.5 "xxhash<4"'
with warnings.catch_warnings():
    # What the peer and its compiler have to say while they are imported is theirs to settle.
    warnings.simplefilter("ignore")
    pytest.importorskip("multi_freq_ldpy", reason=REASON)
    numba = pytest.importorskip("numba", reason=REASON)
    xxhash = pytest.importorskip("xxhash", reason=REASON)
    from multi_freq_ldpy.estimators.Histogram_estimator import IBU as PEER_IBU
    from multi_freq_ldpy.long_freq_est import L_GRR, L_LH, L_OSUE, L_OUE, L_SOUE, L_SUE
    from multi_freq_ldpy.pure_frequency_oracles import GRR, HE, LH, SS, UE

pytestmark = [
    pytest.mark.skipif(int(xxhash.VERSION.split(".")[0]) >= 4, reason=REASON),
    # Raised inside the peer's compiled functions (reflected lists, object mode): nothing of ours.
    pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaWarning"),
]

N = 1000
SIZES = [(12, 1.0), (30, 2.0), (30, 3.0)]
TOLERANCE = {"rtol": 0, "atol": 1e-10}


@numba.njit
def seed_compiled(seed: int) -> None:
    """Seed the generator of compiled functions, which is not NumPy's."""
    np.random.seed(seed)  # noqa: NPY002 - compiled code knows no other way


def population(k: int) -> list[int]:
    seed_compiled(k)
    np.random.seed(k)  # noqa: NPY002 - the peer draws from the global generator
    weights = 1 / np.arange(1, k + 1)
    return [int(v) for v in np.random.default_rng(k).choice(k, size=N, p=weights / weights.sum())]


class Peer:
    """The peer's three functions for one mechanism, called with ε or with (ε∞, ε₁)."""

    def __init__(self, client: Callable, mi: Callable, ibu: Callable, *, mi_takes_k: bool = True, **options: Any):
        self._client, self._mi, self._ibu = client, mi, ibu
        self._mi_takes_k, self._options = mi_takes_k, options

    def reports(self, k: int, eps: tuple[float, ...]) -> list[Any]:
        extra = tuple(self._options.values())  # compiled functions take them by position
        return [self._client(v, k, *eps, *extra) for v in population(k)]

    def mi(self, reports: list[Any], k: int, eps: tuple[float, ...]) -> np.ndarray:
        return self._mi(reports, *((k,) if self._mi_takes_k else ()), *eps, **self._options)

    def ibu(self, reports: list[Any], k: int, eps: tuple[float, ...]) -> np.ndarray:
        return self._ibu(reports, k, *eps, **self._options)


def unary_chain(module: Any, name: str) -> Peer:
    functions = (getattr(module, f"{name}_{part}") for part in ("Client", "Aggregator_MI", "Aggregator_IBU"))
    return Peer(*functions, mi_takes_k=False)


PEERS = {
    "GRR": Peer(GRR.GRR_Client, GRR.GRR_Aggregator_MI, GRR.GRR_Aggregator_IBU),
    "SUE": Peer(UE.UE_Client, UE.UE_Aggregator_MI, UE.UE_Aggregator_IBU, mi_takes_k=False, optimal=False),
    "OUE": Peer(UE.UE_Client, UE.UE_Aggregator_MI, UE.UE_Aggregator_IBU, mi_takes_k=False, optimal=True),
    "SS": Peer(SS.SS_Client, SS.SS_Aggregator_MI, SS.SS_Aggregator_IBU),
    "THE": Peer(HE.HE_Client, HE.HE_Aggregator_MI, HE.HE_Aggregator_IBU),
    "L-GRR": Peer(L_GRR.L_GRR_Client, L_GRR.L_GRR_Aggregator_MI, L_GRR.L_GRR_Aggregator_IBU),
    "L-SUE": unary_chain(L_SUE, "L_SUE"),
    "L-OUE": unary_chain(L_OUE, "L_OUE"),
    "L-SOUE": unary_chain(L_SOUE, "L_SOUE"),
    "L-OSUE": unary_chain(L_OSUE, "L_OSUE"),
}
HASHING = {
    "BLH": Peer(LH.LH_Client, LH.LH_Aggregator_MI, LH.LH_Aggregator_IBU, optimal=False),
    "OLH": Peer(LH.LH_Client, LH.LH_Aggregator_MI, LH.LH_Aggregator_IBU, optimal=True),
    "L-BLH": Peer(L_LH.L_LH_Client, L_LH.L_LH_Aggregator_MI, L_LH.L_LH_Aggregator_IBU, optimal=False),
    "L-OLH": Peer(L_LH.L_LH_Client, L_LH.L_LH_Aggregator_MI, L_LH.L_LH_Aggregator_IBU, optimal=True),
}


def budgets(name: str, eps: float) -> tuple[float, ...]:
    """What the peer takes: ε, or ε∞ and then ε₁ = ε∞/2."""
    return (2 * eps, eps) if name in ldp.LONGITUDINAL else (eps,)


def options_of(name: str, eps: float) -> dict[str, float]:
    """THE takes the peer's threshold, which is not the exact minimum: see the test below."""
    return {"theta": peer_theta(eps)} if name == "THE" else {}


def peer_theta(eps: float) -> float:
    """Return the threshold that the peer's own search finds."""
    return float(HE.minimize_scalar(HE.find_tresh, bounds=[0.5, 1], method="bounded", args=(eps,)).x)


@pytest.mark.parametrize("eps", [0.5, 1.0, 2.0, 3.0, 4.0])
def test_the_peers_threshold_is_ours_as_far_as_it_looks(eps: float) -> None:
    """The peer minimises the variance numerically and stops within 1e-5 of the minimum; ours is exact and no worse."""
    ours, theirs = ldp.mechanism("THE", k=12, eps=eps).threshold, peer_theta(eps)
    assert ours is not None
    assert abs(ours - theirs) < 1e-5
    assert HE.find_tresh(ours, eps) <= HE.find_tresh(theirs, eps) * (1 + 1e-14)


@pytest.mark.parametrize(("k", "eps"), SIZES)
@pytest.mark.parametrize("name", list(PEERS))
def test_the_peers_reports_give_the_peers_estimates(name: str, k: int, eps: float) -> None:
    peer, args = PEERS[name], (k, budgets(name, eps))
    m = ldp.mechanism(name, k=k, eps=eps, **options_of(name, eps))
    reports = peer.reports(*args)
    counts = m.support_counts(np.array(reports))
    channel = "published" if name == "L-GRR" else "exact"
    np.testing.assert_allclose(ldp.mi(counts, N, m), peer.mi(reports, *args), **TOLERANCE)
    np.testing.assert_allclose(ldp.ibu(counts, m, channel=channel), peer.ibu(reports, *args), **TOLERANCE)


def test_the_peers_subsets_give_users_away_by_their_order() -> None:
    """Ours are sorted; in the peer's the true value is the first wherever it is there, and the check of fit says so."""
    reports = np.array(PEERS["SS"].reports(12, (1.0,)))
    assert (np.diff(reports, axis=1) < 0).any()
    has_own = (reports == np.array(population(12))[:, None]).any(axis=1)
    assert (reports[has_own, 0] == np.array(population(12))[has_own]).all()
    m = ldp.mechanism("SS", k=12, eps=1.0)
    fit = ldp.estimate_reports(reports, m).fit[0]
    assert (fit.statistic, fit.fits) == ("order", False)
    assert ldp.estimate_reports(np.sort(reports, axis=1), m).fit[0].statistic != "order"


def peer_cells(seeds: np.ndarray, k: int, g: int) -> np.ndarray:
    texts = [str(v) for v in range(k)]
    return np.array([[xxhash.xxh32(text, seed=int(seed)).intdigest() % g for text in texts] for seed in seeds])


def watch_peer(name: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, float]]:
    """Return a list that gets the (p, q) on the diagonal and off it of every matrix the peer hands to its IBU."""
    seen: list[tuple[float, float]] = []

    def spy(k: int, A: np.ndarray, *rest: Any) -> np.ndarray:
        seen.append((float(A[0, 0]), float(A[0, 1])))
        return PEER_IBU(k, A, *rest)

    monkeypatch.setattr(L_LH if name.startswith("L-") else LH, "IBU", spy)
    return seen


@pytest.mark.parametrize(("k", "eps"), SIZES)
@pytest.mark.parametrize("name", list(HASHING))
def test_local_hashing_from_the_peers_own_hash(name: str, k: int, eps: float, monkeypatch: pytest.MonkeyPatch) -> None:
    peer, args = HASHING[name], (k, budgets(name, eps))
    m = ldp.mechanism(name, k=k, eps=eps, hash_family="xxh32")
    reports = peer.reports(*args)
    values, seeds = (np.array(column, dtype=np.int64) for column in zip(*reports, strict=True))
    assert values.max() == m.g - 1  # the number of cells; all of them are in use among 1 000 reports
    counts = m.support_counts((seeds, values))
    np.testing.assert_array_equal(counts, (peer_cells(seeds, k, m.g) == values[:, None]).sum(axis=0))
    np.testing.assert_allclose(ldp.mi(counts, N, m), peer.mi(reports, *args), **TOLERANCE)
    seen = watch_peer(name, monkeypatch)
    np.testing.assert_allclose(ldp.ibu(counts, m, channel="published"), peer.ibu(reports, *args), **TOLERANCE)
    np.testing.assert_allclose([m.channel("published")], seen, rtol=1e-12)


@pytest.mark.parametrize("stop", ["max_abs", "mse", "mae", "max_squared"])
@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize("iterations", [1, 10, 300])
def test_the_stopping_rules_are_the_peers(stop: str, tol: float, iterations: int) -> None:
    m = ldp.mechanism("BLH", k=10, eps=2.0)
    counts = m.sample_counts(np.arange(10) * 20, 1, np.random.default_rng(0))[0]
    A = np.full((10, 10), m.q)
    np.fill_diagonal(A, m.p)
    expected = PEER_IBU(10, A, counts / counts.sum(), iterations, tol, stop)
    np.testing.assert_allclose(ldp.ibu(counts, m, max_iter=iterations, tol=tol, stop=stop), expected, **TOLERANCE)
