"""Numbers of steps that mean something: the paper's, where rules stop, the best in hindsight, and IBU's clock."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ldpui.format import points as in_points
from ldpui.format import significant
from pages.study.ibu_lab.axes import count_words, step_words, step_x, way_words
from pages.study.ibu_lab.following import PAPER_STEPS
from pages.study.ibu_lab.paths import Path

# Marks that are nearer to each other than so many powers of ten are one line on the chart.
_TOGETHER = 0.03
# Errors that differ by less than this share are the same to a reader.
SAME = 0.005


@dataclass(frozen=True)
class Marker:
    """A number of steps with a name; None where there is none, and then the note says why."""

    name: str
    steps: float | None
    note: str = ""
    about: bool = False

    @property
    def words(self) -> str:
        """The number of steps, in words."""
        return self._in_words(step_words)

    @property
    def count(self) -> str:
        """So many steps, in words."""
        return self._in_words(count_words)

    def _in_words(self, write: Callable[[float], str]) -> str:
        if self.steps is None:
            return "–"
        # What lies between two recorded steps is known to a few per cent: two digits.
        return f"about {write(float(f'{self.steps:.2g}'))}" if self.about else write(self.steps)


def markers(path: Path, validated: int) -> list[Marker]:
    """Return all of them; `validated` is what cross-validation chose."""
    cap = path.setting.max_iter
    most = f"the most that *IBU steps, at most* allows ({step_words(cap)})" if validated >= cap else ""
    return [
        Marker("the paper", float(PAPER_STEPS)),
        rule_stop(path),
        Marker("cross-validation", float(validated), most),
        best(path),
        _clock(path),
    ]


def rule_stop(path: Path) -> Marker:
    """Return where the setting's rule stops IBU: counted in its own steps, or read off its path."""
    s, name = path.setting, "stopping rule"
    if s.tol == 0:
        return Marker(name, None, "the tolerance is 0, so no step is small enough to stop")
    stop = float(path.rested) if path.rested is not None else _crossing(path, s.tol)
    if stop is None:
        last = step_words(path.steps[-1])
        return Marker(name, None, f"its steps are still above {significant(s.tol)} after the {last} that are drawn")
    note = f"the cap of {count_words(s.max_iter)} comes first" if stop > s.max_iter else ""
    return Marker(name, stop, note, about=path.rested is None)


def _crossing(path: Path, tol: float) -> float | None:
    """Return where the size of the steps falls below the tolerance, between two places of the trace."""
    steps, sizes = path.steps, path.trace.steps
    below = np.flatnonzero((steps > PAPER_STEPS) & (sizes < tol))
    if not below.size:
        return None
    after = int(below[0])
    x, y = np.log(steps[after - 1 : after + 1]), np.log(np.maximum(sizes[after - 1 : after + 1], 1e-300))
    share = (y[0] - math.log(tol)) / (y[0] - y[1]) if y[0] > y[1] else 1.0
    return float(np.exp(x[0] + min(max(share, 0.0), 1.0) * (x[1] - x[0])))


def best(path: Path) -> Marker:
    """Return the step that is nearest to the truth; of several that are as near, the first."""
    name, at = "best in hindsight", int(path.errors.argmin())
    if at == 0:
        return Marker(name, 0.0, "the start itself: no step comes nearer to the truth")
    if path.errors[-1] <= path.errors[at] * (1 + SAME):
        first = int(np.flatnonzero(path.errors <= path.errors[at] * (1 + SAME))[0])
        return Marker(name, float(path.steps[first]), "and all steps after it are as good", about=True)
    return Marker(name, float(path.steps[at]), about=path.steps[at] > 16)


def _clock(path: Path) -> Marker:
    if not math.isfinite(path.clock):
        return Marker("T", None, "the channel says nothing (p = q): no step moves")
    note = "" if path.setting.start == "uniform" else "a clock of the uniform start; from another one a guide at best"
    return Marker("T", path.clock, note)


def together(marks: Sequence[Marker]) -> list[list[Marker]]:
    """Return those that have a place on the chart, in groups that share it, from left to right."""
    placed = sorted((m for m in marks if m.steps is not None), key=lambda m: step_x(m.steps or 0))
    groups: list[list[Marker]] = []
    for mark in placed:
        here = math.log10(step_x(mark.steps or 0))
        if groups and here - math.log10(step_x(groups[-1][0].steps or 0)) < _TOGETHER:
            groups[-1].append(mark)
        else:
            groups.append([mark])
    return groups


def table(path: Path, marks: Sequence[Marker]) -> pd.DataFrame:
    """Return what IBU has reached at each of them, and at its end."""
    rows = {}
    for mark in marks:
        cells = ["–"] * 3
        if mark.steps is not None and mark.steps <= path.steps[-1] * 1.01:
            way, off = path.at(path.way, mark.steps), path.at(path.errors, mark.steps)
            cells = [_in_clocks(mark.steps, path.clock), way_words(way), in_points(off)]
        rows[mark.name] = [mark.words, *cells]
    rows["the limit"] = ["∞", "∞", "100%", in_points(path.error_of(path.limit))]
    return pd.DataFrame.from_dict(
        rows, orient="index", columns=["Steps t", "t / T", "Of the way", "A bin is off by (points)"]
    )


def _in_clocks(steps: float, clock: float) -> str:
    return in_points(steps / clock, 2) if math.isfinite(clock) else "–"


def notes(marks: Sequence[Marker]) -> list[str]:
    """Say what the chart can't show: marks with no place, on the same place, or with something to add."""
    sentences = [f"**{m.name}** has no line: {m.note}." for m in marks if m.steps is None]
    sentences += [f"**{m.name}**, {m.count}: {m.note}." for m in marks if m.steps is not None and m.note]
    for group in together(marks):
        if len(group) > 1:
            names = " and ".join(f"**{m.name}** ({m.words})" for m in group)
            sentences.append(f"{names} share one line: on this axis they coincide.")
    return sentences
