"""What all fourteen mechanisms have in common."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, FloatArray, IntArray
from ldpcore.errors import Refused


class Mechanism(ABC):
    """A pure LDP mechanism over the values 0..k-1.

    Every report y supports a set of values S(y), and two probabilities say all
    that the server's estimators need: a report supports its own true value with
    probability `p` and any given other value with probability `q`. Moreover
    Pr[y | v] is proportional to `likelihood_ratio` if v is in S(y), and to 1 if not.

    Attributes
    ----------
    k : int
        Number of values.
    eps : float
        Privacy parameter ε of one report (ε₁ for longitudinal mechanisms).
    p, q : float
        The support probabilities above.
    """

    name: ClassVar[str]
    full_name: ClassVar[str]
    longitudinal: ClassVar[bool] = False

    k: int
    eps: float
    p: float
    q: float

    def __init__(self, *, k: int, eps: float) -> None:
        self.k = check.integer("k", k, 2, check.K_MAX)
        self.eps = check.epsilon("eps", eps)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(k={self.k}, eps={self.eps:g})"

    # ---- what one report is worth -------------------------------------------------

    @property
    def likelihood_ratio(self) -> float:
        """λ = Pr[y | v in S(y)] / Pr[y | v not in S(y)]."""
        return math.exp(self.eps)

    @property
    def effective_eps(self) -> float:
        """What one report really costs, ln λ: at most `eps`, and less where the mechanism is not tight."""
        return math.log(self.likelihood_ratio)

    @property
    @abstractmethod
    def report_bits(self) -> float:
        """Size of one report in bits, as the information that must travel."""

    @property
    def published_channel(self) -> tuple[float, float]:
        """The (p, q) that the paper's IBU uses. Differs from the exact pair only for L-GRR, L-BLH and L-OLH."""
        return self.p, self.q

    def channel(self, which: str = "exact") -> tuple[float, float]:
        """Return (p, q) of the "exact" or of the "published" channel."""
        check.choice("channel", which, ("exact", "published"))
        return (self.p, self.q) if which == "exact" else self.published_channel

    def noise_variance(self, frequencies: Any, n: int) -> FloatArray:
        """Variance of the raw MI estimate given the data: what the mechanism's noise alone adds.

        [f p(1-p) + (1-f) q(1-q)] / (n (p-q)²), for each of the given true frequencies.
        """
        f = np.asarray(frequencies, dtype=np.float64)
        n = check.integer("n", n, 1, check.N_MAX)
        spread = f * self.p * (1 - self.p) + (1 - f) * self.q * (1 - self.q)
        return np.asarray(spread / (n * (self.p - self.q) ** 2))

    def total_variance(self, frequencies: Any, n: int) -> FloatArray:
        """Variance of the raw MI estimate when the n users are themselves a sample of a population.

        γ(1-γ) / (n (p-q)²) with γ = q + (p-q)θ, for each of the given population frequencies θ.
        """
        n = check.integer("n", n, 1, check.N_MAX)
        gamma = self.q + (self.p - self.q) * np.asarray(frequencies, dtype=np.float64)
        return np.asarray(gamma * (1 - gamma) / (n * (self.p - self.q) ** 2))

    # ---- the client's side --------------------------------------------------------

    def privatize(self, values: Any, rng: np.random.Generator) -> Any:
        """Return the reports of len(values) users, one for each true value in 0..k-1."""
        return self._privatize(self._check_values(values), check.generator("rng", rng))

    @abstractmethod
    def _privatize(self, values: IntArray, rng: np.random.Generator) -> Any: ...

    # ---- the server's side --------------------------------------------------------

    @abstractmethod
    def support_counts(self, reports: Any) -> IntArray:
        """Return C, shape (k,): how many of the reports support each value."""

    @abstractmethod
    def supports(self, reports: Any) -> BoolArray:
        """Return the supports themselves, shape (n, k): True where a report supports a value."""

    # ---- the short cut ------------------------------------------------------------

    def sample_counts(self, histogram: Any, runs: int, rng: np.random.Generator) -> IntArray:
        """Draw the support counts of `runs` independent collections, shape (runs, k).

        Exactly the distribution that `privatize` and `support_counts` would give for
        users with this `histogram` of true values, at a cost that does not depend on
        the number of users.
        """
        counts = check.counts_array("histogram", histogram, self.k)
        if counts.ndim != 1:
            raise Refused(f"histogram must be one-dimensional; got shape {counts.shape}")
        n = int(counts.sum())
        check.integer("n (the sum of histogram)", n, 1, check.N_MAX)
        return self._sample_counts(counts, check.integer("runs", runs, 1), check.generator("rng", rng))

    def _sample_counts(self, histogram: IntArray, runs: int, rng: np.random.Generator) -> IntArray:
        """Independent values: C_v = Bin(c_v, p) + Bin(n - c_v, q). Families with dependent values override this."""
        shape = (runs, self.k)
        others = histogram.sum() - histogram
        return rng.binomial(histogram, self.p, size=shape) + rng.binomial(others, self.q, size=shape)

    # ---- checks -------------------------------------------------------------------

    def _check_values(self, values: Any) -> IntArray:
        array = check.integer_array("values", values, 0, self.k - 1)
        if array.ndim != 1:
            raise Refused(f"values must be one-dimensional, one value a user; got shape {array.shape}")
        return array
