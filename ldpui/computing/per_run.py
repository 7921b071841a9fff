"""Numbers of every run, by metric and estimator: what workers measure in parts, and the server joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

# By the key of the metric, and that of the estimator.
Values: TypeAlias = dict[tuple[str, str], npt.NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class PerRun:
    """A number for every run, by metric and estimator.

    Examples
    --------
    >>> errors = PerRun({("mse", "mi"): np.array([2.0, 4.0]), ("mse", "ibu"): np.array([1.0, 3.0])})
    >>> float(errors.of("ibu", "mse").mean())
    2.0
    >>> list(errors.by_estimator("mse"))
    ['mi', 'ibu']
    """

    values: Values

    def of(self, estimator: str, metric: str) -> npt.NDArray[np.float64]:
        """Return the numbers of an estimator by a metric, one for every run."""
        return self.values[metric, estimator]

    def by_estimator(self, metric: str) -> dict[str, npt.NDArray[np.float64]]:
        """Return the numbers by a metric, by estimator and in their order."""
        return {estimator: numbers for (measured, estimator), numbers in self.values.items() if measured == metric}


def joined(pieces: Sequence[PerRun]) -> Values:
    """Return the numbers of all runs, from those of some of them, in order."""
    return {key: np.concatenate([piece.values[key] for piece in pieces]) for key in pieces[0].values}
