"""Errors between the places that were simulated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ldpcore.arrays import FloatArray

_FINE = 80
# A share of the users that is left by rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Fine:
    """Errors on a fine grid of logarithms of ε (across) and of the number of users (down)."""

    log_eps: FloatArray
    log_users: FloatArray
    errors: FloatArray


def without_zeros(users: FloatArray, errors: FloatArray, whole: float) -> FloatArray:
    """Return errors (n, ε) that have logarithms; `whole` is the error of all users.

    An error of 0 was found in so many runs, and no more: it counts as that of one user, or as the smallest that was
    found with as many users. Else all that lies between it and the next place would be 0 too.
    """
    found = np.where(errors > whole * _ROUNDING, errors, np.nan)
    smallest = np.fmin.reduce(np.column_stack([whole / users, found]), axis=1)
    return np.where(errors <= whole * _ROUNDING, smallest[:, None], errors)


def finer(eps: FloatArray, users: FloatArray, errors: FloatArray) -> Fine:
    """Return a grid of logarithms between the points; errors are powers of ε and n, nearly, so straight lines fit."""
    u, v = np.log10(eps), np.log10(users)
    fine_u, fine_v = np.linspace(u[0], u[-1], _FINE), np.linspace(v[0], v[-1], _FINE)
    across = np.array([np.interp(fine_u, u, line) for line in np.log10(errors)])
    down = np.array([np.interp(fine_v, v, column) for column in across.T]).T
    return Fine(fine_u, fine_v, 10.0**down)
