"""Results in a sentence."""

from __future__ import annotations

import numpy as np

import ldpcore as ldp
from ldpcore.metrics import reduction
from ldpui.format import percent, significant, times


def verdict(r: ldp.Result) -> str:
    """Say in one sentence what IBU gained over MI, and whether it had converged."""
    return f"{_comparison(r)}; {_convergence(r)}."


def _comparison(r: ldp.Result) -> str:
    less, se = reduction(r.error("mi").values, r.error("ibu").values)
    spread = f", ±{error_digits(se)}" if np.isfinite(se) else ""
    if abs(less) < max(0.5, 2 * np.nan_to_num(se)):
        text = "IBU and MI are equally good here: their squared errors differ by less than the noise of the runs"
        return text + (" (Γ is above 0 because the paper counts every loss as 0)" if r.gain("mse") > 1 else "")
    if less > 0:
        return f"IBU's squared error is **{less:.0f}% lower** than MI's{spread}"
    if less > -100:
        return f"IBU's squared error is **{-less:.0f}% higher** than MI's{spread}: here IBU loses"
    ratio, error = 1 - less / 100, se / 100
    spread = f", ±{error_digits(error)}" if np.isfinite(error) else ""
    return f"IBU's squared error is **{significant(ratio, 2)} times** MI's{spread}: here IBU loses"


def _convergence(r: ldp.Result) -> str:
    done, runs = int(r.converged.sum()), len(r.converged)
    if done == runs:
        return f"it converged after {times(round(r.iterations.mean()), 'iteration')}"
    cap = times(r.setting.max_iter, "iteration")
    if done:
        return f"it converged in {done} of {runs} runs within {cap}"
    text = f"it had not converged after {cap}{_way(r)}"
    # Said on both sides: stopping early can flatter IBU as well as hold it back.
    limit, stopped = r.error("limit").mean, r.error("ibu").mean
    if limit < 0.8 * stopped or stopped < 0.8 * limit:
        less, _ = reduction(r.error("mi").values, r.error("limit").values)
        side = "below" if less >= 0 else "above"
        text += f", and at its limit the error would be {abs(less):.0f}% {side} MI's"
    return text


def _way(r: ldp.Result) -> str:
    """Say how much of the way to its limit IBU has gone; from a uniform start, where its clock is known."""
    if r.setting.start != "uniform":
        return ""
    share = r.mechanism.share_of_the_way(r.setting.max_iter, r.setting.channel)
    return f", about {percent(share)} of the way to its limit" if share < 0.995 else ""


def error_digits(error: float) -> str:
    """Write an uncertainty with one digit, or two where the first is a 1.

    >>> error_digits(13.8), error_digits(2.34), error_digits(0.0187)
    ('14', '2', '0.019')
    """
    if not np.isfinite(error) or error == 0:
        return significant(error)
    leading = int(f"{abs(error):e}"[0])
    return significant(error, 2 if leading == 1 else 1)
