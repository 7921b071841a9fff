"""How an attacker's success grows from report to report: the same users followed through all of their reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.errors import Refused
from ldpcore.mechanisms import Mechanism, Rounds
from ldpcore.theory.attack import (
    REPORTS_MAX,
    Chance,
    attack_success_after,
    best_belief,
    fresh_chance,
    mean_of,
    memo_chance,
    one_report,
    prior_of,
    respond,
    users_for,
)
from ldpcore.theory.two_rounds import cell_weights, rounds_of, through_first_round

# Numbers that are drawn at each of the points, and how many users that may be at the least and at the most.
_SIMULATED = 250_000, 300, 2_000
# A set of several values takes about as long to draw as so many single ones.
_SET_COST = 15
# With more cells than this the counts of all of them take too much room.
CELLS_MAX = 4_096
# A curve that is this near to its end has reached it.
_THERE = 1e-12


def attack_is_exact(m: Mechanism, *, memo: bool = True) -> bool:
    """Tell whether `attack_curve` is computed exactly; else users are simulated, and every chance has an error.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> attack_is_exact(mechanism("L-OSUE", k=4, eps=1.0)), attack_is_exact(mechanism("L-GRR", k=4, eps=1.0))
    (True, False)
    """
    check.mechanism(m)
    memo = check.truth("memo", memo)
    if m.eps_inf is None and memo:
        return m.support_law != "unknown"
    if not memo:
        return m.support_law == "independent"
    return m.rounds is not None and m.rounds.cells is None


def attack_curve(
    m: Mechanism, reports: Sequence[int], prior: Any = None, *, memo: bool = True, seed: int = 0
) -> tuple[Chance, ...]:
    """Return the chances that the best guess of a user's value is right after each of some numbers of reports.

    Parameters
    ----------
    m : Mechanism
        The mechanism.
    reports : sequence of int
        Numbers of reports, ascending, from 1 to 10 000.
    prior : array_like, shape (k,), optional
        What the attacker believes beforehand, and what the users' values are drawn from; uniform if not given.
    memo : bool
        Whether the user keeps a memo. A longitudinal mechanism without one draws both rounds anew at every report; for
        a one-time mechanism a memo means that the first report is sent again and again.
    seed : int
        Where users are simulated (see `attack_is_exact`).

    Notes
    -----
    `attack_success_after` at each of the numbers, but simulated users are the same ones all along, and what is known
    exactly (the chance after one report, and with a memo the end of the curve) serves as control variates: errors
    shrink as the curve comes near either.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> m = mechanism("L-OSUE", k=100, eps=1.0, eps_inf=2.0)
    >>> [round(c.chance, 3) for c in attack_curve(m, [1, 10, 100])]
    [0.019, 0.042, 0.042]
    >>> [round(c.chance, 3) for c in attack_curve(m, [1, 10, 100], memo=False)]
    [0.019, 0.189, 0.983]
    """
    numbers = [check.integer("reports", r, 1, REPORTS_MAX) for r in check.sequence("reports", reports, "numbers")]
    if numbers != sorted(set(numbers)) or not numbers:
        raise Refused(f"reports must be ascending numbers, at least one; got {check.shown(numbers)}")
    rng = np.random.default_rng(check.seed(seed))
    theta, memo = prior_of(m, prior), check.truth("memo", memo)
    once = one_report(m, theta, rng)
    if m.eps_inf is None and memo:
        return (once,) * len(numbers)
    if attack_is_exact(m, memo=memo):
        return _exact(m, numbers, theta, memo)
    if memo and (m.rounds is None or (m.rounds.cells or 0) > CELLS_MAX):
        return tuple(attack_success_after(m, r, theta, seed=seed) for r in numbers)
    beliefs = _with_memo(m, numbers, theta, rng) if memo else _fresh(m, numbers, theta, rng)
    end = memo_chance(m, math.inf, theta).chance if memo else 1.0
    if once.se > 0:
        return tuple(mean_of(belief) for belief in beliefs[2:])
    # What one report, and the memo itself, would give these users, and what it gives on average.
    controls, known = np.stack(beliefs[:2], axis=1), np.array([once.chance, end])
    chances = [_corrected(belief, controls, known) for belief in beliefs[2:]]
    # More reports are never worse than one, nor better than the memo.
    return tuple(
        once if r == 1 else Chance(min(max(c.chance, once.chance), end), c.se)
        for r, c in zip(numbers, chances, strict=True)
    )


def _corrected(belief: FloatArray, controls: FloatArray, known: FloatArray) -> Chance:
    """Return the mean of the users' beliefs, corrected by what they have in common with others whose mean is known."""
    around = controls - controls.mean(axis=0)
    around[:, around.std(axis=0) < _THERE] = 0.0  # the same for all users but for rounding
    slopes = np.linalg.lstsq(around, belief - belief.mean(), rcond=1e-9)[0]
    rest = belief - controls @ slopes
    return Chance(float(rest.mean() + known @ slopes), mean_of(rest, 1 - known[0]).se)


def _exact(m: Mechanism, numbers: Sequence[int], theta: FloatArray, memo: bool) -> tuple[Chance, ...]:
    """Return exact chances; where the curve has come to its end, the end."""
    compute = memo_chance if memo else fresh_chance
    end = compute(m, math.inf, theta).chance
    chances: list[Chance] = []
    for r in numbers:
        there = chances and chances[-1].chance >= end - _THERE
        chances.append(Chance(end) if there else compute(m, r, theta))
    return tuple(chances)


def _fresh(m: Mechanism, numbers: Sequence[int], theta: FloatArray, rng: np.random.Generator) -> list[FloatArray]:
    """Follow users who send fresh reports: Pr[reports | v] ∝ λ^s with s the number of reports that support v.

    Return their beliefs after one report, after infinitely many, and after each number of reports.
    """
    users = users_for(m.k * (1 if m.support_size == 1 else _SET_COST), *_SIMULATED)
    values = rng.choice(m.k, users, p=theta)
    counts = np.zeros((users, m.k), dtype=np.int64)
    beliefs: list[FloatArray] = []
    before = 0
    for r in (1, *(number for number in numbers if number > 1)):
        if not beliefs or beliefs[-1].min() < 1 - _THERE:
            counts += supports_of(m, values, r - before, rng)
            before = r
        beliefs.append(best_belief(theta * np.exp(m.effective_eps * (counts - counts.max(axis=1, keepdims=True)))))
    return [beliefs[0], np.ones(users), *beliefs[int(numbers[0] > 1) :]]


def supports_of(m: Mechanism, values: IntArray, reports: int, rng: np.random.Generator) -> IntArray:
    """Draw how many of so many fresh reports of each user support each value, shape (users, k).

    The reports of one user are like those of as many users who hold the same value, and all other values are alike.

    >>> from ldpcore import mechanism
    >>> m = mechanism("GRR", k=3, eps=50.0)
    >>> supports_of(m, np.array([1, 2]), 5, np.random.default_rng(1)).tolist()
    [[0, 5, 0], [0, 0, 5]]
    """
    if m.support_size == 1:
        return _single_values(values, m.k, m.p - m.q, reports, rng)
    same_value = np.zeros(m.k, dtype=np.int64)
    same_value[0] = reports
    counts = m.sample_counts(same_value, values.size, rng)
    users, own = np.arange(values.size), counts[:, 0].copy()
    counts[:, 0] = counts[users, values]
    counts[users, values] = own
    return counts


def _with_memo(m: Mechanism, numbers: Sequence[int], theta: FloatArray, rng: np.random.Generator) -> list[FloatArray]:
    """Follow users who send randomized cells of a memo; return their beliefs as `_fresh` does."""
    rounds = rounds_of(m)
    g = rounds.cells or m.k
    users = users_for(m.k + g, *_SIMULATED)
    cells = cells_of(m, users, g, rng)
    values = rng.choice(m.k, users, p=theta)
    memos = respond(cells[np.arange(users), values], g, rounds.p1, rng)
    of_memo = best_belief(theta * np.where(cells == memos[:, None], rounds.p1, rounds.q1))
    counts = np.zeros((users, g), dtype=np.int64)
    beliefs: list[FloatArray] = []
    before = 0
    for r in (1, *(number for number in numbers if number > 1)):
        counts += named(memos, g, rounds, r - before, rng)
        before = r
        likely = through_first_round(cell_weights(counts, rounds)[0], rounds)
        beliefs.append(best_belief(theta * np.take_along_axis(likely, cells, axis=1)))
    return [beliefs[0], of_memo, *beliefs[int(numbers[0] > 1) :]]


def cells_of(m: Mechanism, users: int, g: int, rng: np.random.Generator) -> IntArray:
    """Return in which cell every value is for each user, shape (users, k): its own, or that of a hash function.

    >>> from ldpcore import mechanism
    >>> cells_of(mechanism("L-GRR", k=3, eps=1.0), 2, 3, np.random.default_rng(1)).tolist()
    [[0, 1, 2], [0, 1, 2]]
    """
    return rng.integers(0, g, (users, m.k)) if m.g is not None else np.tile(np.arange(m.k), (users, 1))


def named(memos: IntArray, g: int, rounds: Rounds, reports: int, rng: np.random.Generator) -> IntArray:
    """Draw how often so many reports of each memo name each of the g cells, shape (users, g).

    >>> from ldpcore.mechanisms import Rounds
    >>> named(np.array([1]), 3, Rounds(0.8, 0.1, 1.0, 0.0, cells=3), 5, np.random.default_rng(1)).tolist()
    [[0, 5, 0]]
    """
    return _single_values(memos, g, rounds.p2 - rounds.q2, reports, rng)


def _single_values(values: IntArray, k: int, keep: float, reports: int, rng: np.random.Generator) -> IntArray:
    """Draw how often reports that keep the value, or else take any of the k, name each of them."""
    users = np.arange(values.size)
    unchanged = rng.binomial(reports, keep, values.size)
    if reports > k:
        counts = np.asarray(rng.multinomial(reports - unchanged, np.full(k, 1 / k)))
    else:  # few reports are quicker drawn one by one
        sender = np.repeat(users, reports - unchanged)
        place = sender * k + rng.integers(0, k, sender.size)
        counts = np.bincount(place, minlength=values.size * k).reshape(values.size, k)
    counts[users, values] += unchanged
    return counts
