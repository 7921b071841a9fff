"""Pr[y | v] of every output y of every mechanism, enumerated from the definitions.

Of the paper's fourteen only the size of the problem (k, ε, ε∞, g, ω, θ) and the second round's p₂, q₂ are taken from
the library; the tests check those on their own. Any other mechanism is enumerated by its kind of report, from what it
says of itself: p and q, or those of its rounds. A channel is a pair of arrays: the probabilities, shape (k, outputs),
and the supports, shape (outputs, k).
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


# The published definitions: of one bit; of its first round; and of randomized response on values or cells.
BITS = {
    "SUE": lambda m: sue_bits(m.eps),
    "OUE": lambda m: oue_bits(m.eps),
    "THE": lambda m: the_bits(m.eps, m.theta),
}
FIRST_BITS = {"L-SUE": sue_bits, "L-SOUE": sue_bits, "L-OUE": oue_bits, "L-OSUE": oue_bits}
RESPONSES = ("GRR", "BLH", "OLH")
FIRST_RESPONSES = ("L-GRR", "L-BLH", "L-OLH")


def bits_of(m):
    """Return the 2×2 channel of one bit of a unary mechanism."""
    if m.longitudinal:
        return first_bits_of(m) @ bit_channel(m.p2, m.q2)
    return BITS[m.name](m) if m.name in BITS else bit_channel(m.p, m.q)


def first_bits_of(m):
    return FIRST_BITS[m.name](m.eps_inf) if m.name in FIRST_BITS else bit_channel(m.p1, m.q1)


def cells_of(m):
    """Return the number of values or cells that randomized response is on."""
    return m.k if m.g is None else m.g


def responses_of(m):
    """Return the channel of randomized response on the values or cells of a mechanism."""
    cells = cells_of(m)
    if m.longitudinal:
        return first_responses_of(m) @ symmetric_matrix(cells, m.p2, m.q2)
    return (
        response_matrix(cells, m.eps) if m.name in RESPONSES else symmetric_matrix(cells, m.p, (1 - m.p) / (cells - 1))
    )


def first_responses_of(m):
    cells = cells_of(m)
    return response_matrix(cells, m.eps_inf) if m.name in FIRST_RESPONSES else symmetric_matrix(cells, m.p1, m.q1)


def single_values(matrix):
    return matrix, np.eye(len(matrix), dtype=bool)


def bit_vectors(k, bits):
    """All 2^k reports; every bit goes through the channel `bits` on its own."""
    supports = np.array(list(product((False, True), repeat=k)))
    truth = np.eye(k, dtype=int)
    probabilities = bits[truth[:, None, :], supports[None, :, :].astype(int)].prod(axis=2)
    return probabilities, supports


def subsets_of(m):
    """Include the true value with probability ωE/(ωE+k-ω), or as it says, fill up with a uniform set of the others."""
    k, w, include = m.k, m.support_size, m.p
    if m.name == "SS":
        E = math.exp(m.eps)
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


def channel_of(m):
    """Return (probabilities, supports) of one report of `m`."""
    return {
        "values": lambda: single_values(responses_of(m)),
        "bits": lambda: bit_vectors(m.k, bits_of(m)),
        "sets": lambda: subsets_of(m),
        "pairs": lambda: hashed_cells(m.k, responses_of(m)),
    }[m.report_kind.key]()


def memo_channel_of(m):
    """Return (probabilities, supports) of the memo of a longitudinal mechanism."""
    return {
        "values": lambda: single_values(first_responses_of(m)),
        "bits": lambda: bit_vectors(m.k, first_bits_of(m)),
        "pairs": lambda: hashed_cells(m.k, first_responses_of(m)),
    }[m.report_kind.key]()


def second_channel(m):
    """Return Pr[report | memo] of the second round, memos × outputs; of hashed values, for one hash function."""
    if m.report_kind.key != "bits":
        return symmetric_matrix(cells_of(m), m.p2, m.q2)
    whole = bits = bit_channel(m.p2, m.q2)
    for _ in range(m.k - 1):
        whole = np.kron(whole, bits)
    return whole


def largest_ratio(probabilities):
    """Return the largest Pr[y | v] / Pr[y | w] over all y, v and w."""
    return float((probabilities.max(axis=0) / probabilities.min(axis=0)).max())
