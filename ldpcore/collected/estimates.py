"""What a server makes of reports that were really collected: estimates, how far to trust them, and a check.

Two kinds of 95 % intervals of the raw, unbiased MI estimate answer two questions. "noise" is about the users who
reported: how far is the estimate from their own frequencies? "population" is about the population that they are a
sample of, so it holds the sampling error as well. `intervals` says how they are computed and what they hold.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.collected.counted import Counted, split_by_eps
from ldpcore.collected.fit import Fit
from ldpcore.collected.intervals import INTERVALS, Support, Variance, count_interval, cut, mixed_interval
from ldpcore.collected.names import check_names
from ldpcore.collected.rare_values import BUDGET
from ldpcore.errors import Refused
from ldpcore.estimators import (
    ESTIMATORS,
    FULL_MAX_ENTRIES,
    MAX_ITER,
    TOL,
    Choice,
    Options,
    choose_groups,
    ibu_supports,
    postprocess,
)
from ldpcore.estimators.counts import check_groups, group_of, pairs_of
from ldpcore.mechanisms import Mechanism

if TYPE_CHECKING:
    import pandas as pd

# The estimates that a collection has an attribute for.
_ATTRIBUTES = ("raw", "mi", "ibu", "limit", "full", "auto")
# What IBU on counts may be told.
_OPTIONS = ("channel", "max_iter", "tol")
# So many rows are shown at a console or in a notebook.
_SHOWN_ROWS = 10


@dataclass(frozen=True, eq=False)
class Collected:
    """What was estimated from one collection; every array has shape (k,), every interval shape (2, k).

    Attributes
    ----------
    n : int
        Number of reports.
    counts : IntArray
        Support counts.
    raw, mi : FloatArray
        The unbiased MI estimate, and the paper's MI: clipped at 0 and rescaled.
    ibu, limit : FloatArray or None
        IBU on counts and its limit; None where the reports have different ε.
    full : FloatArray or None
        IBU on full reports; None where only counts are known, or n·k is too large for it.
    noise_se, population_se : FloatArray
        Standard errors of `raw`, by the closed forms at `raw` clipped to [0, 1].
    noise, population : FloatArray
        Intervals of `raw`: for the frequencies among the users who reported, and for those of the
        population that they are a sample of. With several ε both take it that ε does not depend on the value.
    level : float
        What the intervals promise, 0.95 if nothing else was asked for.
    fit : tuple of Fit
        Whether the reports fit the mechanism, one for each ε.
    names : tuple of str
        The names of the values; none where nobody gave them any.
    groups : tuple of Counted
        What was counted for each ε.
    choice : Choice or None
        What `auto` chose; None before `chosen` was asked for it.
    others : dict of FloatArray
        The other estimates from counts that tables have (`Estimator.tabled`) and that use no order of the values, by
        the keys of their estimators; none where the reports have different ε.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> collected = ldp.estimate([560, 440], 1_000, ldp.mechanism("GRR", k=2, eps=1.0))
    >>> collected.raw.round(3)
    array([0.63, 0.37])
    >>> collected.noise.round(3)  # the lower and the upper ends
    array([[0.57 , 0.311],
           [0.689, 0.43 ]])
    """

    n: int
    counts: IntArray
    raw: FloatArray
    mi: FloatArray
    ibu: FloatArray | None
    limit: FloatArray | None
    full: FloatArray | None
    noise_se: FloatArray
    population_se: FloatArray
    noise: FloatArray
    population: FloatArray
    level: float
    fit: tuple[Fit, ...]
    names: tuple[str, ...] = ()
    groups: tuple[Counted, ...] = ()
    choice: Choice | None = None
    others: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def auto(self) -> FloatArray | None:
        """The estimate of what `auto` chose; None before `chosen` was asked for it."""
        return None if self.choice is None else self.choice.estimate

    def chosen(self, *, ordered: bool = False) -> Collected:
        """Return the same with the estimate of `auto`, the estimator that the counts speak for, several ε or not.

        `ordered` says that the values have an order, as ranges of numbers do and categories do not.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> collected = ldp.estimate([560, 440], 1_000, ldp.mechanism("GRR", k=2, eps=1.0)).chosen()
        >>> collected.auto.round(1), collected.choice.splits
        (array([0.6, 0.4]), 8)
        """
        return replace(self, choice=choose_groups([(g.counts, g.n, g.m) for g in self.groups], ordered=ordered))

    def named(self, names: Sequence[str]) -> Collected:
        """Return the same with names for its values, or without any.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> ldp.estimate([3, 1], 4, ldp.mechanism("GRR", k=2, eps=50.0)).named(["yes", "no"]).table().name.tolist()
        ['yes', 'no']
        """
        every = check.sequence("names", names, "names", str)
        return replace(self, names=check_names(every, self.counts.size) if every else ())

    def within(self, kind: str) -> FloatArray:
        """Return the "noise" or "population" interval cut to [0, 1], shape (2, k), to be drawn around any estimate.

        Of all estimates raw MI alone has intervals that hold what they promise, so they serve the others too.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> ldp.estimate([100, 0], 100, ldp.mechanism("GRR", k=2, eps=50.0)).within("population").round(3)
        array([[0.966, 0.   ],
               [1.   , 0.034]])
        """
        return cut(getattr(self, check.choice("kind", kind, INTERVALS)))

    def estimates(self) -> dict[str, FloatArray]:
        """Return all estimates that there are by their estimators' keys, in the order of `ldpcore.ESTIMATORS`.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> list(ldp.estimate([560, 440], 1_000, ldp.mechanism("GRR", k=2, eps=1.0)).estimates())
        ['raw', 'mi', 'ibu', 'limit']
        """
        known = {key: getattr(self, key) for key in _ATTRIBUTES} | dict(self.others)
        return {key: known[key] for key in ESTIMATORS if known.get(key) is not None}

    def table(self) -> pd.DataFrame:
        """Return one row a value; columns that were not estimated are left out.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> collected = ldp.estimate([560, 440], 1_000, ldp.mechanism("GRR", k=2, eps=1.0))
        >>> collected.table()[["value", "count", "mi", "noise_low", "noise_high"]].round(2)
           value  count    mi  noise_low  noise_high
        0      0    560  0.63       0.57        0.69
        1      1    440  0.37       0.31        0.43
        """
        import pandas as pd

        columns: dict[str, Any] = {"value": np.arange(self.counts.size)}
        columns |= {"name": self.names} if self.names else {}
        columns |= {"count": self.counts} | self.estimates()
        for kind in INTERVALS:
            low, high = getattr(self, kind)
            columns |= {f"{kind}_se": getattr(self, f"{kind}_se"), f"{kind}_low": low, f"{kind}_high": high}
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        """Say what it is in a line, and show the first values."""
        return f"{self._line()}\n{self.table().head(_SHOWN_ROWS).to_string(index=False)}{self._more()}"

    def _repr_html_(self) -> str:
        """Show what a notebook has room for."""
        fits = "".join(f"<p>{html.escape(fit.sentence)}</p>" for fit in self.fit[:_SHOWN_ROWS])
        table = self.table().head(_SHOWN_ROWS).to_html(index=False, float_format=lambda x: f"{x:.5f}", border=0)
        return f"<div><p><b>{html.escape(self._line())}</b></p>{fits}{table}<p>{self._more().strip()}</p></div>"

    def _line(self) -> str:
        return f"Collected: {self.n:,} reports over k = {self.counts.size:,} values, {self.level:.0%} intervals"

    def _more(self) -> str:
        rest = self.counts.size - _SHOWN_ROWS
        return f"\n… and {rest:,} more values: see table()" if rest > 0 else ""


def estimate(
    counts: Any,
    n: int,
    m: Mechanism,
    *,
    level: float = 0.95,
    channel: str = "exact",
    max_iter: int = MAX_ITER,
    tol: float = TOL,
) -> Collected:
    """Estimate from the support counts of n reports of one mechanism.

    Parameters
    ----------
    counts : array_like, shape (k,)
        How many reports support each value.
    n : int
        Number of reports.
    m : Mechanism
        The mechanism that made them.
    level : float
        What the intervals promise, above 0 and below 1.
    channel, max_iter, tol
        Of IBU on counts, as `ldpcore.ibu` takes them.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> m = ldp.mechanism("GRR", k=3, eps=2.0)
    >>> result = ldp.estimate([60, 20, 20], 100, m)
    >>> result.raw.round(3)
    array([0.725, 0.137, 0.137])
    >>> result.population.round(2)
    array([[0.58, 0.04, 0.04],
           [0.86, 0.27, 0.27]])
    """
    return estimate_counted(Counted.of(counts, n, m), level=level, channel=channel, max_iter=max_iter, tol=tol)


def estimate_counted(
    group: Counted, *, level: float = 0.95, channel: str = "exact", max_iter: int = MAX_ITER, tol: float = TOL
) -> Collected:
    """Estimate from what was counted of one mechanism's reports, as `estimate` does from counts."""
    options = Options(channel=channel, max_iter=max_iter, tol=tol)
    # A collection does not say whether its values have an order, so none of its estimates may use it.
    estimators = [e for e in ESTIMATORS.values() if e.tabled and not e.ordered and e.key not in ("raw", "mi")]
    estimates = {e.key: e(group.counts, group.n, group.m, options) for e in estimators}
    ibu, limit = estimates.pop("ibu"), estimates.pop("limit")
    return replace(_collected([group], level), ibu=ibu, limit=limit, others=estimates)


def estimate_reports(reports: Any, m: Mechanism, *, eps: Any = None, level: float = 0.95, **options: Any) -> Collected:
    """Estimate from the reports themselves, which allows IBU on full reports too.

    Parameters
    ----------
    reports
        Reports as `m.privatize` returns them.
    m : Mechanism
        The mechanism that made them.
    eps : array_like, shape (n,), optional
        One ε for each report where they differ: then `m` says everything but ε.
    level, **options
        As `estimate` takes them: `channel`, `max_iter` and `tol`, only where all reports have the same ε.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> import numpy as np
    >>> m, rng = ldp.mechanism("SUE", k=3, eps=4.0), np.random.default_rng(0)
    >>> reports = m.privatize([0] * 600 + [2] * 400, rng)
    >>> ldp.estimate_reports(reports, m).full.round(2)
    array([0.6, 0. , 0.4])
    """
    for name in options:
        if name not in _OPTIONS:
            raise Refused(f"estimate_reports has the options level, {', '.join(_OPTIONS)}; got {name!r}")
        if eps is not None:
            raise Refused(f"{name} is for IBU on counts, which needs the same ε for all reports; got it beside eps")
    if eps is not None:
        return estimate_mixed(split_by_eps(reports, eps, m), level=level)
    group = Counted.of_reports(reports, m)
    result = estimate_counted(group, level=level, **options)
    if group.n * m.k > FULL_MAX_ENTRIES:
        return result
    return replace(result, full=ibu_supports(m.supports(reports), m.likelihood_ratio))


def estimate_mixed(collections: Sequence[tuple[Any, Mechanism]], *, level: float = 0.95) -> Collected:
    """Estimate from reports of users with different ε, even of different mechanisms over the same k values.

    IBU on full reports gives each report its own likelihood ratio; MI is that of `estimate_groups`.

    Parameters
    ----------
    collections : sequence of (reports, mechanism)
        One pair for each ε, as `split_by_eps` returns them.
    level : float
        What the intervals promise.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> one, two = (ldp.mechanism("GRR", k=2, eps=eps) for eps in (1.0, 2.0))
    >>> ldp.estimate_mixed([([0, 0, 1], one), ([0, 1], two)]).n
    5
    """
    collections = pairs_of(collections)
    groups = [Counted.of_reports(reports, m) for reports, m in collections]
    result = estimate_groups(groups, level=level)
    if result.n * result.counts.size > FULL_MAX_ENTRIES:
        return result
    bits = np.concatenate([m.supports(reports) for reports, m in collections])
    ratios = np.repeat([group.m.likelihood_ratio for group in groups], [group.n for group in groups])
    return replace(result, full=ibu_supports(bits, ratios))


def estimate_groups(groups: Sequence[Counted | tuple[Any, int, Mechanism]], *, level: float = 0.95) -> Collected:
    """Estimate by MI from the support counts of groups of users with different ε.

    The mean of the groups' raw estimates, with weights in inverse proportion to their noise variance
    q(1-q)/(n(p-q)²) at a frequency of 0. The weights do not look at the data, so the mean is
    unbiased; the groups' own frequencies must differ by chance alone (ε must not depend on the
    value). The noise interval is about the frequencies among all users who reported, each counted once: what chance
    does to the groups is part of it (`intervals.mixed_interval`).

    Parameters
    ----------
    groups : sequence of (counts, n, mechanism), or of Counted
        One for each ε, all over the same k values.
    level : float
        What the intervals promise.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> one, two = (ldp.mechanism("GRR", k=2, eps=eps) for eps in (1.0, 2.0))
    >>> ldp.estimate_groups([([60, 40], 100, one), ([150, 50], 200, two)]).mi.round(2)
    array([0.82, 0.18])
    """
    every = check.sequence("groups", groups, "(counts, n, mechanism)")
    counted = [group.checked() if isinstance(group, Counted) else Counted.of(*group_of(group)) for group in every]
    check_groups("groups", "(counts, n, mechanism)", [group.m for group in counted])
    return _collected(counted, level)


# ---- standard errors and intervals ------------------------------------------------


def _weights(groups: Sequence[Counted]) -> FloatArray:
    precision = np.array([1 / float(g.m.noise_variance(0.0, g.n)) for g in groups])
    return np.asarray(precision / precision.sum())


def _collected(groups: Sequence[Counted], level: float) -> Collected:
    """Return what raw MI and MI say; the other estimates need one ε for all, or the reports themselves."""
    level = check.share("level", level)
    weights, supports = _weights(groups), [Support(group.n, group.m.p, group.m.q) for group in groups]
    first = groups[0]
    raw = np.asarray(sum(w * g.raw for w, g in zip(weights, groups, strict=True)))

    def interval(kind: str) -> FloatArray:
        if len(groups) == 1:
            return count_interval(kind, first.counts, supports[0], level)
        return mixed_interval(kind, raw, supports, weights, level)

    return Collected(
        n=sum(group.n for group in groups),
        counts=np.asarray(sum(group.counts for group in groups)),
        raw=raw,
        mi=postprocess(raw, "norm-mul", n=first.n, m=first.m),
        ibu=None,
        limit=None,
        full=None,
        noise_se=Variance.of("noise", supports, weights).se(raw),
        population_se=Variance.of("population", supports, weights).se(raw),
        noise=interval("noise"),
        population=interval("population"),
        level=level,
        # Many groups share the time that simulations may take.
        fit=tuple(group.fit(BUDGET // len(groups)) for group in groups),
        groups=tuple(groups),
    )
