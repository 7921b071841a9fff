"""Iterative Bayesian Update on support counts.

The channel matrix A = (p-q)I + qJ never needs to exist. With F = θ(p-q)/q and
w = φ(p-q)/q, one step θ ← θ·A(φ/(Aθ)) is r = w/(1+F), F ← F·(r + q/(p-q)·Σr): O(k).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, FloatArray, IntArray
from ldpcore.errors import Refused
from ldpcore.estimators.choice import Choice
from ldpcore.estimators.counts import counts_for_ibu
from ldpcore.estimators.likelihood import count_likelihood
from ldpcore.estimators.starts import starts_of
from ldpcore.estimators.stopping import CROSS_VALIDATION, most_steps, stopping_choices
from ldpcore.mechanisms.base import Mechanism

MAX_ITER = 10_000
"""The paper's limit on IBU's iterations."""
TOL = 1e-12
"""The paper's tolerance: IBU stops after a step smaller than this."""
STOPS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "max_abs": lambda step: np.abs(step).max(axis=-1),
    "mse": lambda step: np.square(step).mean(axis=-1),
    "mae": lambda step: np.abs(step).mean(axis=-1),
    "max_squared": lambda step: np.square(step).max(axis=-1),
}
"""How the step between two iterates is measured, by name; "max_abs" is the paper's."""

# From a uniform start steps shrink after the first iterations. So each of those is measured, then one step of every
# block, and a block in which a run converges is repeated. From other starts a run can pause: all steps are measured.
_LOOK_ALWAYS, _BLOCK = 64, 16
# Measuring a step takes as long as a step. Later, when a block is short beside all before, blocks are longer.
_LATE, _LONG_BLOCK = 1024, 64
# Rows are worked on together up to this many numbers: more would leave the cache.
_CHUNK = 8192
# As an array: a number of Python's own is made into one at every step.
_ONE = np.array(1.0)


@dataclass(frozen=True)
class IBUTrace:
    """The iterates at chosen iterations; a run that had converged before stays where it was.

    Attributes
    ----------
    iterations : (t,) which iterations
    estimates : (t, ..., k)
    log_likelihood : (t, ...) Σ C ln(Aθ): of the counts up to a constant for GRR and L-GRR, else a composite one
    steps : (t, ...) size of the step that led there, by the stopping rule

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> trace = ibu_run([60, 30, 10], mechanism("GRR", k=3, eps=2.0), record=[0, 1, 100]).trace
    >>> trace.estimates.round(3)
    array([[0.333, 0.333, 0.333],
           [0.515, 0.311, 0.175],
           [0.719, 0.281, 0.   ]])
    >>> bool(trace.log_likelihood[0] < trace.log_likelihood[2])
    True
    """

    iterations: IntArray
    estimates: FloatArray
    log_likelihood: FloatArray
    steps: FloatArray


@dataclass(frozen=True)
class IBURun:
    """Estimates (..., k), the iterations each run took (...), whether it converged (...), and the trace.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> outcome = ibu_run([60, 30, 10], mechanism("GRR", k=3, eps=2.0), max_iter=5)
    >>> outcome.iterations.item(), outcome.converged.item()
    (5, False)
    """

    estimates: FloatArray
    iterations: IntArray
    converged: BoolArray
    trace: IBUTrace


def ibu(
    counts: Any,
    m: Mechanism,
    *,
    max_iter: int | None = None,
    tol: float = TOL,
    stop: str = "max_abs",
    start: Any = None,
    channel: str = "exact",
    n: int | None = None,
    seed: int = 0,
) -> FloatArray:
    """Estimate the frequencies by Iterative Bayesian Update on the support counts, as in the paper.

    Parameters
    ----------
    counts : array_like, shape (..., k)
        Support counts; every row is a run of its own.
    m : Mechanism
        The mechanism that made them.
    max_iter, tol, stop
        Stop when the step, measured by `stop` ("max_abs", "mse", "mae" or "max_squared"), is
        below `tol`, or after `max_iter` iterations. The defaults are the paper's, 10 000 of them. With "cv" the counts
        choose the number of iterations, up to `max_iter`, by cross-validation: each half of the users judges what IBU
        makes of the other. If `max_iter` is not given, that may then be more than 10 000, up to 16 times `m.ibu_time`:
        with many values or a small ε 10 000 are only the beginning. What lies beyond 10 000 is reached in large
        steps, and is IBU's to a few thousandths of the way.
    start : array_like, optional
        Where to start: any probabilities without a 0, shape (k,) or (..., k); uniform if not given.
    channel : {"exact", "published"}
        "published" repeats an error of the paper, which is in its L-GRR, L-BLH and L-OLH.
    n, seed
        For "cv": the number of reports, which the counts tell nearly if it is not given, and what decides the splits.
        An `n` that cannot be that of the counts is refused in any case.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> ibu([60, 30, 10], mechanism("GRR", k=3, eps=2.0)).round(3)
    array([0.719, 0.281, 0.   ])
    >>> ibu([520, 480, 500, 500], mechanism("OUE", k=4, eps=0.5), stop="cv", n=1_200).round(3)  # looks flat
    array([0.251, 0.249, 0.25 , 0.25 ])
    """
    more: dict[str, Any] = {"start": start, "channel": channel, "n": n, "seed": seed}
    return ibu_run(counts, m, max_iter=max_iter, tol=tol, stop=stop, **more).estimates


def ibu_run(
    counts: Any,
    m: Mechanism,
    *,
    max_iter: int | None = None,
    tol: float = TOL,
    stop: str = "max_abs",
    start: Any = None,
    channel: str = "exact",
    record: Sequence[int] = (),
    n: int | None = None,
    seed: int = 0,
) -> IBURun:
    """Do what `ibu` does, and tell how it went; `record` names the iterations to keep.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> ibu_run([60, 30, 10], mechanism("GRR", k=3, eps=2.0)).converged.item()
    True
    """
    array = counts_for_ibu(counts, n, m)
    tol, seed = check.real("tol", tol, 0), check.seed(seed)
    check.choice("stop", stop, (*STOPS, CROSS_VALIDATION))
    if max_iter is not None:
        max_iter = check.iterations(max_iter)
    else:
        max_iter = MAX_ITER if stop != CROSS_VALIDATION else most_steps(m, channel, MAX_ITER)
    shape = array.shape[:-1]
    rows = array.reshape(-1, m.k)
    first = starts_of(start, array.shape)
    marks = sorted({check.integer("record", i, 0, max_iter) for i in check.sequence("record", record, "numbers")})
    if stop == CROSS_VALIDATION:
        if marks:
            raise Refused("record must be empty with stop = 'cv': iterate once more with the iterations that it chose")
        chosen = stopping_choices(rows, m, first, channel, max_iter, n, seed)
        return _run_stopped(rows, m, first, chosen, tol, channel, array.shape)
    p, q = (np.full(len(rows), value) for value in m.channel(check.channel(channel)))
    rule = _Rule(STOPS[stop], tol, max_iter, _LOOK_ALWAYS if start is None else np.inf)
    parts = _in_batches(rows, first, p, q, rule, marks)

    def gather(name: str, axis: int = 0) -> npt.NDArray[Any]:
        return np.concatenate([getattr(part, name) for part in parts], axis=axis)

    trace = IBUTrace(
        np.array(marks, dtype=np.int64),
        gather("trace_estimates", 1).reshape(len(marks), *shape, m.k),
        gather("trace_likelihood", 1).reshape(len(marks), *shape),
        gather("trace_steps", 1).reshape(len(marks), *shape),
    )
    return IBURun(
        gather("estimates").reshape(array.shape),
        gather("iterations").reshape(shape),
        gather("converged").reshape(shape),
        trace,
    )


def _run_stopped(
    rows: FloatArray,
    m: Mechanism,
    first: FloatArray,
    chosen: Sequence[Choice],
    tol: float,
    channel: str,
    shape: tuple[int, ...],
) -> IBURun:
    """Iterate every row as often as was chosen for it; beyond what one waits for, take the path in large steps."""
    steps = np.array([choice.candidate.parameter for choice in chosen], dtype=np.int64)
    estimates, iterations = np.empty(rows.shape), steps.copy()
    converged = np.zeros(len(rows), dtype=np.bool_)
    for number in np.unique(steps).tolist():
        here = np.flatnonzero(steps == number)
        if number > MAX_ITER:
            estimates[here] = [chosen[row].estimate for row in here.tolist()]
            continue
        part = ibu_run(rows[here], m, max_iter=number, tol=tol, start=first[here], channel=channel)
        estimates[here], iterations[here], converged[here] = part.estimates, part.iterations, part.converged
    trace = IBUTrace(np.empty(0, dtype=np.int64), np.empty((0, *shape)), *np.empty((2, 0, *shape[:-1])))
    return IBURun(estimates.reshape(shape), iterations.reshape(shape[:-1]), converged.reshape(shape[:-1]), trace)


def ibu_rows(
    counts: FloatArray,
    p: FloatArray,
    q: FloatArray,
    *,
    max_iter: int = MAX_ITER,
    tol: float = TOL,
    stop: str = "max_abs",
    start: FloatArray | None = None,
) -> tuple[FloatArray, IntArray, BoolArray]:
    """Do what `ibu` does where every row of `counts` (rows, k) has a channel of its own, `p` and `q` (rows,).

    Returns the estimates, iterations and convergence of each row: those that `ibu_run` gives
    for the row alone, to rounding. All arguments are taken as checked.
    """
    estimates, first = np.empty(counts.shape), starts_of(start, counts.shape)
    iterations, converged = np.empty(len(counts), dtype=np.int64), np.empty(len(counts), dtype=np.bool_)
    rule = _Rule(STOPS[stop], tol, max_iter, _LOOK_ALWAYS if start is None else np.inf)
    for sign in (1, 0, -1):
        rows = np.flatnonzero(np.sign(p - q) == sign)
        # Rows with a similar (p - q)/q converge at about the same time, so they are batched together.
        rows = rows[np.argsort((p - q)[rows] / q[rows], kind="stable")]
        done = 0
        for part in _in_batches(counts[rows], first[rows], p[rows], q[rows], rule, []):
            here = rows[done : done + len(part.estimates)]
            estimates[here], iterations[here], converged[here] = part.estimates, part.iterations, part.converged
            done += len(here)
    return estimates, iterations, converged


def _in_batches(
    rows: FloatArray, first: FloatArray, p: FloatArray, q: FloatArray, rule: _Rule, marks: list[int]
) -> list[_Batch]:
    """Iterate the rows, as many together as the cache holds; p - q must have one sign in all of them."""
    chunk = max(1, _CHUNK // rows.shape[-1])
    parts = []
    for begin in range(0, len(rows), chunk):
        some = slice(begin, begin + chunk)
        part = _Batch(rows[some], first[some], p[some], q[some], rule)
        part.run(marks)
        parts.append(part)
    return parts


@dataclass(frozen=True)
class _Rule:
    """When to stop, and up to which iteration to look at every step."""

    size_of: Callable[[FloatArray], FloatArray]
    tol: float
    max_iter: int
    look_until: float


class _Batch:
    """A few runs iterated together; runs that have converged leave the batch."""

    def __init__(
        self,
        counts: FloatArray,
        start: FloatArray,
        p: FloatArray,
        q: FloatArray,
        rule: _Rule,
    ) -> None:
        runs = len(counts)
        self.estimates = start.copy()
        self.iterations = np.zeros(runs, dtype=np.int64)
        self.converged = np.zeros(runs, dtype=np.bool_)
        self._steps = np.full(runs, np.nan)
        self._counts = counts
        self._p, self._q, self._rule = p[:, None], q[:, None], rule
        # p <= q happens in the published channel only, and not in some of the rows. With p = q no step
        # moves: any ratio will do.
        self._still, self._reversed = bool(p[0] == q[0]), bool(p[0] < q[0])
        self._ratios = np.ones((runs, 1)) if self._still else self._q / (self._p - self._q)
        self._mixed = bool((self._ratios != self._ratios[0]).any())
        self._load(np.arange(runs))

    def _load(self, live: IntArray) -> None:
        """Put the runs that go on into contiguous arrays."""
        counts = self._counts[live]
        self._live = live
        self._ratio = self._ratios[live]
        self._f = self.estimates[live] / self._ratio
        self._w = counts / (counts.sum(axis=-1, keepdims=True) * self._ratio)
        self._r = np.empty_like(self._f)
        self._sum = np.empty((len(live), 1))
        # A ratio that all rows share costs nothing as a weight of the sum; several are multiplied in afterwards.
        self._weights = np.full(counts.shape[-1], 1.0 if self._mixed else self._ratios[0, 0])

    def run(self, marks: list[int]) -> None:
        runs, k = self.estimates.shape
        self.trace_estimates = np.empty((len(marks), runs, k))
        self.trace_likelihood = np.empty((len(marks), runs))
        self.trace_steps = np.empty((len(marks), runs))
        if self._still:
            self.iterations[:], self.converged[:], self._steps[:], self._live = 1, True, 0.0, np.arange(0)
        done = 0
        for i, mark in enumerate(marks):
            done = self._advance(done, mark)
            self._record(i)
        self._advance(done, self._rule.max_iter)
        self._store()

    def _advance(self, done: int, target: int) -> int:
        while done < target and self._live.size:
            if done < self._rule.look_until or target - done < _BLOCK:
                done = self._look(done)
                continue
            block = _LONG_BLOCK if done >= _LATE and target - done >= _LONG_BLOCK else _BLOCK
            before = self._f.copy()
            self._update(block - 1)
            step = self._step()
            if (step < self._rule.tol).any():
                self._f = before
                for _ in range(block):
                    done = self._look(done)
                    if not self._live.size:
                        break
            else:
                done += block
                self.iterations[self._live] = done
                self._steps[self._live] = step
        return target

    def _update(self, times: int = 1) -> None:
        """Do some iterations in place.

        All that does not change is looked up once: with few runs that takes as long as the arithmetic.
        """
        f, w, r, sums, weights, one = self._f, self._w, self._r, self._sum, self._weights, _ONE
        flat = sums[:, 0]
        add, divide, dot, multiply = np.add, np.divide, np.dot, np.multiply
        for _ in range(times):
            add(f, one, r)
            divide(w, r, r)
            dot(r, weights, flat)
            if self._mixed:
                multiply(sums, self._ratio, sums)
            add(r, sums, r)
            multiply(f, r, f)
            if self._reversed:
                # With q > p an error in the sum of θ would grow from step to step; with p > q it dies out.
                f /= f.sum(axis=-1, keepdims=True) * self._ratio

    def _step(self) -> FloatArray:
        """Do one iteration and return how far it went."""
        before = self._f.copy()
        self._update()
        return self._rule.size_of((self._f - before) * self._ratio)

    def _look(self, done: int) -> int:
        """Do one iteration and take out the runs that it left at rest."""
        step = self._step()
        done += 1
        self.iterations[self._live] = done
        self._steps[self._live] = step
        rest = step < self._rule.tol
        if rest.any():
            self._store()
            self.converged[self._live[rest]] = True
            self._load(self._live[~rest])
        return done

    def _store(self) -> None:
        if self._live.size:
            theta = self._f * self._ratio
            # Each step keeps the sum at 1; this only takes out the rounding of the many steps.
            self.estimates[self._live] = theta / theta.sum(axis=-1, keepdims=True)

    def _record(self, i: int) -> None:
        self._store()
        self.trace_estimates[i] = self.estimates
        self.trace_likelihood[i] = count_likelihood(self.estimates, self._counts, self._p, self._q)
        self.trace_steps[i] = self._steps
