"""IBU followed as far as anybody likes: its own steps at first, then its path in large ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.estimators.counts import counts_for_ibu
from ldpcore.estimators.ibu import MAX_ITER, STOPS, IBURun, IBUTrace, ibu_run
from ldpcore.estimators.likelihood import count_likelihood
from ldpcore.estimators.path import Observed, ibu_path
from ldpcore.mechanisms.base import Mechanism

ITERATIONS_MAX = 10**15


def ibu_trace(
    counts: Any,
    m: Mechanism,
    iterations: Sequence[int],
    *,
    start: Any = None,
    channel: str = "exact",
    stop: str = "max_abs",
    own_steps: int = MAX_ITER,
) -> IBUTrace:
    """Return where IBU is at the given iterations, with no rule that would stop it.

    Parameters
    ----------
    counts : array_like, shape (..., k)
        Support counts; every row is a run of its own.
    m : Mechanism
        The mechanism that made them.
    iterations : sequence of int
        From 0, the start, to a million billion.
    start, channel
        As for `ibu`.
    stop : {"max_abs", "mse", "mae", "max_squared"}
        How the steps are measured.
    own_steps : int
        Up to here every step of IBU is done. Beyond, its path is followed in large steps, which is right to a few
        thousandths of the way; the size of a step is then that of the one that comes next.

    Examples
    --------
    >>> from ldpcore import ibu_limit, mechanism
    >>> m, counts = mechanism("OUE", k=4, eps=0.5), [530, 500, 490, 480]
    >>> trace = ibu_trace(counts, m, [0, 100, 10_000, 10**9])
    >>> trace.estimates.round(3)
    array([[0.25 , 0.25 , 0.25 , 0.25 ],
           [0.342, 0.246, 0.219, 0.194],
           [0.45 , 0.25 , 0.183, 0.117],
           [0.45 , 0.25 , 0.183, 0.117]])
    >>> bool(abs(trace.estimates[-1] - ibu_limit(counts, m)).max() < 1e-9)
    True
    """
    array = counts_for_ibu(counts, None, m)
    stop = check.choice("stop", stop, STOPS)
    own_steps = check.integer("own_steps", own_steps, 1, check.ITER_MAX)
    marks = sorted(
        {check.integer("iterations", i, 0, ITERATIONS_MAX) for i in check.sequence("iterations", iterations, "numbers")}
    )
    near, far = [i for i in marks if i <= own_steps], [i for i in marks if i > own_steps]
    last = own_steps if far else max([1, *near])
    run = ibu_run(array, m, max_iter=last, tol=0.0, stop=stop, start=start, channel=channel, record=near)
    if not far:
        return run.trace
    return _joined(run.trace, _beyond(run, array, m, far, channel, stop, own_steps))


def _beyond(
    run: IBURun, counts: FloatArray, m: Mechanism, far: list[int], channel: str, stop: str, own_steps: int
) -> IBUTrace:
    """Go on from where a run ended, along IBU's path."""
    p, q = m.channel(check.channel(channel))
    rows = counts.reshape(-1, m.k)
    observed = Observed.of(rows, p, q)
    # Where p = q no step moves: IBU stays where it is.
    times = [0.0 if p == q else float(i - own_steps) for i in far]
    estimates = ibu_path([observed], times, run.estimates.reshape(-1, m.k))
    next_steps = STOPS[stop](_after_a_step(estimates, observed) - estimates)
    shape = (len(far), *counts.shape[:-1])
    return IBUTrace(
        np.array(far, dtype=np.int64),
        estimates.reshape(*shape, m.k),
        count_likelihood(estimates, rows, p, q).reshape(shape),
        next_steps.reshape(shape),
    )


def _joined(near: IBUTrace, beyond: IBUTrace) -> IBUTrace:
    return IBUTrace(
        np.concatenate([near.iterations, beyond.iterations]),
        np.concatenate([near.estimates, beyond.estimates]),
        np.concatenate([near.log_likelihood, beyond.log_likelihood]),
        np.concatenate([near.steps, beyond.steps]),
    )


def _after_a_step(estimates: FloatArray, observed: Observed) -> FloatArray:
    """Do one step of IBU from each of the estimates."""
    slope = observed.p - observed.q
    ratio = observed.shares / (slope * estimates + observed.q)
    return np.asarray(estimates * (slope * ratio + observed.q * ratio.sum(axis=-1, keepdims=True)))
