"""What an attacker learns: how often the best guess of a user's value is right, after one report or after many."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.errors import Refused
from ldpcore.mechanisms.base import Mechanism
from ldpcore.mechanisms.grr import SingleValueReports
from ldpcore.mechanisms.longitudinal import LGRR, LongitudinalHashing, LongitudinalMechanism
from ldpcore.mechanisms.subset import SS
from ldpcore.theory.binomial import binomial

# Where users are simulated: numbers drawn in all, and how many users that may be at the most and at the least.
_DRAWS, _USERS_MAX, _USERS_MIN = 800_000, 10_000, 200
REPORTS_MAX = 10_000


@dataclass(frozen=True)
class Chance:
    """A probability, and its standard error: 0 where it is exact, more where users were simulated."""

    chance: float
    se: float = 0.0


# ---- one report --------------------------------------------------------------------


def attack_success(m: Mechanism, prior: Any = None) -> float:
    """Return the chance that the best single guess of a user's value from one report is right.

    Parameters
    ----------
    m : Mechanism
        The mechanism.
    prior : array_like, shape (k,), optional
        What the attacker believes beforehand, and what the users' values are drawn from; uniform if not given.

    Notes
    -----
    The best guess is argmax θ_v λ^[v ∈ S]: the commonest value, or the commonest that the report supports. So only the
    first supported value j in order of θ matters, and the chance is κ·Σ_j b(first is j)·max(θ₁, λθ_j): exact for any
    prior. With a uniform one it is p for GRR, p/ω for SS and p[1-(1-q)^k]/(kq) + (1-p)(1-q)^{k-1}/k for the others.
    """
    theta = np.full(m.k, 1 / m.k) if prior is None else frequencies_of("prior", prior, m.k)
    common_first = -np.sort(-theta)
    first, none = _first_supported(m)
    ratio = m.likelihood_ratio
    base = (first * np.maximum(common_first[0], ratio * common_first)).sum() + none * common_first[0]
    return float(base / (1 + (ratio - 1) * _base_rate(m)))


def frequencies_of(name: str, values: Any, k: int) -> FloatArray:
    """Return k frequencies that sum to 1, or say what is wrong with them."""
    array = check.nonnegative_array(name, values, k)
    if array.ndim != 1 or abs(array.sum() - 1) > 1e-6:
        raise Refused(f"{name} must be k = {k} frequencies that sum to 1; got a sum of {array.sum():.9g}")
    return np.asarray(array / array.sum())


def _base_rate(m: Mechanism) -> float:
    """Return β, the chance that a value is in S if no value were the true one."""
    if isinstance(m, SingleValueReports):
        return 1 / m.k
    return m.omega / m.k if isinstance(m, SS) else m.q


def _first_supported(m: Mechanism) -> tuple[FloatArray, float]:
    """Return the chances, if no value were the true one, that value j is the first in S, and that S is empty."""
    order = np.arange(m.k)
    if isinstance(m, SingleValueReports):
        return np.full(m.k, 1 / m.k), 0.0
    if isinstance(m, SS):
        # Of the k-j values from j on, with all ω still to come, j is one with ω/(k-j); before, none was.
        here = np.minimum(m.omega / (m.k - order), 1.0)
        return np.asarray(here * np.concatenate([[1.0], np.cumprod(1 - here)[:-1]])), 0.0
    return np.asarray(m.q * (1 - m.q) ** order), float((1 - m.q) ** m.k)


# ---- many reports of the same user -------------------------------------------------


def attack_success_after(m: Mechanism, reports: float, *, seed: int = 0) -> Chance:
    """Return the chance that the best guess from many reports of a user whose value does not change is right.

    All values are equally likely beforehand. A longitudinal mechanism keeps its memo, so the chance stops growing at
    that of an attacker who sees the memo itself; a one-time mechanism that is used again draws fresh noise every time
    (hashing: a fresh hash function), and the chance goes to 1.

    Parameters
    ----------
    m : Mechanism
        The mechanism.
    reports : int or math.inf
        How many reports of the user the attacker has seen, up to 10 000, or infinitely many.
    seed : int
        For GRR, SS, L-GRR, L-BLH and L-OLH with more than one and finitely many reports, where users are simulated.

    Notes
    -----
    Where every value is in the support on its own (unary encodings, THE, fresh hashing), the number s of reports that
    support a value says all about it, and more is better: the best guess is the value with the largest s, ties
    at random. With f₁ and f₀ the distributions of s for the true and for another value, and F₀ the sum of f₀, the
    chance is Σ_s f₁(s)·[F₀(s)^k - F₀(s-1)^k]/(k·f₀(s)): exact. For the others reports are simulated, and
    the chance is the mean of the attacker's own belief in the best guess, which scatters less than right and wrong do.
    """
    if reports != math.inf:
        reports = check.integer("reports", reports, 1, REPORTS_MAX)
    rng = np.random.default_rng(check.integer("seed", seed, 0))
    if reports == 1:
        return Chance(attack_success(m))
    if not isinstance(m, LongitudinalMechanism):
        return _fresh(m, reports, rng)
    if reports == math.inf:
        return Chance(_memo_seen(m))
    if isinstance(m, (LGRR, LongitudinalHashing)):
        found = _cells(m, (m.p1, m.p2), int(reports), rng)
        return Chance(min(found.chance, _memo_seen(m)), found.se)
    return Chance(_most_supported(m.k, int(reports), (m.p1, m.q1), (m.p2, m.q2)))


def _fresh(m: Mechanism, reports: float, rng: np.random.Generator) -> Chance:
    if reports == math.inf:
        return Chance(1.0)
    if isinstance(m, SS):
        return _subsets(m, int(reports), rng)
    if isinstance(m, SingleValueReports):
        return _cells(m, (1.0, m.p), int(reports), rng)
    return Chance(_most_supported(m.k, int(reports), (1.0, 0.0), (m.p, m.q)))


def _memo_seen(m: LongitudinalMechanism) -> float:
    """Return the chance of an attacker who sees the memo: that of one report with the first round's p₁ and q₁."""
    if isinstance(m, LGRR):
        return m.p1
    q1 = 1 / m.g if isinstance(m, LongitudinalHashing) else m.q1
    some = -math.expm1(m.k * math.log1p(-q1)) / (m.k * q1)
    return m.p1 * some + (1 - m.p1) * (1 - q1) ** (m.k - 1) / m.k


def _most_supported(k: int, reports: int, first: tuple[float, float], second: tuple[float, float]) -> float:
    """Sum over how often the true value is supported; the others must not be supported more often."""
    kept, lost = (binomial(reports, chance) for chance in second)
    own, other = (chance * kept + (1 - chance) * lost for chance in first)
    upto = np.minimum(np.cumsum(other), 1.0)
    # [F(s)^k - F(s-1)^k]/(k·f(s)), with f over F as the small number: no digits cancel.
    step = np.divide(other, upto, out=np.zeros_like(other), where=upto > 0)
    inside = np.minimum(step, 1 - 1e-16)
    shared = np.divide(-np.expm1(k * np.log1p(-inside)), k * step, out=np.ones_like(step), where=step > 1e-300)
    return float((own * upto ** (k - 1) * shared).sum())


def _users(each: int) -> int:
    """Return how many users to simulate, if each takes this many draws."""
    return max(_USERS_MIN, min(_USERS_MAX, _DRAWS // each))


def _belief(likelihood: FloatArray) -> Chance:
    """Return the mean over users of the belief in the likeliest value; (users, k) likelihoods, up to a factor."""
    best = likelihood.max(axis=1) / likelihood.sum(axis=1)
    return Chance(float(best.mean()), float(best.std(ddof=1) / math.sqrt(best.size)))


def _subsets(m: SS, reports: int, rng: np.random.Generator) -> Chance:
    """Simulate users who send fresh subsets: Pr[reports | v] ∝ λ^s with s the number of subsets that hold v.

    The reports of one user are like those of as many users who hold the same value.
    """
    same_value = np.zeros(m.k, dtype=np.int64)
    same_value[0] = reports
    held = m.sample_counts(same_value, _users(2 * m.k), rng)  # drawing subsets takes its time
    return _belief(np.exp(m.eps * (held - held.max(axis=1, keepdims=True))))


def _cells(m: Mechanism, keep: tuple[float, float], reports: int, rng: np.random.Generator) -> Chance:
    """Simulate users who send randomized cells of a memo that is a randomized cell of the value.

    The cells are the values themselves, or the g cells of a hash function that the attacker knows. A value in cell c
    has the likelihood p₁W_c + q₁·(sum of the other W), W_c = (p₂/q₂)^(reports that name c): the best guess is any value
    of the cell that is named most often, among those that hold a value at all.
    """
    g = m.g if isinstance(m, LongitudinalHashing) else m.k
    users = _users(m.k + reports)
    p1, p2 = keep
    q1, q2 = (1 - p1) / (g - 1), (1 - p2) / (g - 1)
    cells = np.tile(np.arange(m.k), (users, 1))
    if isinstance(m, LongitudinalHashing):
        cells = rng.integers(0, g, cells.shape)
    memo = _respond(cells[:, :1], g, p1, rng)
    named = _respond(np.repeat(memo, reports, axis=1), g, p2, rng)
    return _belief(_likelihoods(cells, named, g, math.log(p2 / q2), p1, q1))


def _respond(cells: IntArray, g: int, p: float, rng: np.random.Generator) -> IntArray:
    """Keep a cell with probability p, else take any other one."""
    other = (cells + rng.integers(1, g, cells.shape)) % g
    return np.where(rng.random(cells.shape) < p, cells, other)


def _likelihoods(cells: IntArray, named: IntArray, g: int, ratio: float, p1: float, q1: float) -> FloatArray:
    """Return Pr[reports | v] up to a factor for every user and value; `ratio` is ln(p₂/q₂).

    g may be far larger than the number of cells that play a part, so those are found by sorting.
    """
    users, k = cells.shape
    own = np.arange(users)[:, None] * g
    keys, place = np.unique(np.concatenate([(own + cells).ravel(), (own + named).ravel()]), return_inverse=True)
    times = np.bincount(place[users * k :], minlength=keys.size)
    user = keys // g
    most = np.zeros(users, dtype=np.int64)
    np.maximum.at(most, user, times)
    weight = np.exp(ratio * (times - most[user]))
    # Cells that play no part were never named.
    unseen = (g - np.bincount(user, minlength=users)) * np.exp(-ratio * most)
    total = np.bincount(user, weights=weight, minlength=users) + unseen
    return np.asarray((p1 - q1) * weight[place[: users * k]].reshape(users, k) + q1 * total[:, None])
