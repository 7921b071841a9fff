"""A mechanism that the library does not know: it sets p and q, makes and reads reports, and says nothing more."""

from __future__ import annotations

import math

import numpy as np

from ldpcore.mechanisms import Mechanism
from ldpcore.mechanisms.reports import VALUES


class HadamardResponse(Mechanism):
    """One more mechanism, by somebody else: every report supports half of the values, in a fixed pattern.

    (Acharya, Sun and Zhang, AISTATS 2019, with k = 3 and a Hadamard matrix of order 4.)
    """

    name = "HR"
    full_name = "Hadamard Response"
    summary = "Sends one of K columns of a Hadamard matrix."
    report_kind = VALUES
    _PATTERNS = np.array([[1, 1, 1], [0, 1, 0], [1, 0, 0], [0, 0, 1]], dtype=np.bool_)

    def __init__(self, *, k, eps):
        super().__init__(k=k, eps=eps)
        shrink = math.exp(-self.eps)
        self.p, self.q = 1 / (1 + shrink), 0.5

    @property
    def report_bits(self):
        return 2.0

    def _privatize(self, values, rng):
        inside = rng.random(values.size) < self.p
        weights = (inside[:, None] == self._PATTERNS[:, values].T).astype(float)
        upto = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
        return (rng.random(values.size)[:, None] > upto).sum(axis=1)

    def channel_matrix(self):
        """Return Pr[report | value], shape (3, 4): each pattern holds a value or not, half of them do."""
        return np.where(self._PATTERNS.T, self.p / 2, (1 - self.p) / 2)

    def supports(self, reports):
        return self._PATTERNS[np.asarray(reports)]

    def support_counts(self, reports):
        return self.supports(reports).sum(axis=0)
