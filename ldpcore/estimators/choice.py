"""What `auto` chose, among what, by how much, and how sure that is."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from ldpcore._validate import FloatArray
from ldpcore.estimators.candidates import Candidate
from ldpcore.estimators.groups import Group, refuted

if TYPE_CHECKING:
    import pandas as pd

# The steadiest candidate is left only if another is ahead of it by a = min(AHEAD, AHEAD_OF_BINS·√b) standard errors of
# their difference, for noise in b bins; the one chosen is the best of those ahead by min(CHOSEN_AHEAD, a).
AHEAD, CHOSEN_AHEAD = 2.0, 1.0
# To stay with the steadiest can cost 8a²/b times the error of raw MI: many times it with few bins, if a were always
# AHEAD. With AHEAD_OF_BINS it is at most 8·0.3² = 0.7 times.
AHEAD_OF_BINS = 0.3
# The candidate that is taken where nothing can be judged.
_FALLBACK = "norm-sub"
# Raw MI is judged, but not chosen while there is another: Norm-Sub is its projection on the histograms,
# and so at least as near to every one of them.
RAW = "raw"


@dataclass(frozen=True)
class Score:
    """What cross-validation says of a candidate.

    Attributes
    ----------
    candidate : Candidate
        Which one.
    error : float
        The mean squared error that is expected of it with twice the noise, as if half as many had reported: near 0 it
        can be negative. Without bias of many reports; of fewer than some hundred it is too small, simulations say: by 5
        to 50 % with 8 to 31 of them.
    se : float
        Its standard error, at most: of fits that follow the noise, splits that are repeated halve it.
    behind, behind_se : float
        How much more that is than the error of the one that was chosen, and the standard error of the difference, which
        is smaller, for the same noise is in both.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> choice = ldp.choose([700, 200, 100], 1_000, ldp.mechanism("GRR", k=3, eps=3.0))
    >>> raw = choice.scores[0]
    >>> raw.candidate.name, 0 <= raw.error < 0.01
    ('raw MI', True)
    """

    candidate: Candidate
    error: float
    se: float
    behind: float
    behind_se: float


@dataclass(frozen=True, eq=False)
class Choice:
    """What `auto` chose for one collection.

    Attributes
    ----------
    estimate : (k,) the frequencies, by the chosen estimator on all counts
    candidate : Candidate
        The chosen one.
    scores : tuple of Score
        Of every candidate.
    sure : float
        The chance that the best candidate of another kind is not better, by the normal law: 0.5 where the two are
        equal, less where the steadiest was taken because nothing is ahead of it beyond doubt; nan where there was
        nothing to judge by, or no other kind.
    n, splits : int
        Number of reports, and how often they were halved.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> choice = ldp.choose([700, 200, 100], 1_000, ldp.mechanism("GRR", k=3, eps=3.0))
    >>> choice.candidate in [score.candidate for score in choice.scores]
    True
    """

    estimate: FloatArray
    candidate: Candidate
    scores: tuple[Score, ...]
    sure: float
    n: int
    splits: int

    @property
    def score(self) -> Score:
        """The score of the chosen one."""
        return next(score for score in self.scores if score.candidate == self.candidate)

    @property
    def rival(self) -> Score | None:
        """The best score of another kind that might have been chosen."""
        return _rival(self.scores, self.candidate.key)

    @property
    def sentence(self) -> str:
        """What was chosen and how sure that is, in words."""
        name = self.candidate.name[0].upper() + self.candidate.name[1:]
        if np.isnan(self.score.error):
            return f"{name}: too few reports to choose by."
        rival = self.rival
        if rival is None:
            return f"{name}."
        if rival.behind < 0 < rival.behind_se:
            return (
                f"{name}, to be on the safe side: {rival.candidate.name} looks better, but only by "
                f"{-rival.behind / rival.behind_se:.1f} standard errors, and its fits on two halves differ more."
            )
        return f"{name}, {self.sure:.0%} sure; the next best of another kind: {rival.candidate.name}."

    def table(self) -> pd.DataFrame:
        """Return the scores, best first.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> choice = ldp.choose([700, 200, 100], 1_000, ldp.mechanism("GRR", k=3, eps=3.0))
        >>> table = choice.table()
        >>> len(table) == len(choice.scores), table["error"].is_monotonic_increasing
        (True, True)
        """
        import pandas as pd

        rows = [
            {"estimator": s.candidate.key, "name": s.candidate.name, "parameter": s.candidate.parameter,
             "error": s.error, "se": s.se, "behind": s.behind, "behind_se": s.behind_se}
            for s in self.scores
        ]  # fmt: skip
        return pd.DataFrame(rows).sort_values("error", kind="stable", ignore_index=True)

    def __repr__(self) -> str:
        return (
            f"Choice: {self.sentence} Expected MSE with twice the noise: {self.score.error:.2e} ± {self.score.se:.0e}"
        )

    def _repr_html_(self) -> str:
        table = self.table().head(8).to_html(index=False, float_format=lambda x: f"{x:.3g}", border=0)
        return f"<div><p><b>{html.escape(self.sentence)}</b></p>{table}</div>"


@dataclass(frozen=True, eq=False)
class Judged:
    """Fits (candidates, splits, k) on one half, with raw MI (splits, k) of the other half and its variance.

    The judge is that raw MI, put right by what its sum differs from 1: each bin gives its share of the variance of
    reports that support any number of values, which is all that the sum can differ by. That is still without bias, and
    has the least noise. Where one bin has most of the users, most of the noise is in the sum.

    Attributes
    ----------
    fits, raw : as above
    free, fixed : (splits, k)
        The variance of the raw MI that comes from reports which support any number of values, and a fixed number.
    """

    fits: FloatArray
    raw: FloatArray
    free: FloatArray
    fixed: FloatArray

    @cached_property
    def _free_shares(self) -> FloatArray:
        return _shares(self.free)

    @cached_property
    def _noise(self) -> FloatArray:
        """The variance of the judge in every bin."""
        return np.asarray(self.fixed + self.free * (1 - self._free_shares))

    @property
    def _away(self) -> FloatArray:
        """How far the fits are from the judge."""
        return np.asarray(self.fits - self.raw + self._free_shares * (self.raw.sum(axis=-1, keepdims=True) - 1))

    @property
    def squares(self) -> FloatArray:
        """The squared errors of every bin, without bias, shape (candidates, splits, k)."""
        return np.asarray(self._away**2 - self._noise)

    @property
    def bins_of_noise(self) -> float:
        """How many bins the noise is spread over: k if all have the same, and 1 if one has it all."""
        noise = self._noise
        squares = (noise**2).sum(axis=-1)
        every = np.full(squares.shape, float(noise.shape[-1]))
        return float(np.divide(noise.sum(axis=-1) ** 2, squares, out=every, where=squares > 0).mean())

    @cached_property
    def _alone(self) -> list[tuple[FloatArray, FloatArray]]:
        """The variances that values would have without their sum, by which the judge's covariance V is known.

        Where reports have a fixed size the variance is that given the sum, less by each bin's share. With each go its
        shares; what is 0 everywhere adds nothing, and is left out.
        """
        fixed = self.fixed / np.maximum(1 - _shares(self.fixed), 1 / self.fixed.shape[-1])
        return [(variance, _shares(variance)) for variance in (self.free, fixed) if variance.any()]

    @property
    def error_variance(self) -> FloatArray:
        """The variance of the mean of `squares` over the bins, given the fits: (4 eᵀVe + 2 tr V²)/k².

        e is how far the fits are from the truth; r, how far they are from the judge: rᵀVr is eᵀVe + tr V² on average.
        """
        away, k = self._away, self.fits.shape[-1]
        nothing = np.zeros(len(away))
        linear = sum((_given_the_sum(away, *alone).mean(axis=-1) for alone in self._alone), start=nothing)
        square = sum((_square_given_the_sum(*alone).mean(axis=-1) for alone in self._alone), start=nothing)
        return np.asarray(np.maximum(4 * linear - 2 * square, 2 * square) / k**2)

    def difference_se(self, index: int) -> FloatArray:
        """Return the standard error of the difference to a candidate, given the fits: 2√(dᵀVd) over k bins.

        d is how the fits differ, and V the covariance of the judge: that of values which are independent but for their
        sum.
        """
        d = self.fits - self.fits[index]
        squares = sum((_given_the_sum(d, *alone) for alone in self._alone), start=np.zeros(d.shape[:-1]))
        return np.asarray(2 * np.sqrt(squares.mean(axis=-1)) / self.fits.shape[-1])


def _shares(variance: FloatArray) -> FloatArray:
    """Return each bin's share of the variance; none where there is no noise."""
    whole = variance.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(variance, whole, out=np.zeros_like(variance), where=whole > 0))


def _given_the_sum(d: FloatArray, variance: FloatArray, shares: FloatArray) -> FloatArray:
    """Return the variance of Σ d·x for values x that are independent with these variances, given their sum."""
    weighted = d * variance
    squares = (d * weighted).sum(axis=-1) - weighted.sum(axis=-1) * (d * shares).sum(axis=-1)
    return np.asarray(np.maximum(squares, 0))


def _square_given_the_sum(variance: FloatArray, shares: FloatArray) -> FloatArray:
    """Return tr V² of the covariance V of such values."""
    squares = (variance**2).sum(axis=-1)
    return np.asarray(squares - 2 * (variance**2 * shares).sum(axis=-1) + (variance * shares).sum(axis=-1) ** 2)


def make_choice(
    candidates: Sequence[Candidate],
    fits: FloatArray,
    halves: tuple[Judged, Judged] | None,
    groups: Sequence[Group],
    splits: int,
) -> Choice:
    """Choose among candidates with fits (candidates, k) on all counts of groups; `halves` judge them both ways."""
    n = sum(group.n for group in groups)
    if halves is None:
        index, nan = _fallback([candidate.key for candidate in candidates]), float("nan")
        scores = tuple(Score(candidate, nan, nan, nan, nan) for candidate in candidates)
        return Choice(fits[index], candidates[index], scores, nan, n, splits)
    errors = np.mean([half.squares.mean(axis=(-2, -1)) for half in halves], axis=0)
    # The two halves have no user in common. Repeated splits lower it further, by how much depends on the fit.
    se = np.sqrt(np.mean([half.error_variance for half in halves], axis=0) / 2)
    index = _chosen(candidates, fits, halves, errors, groups)
    behind_se = _difference_se(halves, index)
    scores = tuple(
        Score(candidate, *map(float, numbers))
        for candidate, *numbers in zip(candidates, errors, se, errors - errors[index], behind_se, strict=True)
    )
    return Choice(fits[index], candidates[index], scores, _sure(scores, index), n, splits)


def _fallback(keys: Sequence[str]) -> int:
    """Return which candidate is taken where there is nothing to judge by."""
    return min(range(len(keys)), key=lambda index: (keys[index] != _FALLBACK, keys[index] == RAW))


def _difference_se(halves: tuple[Judged, Judged], index: int) -> FloatArray:
    """Return the standard error of the difference to a candidate: that of one half judged by the other.

    Two halves that judge each other, and many splits, are not more than one where a fit follows the noise: then all of
    them see the same noise, in the fit as in the judgement.
    """
    return np.asarray(np.mean([half.difference_se(index) for half in halves], axis=0))


def _chosen(
    candidates: Sequence[Candidate],
    fits: FloatArray,
    halves: tuple[Judged, Judged],
    errors: FloatArray,
    groups: Sequence[Group],
) -> int:
    """Return the best that is ahead of the steadiest, if there is something to be learned, and else the steadiest.

    The steadiest is the one whose fits on two halves differ least: where the counts are mostly noise, others look good
    by chance, and a wrong choice among them costs many times what is to be won. Where the counts refute the steadiest,
    there is something to be learned, and the best is taken, be it ahead by little.
    """
    possible = np.array([candidate.key != RAW for candidate in candidates])
    if not possible.any():
        possible[:] = True
    apart = ((halves[0].fits - halves[1].fits) ** 2).sum(axis=(-2, -1))
    steadiest = int(np.argmin(np.where(possible, apart, np.inf)))
    ahead, se = errors[steadiest] - errors, _difference_se(halves, steadiest)
    margin = min(AHEAD, AHEAD_OF_BINS * float(np.mean([half.bins_of_noise for half in halves])) ** 0.5)
    # A candidate that no truth would put ahead by as much is ahead by chance alone.
    possible &= _most_ahead(halves, steadiest) >= margin * se
    if refuted(groups, fits[steadiest]):
        margin = 0.0
    if not (possible & (ahead > margin * se)).any():
        return steadiest
    return int(np.argmin(np.where(possible & (ahead > min(CHOSEN_AHEAD, margin) * se), errors, np.inf)))


def _most_ahead(halves: tuple[Judged, Judged], index: int) -> FloatArray:
    """Return by how much each candidate's fits could be ahead of those of candidate `index`, whatever the truth.

    ‖s − θ‖² − ‖c − θ‖² = ‖s‖² − ‖c‖² + 2⟨θ, c − s⟩, and for θ ≥ 0 that sums to 1 the product is at most the largest of
    c − s.
    """
    fits = np.concatenate([half.fits for half in halves], axis=1)
    lengths = (fits**2).sum(axis=-1)
    most = 2 * (fits - fits[index]).max(axis=-1) - lengths + lengths[index]
    return np.asarray(most.mean(axis=-1) / fits.shape[-1])


def _rival(scores: Sequence[Score], key: str) -> Score | None:
    others = [score for score in scores if score.candidate.key not in (key, RAW)]
    return min(others, key=lambda score: score.error, default=None)


def _sure(scores: Sequence[Score], index: int) -> float:
    rival = _rival(scores, scores[index].candidate.key)
    if rival is None:
        return float("nan")
    if rival.behind_se <= 0:
        return 0.5 if rival.behind == 0 else float(rival.behind > 0)
    return NormalDist().cdf(rival.behind / rival.behind_se)
