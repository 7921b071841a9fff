"""Reports that were made in the same way, counted: what all estimates from a collection begin with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.collected.copies import Prints, check_copies
from ldpcore.collected.fit import Fit, check_fit
from ldpcore.collected.hashed_fit import RECOUNTED, check_hashed_fit, check_seeds, name_other_family
from ldpcore.collected.set_order import Ends, check_order
from ldpcore.errors import Refused
from ldpcore.estimators.counts import counts_of_one
from ldpcore.estimators.inversion import inverted
from ldpcore.mechanisms import HashedReports, Mechanism
from ldpcore.mechanisms.histogram_encoding import of_reals


@dataclass(frozen=True, eq=False)
class Counted:
    """The support counts of n reports that were made in the same way.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> Counted.of([3, 1], 4, mechanism("GRR", k=2, eps=50.0)).raw
    array([0.75, 0.25])
    """

    counts: IntArray
    n: int
    m: Mechanism
    # Some of the reports themselves, where these are hashed: they show the number of cells.
    pairs: HashedReports | None = None
    # Which reports are equal, or have equal seeds.
    prints: Prints | None = None
    # Which values stand at the ends of sets.
    ends: Ends | None = None

    @classmethod
    def of_reports(cls, reports: Any, m: Mechanism) -> Counted:
        """Count reports; where they have more cells than the mechanism, say which ε they look like.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> Counted.of_reports([0, 1, 0], mechanism("GRR", k=2, eps=1.0)).counts
        array([2, 1])
        """
        check.mechanism(m)
        try:
            counts = m.support_counts(reports)
        except Refused:
            if (fit := check_hashed_fit(reports, m)) is not None:
                raise Refused(fit.sentence) from None
            raise
        n = m.report_kind.length(reports)
        m = of_reals(m) if m.takes_reals and _are_reals(reports) else m
        pairs = m.report_kind.take(reports, slice(0, RECOUNTED)) if m.g is not None else None
        return cls(counts, n, m, pairs, Prints.of(reports, m), Ends.of(reports, m))

    def fit(self, budget: int) -> Fit:
        """Check the cells and the seeds of hashed reports, and then the counts; of others also copies, and their order.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> Counted.of([900, 50, 50], 1_000, mechanism("GRR", k=3, eps=1.0)).fit(budget=1_000).verdict
        'does not fit'
        """
        if self.pairs is None:
            return self._fit_unhashed(budget)
        fit = check_hashed_fit(self.pairs, self.m)
        if fit is None and self.prints is not None:
            fit = check_seeds(self.prints, self.n, self.m)
        return name_other_family(fit or check_fit(self.counts, self.n, self.m, budget=budget), self.pairs, self.m)

    def _fit_unhashed(self, budget: int) -> Fit:
        fit = self._fit_copies(check_fit(self.counts, self.n, self.m, budget=budget))
        order = None if self.ends is None else check_order(self.ends, self.counts, self.n, self.m)
        if order is None or fit.fits:
            return order or fit
        return replace(fit, sentence=f"{fit.sentence} {order.sentence}")

    def _fit_copies(self, fit: Fit) -> Fit:
        if self.prints is None:
            return fit
        # Reports of a larger ε are equal more often: where they look like another one, that must not explain it.
        others = [] if fit.fits or fit.eps is None else [self.m.with_eps(fit.eps, same_shape=True)]
        return check_copies(self.prints, self.n, self.m, *others) or fit

    def checked(self) -> Counted:
        """Return the same if its counts can be those of n reports.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> counted = Counted.of([560, 440], 1_000, mechanism("GRR", k=2, eps=1.0))
        >>> bool((counted.checked().counts == counted.counts).all())
        True
        """
        return replace(Counted.of(self.counts, self.n, self.m), pairs=self.pairs, prints=self.prints, ends=self.ends)

    @classmethod
    def of(cls, counts: Any, n: int, m: Mechanism) -> Counted:
        """Check the counts.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> counted = Counted.of([560, 440], 1_000, mechanism("GRR", k=2, eps=1.0))
        >>> counted.n, counted.raw.round(2)
        (1000, array([0.63, 0.37]))
        """
        return cls(counts_of_one(counts, n, m), int(n), m)

    @property
    def raw(self) -> FloatArray:
        """The raw MI estimate."""
        # Not `mi`, for which counts of nothing but zeros are a mistake: a group can be a single report.
        return inverted(self.counts, self.n, self.m)


def _are_reals(reports: Any) -> bool:
    """Tell whether the first report holds a number that is neither 0 nor 1."""
    first = np.asarray(reports[0])
    return first.dtype.kind == "f" and bool(((first != 0) & (first != 1)).any())


def split_by_eps(reports: Any, eps: Any, m: Mechanism) -> list[tuple[Any, Mechanism]]:
    """Part reports by their users' ε: pairs (reports, mechanism), in ascending order of ε.

    A longitudinal mechanism keeps its ε∞, so `eps` is then each user's ε₁.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> m = ldp.mechanism("GRR", k=3, eps=1.0)
    >>> [(reports.tolist(), one.eps) for reports, one in ldp.split_by_eps([0, 2, 1], [2.0, 0.5, 2.0], m)]
    [([2], 0.5), ([0, 1], 2.0)]
    """
    check.mechanism(m)
    n = m.report_kind.length(reports)
    array = check.array_of("eps", eps)
    if array.shape != (n,) or array.dtype.kind not in "iuf":
        raise Refused(f"eps must be one number for each of the n = {n:,} reports; got {array.dtype} {array.shape}")
    different, which = np.unique(array, return_inverse=True)
    return [
        (m.report_kind.take(reports, which == index), m.with_eps(one)) for index, one in enumerate(different.tolist())
    ]
