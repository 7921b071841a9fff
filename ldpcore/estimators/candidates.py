"""The estimates among which `auto` chooses: all of them made from the same counts at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.errors import Refused
from ldpcore.estimators.groups import Group, combined
from ldpcore.estimators.kernels import bandwidths, smoothed
from ldpcore.estimators.limit import limit_of_shares
from ldpcore.estimators.path import Observed, ibu_path
from ldpcore.estimators.postprocess import norm_mul, norm_sub, power_posterior
from ldpcore.mechanisms.base import Mechanism

# IBU is stopped at these shares of its own time T: from where it has hardly begun to where little is left.
_OF_IBU_TIME = 2.0 ** np.arange(-9, 5)


@dataclass(frozen=True)
class Candidate:
    """An estimator that `auto` may choose: its key, and the steps of IBU or the width of the kernel where it has one.

    Examples
    --------
    >>> Candidate("ibu", 812).name, Candidate("smooth", 2.83).name, Candidate("norm-sub").name
    ('IBU stopped after 812 steps', 'smoothed over ±2.8 bins', 'Norm-Sub')
    """

    key: str
    parameter: float | None = None

    @property
    def name(self) -> str:
        """What people call it."""
        if self.parameter is None:
            return _name(self.key)
        if self.key == "ibu":
            return f"IBU stopped after {self.parameter:,.0f} step{'s' if self.parameter > 1 else ''}"
        return f"smoothed over ±{self.parameter:.2g} bins"

    @property
    def kind(self) -> str:
        """What people call it, whatever its steps or its width.

        >>> Candidate("ibu", 812).kind, Candidate("smooth", 2.83).kind, Candidate("norm-sub").kind
        ('IBU stopped', 'smoothed', 'Norm-Sub')
        """
        return {"ibu": "IBU stopped", "smooth": "smoothed"}.get(self.key) or _name(self.key)


def _name(key: str) -> str:
    # Not above: the list of all estimators has `auto` in it.
    from ldpcore.estimators.records import ESTIMATORS

    return ESTIMATORS[key].name


class Family:
    """All candidates for reports of one mechanism, or of several over the same values.

    Parameters
    ----------
    mechanisms : sequence of Mechanism
        One for each ε.
    sizes : sequence of int
        The number of their reports, of which only the proportions count.
    ordered : bool
        Whether the bins have an order: then smoothing over them is among the candidates.
    only : sequence of str
        Keys of the candidates; all if there are none. Others are refused.
    """

    def __init__(
        self, mechanisms: Sequence[Mechanism], sizes: Sequence[int], *, ordered: bool, only: Sequence[str] = ()
    ) -> None:
        ordered = check.truth("ordered", ordered)
        pace = sum(w / m.ibu_time for w, m in zip(_weights(mechanisms, sizes), mechanisms, strict=True))
        self._times = sorted({max(1, round(share / pace)) for share in _OF_IBU_TIME.tolist()})
        self._widths = bandwidths(mechanisms[0].k)
        # With several ε the limit has no closed form; the end of the path is near it.
        plain = ("raw", "mi", "norm-sub", "power-ns")
        parameters_by_key: dict[str, list[float | None]] = {key: [None] for key in plain}
        parameters_by_key |= {"limit": [None]} if len(mechanisms) == 1 else {}
        parameters_by_key |= {"ibu": list(self._times)} | ({"smooth": self._widths.tolist()} if ordered else {})
        only = check.sequence("only", only, "keys", str)
        _check_only(only, parameters_by_key, ordered)
        self._keys = [key for key in parameters_by_key if not only or key in only]
        self.candidates = tuple(Candidate(key, parameter) for key in self._keys for parameter in parameters_by_key[key])

    def fits(self, groups: Sequence[Group]) -> FloatArray:
        """Return every candidate's estimates, shape (candidates, rows, k); groups without users say nothing."""
        groups = [group for group in groups if group.n]
        together = combined(groups)
        raw, sigma = together.raw, together.sigma
        n, m = sum(group.n for group in groups), groups[0].m
        return np.concatenate([self._fit(key, groups, raw, sigma, n, m) for key in self._keys])

    def _fit(
        self, key: str, groups: Sequence[Group], raw: FloatArray, sigma: float, n: int, m: Mechanism
    ) -> FloatArray:
        if key == "ibu":
            return ibu_path(_observed(groups), self._times)
        if key == "smooth":
            return norm_sub(smoothed(raw, self._widths), n, m)
        if key == "limit":
            (observed,) = _observed(groups)
            return limit_of_shares(observed.shares, observed.p, observed.q)[None]
        one: dict[str, Any] = {
            "raw": lambda: raw,
            "mi": lambda: norm_mul(raw, n, m),
            "norm-sub": lambda: norm_sub(raw, n, m),
            "power-ns": lambda: norm_sub(power_posterior(raw, n, sigma), n, m),
        }
        return np.asarray(one[key]())[None]


def _check_only(only: Sequence[str], keys: Iterable[str], ordered: bool) -> None:
    for key in only:
        if key == "smooth" and not ordered:
            raise Refused(
                "only must name candidates; got 'smooth', which is one where bins have an order (ordered=True)"
            )
        check.choice("only", key, keys)


def _weights(mechanisms: Sequence[Mechanism], sizes: Sequence[int]) -> FloatArray:
    """Return which part of all supports the reports of each mechanism are expected to give."""
    supports = np.array([n * (m.p + (m.k - 1) * m.q) for m, n in zip(mechanisms, sizes, strict=True)])
    return np.asarray(supports / supports.sum())


def _observed(groups: Sequence[Group]) -> list[Observed]:
    weights = _weights([group.m for group in groups], [group.n for group in groups])
    return [
        Observed.of(group.counts, group.m.p, group.m.q, float(weight))
        for group, weight in zip(groups, weights, strict=True)
    ]
