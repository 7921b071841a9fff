"""What an attacker learns: how often the best guess of a user's value is right, after one report or after many."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.errors import Refused
from ldpcore.mechanisms import Mechanism, Rounds
from ldpcore.theory.binomial import binomial
from ldpcore.theory.two_rounds import Pair, bit_laws

# Where users are simulated: numbers drawn in all, and how many users that may be at the least and at the most.
_SIMULATED = 800_000, 200, 10_000
REPORTS_MAX = 10_000
# Where nothing is known about the two rounds, infinitely many reports are simulated as so many.
_REPORTS_MANY = 300
# Of a wrong guess that is this rare among the simulated users, how they scatter says nothing.
_FEW = 10
# Outcomes less likely than this are left out: they change no digit of a chance.
_NEVER = 1e-25


@dataclass(frozen=True)
class Chance:
    """A probability, and its standard error: 0 where it is exact, more where users were simulated.

    Examples
    --------
    >>> Chance(0.25)
    Chance(chance=0.25, se=0.0)
    """

    chance: float
    se: float = 0.0


# ---- one report --------------------------------------------------------------------


def attack_success(m: Mechanism, prior: Any = None, *, seed: int = 0) -> float:
    """Return the chance that the best single guess of a user's value from one report is right.

    Parameters
    ----------
    m : Mechanism
        The mechanism.
    prior : array_like, shape (k,), optional
        What the attacker believes beforehand, and what the users' values are drawn from; uniform if not given.
    seed : int
        For mechanisms whose support follows no law that is known here (`support_law`): there users are simulated.

    Notes
    -----
    The best guess is argmax θ_v λ^[v ∈ S]: the commonest value, or the commonest that the report supports. So only the
    first supported value j in order of θ matters, and the chance is κ·Σ_j b(first is j)·max(θ₁, λθ_j): exact for any
    prior. With a uniform one it is p for GRR, p/ω for SS and p[1-(1-q)^k]/(kq) + (1-p)(1-q)^{k-1}/k for the others.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> round(attack_success(mechanism("GRR", k=4, eps=1.0)), 4)  # e/(e+3)
    0.4754
    >>> round(attack_success(mechanism("GRR", k=4, eps=1.0), [0.7, 0.1, 0.1, 0.1]), 4)  # the report changes no mind
    0.7
    """
    return one_report(m, prior_of(m, prior), np.random.default_rng(check.seed(seed))).chance


def prior_of(m: Mechanism, prior: Any) -> FloatArray:
    """Return the prior as frequencies; uniform if none is given.

    >>> from ldpcore import mechanism
    >>> prior_of(mechanism("GRR", k=2, eps=1.0), None)
    array([0.5, 0.5])
    """
    check.mechanism(m)
    return np.full(m.k, 1 / m.k) if prior is None else frequencies_of("prior", prior, m.k)


def frequencies_of(name: str, values: Any, k: int) -> FloatArray:
    """Return k frequencies that sum to 1, or say what is wrong with them.

    >>> frequencies_of("prior", [0.25, 0.75], 2)
    array([0.25, 0.75])
    """
    array = check.nonnegative_array(name, values, k)
    if array.ndim != 1 or abs(array.sum() - 1) > 1e-6:
        raise Refused(f"{name} must be k = {k} frequencies that sum to 1; got a sum of {array.sum():.9g}")
    return np.asarray(array / array.sum())


def one_report(m: Mechanism, theta: FloatArray, rng: np.random.Generator) -> Chance:
    """Return the chance after one report; exact where the law of the support is known.

    >>> from ldpcore import mechanism
    >>> round(one_report(mechanism("GRR", k=2, eps=1.0), np.array([0.5, 0.5]), np.random.default_rng(1)).chance, 4)
    0.7311
    """
    if m.support_law == "unknown":
        supports = m.supports(m.privatize(rng.choice(m.k, users_for(m.k, *_SIMULATED), p=theta), rng))
        return mean_of(best_belief(theta * np.where(supports, m.likelihood_ratio, 1.0)))
    return Chance(_one_set(theta, 1 / m.likelihood_ratio, m.base_rate, m.support_size))


def _one_set(theta: FloatArray, shrink: float, base_rate: float, size: int | None) -> float:
    """Return the chance from one set of supported values; those outside have `shrink` = 1/λ of the likelihood."""
    common_first = -np.sort(-theta)
    first, none = _first_supported(theta.size, base_rate, size)
    likely = (first * np.maximum(shrink * common_first[0], common_first)).sum() + none * shrink * common_first[0]
    return float(likely / (shrink + (1 - shrink) * base_rate))


def _first_supported(k: int, base_rate: float, size: int | None) -> tuple[FloatArray, float]:
    """Return the chances, if no value were the true one, that value j is the first in S, and that S is empty."""
    order = np.arange(k)
    if size is None:
        return np.asarray(base_rate * (1 - base_rate) ** order), float((1 - base_rate) ** k)
    # Of the k-j values from j on, with all ω still to come, j is one with ω/(k-j); before, none was.
    here = np.minimum(size / (k - order), 1.0)
    return np.asarray(here * np.concatenate([[1.0], np.cumprod(1 - here)[:-1]])), 0.0


# ---- many reports of the same user -------------------------------------------------


def attack_success_after(m: Mechanism, reports: float, prior: Any = None, *, seed: int = 0) -> Chance:
    """Return the chance that the best guess from many reports of a user whose value does not change is right.

    A longitudinal mechanism keeps its memo, so the chance stops growing at that of an attacker who sees the memo
    itself; a one-time mechanism that is used again draws fresh noise every time (hashing: a fresh hash function), and
    the chance goes to 1.

    Parameters
    ----------
    m : Mechanism
        The mechanism.
    reports : int or math.inf
        How many reports of the user the attacker has seen, up to 10 000, or infinitely many.
    prior : array_like, shape (k,), optional
        What the attacker believes beforehand, and what the users' values are drawn from; uniform if not given.
    seed : int
        Where users are simulated: of the paper's mechanisms, with more than one and finitely many reports of GRR, SS,
        L-GRR, L-BLH and L-OLH.

    Notes
    -----
    Where every value is in the support on its own (unary encodings, THE, fresh hashing), the number s of reports that
    support a value says all about it. With f₁ and f₀ the distributions of s for the true and for another value, the
    best guess is argmax θ_v f₁(s_v)/f₀(s_v), and the chance is the sum over v and s of θ_v f₁(s) times the chance under
    f₀ that no other value is ahead: exact. For the others reports are simulated, and the chance is the mean
    of the attacker's own belief in the best guess, which scatters less than right and wrong do.
    A longitudinal mechanism that doesn't say what its `rounds` are is simulated too, with an attacker who guesses the
    value that is supported most often, or always the commonest: the best attacker is right at least as often.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> m = mechanism("L-SUE", k=4, eps=1.0, eps_inf=2.0)
    >>> [round(attack_success_after(m, reports).chance, 3) for reports in (1, 10, 100, math.inf)]
    [0.373, 0.508, 0.512, 0.512]
    """
    reports = check.endless("reports", reports, REPORTS_MAX)
    rng = np.random.default_rng(check.seed(seed))
    theta = prior_of(m, prior)
    if reports == 1:
        return one_report(m, theta, rng)
    return fresh_chance(m, reports, theta, rng) if m.eps_inf is None else memo_chance(m, reports, theta, rng)


def fresh_chance(m: Mechanism, reports: float, theta: FloatArray, rng: np.random.Generator | None = None) -> Chance:
    """Return the chance after many reports with fresh noise; users are simulated where there is no form.

    >>> from ldpcore import mechanism
    >>> fresh_chance(mechanism("OUE", k=2, eps=1.0), math.inf, np.array([0.5, 0.5]))
    Chance(chance=1.0, se=0.0)
    """
    rng = rng or np.random.default_rng(0)
    if reports == math.inf:
        return Chance(1.0)
    if m.support_law == "independent":
        return Chance(_most_likely(theta, int(reports), (1.0, 0.0), (m.p, m.q)))
    simulated, once = _counted(m, int(reports), theta, rng, _most_wrong(m, theta)), one_report(m, theta, rng)
    # More reports are never worse. With many values few users send one of them twice, and perhaps none was drawn.
    return Chance(max(simulated.chance, once.chance), simulated.se) if once.se == 0 else simulated


def memo_chance(m: Mechanism, reports: float, theta: FloatArray, rng: np.random.Generator | None = None) -> Chance:
    """Return the chance after many reports of a memo; users are simulated where there is no form.

    >>> from ldpcore import mechanism
    >>> round(memo_chance(mechanism("L-SUE", k=4, eps=1.0), math.inf, np.full(4, 0.25)).chance, 3)
    0.512
    """
    rng = rng or np.random.default_rng(0)
    rounds = m.rounds
    if rounds is None:
        return _guess_most_supported(m, int(min(reports, _REPORTS_MANY)), theta, rng)
    if reports == math.inf:
        return Chance(_memo_seen(m, rounds, theta))
    if rounds.cells is None:
        return Chance(_most_likely(theta, int(reports), (rounds.p1, rounds.q1), (rounds.p2, rounds.q2)))
    simulated = _cells(m, rounds, rounds.cells, int(reports), theta, rng, _most_wrong(m, theta))
    return Chance(min(simulated.chance, _memo_seen(m, rounds, theta)), simulated.se)


def _most_wrong(m: Mechanism, theta: FloatArray) -> float:
    """Return the chance that the best guess from one report is wrong: from more reports it is not larger."""
    if m.support_law == "unknown":
        return 1.0
    return 1 - _one_set(theta, 1 / m.likelihood_ratio, m.base_rate, m.support_size)


def _memo_seen(m: Mechanism, rounds: Rounds, theta: FloatArray) -> float:
    """Return the chance of an attacker who sees the memo: that of one report with the first round's p₁ and q₁."""
    p1, size = rounds.p1, m.support_size
    if size is not None:
        return _one_set(theta, size * (1 - p1) / (p1 * (m.k - size)), size / m.k, size)
    # Any other value hashes to the kept cell with 1/g, whatever the noise.
    q1 = rounds.q1 if rounds.cells is None else 1 / rounds.cells
    return _one_set(theta, q1 * (1 - p1) / (p1 * (1 - q1)), q1, None)


def _most_likely(theta: FloatArray, reports: int, first: Pair, second: Pair) -> float:
    """Sum over what the true value may be, and how often it is supported; no other value must be ahead of it.

    Values that are equally common are a group. All (group, s) are put in order of what the attacker believes; at each
    of them the others must not be beyond it.
    """
    of_one, of_zero = (binomial(reports, chance) for chance in second)
    own, other = (chance * of_one + (1 - chance) * of_zero for chance in first)
    # What never happens is left out: of many reports only a few numbers are likely.
    s = np.arange(reports + 1)[np.maximum(own, other) > _NEVER]
    own, other = own[s], other[s]
    upto = np.minimum(np.cumsum(other), 1.0)
    shares, sizes = np.unique(theta[theta > 0], return_counts=True)
    belief = np.log(shares)[:, None] + _log_ratio(s, reports, first, second)
    order = np.argsort(belief.ravel(), kind="stable")
    group, place = np.divmod(order, s.size)
    with np.errstate(divide="ignore"):
        log_upto = np.log(upto)
    # What ln F grows by at each place; where it begins, F is 0 before.
    grows = np.concatenate([[0.0], np.diff(np.where(upto > 0, log_upto, 0.0))])
    begins = (upto > 0) & (np.concatenate([[0.0], upto[:-1]]) == 0)
    steps = (sizes[:, None] * np.where(begins, 0.0, grows)).ravel()[order]
    # From the end, where all F are 1: what matters most keeps most digits.
    later = np.concatenate([np.cumsum(steps[::-1])[::-1][1:], [0.0]])
    begun = np.cumsum(np.tile(begins, (shares.size, 1)).ravel()[order]) == shares.size
    logs = np.where(upto > 0, log_upto, 0.0)[place]
    others = np.where(begun, np.exp(np.minimum(-later - sizes[group] * logs, 0.0)), 0.0)
    return float((sizes[group] * shares[group] * own[place] * _shared(sizes, other, upto)[group, place] * others).sum())


def _log_ratio(s: IntArray, reports: int, first: Pair, second: Pair) -> FloatArray:
    """Return ln f₁(s)/f₀(s); it never falls."""
    own, other = bit_laws(s, reports, first, second)
    return np.asarray(np.maximum.accumulate(own - other))


def _shared(sizes: IntArray, other: FloatArray, upto: FloatArray) -> FloatArray:
    """Return [F(s)^c - F(s-1)^c]/(c·f₀(s)) for groups of c values: no other is ahead, and equals share the guess."""
    # With f over F as the small number no digits cancel.
    step = np.divide(other, upto, out=np.zeros_like(other), where=upto > 0)
    inside = np.log1p(-np.minimum(step, 1 - 1e-16))
    c = sizes[:, None]
    wide = np.broadcast_to(c * step, (sizes.size, step.size))
    equal = np.divide(-np.expm1(c * inside), wide, out=np.ones(wide.shape), where=step > 1e-300)
    return np.asarray(upto ** (c - 1) * equal)


def users_for(each: int, draws: int, least: int, most: int) -> int:
    """Return how many users to simulate, if each takes this many of the draws that there may be in all.

    >>> users_for(100, 5_000, 10, 1_000)
    50
    """
    return max(least, min(most, draws // each))


def best_belief(likelihood: FloatArray) -> FloatArray:
    """Return each user's belief in the likeliest value; (users, k) likelihoods, up to a factor.

    >>> best_belief(np.array([[1.0, 3.0], [1.0, 1.0]])).tolist()
    [0.75, 0.5]
    """
    return np.asarray(likelihood.max(axis=1) / likelihood.sum(axis=1))


def mean_of(chances: FloatArray, wrong: float = 1.0) -> Chance:
    """Return the mean of the chances of simulated users, with its standard error.

    `wrong` is at least the mean chance of a wrong guess, where that is known. Where so few users can be in doubt that
    perhaps none was drawn, it bounds the variance of a chance, and how far the mean can be off.

    >>> mean_of(np.array([0.75, 0.5]))
    Chance(chance=0.625, se=0.125)
    >>> mean_of(np.array([1.0, 1.0]), wrong=0.02)
    Chance(chance=1.0, se=0.02)
    """
    se = float(chances.std(ddof=1) / math.sqrt(chances.size))
    unseen = min(wrong, math.sqrt(max(wrong, 0.0) / chances.size)) if wrong < min(1, _FEW / chances.size) else 0.0
    return Chance(float(chances.mean()), max(se, unseen))


def _weighed(likelihood: FloatArray, theta: FloatArray, rng: np.random.Generator, wrong: float) -> Chance:
    """Return the mean belief where likelihoods are those of users with value 0, and all other values are alike.

    A user with value v has them with 0 and v exchanged.
    """
    users = np.arange(len(likelihood))
    values = rng.choice(theta.size, users.size, p=theta)
    exchanged = likelihood.copy()
    exchanged[:, 0] = likelihood[users, values]
    exchanged[users, values] = likelihood[:, 0]
    return mean_of(best_belief(theta * exchanged), wrong)


def _counted(m: Mechanism, reports: int, theta: FloatArray, rng: np.random.Generator, wrong: float) -> Chance:
    """Simulate users who send fresh reports: Pr[reports | v] ∝ λ^s with s the number of reports that support v.

    The reports of one user are like those of as many users who hold the same value.
    """
    same_value = np.zeros(m.k, dtype=np.int64)
    same_value[0] = reports
    # Single values are drawn quickly, larger sets take their time.
    users = users_for(m.k + reports if m.support_size == 1 else 2 * m.k, *_SIMULATED)
    counts = m.sample_counts(same_value, users, rng)
    return _weighed(np.exp(m.effective_eps * (counts - counts.max(axis=1, keepdims=True))), theta, rng, wrong)


def _guess_most_supported(m: Mechanism, reports: int, theta: FloatArray, rng: np.random.Generator) -> Chance:
    """Simulate users who keep a memo, whatever it is, and an attacker who guesses the value supported most often."""
    values = rng.choice(m.k, users_for(m.k * reports, *_SIMULATED), p=theta)
    counts = m.repeated_supports(values, reports, rng)
    most = counts == counts.max(axis=1, keepdims=True)
    guessed = mean_of(most[np.arange(values.size), values] / most.sum(axis=1))
    return Chance(max(guessed.chance, float(theta.max())), guessed.se)


def _cells(
    m: Mechanism, rounds: Rounds, g: int, reports: int, theta: FloatArray, rng: np.random.Generator, wrong: float
) -> Chance:
    """Simulate users who send randomized cells of a memo that is a randomized cell of the value.

    The cells are the values themselves, or the g cells of a hash function that the attacker knows. A value in cell c
    has the likelihood p₁W_c + q₁·(sum of the other W), W_c = (p₂/q₂)^(reports that name c): if all values are equally
    common, the best guess is any value of the cell that is named most often, among those that hold a value at all.
    """
    users = users_for(m.k + reports, *_SIMULATED)
    hashed = m.g is not None
    cells = rng.integers(0, g, (users, m.k)) if hashed else np.tile(np.arange(m.k), (users, 1))
    memo = respond(cells[:, :1], g, rounds.p1, rng)
    named = respond(np.repeat(memo, reports, axis=1), g, rounds.p2, rng)
    likelihoods = _likelihoods(cells, named, g, math.log(rounds.p2 / rounds.q2), rounds.p1, rounds.q1)
    return _weighed(likelihoods, theta, rng, wrong)


def respond(cells: IntArray, g: int, p: float, rng: np.random.Generator) -> IntArray:
    """Keep a cell with probability p, else take any other one.

    >>> respond(np.array([2, 0]), 3, 1.0, np.random.default_rng(1)).tolist()
    [2, 0]
    """
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
