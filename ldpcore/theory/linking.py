"""Whether reports belong together: how well a user is recognised by them, and a change of the value noticed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.errors import Refused
from ldpcore.mechanisms import Mechanism
from ldpcore.mechanisms.hashing import SEED_BITS
from ldpcore.theory.attack import REPORTS_MAX, Chance, mean_of, prior_of, respond, users_for
from ldpcore.theory.attack_curve import CELLS_MAX, cells_of, named, supports_of
from ldpcore.theory.two_rounds import bit_laws, cell_weights, rounds_of, through_first_round

# Numbers drawn in all, and how many pairs of each kind that may be at the least and at the most.
_SIMULATED = 60_000, 100, 500
_SET_COST = 15
# Two hash functions are told apart but for one pair in 2³². Where they are equal the cells say a little more: left out.
_BY_HASH_FUNCTION = Chance(1 - 0.5 / 2**SEED_BITS)


def linkability(m: Mechanism, reports: float, prior: Any = None, *, memo: bool = True, seed: int = 0) -> Chance:
    """Return the chance to tell rightly whether two sets of reports come from one user or from two.

    Each set has so many reports. One user and two users are equally likely beforehand, so 1/2 is blind guessing. Two
    users have independent values; the guesser knows the mechanism and how common each value is, and nothing
    else: no names, addresses or times.

    Parameters
    ----------
    m : Mechanism
        The mechanism.
    reports : int or math.inf
        How many reports there are in each of the two sets.
    prior : array_like, shape (k,), optional
        How common each value is; uniform if not given.
    memo : bool
        Whether users keep a memo, from the first set to the second. For a one-time mechanism a memo means that the
        first report is sent again and again.
    seed : int
        For finitely many reports, where pairs are simulated.

    Notes
    -----
    The best guess is right with (1 + TV)/2, TV being the total variation distance of the two laws. Who sees memos says
    "one user" where they are equal, so it is 1 - Σ Pr[memo]²/2: exact. Fresh noise leaves the value alone
    to go by, in the end 1 - Σθ²/2. A memo that is hashed goes with the number of its hash function, of 32 bits,
    in every report: two users have the same one with 2⁻³².

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> for name in ("L-GRR", "L-OSUE"):  # one value in ten, and ten bits
    ...     print(round(linkability(mechanism(name, k=10, eps=1.0, eps_inf=2.0), math.inf).chance, 3))
    0.95
    0.98
    """
    theta, reports = prior_of(m, prior), check.endless("reports", reports, REPORTS_MAX)
    memo = check.truth("memo", memo)
    if memo and m.g is not None:
        return _BY_HASH_FUNCTION
    if reports == math.inf or (memo and m.eps_inf is None):
        same = _collision(m, theta) if memo else float((theta**2).sum())
        return Chance(1 - same / 2)
    number, rng = int(reports), np.random.default_rng(check.seed(seed))
    pairs = _pairs(m, rng, memo)
    one, other = (rng.choice(m.k, pairs, p=theta) for _ in range(2))
    laws = [
        _laws(m, memo, number, _drawn(m, memo, number, one, second, stays, rng), theta)
        for second, stays in ((one, True), (other, False))
    ]
    return _chance_to_tell([law.same - law.apart for law in laws])


def change_noticed(m: Mechanism, reports: float, prior: Any = None, *, memo: bool = True, seed: int = 0) -> Chance:
    """Return the chance to tell rightly whether a user's value changed between two sets of reports.

    Each set has so many reports. A value that stays and one that changes are equally likely beforehand, so 1/2 is blind
    guessing. A new value is any of the others, as they are common.

    Parameters
    ----------
    m, reports, prior, memo, seed
        As in `linkability`. A user who keeps memos keeps one for each value, or for each cell of one hash function.

    Notes
    -----
    ε∞ does not bound this: it bounds what is learned of a value that stays. Who sees memos says "changed" where they
    differ. Where values are hashed to g cells, one change in g falls into the same cell and is never seen.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> for name in ("L-OSUE", "L-BLH"):
    ...     print(round(change_noticed(mechanism(name, k=100, eps=1.0, eps_inf=2.0), math.inf).chance, 3))
    1.0
    0.698
    """
    theta, reports = prior_of(m, prior), check.endless("reports", reports, REPORTS_MAX)
    memo = check.truth("memo", memo)
    if theta.max() > 1 - 1e-12:
        raise Refused("prior must leave a second value that a user can change to; here one value has all users")
    if memo and m.eps_inf is None and m.g is not None:
        return _BY_HASH_FUNCTION  # the report of another value has another one
    if reports == math.inf or (memo and m.eps_inf is None):
        return Chance(1 - _meeting(m)[1] / 2 if memo else 1.0)
    number, rng = int(reports), np.random.default_rng(check.seed(seed))
    pairs = _pairs(m, rng, memo)
    before = rng.choice(m.k, pairs, p=theta)
    after = _another(before, theta, rng)
    laws = [
        _laws(m, memo, number, _drawn(m, memo, number, before, second, stays, rng), theta)
        for second, stays in ((before, True), (after, False))
    ]
    return _chance_to_tell([law.same - law.changed for law in laws])


def _another(before: IntArray, theta: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw another value for each of some, as the others are common."""
    upto = np.cumsum(theta)
    # A place on the line of all shares, from which that of the old value is cut out.
    place = rng.random(before.size) * (1 - theta[before])
    place += np.where(place >= upto[before] - theta[before], theta[before], 0.0)
    after = np.minimum(np.searchsorted(upto, place, side="right"), theta.size - 1)
    rounded = after == before  # at the edges of its own place
    return np.where(rounded, np.where(before == theta.argmax(), np.argsort(theta)[-2], theta.argmax()), after)


def _pairs(m: Mechanism, rng: np.random.Generator, memo: bool) -> int:
    """Return how many pairs to simulate."""
    cells = (m.rounds.cells or 0) if memo and m.rounds is not None else 0
    if cells > CELLS_MAX:
        raise Refused(f"{m.name} has {cells:,} cells here, more than the {CELLS_MAX:,} that are simulated")
    slow = memo or m.support_law == "independent" or m.support_size == 1
    return users_for(m.k * (1 if slow else _SET_COST) + cells, *_SIMULATED)


def _chance_to_tell(log_ratios: list[FloatArray]) -> Chance:
    """Return the mean belief in the likelier of two, over as many pairs of either kind."""
    chances = [1 / (1 + np.exp(-np.abs(np.clip(ratio, -700, 700)))) for ratio in log_ratios]
    means = [mean_of(chance) for chance in chances]
    return Chance(sum(mean.chance for mean in means) / 2, math.hypot(*(mean.se for mean in means)) / 2)


# ---- memos that meet ----------------------------------------------------------------


def _collision(m: Mechanism, theta: FloatArray) -> float:
    """Return how likely the memos of two users are equal."""
    same_value, other_value = _meeting(m)
    twice = float((theta**2).sum())
    return twice * same_value + (1 - twice) * other_value


def _meeting(m: Mechanism) -> tuple[float, float]:
    """Return how likely two memos are equal: of two users with one value, and of two values of one user.

    The memo of a one-time mechanism is its report.
    """
    if m.eps_inf is not None:
        rounds = rounds_of(m)
        return _equal_cells(rounds.p1, rounds.cells, m) if rounds.cells else _equal_bits(rounds.p1, rounds.q1, m.k)
    if m.support_law == "unknown":
        raise Refused(f"{m.name} does not say which sets its reports support, so equal ones can't be counted")
    return _equal_bits(m.p, m.q, m.k) if m.support_size is None else _equal_sets(m)


def _equal_cells(p: float, g: int, m: Mechanism) -> tuple[float, float]:
    q = (1 - p) / (g - 1)
    same, other = p**2 + (g - 1) * q**2, 2 * p * q + (g - 2) * q**2
    if m.g is None:
        return same, other
    # Two values of one user in one cell have one memo.
    return same, 1 / g + (1 - 1 / g) * other


def _equal_bits(p: float, q: float, k: int) -> tuple[float, float]:
    true, false = p**2 + (1 - p) ** 2, q**2 + (1 - q) ** 2
    return true * false ** (k - 1), (p * q + (1 - p) * (1 - q)) ** 2 * false ** (k - 2)


def _equal_sets(m: Mechanism) -> tuple[float, float]:
    """Count the sets of ω values that hold both, one or none of two values, each with its likelihoods."""
    k, size, ratio = m.k, m.support_size or 1, m.likelihood_ratio
    sets = math.exp(math.lgamma(k + 1) - math.lgamma(size + 1) - math.lgamma(k - size + 1))
    holds = size / k
    both = holds * (size - 1) / (k - 1)
    whole = (1 + (ratio - 1) * holds) ** 2 * sets
    none = 1 - 2 * holds + both
    return (holds * ratio**2 + 1 - holds) / whole, (both * ratio**2 + 2 * (holds - both) * ratio + none) / whole


# ---- pairs of sets of reports ---------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Sets:
    """How often each value, or each cell, is in the reports of the first and of the second set; whose cell is where."""

    first: IntArray
    second: IntArray
    cells: IntArray | None = None


@dataclass(frozen=True, eq=False)
class _Laws:
    """How likely both sets are, as logarithms up to a common term: one value and memo, two users, a change."""

    same: FloatArray
    apart: FloatArray
    changed: FloatArray


def _drawn(
    m: Mechanism, memo: bool, reports: int, one: IntArray, other: IntArray, stays: bool, rng: np.random.Generator
) -> _Sets:
    """Draw two sets of reports: of the same memo if it stays, else of another one."""
    if not memo:
        return _Sets(supports_of(m, one, reports, rng), supports_of(m, other, reports, rng))
    rounds = rounds_of(m)
    if rounds.cells is None:
        values = np.arange(m.k)
        bits = [
            rng.random((one.size, m.k)) < np.where(v[:, None] == values, rounds.p1, rounds.q1) for v in (one, other)
        ]
        bits[1] = bits[0] if stays else bits[1]
        first, second = (rng.binomial(reports, np.where(b, rounds.p2, rounds.q2)) for b in bits)
        return _Sets(first, second)
    cells, pairs = cells_of(m, one.size, rounds.cells, rng), np.arange(one.size)
    old, new = cells[pairs, one], cells[pairs, other]
    memos = respond(old, rounds.cells, rounds.p1, rng)
    # One memo for each cell: another value in the same cell finds the memo that is there.
    same_memo = stays if m.g is None else stays | (old == new)
    later = np.where(same_memo, memos, respond(new, rounds.cells, rounds.p1, rng))
    first, second = (named(which, rounds.cells, rounds, reports, rng) for which in (memos, later))
    return _Sets(first, second, cells)


def _laws(m: Mechanism, memo: bool, reports: int, sets: _Sets, theta: FloatArray) -> _Laws:
    if sets.cells is not None:
        return _cell_laws(m, sets, theta)
    both = sets.first + sets.second
    if not memo:
        logs = [m.effective_eps * counts for counts in (sets.first, sets.second, both)]
        base = np.zeros(len(both))
    else:
        rounds = rounds_of(m)
        chances = (rounds.p1, rounds.q1), (rounds.p2, rounds.q2)
        laws = [
            bit_laws(s, t, *chances) for s, t in ((sets.first, reports), (sets.second, reports), (both, 2 * reports))
        ]
        logs = [own - other for own, other in laws]
        # Bits of nobody's value: those of one memo against those of two.
        base = (laws[2][1] - laws[0][1] - laws[1][1]).sum(axis=1)
    most = [log.max(axis=1) for log in logs]
    first, second, joint = (np.exp(log - top[:, None]) for log, top in zip(logs, most, strict=True))
    apart, changed = _apart(first, second, theta)
    top = most[0] + most[1]
    return _Laws(np.log(joint @ theta) + most[2] + base, np.log(apart) + top, np.log(changed) + top)


def _apart(first: FloatArray, second: FloatArray, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how likely both sets are with two independent values, and with two that differ; memos independent."""
    leaves = theta / np.maximum(1 - theta, 1e-300)
    changed = (first @ leaves) * (second @ theta) - (first * second) @ (leaves * theta)
    return (first @ theta) * (second @ theta), np.maximum(changed, 1e-300)


def _cell_laws(m: Mechanism, sets: _Sets, theta: FloatArray) -> _Laws:
    rounds, cells = rounds_of(m), sets.cells
    assert cells is not None  # noqa: S101 - the caller has looked
    counts = (sets.first, sets.second, sets.first + sets.second)
    weights, logs = zip(*(cell_weights(c, rounds) for c in counts), strict=True)
    by_cell = [through_first_round(w, rounds) for w in weights]
    first, second, joint = (np.take_along_axis(law, cells, axis=1) for law in by_cell)
    apart, changed = _apart(first, second, theta)
    top = logs[0] + logs[1]
    if m.g is not None:
        # Another value in the same cell has the same memo, not an independent one.
        leaves = theta / np.maximum(1 - theta, 1e-300)
        pairs, g = cells.shape[0], by_cell[0].shape[1]
        place = np.arange(pairs)[:, None] * g + cells
        ways, shares, twice = (
            np.bincount(place.ravel(), np.broadcast_to(w, cells.shape).ravel(), pairs * g).reshape(pairs, g)
            for w in (leaves, theta, leaves * theta)
        )
        neighbours = ways * shares - twice
        scale = np.exp(logs[2] - top)[:, None]
        changed = np.maximum(
            changed + (neighbours * (by_cell[2] * scale - by_cell[0] * by_cell[1])).sum(axis=1), 1e-300
        )
    return _Laws(np.log(joint @ theta) + logs[2], np.log(apart) + top, np.log(changed) + top)
