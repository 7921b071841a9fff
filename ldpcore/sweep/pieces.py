"""The work of a sweep, cut into pieces.

Settings that share a data set are worked on together: IBU of several mechanisms and ε is
iterated in one array, with the channel of each in its own rows. The pieces are decided by the settings alone,
so the numbers are the same whatever does the work, and equal to those of `ldpcore.run`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore import experiment
from ldpcore.datasets import Histogram
from ldpcore.errors import Refused
from ldpcore.estimators.ibu import ibu_rows
from ldpcore.experiment import Result, Setting
from ldpcore.sweep.rows import Measures, Row

# What settings must have in common to be worked on together: their data, and IBU's stopping rule.
SHARED = ("data", "params", "n", "k", "binning", "seed", "max_iter", "tol", "stop", "start")
# Rows times values of one piece of work: about half a second of 10 000 iterations.
PIECE = 32_768

HistogramOf = Callable[[Setting], Histogram | None]


@dataclass(frozen=True)
class Piece:
    """Settings that share their data and IBU's stopping rule, and are done in one go."""

    indices: tuple[int, ...]
    settings: tuple[Setting, ...]
    data: Histogram | None

    @property
    def work(self) -> float:
        """Rows times values times iterations at the most."""
        return float(sum(s.runs * s.k * s.max_iter for s in self.settings))


def plan(settings: list[Setting], skip: Collection[Setting], histogram_of: HistogramOf | None) -> list[Piece]:
    """Cut the settings into pieces, before those to skip are taken out: a row's neighbours decide its last bits."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for index, setting in enumerate(settings):
        groups.setdefault(tuple(getattr(setting, name) for name in SHARED), []).append(index)
    pieces = []
    for members in groups.values():
        size = sum(settings[i].runs * settings[i].k for i in members)
        number = min(-(-size // PIECE), len(members))
        for part in np.array_split(np.array(members), number):
            indices = tuple(int(i) for i in part if settings[i] not in skip)
            if indices:
                data = None if histogram_of is None else histogram_of(settings[indices[0]])
                pieces.append(Piece(indices, tuple(settings[i] for i in indices), data))
    return pieces


def settings_of(settings: Any, name: str = "settings") -> list[Setting]:
    """Return settings as a list, or say which is none."""
    every = check.sequence(name, settings, "ldpcore.Setting")
    return [experiment.check_setting(f"{name}[{place}]", setting) for place, setting in enumerate(every)]


def work(piece: Piece, measures: Measures) -> list[Row]:
    """Return the rows of a piece's settings, in their order."""
    try:
        data = piece.settings[0].make_histogram() if piece.data is None else piece.data
        collections = [experiment.collect(setting, data) for setting in piece.settings]
    except Refused as problem:
        return [row for setting in piece.settings for row in measures.no_rows(setting, str(problem))]
    results = _results(collections) if "ibu" in measures.estimators else map(_without_ibu, collections)
    return [row for result in results for row in measures.rows(result)]


def run_together(settings: Sequence[Setting], data: Histogram | None = None) -> list[Result]:
    """Run settings that share their data set and IBU's stopping rule, in one batch; as `run`, but for the last digits.

    They may differ in mechanism, ε, calibration and channel: a comparison takes about two thirds of the time.
    `data` takes the place of their data set.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> settings = [ldp.Setting(mechanism=name, n=1_000, k=5, runs=2) for name in ("GRR", "OUE")]
    >>> [r.mechanism.name for r in ldp.run_together(settings)]
    ['GRR', 'OUE']
    """
    settings = settings_of(settings)
    if not settings:
        raise Refused("settings must hold at least one setting; got none")
    for name in SHARED:
        values = {getattr(setting, name) for setting in settings}
        if len(values) > 1:
            shown = ", ".join(sorted(map(str, values)))
            raise Refused(f"settings that are run together must have the same {name}; got {shown}")
    data = settings[0].make_histogram() if data is None else data
    return list(_results([experiment.collect(setting, data) for setting in settings]))


def _results(collections: list[experiment.Collection]) -> Iterator[Result]:
    """Iterate IBU for all collections at once."""
    runs = [c.setting.runs for c in collections]
    channels = np.array([c.mechanism.channel(c.setting.channel) for c in collections])
    p, q = np.repeat(channels, runs, axis=0).T
    starts = [c.start for c in collections if c.start is not None]
    rule = collections[0].setting
    estimates, iterations, converged = ibu_rows(
        np.concatenate([c.usable for c in collections]).astype(np.float64),
        p,
        q,
        max_iter=rule.max_iter,
        tol=rule.tol,
        stop=rule.stop,
        start=np.concatenate(starts) if starts else None,
    )
    ends = np.cumsum(runs)
    for collection, end, number in zip(collections, ends, runs, strict=True):
        own = slice(end - number, end)
        yield collection.result(estimates[own], iterations[own], converged[own])


def _without_ibu(collection: experiment.Collection) -> Result:
    """Leave IBU out where nobody asks for it: it is by far the most of the work."""
    runs = collection.setting.runs
    nothing = np.full(collection.counts.shape, np.nan)
    return collection.result(nothing, np.zeros(runs, dtype=np.int64), np.zeros(runs, dtype=np.bool_))
