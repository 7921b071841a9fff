"""What the page says of IBU's way, computed from it."""

from __future__ import annotations

import numpy as np

from ldpui.format import points as in_points
from ldpui.format import times
from pages.study.ibu_lab.axes import count_words, step_words, way_words
from pages.study.ibu_lab.following import PAPER_STEPS
from pages.study.ibu_lab.markers import SAME, best
from pages.study.ibu_lab.paths import Path

_STARTS = {
    "uniform": "all bins alike",
    "observed": "the counts as they came",
    "mi": "the MI estimate",
}
# Where start and limit are nearer than this in sum, there is no way to go.
_STILL = 1e-12


def story(path: Path) -> str:
    """Tell in a few sentences where IBU goes, and what stopping it does."""
    begin = _STARTS[path.setting.start]
    if np.abs(path.start - path.limit).sum() < _STILL:
        return (
            f"IBU starts from {begin}, and that is its limit already: no step moves it. A bin is off by "
            f"**{in_points(float(path.errors[0]))} points**, however many steps are taken."
        )
    return " ".join(part for part in (f"IBU starts from {begin}.", _nearest(path), _others(path), _edge(path)) if part)


def _nearest(path: Path) -> str:
    """Say which step is nearest to the truth, and what going on does."""
    at, errors = int(path.errors.argmin()), path.errors
    mark, off = best(path), in_points(float(errors[at]))
    end = path.error_of(path.limit)
    if at == 0:
        return (
            f"In this collection **no step brings it nearer to the truth** than this start, which is off by {off} "
            f"points{_outweighed(path)}."
        )
    if end <= errors[at] * (1 + SAME):
        return (
            f"It comes as near to the truth as it ever does after {mark.count} (off by **{off} points** a bin), "
            "and stays so: here nothing is won by stopping early."
        )
    worse = in_points(end - float(errors[at]), 2)
    why = " Stopping there keeps it nearer to equal bins: it is shrinkage." if path.setting.start == "uniform" else ""
    return (
        f"It is nearest to the truth after **{mark.count}**, off by **{off} points** a bin. From there on it "
        f"fits the noise too, and loses {worse} points on the way to its limit.{why}"
    )


def _outweighed(path: Path) -> str:
    """Say why; equal bins know nothing, so that what is learned from there on is truth and noise."""
    return ": the noise that it fits outweighs what it learns" if path.setting.start == "uniform" else ""


def _others(path: Path) -> str:
    """Say what the paper's steps, the limit and MI give."""
    paper = in_points(float(path.errors[path.nearest(PAPER_STEPS)]))
    limit, mi = in_points(path.error_of(path.limit)), in_points(path.error_of(path.mi))
    way = float(path.way[path.nearest(PAPER_STEPS)])
    return (
        f"The paper's {step_words(PAPER_STEPS)} steps, {way_words(way)} of the way, are off by {paper}, its limit by "
        f"{limit}, and MI by {mi}."
    )


def _edge(path: Path) -> str:
    """Say how many bins have nothing left at the limit: steps come near 0 and never reach it."""
    zeros = int((path.limit == 0).sum())
    if not zeros:
        return ""
    zeros_with_users = int(((path.limit == 0) & (path.truth > 0)).sum())
    have = "has" if zeros_with_users == 1 else "have"
    users = f" ({zeros_with_users} of them {have} users)" if zeros_with_users else ""
    return (
        f"At the limit {times(zeros, 'bin')} {'is' if zeros == 1 else 'are'} 0{users}; no number of steps gets there."
    )


def clock_words(path: Path) -> str:
    """Say what T is here, and how well it tells the way that was really gone."""
    if not np.isfinite(path.clock):
        return "The channel has p = q, so reports say nothing and no step moves."
    # A share that rounds to 1 is not the whole way: no number of steps goes that.
    predicted = min(path.mechanism.share_of_the_way(PAPER_STEPS, path.setting.channel), 1 - 1e-9)
    measured = float(path.way[path.nearest(PAPER_STEPS)])
    text = f"**T = {count_words(path.clock)}** for {path.setting.mechanism} at k = {path.setting.k:,}."
    if path.setting.start != "uniform":
        return f"{text} It is the clock of a uniform start; from another start it is a guide at best."
    ahead = "ahead of" if measured > predicted else "behind"
    differs = (
        f" The clock is right near equal bins; farther away IBU is {ahead} it here."
        if abs(predicted - measured) > SAME
        else ""
    )
    return (
        f"{text} By this clock {step_words(PAPER_STEPS)} steps are {way_words(predicted)} of the way; measured on this "
        f"collection they are {way_words(measured)}.{differs}"
    )


def what_it_climbs(path: Path) -> str:
    """Say what Σ φ ln(Aθ) is for this mechanism; for most it is not the likelihood of the counts."""
    m, s = path.mechanism, path.setting
    if m.channel(s.channel) != m.channel("exact"):
        return (
            "The middle curve is what IBU climbs, Σ φ ln(Aθ), with the published channel A. That is not the channel of "
            f"{m.name}, so it is the likelihood of nothing that was collected."
        )
    if m.support_size == 1:
        return (
            "The middle curve is what IBU climbs, Σ φ ln(Aθ): since every report here supports one value, the "
            "log-likelihood of the counts, per report. At its maximum is the most likely histogram."
        )
    return (
        "The middle curve is what IBU climbs, Σ φ ln(Aθ): a composite log-likelihood. IBU reads the supports as if "
        f"each were a report of its own; for {m.name} they are not, so its maximum is where IBU leads, not the most "
        "likely histogram."
    )
