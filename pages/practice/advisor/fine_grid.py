"""Errors between the places that were simulated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ldpcore.arrays import FloatArray

_FINE = 80


@dataclass(frozen=True, eq=False)
class Fine:
    """Errors on a fine grid of logarithms of ε (across) and of the number of users (down)."""

    log_eps: FloatArray
    log_users: FloatArray
    errors: FloatArray


def finer(eps: FloatArray, users: FloatArray, errors: FloatArray) -> Fine:
    """Return a grid of logarithms between the points; errors are powers of ε and n, nearly, so straight lines fit."""
    u, v = np.log10(eps), np.log10(users)
    fine_u, fine_v = np.linspace(u[0], u[-1], _FINE), np.linspace(v[0], v[-1], _FINE)
    across = np.array([np.interp(fine_u, u, line) for line in np.log10(errors)])
    down = np.array([np.interp(fine_v, v, column) for column in across.T]).T
    return Fine(fine_u, fine_v, 10.0**down)
