"""Full-report IBU of collected reports, a hundred steps at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ldpcore._validate import FloatArray
from ldpcore.collected.parts import Part
from ldpcore.errors import Refused
from ldpcore.estimators import FULL_MAX_ENTRIES, ibu_supports
from ldpcore.estimators.full import MAX_ITER_FULL, TOL_FULL
from ldpcore.mechanisms import Mechanism
from ldpcore.mechanisms.reports import VALUES

# Steps between two reports of progress, and the largest number of steps in all.
FULL_STEPS, FULL_MOST_STEPS = 100, MAX_ITER_FULL
# IBU can start from anything above 0.
_LEAST = 1e-300


def is_limit(m: Mechanism, mixed: bool) -> bool:
    """Tell whether full-report IBU is IBU's limit: where a report is one value, the counts say all that reports say."""
    return m.report_kind is VALUES and not mixed


def steps_of(parts: Sequence[Part], start: FloatArray | None = None) -> Iterator[tuple[FloatArray, bool]]:
    """Take the steps of full-report IBU; yield after every hundred where it is, and whether it is at rest."""
    entries = sum(part.n * part.m.k for part in parts)
    if entries > FULL_MAX_ENTRIES:
        raise Refused(
            f"full-report IBU keeps every report: there may be at most n·k = {FULL_MAX_ENTRIES:,} entries; "
            f"got {entries:,}"
        )
    bits = np.concatenate([part.m.supports(part.reports) for part in parts])
    ratios = np.repeat([part.m.likelihood_ratio for part in parts], [part.n for part in parts])
    place = start
    while True:
        began = None if place is None else np.maximum(place, _LEAST) / np.maximum(place, _LEAST).sum()
        further = ibu_supports(bits, ratios, max_iter=FULL_STEPS, start=began)
        if place is not None and np.abs(further - place).max() < TOL_FULL:
            yield place, True
            return
        place = further
        yield place, False


def full_estimate(parts: Sequence[Part]) -> FloatArray:
    """Estimate by full-report IBU: at rest, or after 3,000 steps.

    >>> import numpy as np
    >>> from ldpcore import mechanism
    >>> m = mechanism("SUE", k=2, eps=50.0)
    >>> full_estimate([Part(m, np.array([[True, False]] * 3 + [[False, True]]))]).round(6)
    array([0.75, 0.25])
    """
    for steps, (place, at_rest) in enumerate(steps_of(parts), 1):  # noqa: B007 - the last one counts
        if at_rest or steps * FULL_STEPS >= FULL_MOST_STEPS:
            break
    return place
