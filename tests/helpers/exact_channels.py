"""Pr[y | v] of every output y of every mechanism, enumerated from the definitions.

Only the size of the problem (k, ε, ε∞, g, ω, θ) and the second round's p₂, q₂ are taken from
the library; the tests check those on their own. A channel is a pair of arrays: the
probabilities, shape (k, outputs), and the supports, shape (outputs, k).
"""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np


def response_matrix(cells, eps):
    """Randomized response: the true cell has the weight e^ε, the others 1."""
    weights = np.ones((cells, cells)) + (math.exp(eps) - 1) * np.eye(cells)
    return weights / weights.sum(axis=1, keepdims=True)


def symmetric_matrix(cells, p, q):
    return np.full((cells, cells), q) + (p - q) * np.eye(cells)


def bit_channel(p, q):
    """Rows: true bit 0, true bit 1. Columns: reported bit 0, reported bit 1."""
    return np.array([[1 - q, q], [1 - p, p]])


def sue_bits(eps):
    root = math.exp(eps / 2)
    return bit_channel(root / (root + 1), 1 / (root + 1))


def oue_bits(eps):
    return bit_channel(0.5, 1 / (math.exp(eps) + 1))


def laplace_tail(t, scale):
    """Pr[Lap(scale) > t]."""
    return 0.5 * math.exp(-t / scale) if t >= 0 else 1 - 0.5 * math.exp(t / scale)


def the_bits(eps, theta):
    """Pr[1 + noise > θ] for the true value and Pr[noise > θ] for the others, noise Lap(2/ε)."""
    return bit_channel(laplace_tail(theta - 1, 2 / eps), laplace_tail(theta, 2 / eps))


FIRST_BITS = {"L-SUE": sue_bits, "L-SOUE": sue_bits, "L-OUE": oue_bits, "L-OSUE": oue_bits}


def bits_of(m):
    """Return the 2×2 channel of one bit of a unary mechanism."""
    if m.name == "SUE":
        return sue_bits(m.eps)
    if m.name == "OUE":
        return oue_bits(m.eps)
    if m.name == "THE":
        return the_bits(m.eps, m.theta)
    return FIRST_BITS[m.name](m.eps_inf) @ bit_channel(m.p2, m.q2)


def single_values(matrix):
    return matrix, np.eye(len(matrix), dtype=bool)


def bit_vectors(k, bits):
    """All 2^k reports; every bit goes through the channel `bits` on its own."""
    supports = np.array(list(product((False, True), repeat=k)))
    truth = np.eye(k, dtype=int)
    probabilities = bits[truth[:, None, :], supports[None, :, :].astype(int)].prod(axis=2)
    return probabilities, supports


def subsets(k, eps):
    """Include the true value with probability ωE/(ωE+k-ω), fill up with a uniform set of the others."""
    E = math.exp(eps)
    w = max(1, round(k / (E + 1)))
    include = w * E / (w * E + k - w)
    holding, without = include / math.comb(k - 1, w - 1), (1 - include) / math.comb(k - 1, w)
    supports = np.array([[v in chosen for v in range(k)] for chosen in combinations(range(k), w)])
    return np.where(supports.T, holding, without), supports


def hashed_cells(k, matrix):
    """All g^k functions from values to g cells, equally likely, times the g cells that can be reported."""
    g = len(matrix)
    functions = np.indices((g,) * k).reshape(k, -1)
    probabilities = (matrix[functions] / g**k).reshape(k, -1)
    supports = functions.T[:, None, :] == np.arange(g)[None, :, None]
    return probabilities, supports.reshape(-1, k)


def second_matrix(cells, m):
    return symmetric_matrix(cells, m.p2, m.q2)


def channel_of(m):
    """Return (probabilities, supports) of one report of `m`."""
    if m.name == "GRR":
        return single_values(response_matrix(m.k, m.eps))
    if m.name == "SS":
        return subsets(m.k, m.eps)
    if m.name in ("BLH", "OLH"):
        return hashed_cells(m.k, response_matrix(m.g, m.eps))
    if m.name == "L-GRR":
        return single_values(response_matrix(m.k, m.eps_inf) @ second_matrix(m.k, m))
    if m.name in ("L-BLH", "L-OLH"):
        return hashed_cells(m.k, response_matrix(m.g, m.eps_inf) @ second_matrix(m.g, m))
    return bit_vectors(m.k, bits_of(m))


def memo_channel_of(m):
    """Return (probabilities, supports) of the memo of a longitudinal mechanism."""
    if m.name == "L-GRR":
        return single_values(response_matrix(m.k, m.eps_inf))
    if m.name in ("L-BLH", "L-OLH"):
        return hashed_cells(m.k, response_matrix(m.g, m.eps_inf))
    return bit_vectors(m.k, FIRST_BITS[m.name](m.eps_inf))


def largest_ratio(probabilities):
    """Return the largest Pr[y | v] / Pr[y | w] over all y, v and w."""
    return float((probabilities.max(axis=0) / probabilities.min(axis=0)).max())
