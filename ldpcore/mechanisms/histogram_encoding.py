"""Thresholding with Histogram Encoding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, FloatArray
from ldpcore.errors import Refused
from ldpcore.mechanisms.base import Mechanism
from ldpcore.mechanisms.unary import UnaryEncoding, one_hot


def optimal_theta(eps: float) -> float:
    """Return the threshold in (1/2, 1) that minimizes the variance of a rare value's estimate, in closed form.

    n·Var is (2e^{εθ/2}-1)/(1+e^{ε(θ-1/2)}-2e^{εθ/2})². With h = e^{-εθ/2} and s = e^{-ε/2} that is
    h³(2-h)/(h²-2h+s)², and its derivative in h is 0 where h² - 2(1+s)h + 3s is. The smaller root, in the form that does
    not cancel, lies between s and √s. Other packages search for it numerically, and stop at about the sixth digit.

    >>> round(optimal_theta(1.0), 6)
    0.618553
    """
    s = math.exp(-eps / 2)
    h = 3 * s / (1 + s + math.sqrt(1 - s + s * s))
    return -2 / eps * math.log(h)


class THE(UnaryEncoding):
    """Thresholding with Histogram Encoding (Wang, Blocki, Li and Jha, USENIX Security 2017).

    The value is encoded as k reals, 1 for itself and 0 for the others, each gets
    Laplace noise of scale 2/ε, and a value is supported where the sum exceeds θ.
    `privatize` returns the thresholded bits (drawn as bits: Pr[1 + Lap > θ] = p and
    Pr[Lap > θ] = q): that is all the estimators use, and it leaks less than ε (see
    `effective_eps`). `support_counts` takes both such bits
    and the k reals that other packages send.

    >>> m = THE(k=10, eps=1.0)
    >>> round(m.threshold, 4), round(m.effective_eps, 4)
    (0.6186, 0.896)
    """

    name = "THE"
    full_name = "Thresholding with Histogram Encoding"
    summary = "One number for each value plus Laplace noise; those above a threshold count."
    options = ("theta",)
    takes_reals = True

    def __init__(self, *, k: int, eps: float, theta: float | None = None) -> None:
        super().__init__(k=k, eps=eps)
        self.theta = optimal_theta(self.eps) if theta is None else check.real("theta", theta, 0, 1)
        self.threshold = self.theta
        self._one_minus_p = 0.5 * math.exp(self.eps * (self.theta - 1) / 2)
        self.p = 1 - self._one_minus_p
        self.q = 0.5 * math.exp(-self.eps * self.theta / 2)

    def _own_choice(self) -> dict[str, Any]:
        return {"theta": optimal_theta(self.eps)}

    def encoding(self, value: int) -> str | None:
        text = f"{self.k} numbers, all 0 but a 1 for bin {value}; "
        return text + "each gets Laplace noise, and counts if above a threshold."

    @property
    def likelihood_ratio(self) -> float:
        return self.p * (1 - self.q) / (self.q * self._one_minus_p)

    def noisy_histograms(self, values: Any, rng: np.random.Generator, *, accept_leak: bool = False) -> FloatArray:
        """Return the k noisy reals of each user, before the threshold: 8 bytes an entry, so for few users.

        Never send them. Floating-point numbers are not reals: some sums of 0 or 1 and Laplace noise can only come from
        one of the two, so that single reports rule out values with certainty, whatever ε is (Mironov, CCS 2012). They
        are what the textbook mechanism and other packages send, and are here to be compared with; say
        `accept_leak=True` to have them. `privatize` gives the bits, which are all that the estimators use.
        """
        if not check.truth("accept_leak", accept_leak):
            raise Refused(
                "THE's reals are floating-point numbers, which give values away whatever ε is, so they must not be "
                "sent; privatize gives bits that can be, and accept_leak=True gives the reals for a comparison"
            )
        bits = one_hot(self._check_values(values), self.k)
        rng = check.generator("rng", rng)
        return bits + rng.laplace(scale=2 / self.eps, size=bits.shape)

    def supports(self, reports: Any) -> BoolArray:
        array = check.array_of("reports", reports)
        is_noisy = array.dtype.kind == "f" and array.ndim == 2 and bool(((array != 0) & (array != 1)).any())
        if is_noisy:
            if not np.isfinite(array).all():
                row, column = (int(i) for i in np.argwhere(~np.isfinite(array))[0])
                raise Refused(f"reports must hold finite numbers; row {row}, column {column} does not")
            array = array > self.theta
        return super().supports(array)


class _Reals(THE):
    """THE whose reports come as reals: the threshold is the server's, and the same whatever ε has made them."""

    shape_options = ("theta",)


def of_reals(m: Mechanism) -> Mechanism:
    """Return a mechanism as it is where reports are reals, and not bits: at another ε its threshold stays.

    >>> stated = THE(k=4, eps=1.0)
    >>> of_reals(stated).with_eps(2.0, same_shape=True).threshold == stated.threshold
    True
    """
    return _Reals(**m.all_parameters) if isinstance(m, THE) else m
