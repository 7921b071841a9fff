"""What the results say: who wins where, how far each contestant is from the best in hindsight, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.errors import Refused
from ldpcore.tournament.contestants import CONTESTANTS, SHUFFLED

if TYPE_CHECKING:
    import pandas as pd

KEYS = ("mechanism", "data", "eps", "n", "k")
# Two scores are a tie within this factor, or within so many standard errors of their difference.
TIE, TIE_SE = 1.05, 2.0


@dataclass(frozen=True, eq=False)
class Standing:
    """How a contestant did on some settings.

    Attributes
    ----------
    key : str
        Which one.
    score, se : float
        The geometric mean of its error relative to MI's, and the standard error of that, as a share of it.
    cost : float
        The geometric mean of its error relative to the best contestant of each setting: what staying with it costs.
    median, worst : float
        Of the same ratio, the median and the largest.
    worst_at : int
        The number of the setting with the largest.
    wins : float
        The share of the settings in which it is the best, or within 5 % of it.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> tournament.Standing("mi", 1.0, 0.0, 1.5, 1.2, 4.0, worst_at=7, wins=0.1).key
    'mi'
    """

    key: str
    score: float
    se: float
    cost: float
    median: float
    worst: float
    worst_at: int
    wins: float


@dataclass(frozen=True, eq=False)
class Cells:
    """The settings of the tournament, with the mean error of every contestant over the repeats.

    Attributes
    ----------
    settings : DataFrame
        With `KEYS`, one row a setting.
    errors : (settings, contestants)
        The mean squared errors, over the repeats.
    spread : (repeats of all, contestants)
        The errors of single repeats, relative to their setting's mean, less 1; `cell` says which setting each is of.

    Examples
    --------
    >>> import pandas as pd
    >>> from ldpcore import tournament
    >>> match = tournament.Match("GRR", 1.0, 1_000, 4, ("spike",))
    >>> cells = tournament.Cells.of(pd.DataFrame(map(dict, tournament.contest(match))), ("mi", "norm-sub"))
    >>> cells.contestants, len(cells.settings)
    (('mi', 'norm-sub'), 1)
    """

    settings: pd.DataFrame
    contestants: tuple[str, ...]
    errors: FloatArray
    spread: FloatArray
    cell: IntArray

    @classmethod
    def of(cls, frame: pd.DataFrame, contestants: Sequence[str] = CONTESTANTS) -> Cells:
        """Put the repeats of every setting together.

        Examples
        --------
        >>> import pandas as pd
        >>> from ldpcore import tournament
        >>> match = tournament.Match("OUE", 1.0, 1_000, 10, ("spike",))
        >>> cells = tournament.Cells.of(pd.DataFrame(map(dict, tournament.contest(match))), ("mi", "norm-sub"))
        >>> cells.errors.shape, cells.spread.shape
        ((1, 2), (2, 2))
        """
        names = check.sequence("contestants", contestants, "keys", str, least=1)
        check.frame("frame", frame, (*KEYS, *names))
        frame = frame.dropna(subset=names)
        groups = frame.groupby(list(KEYS), observed=True, sort=False)
        cell = np.asarray(groups.ngroup(), dtype=np.int64)
        values = frame[names].to_numpy(dtype=np.float64)
        settings = frame[list(KEYS)].iloc[np.unique(cell, return_index=True)[1]].reset_index(drop=True)
        errors = np.zeros((len(settings), len(names)))
        np.add.at(errors, cell, values)
        errors /= np.bincount(cell)[:, None]
        return cls(settings, tuple(names), errors, values / errors[cell] - 1, cell)

    def where(self, keep: Any) -> Cells:
        """Return the settings for which `keep`, one truth value each, says so.

        Examples
        --------
        >>> from ldpcore import tournament
        >>> cells = tournament.Cells.of(tournament.load("matches")[0])
        >>> sorted(set(cells.where(cells.settings["k"] <= 50).settings["k"].tolist()))
        [10, 50]
        """
        keep = np.asarray(keep, dtype=bool)
        number = np.cumsum(keep) - 1
        rows = keep[self.cell]
        settings = self.settings[keep].reset_index(drop=True)
        return Cells(settings, self.contestants, self.errors[keep], self.spread[rows], number[self.cell[rows]])

    def among(self, keys: Sequence[str]) -> Cells:
        """Return the same settings with these contestants alone.

        Examples
        --------
        >>> from ldpcore import tournament
        >>> cells = tournament.Cells.of(tournament.load("matches")[0])
        >>> cells.among(("mi", "ibu")).errors.shape == (len(cells.settings), 2)
        True
        """
        keys = check.sequence("keys", keys, "keys", least=1)
        columns = [self.place(key, "keys") for key in keys]
        return Cells(self.settings, tuple(keys), self.errors[:, columns], self.spread[:, columns], self.cell)

    def log_ratio(self, one: str, other: str) -> tuple[float, float]:
        """Return the mean logarithm of the ratio of two contestants' errors, and its standard error.

        The same counts are behind both, so that most of their noise is common. A setting with one repeat says nothing
        of its noise, and counts as none.

        Examples
        --------
        >>> from ldpcore import tournament
        >>> cells = tournament.Cells.of(tournament.load("matches")[0])
        >>> mean, se = cells.log_ratio("mi", "raw")
        >>> mean < -2 * se  # on average the error of MI is the smaller one
        True
        """
        a, b = self.place(one, "one"), self.place(other, "other")
        mean = float(np.log(self.errors[:, a] / self.errors[:, b]).mean())
        repeats = np.bincount(self.cell)
        away = (self.spread[:, a] - self.spread[:, b]) ** 2
        variance = np.bincount(self.cell, away) / np.maximum(repeats * (repeats - 1), 1)
        return mean, float(np.sqrt(variance.sum())) / len(repeats)

    def place(self, key: str, argument: str = "key") -> int:
        """Return the number of a contestant's column.

        Examples
        --------
        >>> from ldpcore import tournament
        >>> cells = tournament.Cells.of(tournament.load("matches")[0])
        >>> cells.contestants[cells.place("ibu")]
        'ibu'
        """
        return self.contestants.index(check.choice(argument, key, self.contestants))

    @property
    def behind(self) -> FloatArray:
        """Every contestant's error relative to the best of its setting, (settings, contestants)."""
        return np.asarray(self.errors / self.errors.min(axis=1, keepdims=True))

    def standings(self) -> list[Standing]:
        """Return how each contestant did, the best score first.

        Examples
        --------
        >>> from ldpcore import tournament
        >>> cells = tournament.Cells.of(tournament.load("matches")[0])
        >>> len(cells.standings()) == len(tournament.CONTESTANTS)
        True
        """
        if not len(self.settings):
            raise Refused("there are no settings to compare contestants on")
        behind, out = self.behind, []
        for column, key in enumerate(self.contestants):
            mean, se = self.log_ratio(key, "mi")
            ratio = behind[:, column]
            out.append(
                Standing(
                    key,
                    float(np.exp(mean)),
                    se,
                    float(np.exp(np.log(ratio).mean())),
                    float(np.median(ratio)),
                    float(ratio.max()),
                    int(ratio.argmax()),
                    float((ratio <= TIE).mean()),
                )
            )
        return sorted(out, key=lambda standing: standing.score)


@dataclass(frozen=True)
class Winner:
    """Who is best on some settings together.

    Attributes
    ----------
    key, score : str, float
        The one with the lowest geometric mean of errors relative to MI's, and that mean.
    ties : tuple of str
        Others that are as good, within 5 % or two standard errors of the difference.
    settings : int
        On how many settings.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> tournament.Winner("norm-sub", 0.8, ("limit",), settings=12).ties
    ('limit',)
    """

    key: str
    score: float
    ties: tuple[str, ...]
    settings: int


def check_cells(cells: Any) -> Cells:
    """Return `cells` if they are some."""
    return check.instance("cells", cells, Cells, "an ldpcore.tournament.Cells")


def winner(cells: Cells) -> Winner:
    """Return who is best on the settings of `cells` together.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> cells = tournament.Cells.of(tournament.load("matches")[0])
    >>> tournament.winner(cells.where(cells.settings["k"] == 10).among(("mi", "raw"))).settings > 100
    True
    """
    check_cells(cells)
    means = {key: float(np.log(cells.errors[:, i]).mean()) for i, key in enumerate(cells.contestants)}
    best = min(means, key=lambda key: means[key])
    ties = []
    for key in cells.contestants:
        away, se = cells.log_ratio(key, best)
        if key != best and away <= max(np.log(TIE), TIE_SE * se):
            ties.append(key)
    score = float(np.exp(means[best] - means["mi"])) if "mi" in means else float("nan")
    return Winner(best, score, tuple(ties), len(cells.settings))


def shuffled(frame: pd.DataFrame) -> Cells:
    """Return the settings that were also run with their bins in another order, with those contestants too.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> frame, _ = tournament.load("matches")
    >>> len(tournament.shuffled(frame).contestants) > len(tournament.CONTESTANTS)
    True
    """
    return Cells.of(frame, (*CONTESTANTS, *SHUFFLED))
