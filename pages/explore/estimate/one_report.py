"""One user's report: what becomes of a value on its way to the server, and what an observer learns from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import ldpcore as ldp
from ldpui.format import significant


@dataclass(frozen=True)
class Story:
    """The steps in words, the supported values, and the observer's belief before and after."""

    steps: list[tuple[str, str]]
    supported: npt.NDArray[np.bool_]
    belief: npt.NDArray[np.float64]
    most: float


def tell(m: ldp.Mechanism, own: int, seed: int, number: int) -> Story:
    """Send the report of that number for the value `own` and follow it; what is kept for good is the same for all."""
    kept_rng, rng = np.random.default_rng([seed, own]), np.random.default_rng([seed, own, number])
    steps, report = m.follow(own, kept_rng, rng)
    steps = [("The value", f"The user holds bin {own} of 0 to {m.k - 1}."), *steps]
    supported = m.supports(report)[0]
    number = int(supported.sum())
    among = "the true one among them" if supported[own] else "not the true one"
    if number == 0:
        among = "so it says nothing"
    server_text = f"The report supports {number} of {m.k} values, {among}. A report supports its own value "
    server_text += f"with probability p = {significant(m.p)}, any other with q = {significant(m.q)}."
    steps.append(("What the server sees", server_text))
    ratio = m.likelihood_ratio
    weights = np.where(supported, ratio, 1.0)
    return Story(steps, supported, weights / weights.sum(), ratio / (ratio + m.k - 1))
