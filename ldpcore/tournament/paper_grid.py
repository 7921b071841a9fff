"""The paper's own grid with every contestant: Γ over MI with losses clipped, as published, and counted."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.experiment.run import collect
from ldpcore.experiment.setting import Setting
from ldpcore.metrics import gain, mae, mse
from ldpcore.paper.experiment import TABLES
from ldpcore.paper.experiment import settings as paper_settings
from ldpcore.tournament.contestants import AUTO, CONTESTANTS, ORDERED_AUTO, estimates
from ldpcore.tournament.grid import checked_draw
from ldpcore.tournament.records import PaperRecord

# Runs of noise on each data set: many bins even chance out by themselves, two do not. `auto` takes longer, and has the
# first run alone where there are many bins.
RUNS, RUNS_OF_TWO, AUTO_RUNS_OF_TWO = 4, 20, 8
AUTO_RUNS = 1
PAPER_RUNS = (RUNS, RUNS_OF_TWO, AUTO_RUNS, AUTO_RUNS_OF_TWO)
"""Runs of noise on each data set of the paper's grid: with many bins, with two, and of auto with many and with two."""
CHOOSING = (AUTO, ORDERED_AUTO)
PLAIN = tuple(key for key in CONTESTANTS if key not in (*CHOOSING, "ibu-cv", "smooth"))
METRICS = {"mse": mse, "mae": mae}


@dataclass(frozen=True)
class PaperMatch:
    """Settings of a table that differ in their data alone.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> tournament.paper_matches()[0].key
    ('GRR', 1.0, 20000, 2, 0)
    """

    table: int
    settings: tuple[Setting, ...]

    @property
    def key(self) -> tuple[str, float, int, int, int]:
        """What tells it from all others."""
        s = self.settings[0]
        return s.mechanism, s.eps, s.n, s.k, s.seed


def paper_matches(draw: int = 0, seed: int = 0) -> list[PaperMatch]:
    """Return the settings of both tables, with the exact channel, put together by all but their data.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> every = tournament.paper_matches()
    >>> len(every), sum(len(match.settings) for match in every)
    (336, 2016)
    """
    draw, seed = checked_draw(draw, seed)
    out = []
    for table in TABLES:
        together: dict[Setting, list[Setting]] = {}
        for every in paper_settings(table, runs=RUNS, seed=seed + draw):
            s = replace(every, runs=RUNS_OF_TWO) if every.k == 2 else every
            if s.channel == "exact":
                together.setdefault(replace(s, data=TABLES[table].data[0]), []).append(s)
        out += [PaperMatch(table, tuple(some)) for some in together.values()]
    return out


def paper_contest(match: PaperMatch) -> list[PaperRecord]:
    """Run all contestants on a match; return a record for each data set, contestant and metric.

    "gain" is Γ over MI with every run clipped at 0, as in the paper. "reduction" counts losses: by how much the mean
    error over the runs is less than MI's, in percent, negative where it is more. "ibu_gain" and "ibu_reduction" are
    those of IBU over this contestant; "error" is its mean error.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore import tournament
    >>> setting = ldp.Setting(data="uniform", mechanism="GRR", n=1_000, k=2, runs=5, binning="paper")
    >>> records = tournament.paper_contest(tournament.PaperMatch(1, (setting,)))
    >>> records[0].data, records[0].estimator, records[0].metric
    ('uniform', 'raw', 'mse')
    """
    check.instance("match", match, PaperMatch, "an ldpcore.tournament.PaperMatch")
    collections = [collect(s) for s in match.settings]
    first = match.settings[0]
    counts, m = np.concatenate([c.usable for c in collections]), collections[0].mechanism
    by_key = estimates(counts, first.n, m, PLAIN)
    by_key |= estimates(np.concatenate([c.usable[: _choosing_runs(first)] for c in collections]), first.n, m, CHOOSING)
    out = []
    for number, (s, c) in enumerate(zip(match.settings, collections, strict=True)):
        every, some = (slice(number * runs, (number + 1) * runs) for runs in (s.runs, _choosing_runs(s)))
        true = c.data.counts / s.n
        for metric, measure in METRICS.items():
            errors = {key: measure(rows[some if key in CHOOSING else every], true) for key, rows in by_key.items()}
            out += [
                PaperRecord(match.table, *match.key, s.data, metric, key, *_gains(errors, key))
                for key in (*PLAIN, *CHOOSING)
            ]
    return out


def _choosing_runs(s: Setting) -> int:
    return AUTO_RUNS_OF_TWO if s.k == 2 else AUTO_RUNS


def _gains(errors: dict[str, FloatArray], key: str) -> tuple[float, float, float, float, float]:
    """Return error, gain and reduction of a contestant, and gain and reduction of IBU over it."""
    own_errors = errors[key]
    mi, ibu = (errors[other][: own_errors.size] for other in ("mi", "ibu"))
    return (
        float(own_errors.mean()),
        float(gain(mi, own_errors).mean()),
        100 * float(1 - own_errors.mean() / mi.mean()),
        float(gain(own_errors, ibu).mean()),
        100 * float(1 - ibu.mean() / own_errors.mean()),
    )
