"""One user's report: what becomes of a value on its way to the server, and what an observer learns from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
        steps.append(("Kept for good", f"First round, drawn once and remembered: {_shown(m, memo)}."))
        report = m.report(memo, rng)
        steps.append(("Sent today", f"Second round, fresh at every report: {_shown(m, report)}."))
    else:
        steps += _encoding(m, own)
        report = m.privatize(value, rng)
        steps.append(("Sent", f"After the noise: {_shown(m, report)}."))
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


def _encoding(m: ldp.Mechanism, own: int) -> list[tuple[str, str]]:
    """Say how a one-time mechanism writes the value down before the noise."""
    texts = {
        "SUE": f"{m.k} bits, all 0 but the one of bin {own}.",
        "OUE": f"{m.k} bits, all 0 but the one of bin {own}.",
        "THE": f"{m.k} numbers, all 0 but a 1 for bin {own}; each gets Laplace noise, and counts if above a threshold.",
        "SS": "A set that still is to be filled.",
        "BLH": "A random hash function puts every bin into one of 2 cells; only the cell counts.",
    }
    if m.name == "OLH":
        texts["OLH"] = f"A random hash function puts every bin into one of {m.g:,} cells; only the cell counts."  # type: ignore[attr-defined]
    return [("Encoded", texts[m.name])] if m.name in texts else []


def _shown(m: ldp.Mechanism, report: Any) -> str:
    """Write a report briefly."""
    if isinstance(report, ldp.HashedReports):
        return f"hash function no. {int(report.seed[0])}, cell {int(report.value[0])}"
    row = np.asarray(report)[0]
    if row.ndim == 0:
        return f"bin {int(row)}"
    if row.dtype == np.bool_:
        ones = np.flatnonzero(row)
        return f"{len(ones)} of {m.k} bits are 1 (bins {_some(ones)})" if len(ones) else "no bit is 1"
    return f"a set of {len(row)} bins ({_some(row)})"


def _some(values: npt.NDArray[Any], most: int = 12) -> str:
    words = ", ".join(str(int(v)) for v in values[:most])
    return words + (", …" if len(values) > most else "")
