"""Smoothing over ordered bins: a bell-shaped kernel on raw MI, its width chosen by the data, then Norm-Sub."""

from __future__ import annotations

import numpy as np

from ldpcore._validate import FloatArray

# Widths are this factor apart, from the narrowest that does anything to one over which little is left.
_FACTOR = 2**0.5
_NARROWEST = 0.5
# So wide nothing but the mean is left, whatever k is, and the square is still a number.
_WIDEST = 1e100


def bandwidths(k: int) -> FloatArray:
    """Return the widths that are tried over k bins, in bins, ascending.

    >>> bandwidths(10).round(2).tolist()
    [0.5, 0.71, 1.0, 1.41, 2.0, 2.83, 4.0]
    """
    widest = max(_NARROWEST, 0.4 * k)
    number = 1 + int(np.floor(np.log(widest / _NARROWEST) / np.log(_FACTOR) + 1e-9))
    return np.asarray(_NARROWEST * _FACTOR ** np.arange(number))


def smoothed(values: FloatArray, widths: FloatArray) -> FloatArray:
    """Smooth values (..., k) over the bins with Gaussian kernels that the ends reflect, shape (widths, ..., k).

    Reflected at half a bin outside of both ends, the values are a sum of cosines, and a kernel of width b takes that
    of frequency ω down by exp(-b²ω²/2). The sum stays what it is.
    """
    k = values.shape[-1]
    mirrored = np.fft.rfft(np.concatenate([values, values[..., ::-1]], axis=-1), axis=-1)
    damping = np.exp(-0.5 * np.square(np.multiply.outer(np.minimum(widths, _WIDEST), np.pi * np.arange(k + 1) / k)))
    shape = (len(widths), *(1,) * (values.ndim - 1), k + 1)
    return np.asarray(np.fft.irfft(mirrored * damping.reshape(shape), 2 * k, axis=-1)[..., :k])
