"""Where an iteration starts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.errors import Refused


def starts_of(start: Any, shape: tuple[int, ...], like: str = "counts") -> FloatArray:
    """Return a start (rows, k) for each of the rows of estimates of this shape (..., k): uniform if none is given.

    `like` is what the caller's argument is called that has as many rows.

    >>> starts_of([0.2, 0.8], (2, 2))
    array([[0.2, 0.8],
           [0.2, 0.8]])
    """
    k = shape[-1]
    if start is None:
        return np.full((int(np.prod(shape[:-1])), k), 1 / k)
    starts = check.full_support("start", start, k)
    try:
        return np.ascontiguousarray(np.broadcast_to(starts, shape).reshape(-1, k))
    except ValueError:
        also = f" or {shape}, as {like} has rows" if len(shape) > 1 else ""
        raise Refused(f"start must have shape ({k},){also}; got {starts.shape}") from None
