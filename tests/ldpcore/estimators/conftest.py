"""What several of the estimators' tests need: IBU written down as the paper has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

STEP_SIZES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "max_abs": lambda d: np.max(np.abs(d), axis=-1),
    "mse": lambda d: np.mean(d * d, axis=-1),
    "mae": lambda d: np.mean(np.abs(d), axis=-1),
    "max_squared": lambda d: np.max(d * d, axis=-1),
}


@dataclass(frozen=True)
class PlainIBU:
    """All iterates of one run, θ⁰ included, with the k×k channel matrix in full."""

    iterates: np.ndarray

    def steps(self, stop: str) -> np.ndarray:
        """Size of the step that led to iteration 1, 2, …"""
        return STEP_SIZES[stop](np.diff(self.iterates, axis=0))

    def stops_at(self, stop: str, tol: float, max_iter: int) -> tuple[int, bool]:
        """Return the iteration after which it stops, and whether that is because it came to rest."""
        below = np.flatnonzero(self.steps(stop)[:max_iter] < tol)
        return (int(below[0]) + 1, True) if below.size else (max_iter, False)


def _plain_ibu(counts: np.ndarray, p: float, q: float, iterations: int, start: np.ndarray | None = None) -> PlainIBU:
    k = len(counts)
    A = np.full((k, k), q)
    np.fill_diagonal(A, p)
    phi = np.asarray(counts) / np.sum(counts)
    theta = np.full(k, 1 / k) if start is None else np.asarray(start)
    iterates = [theta]
    for _ in range(iterations):
        theta = theta * (A @ (phi / (A @ theta)))
        iterates.append(theta)
    return PlainIBU(np.array(iterates))


def _log_likelihood(theta: np.ndarray, counts: np.ndarray, p: float, q: float) -> np.ndarray:
    """Multinomial log-likelihood of the counts, the k×k channel scaled so that its columns sum to 1."""
    k = theta.shape[-1]
    A = np.full((k, k), q)
    np.fill_diagonal(A, p)
    seen = theta @ (A / A.sum(axis=0))
    return (np.asarray(counts) * np.log(seen)).sum(axis=-1)


@pytest.fixture(scope="session")
def plain_ibu() -> Callable[..., PlainIBU]:
    return _plain_ibu


@pytest.fixture(scope="session")
def log_likelihood() -> Callable[..., np.ndarray]:
    return _log_likelihood
