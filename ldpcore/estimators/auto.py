"""Choosing the estimator from the counts alone: fitted on one half of the users, judged by the other.

The counts are split as if the users had been halved, less what sampling adds to that (`halves`): both halves are about
the same users, with twice the noise. Every candidate is fitted on one half and compared with raw MI of the other, which
is unbiased: the mean squared difference, less the variance of that raw MI, is the squared error of the candidate at
twice the noise, up to chance. Halves change places, and the split is repeated. If no candidate is ahead of the
steadiest, the one whose two halves differ least, by two standard errors of their difference (by fewer, where bins are
few), the steadiest is taken; and else the best of those that are ahead of it by one. Whoever could not be ahead by as
much, whatever the truth, does not count; and where raw MI refutes the steadiest, any lead is enough. That keeps the
choice from following the noise where ε is small and bins are many, and from staying flat where something stands out.
Nothing but the counts is looked at, so it costs no privacy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.errors import Refused
from ldpcore.estimators.candidates import Candidate, Family
from ldpcore.estimators.choice import Choice, Judged, make_choice
from ldpcore.estimators.counts import check_counts, check_groups, group_of, pairs_of
from ldpcore.estimators.groups import Combined, Group, combined
from ldpcore.estimators.halves import (
    checked_splits,
    halves_of_counts,
    halves_of_reports,
    halves_of_rows,
    row_generator,
)
from ldpcore.estimators.kernels import smoothed
from ldpcore.estimators.postprocess import norm_sub
from ldpcore.mechanisms.base import Mechanism

# Numbers of all halves that are worked on together: more would leave the cache.
_CHUNK = 1 << 16


def auto(
    counts: Any, n: int, m: Mechanism, *, ordered: bool = False, splits: int | None = None, seed: int = 0
) -> FloatArray:
    """Estimate the frequencies by the estimator that the counts themselves speak for.

    Parameters
    ----------
    counts : array_like, shape (..., k)
        Support counts; every row is a collection of its own, with a choice of its own.
    n : int
        Number of reports.
    m : Mechanism
        The mechanism that made them.
    ordered : bool
        Whether the bins have an order, as ranges of numbers do and categories do not: then smoothing over them is
        among the candidates.
    splits : int, optional
        How often the users are halved, at most 1 000 times; if not given, eight times up to 200 values and less often
        with more, among which chance evens out by itself.
    seed : int
        Of the splits: the same counts and seed give the same choice.

    Examples
    --------
    >>> import ldpcore as ldp, numpy as np
    >>> m = ldp.mechanism("OUE", k=50, eps=0.5)
    >>> counts = m.sample_counts(np.full(50, 200), 1, np.random.default_rng(1))[0]
    >>> bool(ldp.auto(counts, 10_000, m).std() < ldp.ibu_limit(counts, m).std() / 5)  # flat data, and it sees that
    True
    """
    array = check_counts(counts, n, m)
    chosen = choices(array, n, m, ordered=ordered, splits=splits, seed=seed)
    return np.reshape([choice.estimate for choice in chosen], array.shape)


def choose(
    counts: Any, n: int, m: Mechanism, *, ordered: bool = False, splits: int | None = None, seed: int = 0
) -> Choice:
    """Do what `auto` does for one collection (k,), and tell what was chosen, among what, and how sure that is.

    Examples
    --------
    >>> import ldpcore as ldp, numpy as np
    >>> m = ldp.mechanism("OUE", k=6, eps=4.0)
    >>> counts = m.sample_counts([5000, 3000, 1500, 400, 80, 20], 1, np.random.default_rng(1))[0]
    >>> choice = ldp.choose(counts, 10_000, m)
    >>> len(choice.scores), choice.score.error < 1e-3, 0.5 <= choice.sure <= 1
    (10, True, True)
    """
    array = check_counts(counts, n, m)
    if array.ndim != 1:
        raise Refused(f"counts must be those of one collection, shape ({m.k},); got shape {array.shape}: see auto")
    return choices(array, n, m, ordered=ordered, splits=splits, seed=seed)[0]


def choices(
    counts: Any,
    n: int,
    m: Mechanism,
    *,
    ordered: bool = False,
    splits: int | None = None,
    seed: int = 0,
    only: Sequence[str] = (),
) -> list[Choice]:
    """Choose for every collection of a batch (..., k); `only` names the keys of the candidates.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> m = ldp.mechanism("GRR", k=3, eps=3.0)
    >>> two = ldp.choices([[700, 200, 100], [400, 300, 300]], 1_000, m, only=["mi", "norm-sub"])
    >>> [choice.candidate.key in ("mi", "norm-sub") for choice in two]
    [True, True]
    """
    rows = check_counts(counts, n, m).reshape(-1, m.k)
    splits, seed = checked_splits(splits, m.k), check.seed(seed)
    chunk = max(1, _CHUNK // (2 * splits * m.k))
    family = Family([m], [n], ordered=ordered, only=only)
    out: list[Choice] = []
    for begin in range(0, len(rows), chunk):
        some = rows[begin : begin + chunk]
        halves = halves_of_rows(some, n, n // 2, m, splits, [row_generator(row, seed) for row in some])
        out += _choices(family, [Group(some, n, m)], [halves], [n // 2])
    return out


def choose_both(counts: Any, n: int, m: Mechanism, *, seed: int = 0) -> tuple[list[Choice], list[Choice]]:
    """Choose for every collection of a batch (..., k) without and with the order of the bins, at the cost of one.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> m = ldp.mechanism("GRR", k=3, eps=3.0)
    >>> blind, ordered = choose_both([700, 200, 100], 1_000, m)
    >>> bool((blind[0].estimate == ldp.auto([700, 200, 100], 1_000, m)).all())
    True
    """
    rows = check_counts(counts, n, m).reshape(-1, m.k)
    splits, seed = checked_splits(None, m.k), check.seed(seed)
    chunk = max(1, _CHUNK // (2 * splits * m.k))
    blind, ordered = (Family([m], [n], ordered=order) for order in (False, True))
    out: tuple[list[Choice], list[Choice]] = [], []
    for begin in range(0, len(rows), chunk):
        some = rows[begin : begin + chunk]
        halves = halves_of_rows(some, n, n // 2, m, splits, [row_generator(row, seed) for row in some])
        judged = _judged(ordered, [Group(some, n, m)], [halves], [n // 2])
        # The kernels are the last of the candidates.
        out[0].extend(one.choice(len(blind.candidates)) for one in judged)
        out[1].extend(one.choice() for one in judged)
    return out


def choose_groups(
    groups: Sequence[tuple[Any, int, Mechanism]], *, ordered: bool = False, splits: int | None = None, seed: int = 0
) -> Choice:
    """Choose from the support counts of groups of users with different ε: (counts, n, mechanism) for each.

    MI is the mean of the groups' raw estimates, weighted by their precision, and IBU has a channel for each group.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> one, two = (ldp.mechanism("GRR", k=3, eps=eps) for eps in (1.0, 2.0))
    >>> choice = ldp.choose_groups([([500, 300, 200], 1_000, one), ([130, 40, 30], 200, two)])
    >>> choice.n, choice.estimate.shape
    (1200, (3,))
    """
    triples = (group_of(group) for group in check.sequence("groups", groups, "(counts, n, mechanism)"))
    checked = [Group(check_counts(counts, n, m, zeros=True)[None], n, m) for counts, n, m in triples]
    seed = check.seed(seed)
    generators = [row_generator(group.counts[0], seed) for group in checked]

    def halves(index: int, half: int) -> FloatArray:
        group = checked[index]
        number = checked_splits(splits, group.m.k)
        return halves_of_counts(group.counts[0], group.n, half, group.m, number, generators[index])

    return _of_groups(checked, halves, ordered)


def choose_reports(
    collections: Sequence[tuple[Any, Mechanism]], *, ordered: bool = False, splits: int | None = None, seed: int = 0
) -> Choice:
    """Choose from the reports themselves, one (reports, mechanism) for each ε: there it is the users who are halved.

    Examples
    --------
    >>> import ldpcore as ldp, numpy as np
    >>> m = ldp.mechanism("SS", k=6, eps=2.0)
    >>> reports = m.privatize([0] * 600 + [2] * 400, np.random.default_rng(0))
    >>> ldp.choose_reports([(reports, m)]).estimate.shape
    (6,)
    """
    rng = np.random.default_rng(check.seed(seed))
    collections = pairs_of(collections)
    sizes = [m.report_kind.length(reports) for reports, m in collections]
    groups = [
        Group(m.support_counts(reports)[None].astype(np.float64), n, m)
        for (reports, m), n in zip(collections, sizes, strict=True)
    ]

    def halves(index: int, half: int) -> FloatArray:
        number = checked_splits(splits, groups[index].m.k)
        return halves_of_reports(*collections[index], half, number, rng)

    return _of_groups(groups, halves, ordered)


def _of_groups(groups: Sequence[Group], halves: Callable[[int, int], FloatArray], ordered: bool) -> Choice:
    check_groups("groups", "(counts, n, mechanism)", [group.m for group in groups])
    family = Family([group.m for group in groups], [group.n for group in groups], ordered=ordered)
    # Where a group's n is odd, the odd user goes to the first half and to the second half in turn, group by group.
    odd = np.cumsum([group.n % 2 for group in groups])
    sizes = [group.n // 2 + int(group.n % 2 and turn % 2) for group, turn in zip(groups, odd.tolist(), strict=True)]
    first = [halves(index, half)[None] for index, half in enumerate(sizes)]
    return _choices(family, groups, first, sizes)[0]


def smooth(
    counts: Any, n: int, m: Mechanism, *, bandwidth: float | None = None, splits: int | None = None, seed: int = 0
) -> FloatArray:
    """Estimate the frequencies of ordered bins: raw MI smoothed over the bins, then Norm-Sub.

    Parameters
    ----------
    counts, n, m, splits, seed
        As `auto` takes them.
    bandwidth : float, optional
        Width of the Gaussian kernel, in bins, 0 for none. If not given, each collection chooses its own by
        cross-validation, none among them.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> m = ldp.mechanism("GRR", k=4, eps=1.0)
    >>> ldp.smooth([400, 250, 200, 150], 1_000, m, bandwidth=1.0).round(2)
    array([0.56, 0.33, 0.11, 0.  ])
    """
    array = check_counts(counts, n, m)
    if bandwidth is None:
        only = ("norm-sub", "smooth")
        chosen = choices(array, n, m, ordered=True, splits=splits, seed=seed, only=only)
        return np.reshape([choice.estimate for choice in chosen], array.shape)
    width = check.real("bandwidth", bandwidth, 0)
    return norm_sub(smoothed(Group(array, n, m).raw, np.array([width]))[0], n, m)


# ---- scores -----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Half:
    """One half of the users: what each candidate makes of it, and raw MI with its variance."""

    fits: FloatArray
    together: Combined

    @classmethod
    def of(cls, family: Family, groups: Sequence[Group], counts: Sequence[FloatArray], sizes: Sequence[int]) -> _Half:
        """Take the counts (rows·splits, k) of each group that has users in this half."""
        parts = [Group(c, size, group.m) for group, c, size in zip(groups, counts, sizes, strict=True)]
        return cls(family.fits(parts), combined([part for part in parts if part.n]))

    def judged_by(self, other: _Half, here: slice) -> Judged:
        """Return the fits on this half and what the other one says, for some of the splits."""
        judge = other.together
        return Judged(self.fits[:, here], judge.raw[here], judge.free[here], judge.fixed[here])


@dataclass(frozen=True, eq=False)
class _Judged:
    """One collection: the candidates, their fits on all counts, and both ways to judge them by halves, if there are."""

    candidates: Sequence[Candidate]
    fits: FloatArray
    halves: tuple[Judged, Judged] | None
    groups: Sequence[Group]
    splits: int

    def choice(self, first: int | None = None) -> Choice:
        """Choose, among all or the `first` so many candidates."""
        halves = self.halves
        if halves is not None and first is not None:
            one, two = (replace(half, fits=half.fits[:first]) for half in halves)
            halves = one, two
        return make_choice(self.candidates[:first], self.fits[:first], halves, self.groups, self.splits)


def _choices(
    family: Family, groups: Sequence[Group], halves: Sequence[FloatArray], sizes: Sequence[int]
) -> list[Choice]:
    """Choose for each row of the groups' counts (rows, k), of which `halves` (rows, splits, k) are the first halves."""
    return [one.choice() for one in _judged(family, groups, halves, sizes)]


def _judged(
    family: Family, groups: Sequence[Group], halves: Sequence[FloatArray], sizes: Sequence[int]
) -> list[_Judged]:
    whole = family.fits(groups)
    rows, splits, k = halves[0].shape
    alone = [[Group(group.counts[row], group.n, group.m) for group in groups] for row in range(rows)]
    others = [group.n - size for group, size in zip(groups, sizes, strict=True)]
    if not (sum(sizes) and sum(others)):
        # A single user: there is nothing to judge by.
        return [_Judged(family.candidates, whole[:, row], None, alone[row], splits) for row in range(rows)]
    rest = [group.counts[:, None] - half for group, half in zip(groups, halves, strict=True)]
    one = _Half.of(family, groups, [half.reshape(-1, k) for half in halves], sizes)
    two = _Half.of(family, groups, [half.reshape(-1, k) for half in rest], others)
    out = []
    for row in range(rows):
        here = slice(row * splits, (row + 1) * splits)
        judged = one.judged_by(two, here), two.judged_by(one, here)
        out.append(_Judged(family.candidates, whole[:, row], judged, alone[row], splits))
    return out
