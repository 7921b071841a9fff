"""What follows from the two probabilities of support alone: the channel, the variance of raw MI, and IBU's clock."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray


class SupportProbabilities:
    """What every mechanism has that supports its true value with probability `p` and any other with `q`.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> m = mechanism("GRR", k=4, eps=1.0)
    >>> round(m.p / m.q, 6) == round(m.likelihood_ratio, 6)
    True
    """

    k: int
    eps: float
    p: float
    q: float
    support_size: int | None = None

    @property
    def likelihood_ratio(self) -> float:
        """λ = Pr[y | v in S(y)] / Pr[y | v not in S(y)]."""
        return math.exp(self.eps)

    @property
    def effective_eps(self) -> float:
        """What one report really costs, ln λ: at most `eps`, and less where the mechanism is not tight."""
        return math.log(self.likelihood_ratio)

    @property
    def base_rate(self) -> float:
        """β, the chance that a value is in S if no value were the true one."""
        return self.q if self.support_size is None else self.support_size / self.k

    @property
    def published_channel(self) -> tuple[float, float]:
        """The (p, q) that the paper's IBU uses. Of the paper's only L-GRR, L-BLH and L-OLH have another one."""
        return self.p, self.q

    @classmethod
    def channel_matters(cls) -> bool:
        """Tell whether the published channel can differ from the exact one: a mechanism says so by having its own.

        Examples
        --------
        >>> from ldpcore.mechanisms import mechanism_class
        >>> mechanism_class("L-GRR").channel_matters(), mechanism_class("L-SUE").channel_matters()
        (True, False)
        """
        return cls.published_channel is not SupportProbabilities.published_channel

    def channel(self, which: str = "exact") -> tuple[float, float]:
        """Return (p, q) of the "exact" or of the "published" channel.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> m = mechanism("L-GRR", k=10, eps=1.0)
        >>> [round(q, 3) for _, q in (m.channel("exact"), m.channel("published"))]
        [0.091, 0.054]
        """
        check.choice("which", which, check.CHANNELS)
        return (self.p, self.q) if which == "exact" else self.published_channel

    def noise_variance(self, frequencies: Any, n: int) -> FloatArray:
        """Variance of the raw MI estimate given the data: what the mechanism's noise alone adds.

        [f p(1-p) + (1-f) q(1-q)] / (n (p-q)²), for each of the given true frequencies.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> m = mechanism("OUE", k=10, eps=1.0)
        >>> m.noise_variance([0.0, 0.5], n=1_000).round(5), m.noise_variance([0.0, 0.5], n=10_000).round(5)
        (array([0.00368, 0.00418]), array([0.00037, 0.00042]))
        """
        f = check.reals("frequencies", frequencies, finite=True)
        n = check.integer("n", n, 1, check.N_MAX)
        spread = f * self.p * (1 - self.p) + (1 - f) * self.q * (1 - self.q)
        return np.asarray(spread / (n * (self.p - self.q) ** 2))

    def total_variance(self, frequencies: Any, n: int) -> FloatArray:
        """Variance of the raw MI estimate when the n users are themselves a sample of a population.

        γ(1-γ) / (n (p-q)²) with γ = q + (p-q)θ, for each of the given population frequencies θ.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> m, f, n = mechanism("OUE", k=10, eps=1.0), 0.3, 1_000
        >>> bool(np.isclose(m.total_variance(f, n), m.noise_variance(f, n) + f * (1 - f) / n))  # noise and sampling
        True
        """
        n = check.integer("n", n, 1, check.N_MAX)
        gamma = self.q + (self.p - self.q) * check.reals("frequencies", frequencies, finite=True)
        return np.asarray(gamma * (1 - gamma) / (n * (self.p - self.q) ** 2))

    # ---- IBU's clock --------------------------------------------------------------

    @property
    def ibu_time(self) -> float:
        """T = ((p+(k-1)q)/(p-q))², IBU's clock: at uniform a step shortens every distance to the limit by 1 - 1/T.

        So T steps are 63 % of the way where T is large, and more where it is small. T grows like k².

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> round(mechanism("OUE", k=200, eps=1.0).ibu_time)
        54658
        """
        return self.ibu_time_of("exact")

    def share_of_the_way(self, steps: int, channel: str = "exact") -> float:
        """Return how much of the way from uniform to its limit IBU has gone after so many steps: 1 - (1 - 1/T)^steps.

        Right near uniform, and a guide elsewhere: large bins settle sooner, and bins that go to 0 later.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> round(mechanism("OUE", k=200, eps=1.0).share_of_the_way(10_000), 2)
        0.17
        """
        steps = min(check.integer("steps", steps, 0), 10**300)  # more would not fit into a float
        left = 1 / self.ibu_time_of(channel)
        return 1.0 if left >= 1 and steps else -math.expm1(steps * math.log1p(-left)) if steps else 0.0

    def ibu_time_of(self, channel: str) -> float:
        """Return T of the "exact" or of the "published" channel; it is infinite where p = q and nothing moves.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> m = mechanism("L-GRR", k=10, eps=1.0)
        >>> round(m.ibu_time_of("exact")), round(m.ibu_time_of("published"))
        (118, 26)
        """
        p, q = self.channel(check.channel(channel))
        return math.inf if p == q else ((p + (self.k - 1) * q) / (p - q)) ** 2
