"""The paper's four open questions, measured: where to stop and start, many bins, order and impure reports, several ε.

Every answer is a small table of (series, x, y, se): y is an error relative to that of MI on the same counts, the ratio
of means over some runs, unless the series says otherwise; se is its standard error over the runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.estimators import ibu, ibu_channel, ibu_limit, ibu_run, ibu_supports, mi, smooth
from ldpcore.estimators.auto import choose_both, choose_groups
from ldpcore.estimators.groups import Group, combined
from ldpcore.estimators.path import Observed, ibu_path
from ldpcore.estimators.postprocess import clip_and_rescale, norm_sub
from ldpcore.mechanisms import Mechanism, mechanism
from ldpcore.mechanisms.square_wave import SquareWave
from ldpcore.metrics import mse, wasserstein
from ldpcore.tournament.grid import checked_draw
from ldpcore.tournament.records import AnswerRecord
from ldpcore.tournament.shapes import users

RUNS = 10


@dataclass(frozen=True)
class Panel:
    """What the panels of a question have in common: every ε, the number of users, and of bins (0: those of `_K`)."""

    eps: tuple[float, ...]
    n: int
    k: int


Point = tuple[str, float, float, float]  # series, x, y and its standard error


@dataclass(frozen=True)
class QuestionPart:
    """One panel of an answer: a question, and the setting of the panel.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> part = tournament.QuestionPart("stopping", "OUE gaussian", 0, 0)
    >>> part.key, int(part.users("gaussian", 1_000, 10).sum())
    (('stopping', 'OUE gaussian', 0), 1000)
    """

    question: str
    part: str
    draw: int
    seed: int

    @property
    def key(self) -> tuple[str, str, int]:
        """What tells it from all others."""
        return self.question, self.part, self.draw

    def rng(self) -> np.random.Generator:
        """Return the generator of the noise.

        Examples
        --------
        >>> part = QuestionPart("stopping", "OUE gaussian", 0, 0)
        >>> part.rng().random() == part.rng().random()
        True
        """
        return np.random.default_rng([self.seed, self.draw, *self.part.encode()])

    def users(self, data: str, n: int, k: int) -> IntArray:
        """Draw the users.

        Examples
        --------
        >>> int(QuestionPart("ordered", "zipf", 0, 0).users("zipf", 1_000, 4).sum())
        1000
        """
        return users(data, n, k, self.seed + self.draw)


_PANELS: dict[str, tuple[str, ...]] = {
    "stopping": tuple(
        f"{m} {data}" for m in ("GRR", "OUE", "BLH") for data in ("uniform", "gaussian", "poisson", "zipf")
    ),
    "many bins": tuple(f"{m} {data}" for m in ("GRR", "OUE", "BLH") for data in ("acs-income", "zipf")),
    "ordered": ("gaussian", "two-peaks", "acs-income", "zipf"),
    "several": tuple(f"{m} {data}" for m in ("GRR", "OUE", "OLH") for data in ("gaussian", "zipf")),
}


def question_parts(draw: int = 0, seed: int = 0) -> list[QuestionPart]:
    """Return the panels of all questions.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> sorted({part.question for part in tournament.question_parts()})
    ['many bins', 'ordered', 'several', 'stopping']
    """
    draw, seed = checked_draw(draw, seed)
    return [QuestionPart(question, part, draw, seed) for question, parts in _PANELS.items() for part in parts]


def answer(part: QuestionPart) -> list[AnswerRecord]:
    """Measure a panel; return a record for each of its points.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> records = tournament.answer(tournament.QuestionPart("several", "GRR zipf", 0, 0))
    >>> [record.series for record in records[:2]], records[0].x
    (['MI, every user alike', 'MI, weighted'], 0.05)
    """
    check.instance("part", part, QuestionPart, "an ldpcore.tournament.QuestionPart")
    check.choice("part.question", part.question, _PANELS)
    check.choice("part.part", part.part, _PANELS[part.question])
    return [AnswerRecord(*part.key, series, x, y, se) for series, x, y, se in _ANSWERS[part.question](part)]


def _ratio(errors: FloatArray, before: FloatArray) -> tuple[float, float]:
    """Return the ratio of two mean errors of the same runs, and its standard error."""
    y = float(errors.mean() / before.mean())
    spread = (errors - y * before) / before.mean()
    return y, float(spread.std(ddof=1) / np.sqrt(spread.size))


def _geometric(values: FloatArray) -> float:
    return float(np.exp(np.log(values).mean()))


# ---- where to stop, and where to start --------------------------------------------

STOPPING = Panel(eps=(1.0,), n=20_000, k=200)
"""The setting of the question where IBU should stop and start."""


def _stopping(part: QuestionPart) -> Iterator[Point]:
    """Follow IBU from uniform, at shares of its own time T; then where rules stop it, and other starts."""
    name, data = part.part.split()
    n, k = STOPPING.n, STOPPING.k
    m = mechanism(name, k=k, eps=STOPPING.eps[0])
    people = part.users(data, n, k)
    counts, true = m.sample_counts(people, RUNS, part.rng()), people / n
    before = mse(mi(counts, n, m), true)

    def point(series: str, x: float, errors: FloatArray) -> Point:
        return series, x, *_ratio(errors, before)

    shares = 2.0 ** np.arange(-9, 5.5, 0.5)
    path = mse(ibu_path([Observed.of(counts.astype(float), m.p, m.q)], list(shares * m.ibu_time)), true)
    for share, errors in zip(shares, path, strict=True):
        yield point("path", float(share), errors)
    nowhere, published = float("nan"), 10_000 / m.ibu_time
    # Every run stops at a time of its own: their geometric mean is where the mark stands.
    yield point("best in hindsight", _geometric(shares[path.argmin(axis=0)]), path.min(axis=0))
    yield point("10 000 steps", published, mse(ibu(counts, m), true))
    stopped = ibu_run(counts, m, n=n, stop="cv")
    at = _geometric(stopped.iterations / m.ibu_time)
    yield point("stopped by cross-validation", at, mse(stopped.estimates, true))
    yield point("stopped, 10 000 at most", nowhere, mse(ibu(counts, m, n=n, stop="cv", max_iter=10_000), true))
    yield point("limit", nowhere, mse(ibu_limit(counts, m), true))
    for start, weights in (("observed", counts + 1.0), ("MI", n * mi(counts, n, m) + 1.0)):
        begun = ibu(counts, m, start=weights / weights.sum(axis=-1, keepdims=True))
        yield point(f"10 000 steps from {start}", published, mse(begun, true))


# ---- many bins --------------------------------------------------------------------

MANY_BINS = Panel(eps=(1.0,), n=1_000_000, k=0)
"""The setting of the question of many bins; their number varies."""
_K = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)


def _many_bins(part: QuestionPart) -> Iterator[Point]:
    """Go up to 5 000 bins: how much of its way IBU has gone after 10 000 steps, and what that costs."""
    name, data = part.part.split()
    n = MANY_BINS.n
    for k in _K:
        m = mechanism(name, k=k, eps=MANY_BINS.eps[0])
        people = part.users(data, n, k)
        runs = RUNS if k <= 200 else 3
        counts, true = m.sample_counts(people, runs, part.rng()), people / n
        errors = {"MI": mi(counts, n, m), "IBU": ibu(counts, m), "limit": ibu_limit(counts, m)}
        yield "way gone", k, _way_gone(errors["IBU"], errors["limit"]), float("nan")
        blind, _ = choose_both(counts, n, m)
        errors["auto"] = np.stack([choice.estimate for choice in blind])
        before = mse(errors["MI"], true)
        for key, estimate in errors.items():
            yield key, k, *_ratio(mse(estimate, true), before)


def _way_gone(now: FloatArray, end: FloatArray) -> float:
    """Return how much of the way from uniform to the limit IBU has gone, along the straight line."""
    way, gone = end - 1 / end.shape[-1], now - 1 / end.shape[-1]
    return float((way * gone).sum() / (way * way).sum())


# ---- ordered bins, and reports that are not pure ----------------------------------

ORDER = Panel(eps=(0.5, 1.0, 2.0, 4.0), n=100_000, k=100)
"""The setting of the question of ordered bins and impure reports."""


def _ordered(part: QuestionPart) -> Iterator[Point]:
    """Compare OUE and Square Wave on ordered bins; series say the metric, and y is relative to MI of OUE."""
    n, k = ORDER.n, ORDER.k
    people, rng = part.users(part.part, n, k), part.rng()
    true = people / n
    for eps in ORDER.eps:
        m, wave = mechanism("OUE", k=k, eps=eps), SquareWave(k=k, eps=eps)
        counts = m.sample_counts(people, RUNS, rng)
        _, ordered = choose_both(counts, n, m)
        estimates = {
            "OUE, MI": mi(counts, n, m),
            "OUE, IBU": ibu(counts, m),
            "OUE, Norm-Sub": mi(counts, n, m, post="norm-sub"),
            "OUE, smoothed": smooth(counts, n, m),
            "OUE, auto": np.stack([choice.estimate for choice in ordered]),
            "Square Wave, EMS": ibu_channel(wave.sample_counts(people, RUNS, rng), wave.channel, smoothing=True).ibu,
        }
        for metric, measure in (("MSE", mse), ("Wasserstein", wasserstein)):
            before = measure(estimates["OUE, MI"], true)
            for key, estimate in estimates.items():
                yield f"{metric}: {key}", eps, *_ratio(measure(estimate, true), before)


# ---- several ε --------------------------------------------------------------------

SEVERAL = Panel(eps=(0.5, 4.0), n=6_000, k=32)
"""The setting of the question of several ε."""
_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


def _several(part: QuestionPart) -> Iterator[Point]:
    """Let a part of the users report at ε = 4, the others at 0.5; x is that part, y relative to MI of all alike."""
    name, data = part.part.split()
    n, k, rng = SEVERAL.n, SEVERAL.k, part.rng()
    low, high = (mechanism(name, k=k, eps=eps) for eps in SEVERAL.eps)
    for share in _SHARES:
        errors: dict[str, list[float]] = {}
        for _ in range(RUNS):
            values = rng.permutation(np.repeat(np.arange(k), part.users(data, n, k)))
            cut = round(share * n)
            reports = [(high, high.privatize(values[:cut], rng)), (low, low.privatize(values[cut:], rng))]
            true = np.bincount(values, minlength=k) / n
            for key, estimate in _of_several(reports).items():
                errors.setdefault(key, []).append(float(mse(estimate, true)))
        before = np.array(errors["MI, every user alike"])
        for key, errors_of_key in errors.items():
            yield key, share, *_ratio(np.array(errors_of_key), before)


def _of_several(reports: list[tuple[Mechanism, Any]]) -> dict[str, FloatArray]:
    groups = [Group(m.support_counts(r).astype(float), m.report_kind.length(r), m) for m, r in reports]
    n, first = sum(group.n for group in groups), groups[0].m
    raw = combined(groups).raw
    alike = sum(group.n / n * group.raw for group in groups)
    supports = np.concatenate([m.supports(r) for m, r in reports])
    ratios = np.repeat([group.m.likelihood_ratio for group in groups], [group.n for group in groups])
    return {
        "MI, every user alike": clip_and_rescale(np.asarray(alike)),
        "MI, weighted": clip_and_rescale(raw),
        "Norm-Sub, weighted": norm_sub(raw, n, first),
        "full-report IBU": ibu_supports(supports, ratios),
        "auto": choose_groups([(group.counts, group.n, group.m) for group in groups]).estimate,
    }


_ANSWERS: dict[str, Callable[[QuestionPart], Iterator[Point]]] = {
    "stopping": _stopping,
    "many bins": _many_bins,
    "ordered": _ordered,
    "several": _several,
}
