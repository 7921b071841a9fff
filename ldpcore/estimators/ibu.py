"""Iterative Bayesian Update on support counts.

What is asked for, and what comes back; the iterations themselves are in batch.py, and many at once in strides.py.
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
from ldpcore.estimators.batch import LOOK_ALWAYS, Rule, in_batches
from ldpcore.estimators.choice import Choice
from ldpcore.estimators.counts import counts_for_ibu
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

    From a uniform start many iterations are taken at once where they form a smooth path: what comes out is the same to
    1e-12, after the same number of iterations.

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
    rule = Rule(STOPS[stop], tol, max_iter, LOOK_ALWAYS if start is None else np.inf)
    parts = in_batches(rows, first, p, q, rule, marks)

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
    rule = Rule(STOPS[stop], tol, max_iter, LOOK_ALWAYS if start is None else np.inf)
    for sign in (1, 0, -1):
        rows = np.flatnonzero(np.sign(p - q) == sign)
        # Rows with a similar (p - q)/q converge at about the same time, so they are batched together.
        rows = rows[np.argsort((p - q)[rows] / q[rows], kind="stable")]
        done = 0
        for part in in_batches(counts[rows], first[rows], p[rows], q[rows], rule, []):
            here = rows[done : done + len(part.estimates)]
            estimates[here], iterations[here], converged[here] = part.estimates, part.iterations, part.converged
            done += len(here)
    return estimates, iterations, converged
