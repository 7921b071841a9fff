"""Runs of IBU iterated together.

The channel matrix A = (p-q)I + qJ never needs to exist. With F = θ(p-q)/q and
w = φ(p-q)/q, one step θ ← θ·A(φ/(Aθ)) is r = w/(1+F), F ← F·(r + q/(p-q)·Σr): O(k).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ldpcore._validate import FloatArray, IntArray
from ldpcore.estimators.likelihood import count_likelihood
from ldpcore.estimators.strides import FIRST_STRIDE, ORDER, Strides

# From a uniform start steps shrink after the first iterations. So each of those is measured, then one step of every
# block, and a block in which a run converges is repeated. From other starts a run can pause: all steps are measured.
LOOK_ALWAYS, _BLOCK = 64, 16
# Measuring a step takes as long as a step. Later, when a block is short beside all before, blocks are longer.
_LATE, _LONG_BLOCK = 1024, 64
# Rows are worked on together up to this many numbers: more would leave the cache.
_CHUNK = 8192
# Strides are worth their beginning where so many iterations are left. They are taken while all steps are larger than
# the tolerance by this factor: so far from it, what strides are off by does not decide when a run comes to rest.
_WORTH, _FAR = 256, 1e4
# As an array: a number of Python's own is made into one at every step.
_ONE = np.array(1.0)


@dataclass(frozen=True)
class Rule:
    """When to stop, and up to which iteration to look at every step."""

    size_of: Callable[[FloatArray], FloatArray]
    tol: float
    max_iter: int
    look_until: float


def in_batches(
    rows: FloatArray, first: FloatArray, p: FloatArray, q: FloatArray, rule: Rule, marks: list[int]
) -> list[Batch]:
    """Iterate the rows, as many together as the cache holds; p - q must have one sign in all of them."""
    chunk = max(1, _CHUNK // rows.shape[-1])
    parts = []
    for begin in range(0, len(rows), chunk):
        some = slice(begin, begin + chunk)
        part = Batch(rows[some], first[some], p[some], q[some], rule)
        part.run(marks)
        parts.append(part)
    return parts


class Batch:
    """A few runs iterated together; runs that have converged leave the batch."""

    def __init__(
        self,
        counts: FloatArray,
        start: FloatArray,
        p: FloatArray,
        q: FloatArray,
        rule: Rule,
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
        self._stride_from = self._rule.max_iter if self._reversed else 0
        self._ratio = self._ratios[live]
        self._f = self.estimates[live] / self._ratio
        self._w = counts / (counts.sum(axis=-1, keepdims=True) * self._ratio)
        self._r = np.empty_like(self._f)
        self._sum = np.empty((len(live), 1))
        self._ones = np.ones(counts.shape[-1])
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
            if done >= self._stride_from and target - done >= _WORTH:
                with np.errstate(all="ignore"):  # what is no number makes a stride fail
                    done = self._stride(done, target)
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

    def _stride(self, done: int, target: int) -> int:
        """Take strides while they get on and no step comes near the tolerance; return how many iterations are done."""
        before, path = self._f.copy(), Strides(self._f, self._gain)
        if not self._near(path):
            for _ in range(ORDER - 1):
                self._update(FIRST_STRIDE)
                path.arrive(self._f)
        if self._near(path):
            # It will be so until a run has left.
            self._f, self._stride_from = before, self._rule.max_iter
            return done
        f, done = path.f, done + (ORDER - 1) * FIRST_STRIDE
        while path.length >= FIRST_STRIDE and target - done >= FIRST_STRIDE + _BLOCK:
            if target - done < path.length + _BLOCK:
                path.shorten()
                continue
            taken = path.stride()
            if taken and self._near(path):
                self._stride_from = self._rule.max_iter
                break
            f, done = path.f, done + taken
        if path.length < FIRST_STRIDE:
            self._stride_from = done + done // 2
        self._f[:] = f
        return done

    def _near(self, path: Strides) -> bool:
        """Tell whether a step is so small that a stride's last digits might decide when a run comes to rest."""
        step = path.f * path.growth
        step *= self._ratio / _FAR
        return not (self._rule.size_of(step) >= self._rule.tol).all()

    def _gain(self, f: FloatArray, out: FloatArray) -> None:
        """Put r + s - 1 into `out`, after θ is made to add up to 1; s - 1 is -q/(p-q)·Σ rF, to the last digits."""
        sums, inside = self._sum, self._r
        flat = sums[:, 0]
        np.dot(f, self._ones, flat)
        np.multiply(sums, self._ratio, sums)
        np.divide(f, sums, f)
        np.add(f, _ONE, out)
        np.divide(self._w, out, out)
        np.multiply(out, f, inside)
        np.dot(inside, self._ones, flat)
        np.multiply(sums, self._ratio, sums)
        np.subtract(out, sums, out)

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
