"""The types of arrays that the library takes and returns, for annotations.

>>> import numpy as np
>>> def halved(shares: FloatArray) -> FloatArray:
...     return shares / 2
>>> halved(np.array([1.0, 3.0]))
array([0.5, 1.5])
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
"""A NumPy array of int64."""
FloatArray = npt.NDArray[np.float64]
"""A NumPy array of float64."""
BoolArray = npt.NDArray[np.bool_]
"""A NumPy array of truth values."""

__all__ = ["BoolArray", "FloatArray", "IntArray"]
