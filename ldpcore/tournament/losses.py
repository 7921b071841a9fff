"""Where auto lost most in the matches, run again: what is left of losses that were picked for being the largest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, FloatArray
from ldpcore.experiment import Setting
from ldpcore.tournament.contestants import AUTO, ORDERED_AUTO, auto_again, auto_over_best
from ldpcore.tournament.grid import Match, checked_draw
from ldpcore.tournament.records import LossRecord
from ldpcore.tournament.shapes import SHAPES
from ldpcore.tournament.shipped import load
from ldpcore.tournament.standings import Cells, check_cells

FIXED = ("mi", "norm-sub", "power-ns", "ibu", "limit")
"""The contestants that auto is compared with in its losses: those that one can stay with."""
# How a loss is run again: in repeats that the matches have not had; or as the page Estimate runs a setting, with auto
# told of the order of the bins.
ANEW, ESTIMATE = "anew", "estimate"
# So many of the worst settings of each kind are run again, of so many bins at most.
WORST = {ANEW: 6, ESTIMATE: 4}
BINS = 200
# Runs of each that is drawn anew; Estimate has its own number.
RUNS = 20
# Left out: on uniform data the best estimator has almost no error, so that every ratio to it is large.
UNIFORM = "uniform"


@dataclass(frozen=True)
class Loss:
    """A setting of the matches in which auto was far behind, and how it is run again: one piece of work.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> loss = tournament.Loss("OLH", 0.5, 1_000, 10, "acs-income", "estimate")
    >>> loss.setting.runs, loss.match.data
    (20, ('acs-income',))
    """

    mechanism: str
    eps: float
    n: int
    k: int
    data: str
    kind: str
    draw: int = 0
    seed: int = 0

    @property
    def key(self) -> tuple[str, float, int, int, str, str, int]:
        """What tells it from all others."""
        return self.mechanism, self.eps, self.n, self.k, self.data, self.kind, self.draw

    @property
    def match(self) -> Match:
        """The match that it is of."""
        return Match(self.mechanism, self.eps, self.n, self.k, (self.data,), self.draw, self.seed)

    @property
    def setting(self) -> Setting:
        """The same as Estimate runs it; a longitudinal mechanism has twice ε as its ε∞."""
        return Setting(
            data=self.data, mechanism=self.mechanism, eps=self.eps, n=self.n, k=self.k, seed=self.seed + self.draw
        )


def over_best(cells: Cells, key: str) -> FloatArray:
    """Return the error of a contestant over that of the best of `FIXED`, of each setting.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> cells = tournament.Cells.of(tournament.load("matches")[0])
    >>> bool(tournament.over_best(cells, "mi").min() >= 1)
    True
    """
    best = check_cells(cells).among(FIXED).errors.min(axis=1)
    return np.asarray(cells.errors[:, cells.place(key)] / best)


def worst_losses(draw: int = 0, seed: int = 0) -> list[Loss]:
    """Return the settings of the matches that ship in which auto lost most, outside Uniform data and of up to 200 bins.

    Six of all, where auto is not told of the order of the bins; and four of those that Estimate can show, where it is.
    The matches have picked them, whatever `draw` and `seed`: these decide the users and the noise of the new runs.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> sorted({loss.kind for loss in tournament.worst_losses()})
    ['anew', 'estimate']
    """
    draw, seed = checked_draw(draw, seed)
    cells = Cells.of(load("matches")[0])
    s = cells.settings
    few = ((s["data"] != UNIFORM) & (s["k"] <= BINS)).to_numpy()
    in_estimate = few & ~s["data"].isin(list(SHAPES)).to_numpy()
    picked = [(ANEW, number) for number in _worst(cells, AUTO, few, WORST[ANEW])]
    picked += [(ESTIMATE, number) for number in _worst(cells, ORDERED_AUTO, in_estimate, WORST[ESTIMATE])]
    rows = [(kind, s.iloc[number]) for kind, number in picked]
    return [
        Loss(str(row["mechanism"]), float(row["eps"]), int(row["n"]), int(row["k"]), str(row["data"]), kind, draw, seed)
        for kind, row in rows
    ]


def _worst(cells: Cells, key: str, among: BoolArray, number: int) -> list[int]:
    order: list[int] = np.argsort(-np.where(among, over_best(cells, key), 0), kind="stable").tolist()
    return order[:number]


def rerun(loss: Loss) -> list[LossRecord]:
    """Run a loss again; return a record with what is left of it.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> (record,) = tournament.rerun(tournament.Loss("OUE", 1.0, 1_000, 4, "uniform", "anew"))
    >>> record.runs, record.ratio < 1
    (20, True)
    """
    check.instance("loss", loss, Loss, "an ldpcore.tournament.Loss")
    if check.choice("kind", loss.kind, WORST) == ESTIMATE:
        return [LossRecord(*loss.key, loss.setting.runs, auto_over_best(loss.setting, FIXED))]
    return [LossRecord(*loss.key, RUNS, auto_again(loss.match, loss.data, FIXED, RUNS))]
