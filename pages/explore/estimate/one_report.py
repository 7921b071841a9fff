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
    value = np.array([own])
    steps = [("The value", f"The user holds bin {own} of 0 to {m.k - 1}.")]
    if isinstance(m, ldp.LongitudinalMechanism):
        memo = m.memoize(value, kept_rng)
        steps.append(
            ("Kept for good", f"First round, drawn once and remembered: {m.report_kind.text(memo.as_report)}.")
        )
        report = m.report(memo, rng)
        steps.append(("Sent today", f"Second round, fresh at every report: {m.report_kind.text(report)}."))
    else:
        encoding = m.encoding(own)
        steps += [("Encoded", encoding)] if encoding else []
        report = m.privatize(value, rng)
        steps.append(("Sent", f"After the noise: {m.report_kind.text(report)}."))
    supported = m.supports(report)[0]
    number = int(supported.sum())
    kept = "the true one among them" if supported[own] else "not the true one"
    if number == 0:
        kept = "so it says nothing"
    seen = f"The report supports {number} of {m.k} values, {kept}. A report supports its own value "
    seen += f"with probability p = {significant(m.p)}, any other with q = {significant(m.q)}."
    steps.append(("What the server sees", seen))
    ratio = m.likelihood_ratio
    weights = np.where(supported, ratio, 1.0)
    return Story(steps, supported, weights / weights.sum(), ratio / (ratio + m.k - 1))
