"""What is possible at all: bounds on the error, models to compare with, and what an attacker learns.

Everything follows from one fact: Pr[y | v] = κ·b(S)·λ^[v ∈ S], where S is the support of the report y and b(S) the
chance of that support if no value were the true one. b is uniform on the single values (GRR, L-GRR) or on the sets
of ω values (SS), or every value is in S on its own with probability β = q (unary encodings, THE, local hashing).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.mechanisms import Mechanism
from ldpcore.theory.attack import frequencies_of

# Sets of a fixed size are integrated over a circle as well: up to this k in a few seconds. Above, they are simulated.
SETS_EXACT_K = 200
REPORTS = 200_000
# The information is a k × k matrix, and inverting it takes k³ steps.
INFORMATION_K = 2_000
# Step of the trapezoidal rule in ln t. The integrands are analytic in a strip around the real
# axis, so the error falls exponentially in 1/step: at this one it is below 1e-10 of the result.
_STEP = 0.1
_BLOCK = 1 << 21


@dataclass(frozen=True)
class Bound:
    """A bound on the MSE, how it was computed, and its relative standard error (0 where nothing is random).

    Examples
    --------
    >>> Bound(1e-4, "closed form")
    Bound(mse=0.0001, method='closed form', relative_error=0.0)
    """

    mse: float
    method: str
    relative_error: float = 0.0


# ---- Cramér-Rao --------------------------------------------------------------------


def cramer_rao(
    m: Mechanism,
    frequencies: Any,
    n: int,
    *,
    against: str = "population",
    reports: int = REPORTS,
    seed: int = 0,
) -> Bound:
    """Return the least MSE (mean over the k values) of any unbiased estimator that sees all n reports in full.

    The information of the reports is I = n·E[ccᵀ/(cᵀθ)²] with c_v = 1+(λ-1)[v ∈ S]; it is inverted on the changes
    of θ that sum to 0, and the bound is the trace over k. Biased estimators may go below it: MI with clipping
    and IBU do, where frequencies are small.

    Parameters
    ----------
    m : Mechanism
        The mechanism.
    frequencies : array_like, shape (k,)
        θ, the frequencies in the population that the users are a sample of.
    n : int
        Number of users.
    against : {"population", "users"}
        What the error is measured against: θ itself, or the frequencies among the n users, as `ldpcore.run` does.
        Against the users' own frequencies the sampling error, `sampling_mse`, does not count.
    reports, seed
        For SS with k above 200, and for supports of no known law: how many reports are simulated, and the seed.

    Returns
    -------
    Bound
        For k up to 2 000, but for GRR and L-GRR, which have no limit. `method` is "closed form" (GRR, L-GRR),
        "quadrature" (exact to at least eight digits), or "simulation".

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> bound = cramer_rao(mechanism("OUE", k=4, eps=1.0), [0.4, 0.3, 0.2, 0.1], n=10_000)
    >>> bound.method, f"{bound.mse:.3g}"
    ('quadrature', '0.000302')
    """
    check.mechanism(m)
    theta = frequencies_of("frequencies", frequencies, m.k)
    n = check.integer("n", n, 1, check.N_MAX)
    check.choice("against", against, ("population", "users"))
    method, trace, error = _trace(m, theta, reports, seed)
    if against == "population":
        return Bound(trace / (n * m.k), method, error)
    if method == "closed form":
        return Bound(_single_value_noise(m, theta) / (n * m.k), method)
    noise = trace - float((theta * (1 - theta)).sum())
    if error:
        return Bound(noise / (n * m.k), method, error * trace / noise)
    # Where there is hardly any noise, what is left may be less than the digits of the trace can tell. It is not below
    # 0, and not above the noise of raw MI, which has no bias.
    most = m.k * float(m.noise_variance(theta, 1).mean())
    return Bound(min(max(noise, 0.0), most) / (n * m.k), method)


def _trace(m: Mechanism, theta: FloatArray, reports: int, seed: int) -> tuple[str, float, float]:
    """Return the method, the trace of the inverse information of one report, and its relative standard error."""
    if m.support_law == "fixed size" and m.support_size == 1:
        return "closed form", _single_value_trace(m, theta), 0.0
    check.integer("k (for the Cramér-Rao bound)", m.k, 2, INFORMATION_K)
    if m.support_law == "independent":
        return "quadrature", _constrained_trace(_independent_information(m, theta)), 0.0
    if m.support_law == "fixed size" and m.support_size is not None and m.k <= SETS_EXACT_K:
        return "quadrature", _constrained_trace(_subset_information(m, m.support_size, theta)), 0.0
    return "simulation", *_simulated_trace(m, theta, check.integer("reports", reports, 10 * m.k), seed)


def _single_value_trace(m: Mechanism, theta: FloatArray) -> float:
    """GRR's maximum-likelihood estimate is MI, so its variance is the bound."""
    phi = m.q + (m.p - m.q) * theta
    return float((phi * (1 - phi)).sum() / (m.p - m.q) ** 2)


def _single_value_noise(m: Mechanism, theta: FloatArray) -> float:
    """Return the same less the error of sampling; 1 - p is (k - 1)q, which keeps its digits where p is next to 1."""
    spread = theta * m.p * (m.k - 1) * m.q + (1 - theta) * m.q * (1 - m.q)
    return float(spread.sum() / (m.p - m.q) ** 2)


def _constrained_trace(information: FloatArray) -> float:
    """Return the trace of the inverse of I on the changes that sum to 0: that of I⁻¹ - I⁻¹11ᵀI⁻¹/(1ᵀI⁻¹1).

    Reports tell so much more of a bin without users than of others, where ε is large, that no digit of the others would
    be left beside it: I is scaled to a diagonal of ones before it is inverted.
    """
    scale = np.diag(information) ** -0.5
    inverse = np.linalg.inv(information * np.outer(scale, scale)) * np.outer(scale, scale)
    sums = inverse.sum(axis=1)
    return float(np.trace(inverse) - sums @ sums / sums.sum())


def _nodes(ratio: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes t and weights for ∫₀^∞ f(t)dt with f(t) ≤ f(0)e^{-t} and structure at any t above 1/λ."""
    t = np.exp(np.arange(math.log(1e-14 / ratio), math.log(60.0), _STEP))
    return t, t * _STEP


def _independent_information(m: Mechanism, theta: FloatArray) -> FloatArray:
    """Return I/n, up to a multiple of the ones in every direction, for values that are in S independently.

    I/n = κ·E_b[ccᵀ/(cᵀθ)], and 1/x = ∫e^{-tx}dt splits the mean into a product over the values:
    with m_v = E_b[e^{-tθ_v c_v}] and c's tilted mean a_v and variance s_v, E_b[ccᵀe^{-tcᵀθ}] = Πm·(aaᵀ + diag s).
    Changes of θ that sum to 0 don't see the 1 in a, so a - 1 takes its place: no digits cancel.
    """
    beta, ratio = m.base_rate, m.likelihood_ratio
    t, weights = _nodes(ratio)
    information = np.zeros((m.k, m.k))
    for some in np.array_split(np.arange(t.size), max(1, t.size * m.k // _BLOCK)):
        low, high = -t[some, None] * theta, -ratio * t[some, None] * theta
        # Both terms over the larger one, e^{-tθ}: its own factors add up to e^{-t}.
        gap = np.exp(high - low)
        rest = (1 - beta) + beta * gap
        tilted = beta * (ratio - 1) * gap / rest
        spread = (1 - beta) * beta * (ratio - 1) ** 2 * gap / rest**2
        chance = weights[some] * np.exp(-t[some] + np.log(rest).sum(axis=1))
        information += (tilted * chance[:, None]).T @ tilted
        information[np.diag_indices(m.k)] += chance @ spread
    return np.asarray(information / (1 + (ratio - 1) * beta))


def _subset_information(m: Mechanism, size: int, theta: FloatArray) -> FloatArray:
    """Return I/n for sets of ω = `size` values, as above: those are independent values, given that there are ω of them.

    That condition is a mean over the unit circle, E[f·e^{iφ(|S|-ω)}], and k+1 or more nodes make it exact.
    """
    k, ratio, beta = m.k, m.likelihood_ratio, m.base_rate
    t, weights = _nodes(ratio)
    # An even number of nodes, half a step off: none is at φ = π, where a factor can be 0. Half of them do,
    # because the other half is their conjugates.
    nodes = k + 1 + (k + 1) % 2
    angles = 2 * np.pi * (np.arange(nodes // 2) + 0.5) / nodes
    information = np.zeros((k, k))
    for phi in angles:
        turn = np.exp(1j * phi)
        gap = turn * np.exp(-(ratio - 1) * t[:, None] * theta)
        rest = (1 - beta) + beta * gap
        tilted = beta * (ratio - 1) * gap / rest
        spread = (1 - beta) * beta * (ratio - 1) ** 2 * gap / rest**2
        chance = weights * np.exp(-t + np.log(rest).sum(axis=1) - 1j * phi * size)
        information += ((tilted * chance[:, None]).T @ tilted).real
        information[np.diag_indices(k)] += (chance @ spread).real
    log_binomial = math.lgamma(k + 1) - math.lgamma(size + 1) - math.lgamma(k - size + 1)
    exactly_size = math.exp(log_binomial + size * math.log(beta) + (k - size) * math.log1p(-beta))
    return np.asarray(information * (2 / nodes) / exactly_size / (1 + (ratio - 1) * beta))


def _simulated_trace(m: Mechanism, theta: FloatArray, reports: int, seed: int) -> tuple[float, float]:
    """Return the trace from simulated reports, and its relative standard error from ten parts of them."""
    rng = np.random.default_rng(check.seed(seed))
    parts, each = [], reports // 10
    for _ in range(10):
        information = np.zeros((m.k, m.k))
        for size in np.diff(np.linspace(0, each, max(2, each * m.k // _BLOCK + 2)).astype(int)):
            supports = m.supports(m.privatize(rng.choice(m.k, size, p=theta), rng)).astype(np.float64)
            extra = (m.likelihood_ratio - 1) * supports
            scaled = extra / (1 + extra @ theta)[:, None]
            information += scaled.T @ scaled
        parts.append(information / each)
    whole = _constrained_trace(np.asarray(sum(parts)) / 10)
    # Leaving out one part at a time; the same removes the bias of inverting a noisy matrix.
    without = np.array([_constrained_trace(np.asarray(sum(parts) - part) / 9) for part in parts])
    return 10 * whole - 9 * float(without.mean()), float(np.sqrt(0.9 * ((without - without.mean()) ** 2).sum())) / whole


# ---- models to compare with --------------------------------------------------------


def sampling_mse(frequencies: Any, n: int) -> float:
    """Return the MSE without any privacy: that of n users as a sample of the population, Σθ(1-θ)/(nk).

    Examples
    --------
    >>> sampling_mse([0.5, 0.5], n=100)
    0.0025
    """
    array = check.array_of("frequencies", frequencies)
    theta = frequencies_of("frequencies", array, array.size if array.ndim == 1 else 0)
    n = check.integer("n", n, 1, check.N_MAX)
    return float((theta * (1 - theta)).sum() / (n * theta.size))


def central_mse(eps: float, n: int) -> float:
    """Return the MSE in the central model, where a trusted server adds Laplace(2/ε) noise to each count: 8/(εn)².

    Examples
    --------
    >>> central_mse(1.0, n=1000)
    8e-06
    """
    return 8 / (check.epsilon("eps", eps) * check.integer("n", n, 1, check.N_MAX)) ** 2


def best_unbiased_mse(k: int, eps: float, n: int) -> tuple[float, int]:
    """Return the least MSE of an unbiased estimate from support counts, and the ω of the SS that has it.

    Subset Selection with ω minimising [kq(1-q)/(p-q)² + (1-p-q)/(p-q)]/n over all whole numbers (Ye and Barg 2018),
    as a mean over the k values: the noise alone, against the users' own frequencies.

    Examples
    --------
    >>> mse, omega = best_unbiased_mse(100, 1.0, n=10_000)
    >>> f"{mse:.3g}", omega
    ('0.00036', 27)
    """
    k = check.integer("k", k, 2, check.K_MAX)
    shrink = math.exp(-check.epsilon("eps", eps))
    n = check.integer("n", n, 1, check.N_MAX)
    w = np.arange(1, k)
    whole = w + (k - w) * shrink
    p, q = w / whole, w * ((w - 1) + (k - w) * shrink) / ((k - 1) * whole)
    # p - q, written out: for a small ε the difference of the two would keep no digits.
    apart = w * (k - w) * -math.expm1(-eps) / ((k - 1) * whole)
    total = (k * q * (1 - q) / apart**2 + (1 - p - q) / apart) / n
    best = int(np.argmin(total))
    return float(total[best] / k), int(w[best])
