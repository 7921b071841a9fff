"""The rows of a sweep: one for each setting, estimator and metric."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldpcore import _validate as check
from ldpcore.errors import Refused
from ldpcore.estimators import ESTIMATORS
from ldpcore.estimators import estimator as find_estimator
from ldpcore.experiment import Result, Setting, Summary
from ldpcore.metrics import METRICS

if TYPE_CHECKING:
    import pandas as pd

MEASURABLE = tuple(e.key for e in ESTIMATORS.values() if e.needs == "counts")
"""The estimators that a sweep can measure: those that need no more than the counts."""


def _metrics() -> tuple[str, ...]:
    """Return all metrics of a sweep; programs may have added some.

    "mse" is an error; "gain_mse" is Γ in percent as in the paper; "gain_mse_unclipped" shows losses too.
    """
    return (*METRICS, *(f"gain_{name}" for name in METRICS), *(f"gain_{name}_unclipped" for name in METRICS))


SWEEP_METRICS = _metrics()
"""What a sweep can measure: "mse" is an error, "gain_mse" is Γ in percent, "gain_mse_unclipped" shows losses too."""
DEFAULT_ESTIMATORS = ("mi", "ibu")
"""The estimators of a sweep that names none."""
DEFAULT_METRICS = ("mse", "mae", "gain_mse", "gain_mae")
"""The metrics of a sweep that names none."""
SETTING_COLUMNS = tuple(f.name for f in fields(Setting))
"""The columns of a sweep's frame that are fields of the setting."""


@dataclass(frozen=True)
class Row:
    """A number of a sweep, over the runs of a setting; `row["mean"]` and `dict(row)` work too, with `COLUMNS` as keys.

    Attributes
    ----------
    setting, estimator, metric
        What the number is of.
    mean, se, q05, q50, q95 : float
        The mean over the runs, its standard error, and quantiles of the runs; nan where there is a problem.
    problem : str
        Why the setting could not be run, or not be measured so; empty if it could.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> (chunk,) = ldp.sweep_iter([ldp.Setting(n=1_000, k=4, runs=2)], metrics=["mse"], workers=1)
    >>> row = chunk.rows[0]
    >>> row.estimator, row.metric, row.setting.k, row["mean"] == row.mean
    ('mi', 'mse', 4, True)
    """

    setting: Setting
    estimator: str
    metric: str
    mean: float
    se: float
    q05: float
    q50: float
    q95: float
    problem: str = ""

    def asdict(self) -> dict[str, Any]:
        """Return the row as the frame has it: the fields of the setting, "params" as JSON, and the others.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> (chunk,) = ldp.sweep_iter([ldp.Setting(n=1_000, k=4, runs=2)], metrics=["mse"], workers=1)
        >>> columns = chunk.rows[0].asdict()
        >>> columns["k"], columns["metric"], columns["params"]
        (4, 'mse', '{}')
        """
        head = self.setting.as_dict()
        head["params"] = json.dumps(head["params"], sort_keys=True)
        return head | {name: getattr(self, name) for name in _OWN_COLUMNS}

    @classmethod
    def of(cls, columns: Mapping[Any, Any]) -> Row:
        """Return the row of a frame's columns, or of a file's.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> (chunk,) = ldp.sweep_iter([ldp.Setting(n=1_000, k=4, runs=2)], metrics=["mse"], workers=1)
        >>> Row.of(chunk.rows[0].asdict()) == chunk.rows[0]
        True
        """
        point = {name: columns[name] for name in SETTING_COLUMNS}
        point["params"] = json.loads(point["params"])
        if isinstance(point["eps_inf"], float) and math.isnan(point["eps_inf"]):
            point["eps_inf"] = None
        own = {name: columns[name] for name in _OWN_COLUMNS}
        # A file may be older than a key, and hold what is an alias today.
        own["estimator"] = find_estimator(own["estimator"]).key
        return cls(setting=Setting(**point), **own)

    def keys(self) -> Iterator[str]:
        """Return the columns.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> (chunk,) = ldp.sweep_iter([ldp.Setting(n=1_000, k=4, runs=2)], metrics=["mse"], workers=1)
        >>> tuple(chunk.rows[0].keys()) == COLUMNS
        True
        """
        return iter(COLUMNS)

    def __getitem__(self, column: str) -> Any:
        return self.asdict()[column]


_OWN_COLUMNS = tuple(f.name for f in fields(Row) if f.name != "setting")
COLUMNS = (*SETTING_COLUMNS, *_OWN_COLUMNS)
"""All columns of a sweep's frame, in order."""


class Chunk(NamedTuple):
    """A piece of a sweep that is done: which of the settings, and their rows.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> settings, _ = ldp.cross({"mechanism": "GRR", "eps": [1, 2], "k": 4, "runs": 2})
    >>> chunk = next(ldp.sweep_iter(settings, workers=1))
    >>> chunk.indices, len(chunk.by_setting())
    ((0, 1), 2)
    """

    indices: tuple[int, ...]
    rows: list[Row]

    def by_setting(self) -> list[list[Row]]:
        """Return the rows of each of the settings.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> settings, _ = ldp.cross({"mechanism": "GRR", "eps": [1, 2], "k": 4, "runs": 2})
        >>> chunk = next(ldp.sweep_iter(settings, metrics=["mse"], workers=1))
        >>> [[(row.setting.eps, row.estimator) for row in rows] for rows in chunk.by_setting()]
        [[(1.0, 'mi'), (1.0, 'ibu')], [(2.0, 'mi'), (2.0, 'ibu')]]
        """
        each = len(self.rows) // len(self.indices)
        return [self.rows[i * each : (i + 1) * each] for i in range(len(self.indices))]


@dataclass(frozen=True)
class Measures:
    """What a sweep measures: keys of estimators, each once, and metrics.

    Examples
    --------
    >>> from ldpcore.sweep import Measures
    >>> list(Measures.of(["mi", "none"], ["mse", "gain_mse"]).pairs())
    [('mi', 'mse'), ('raw', 'mse'), ('raw', 'gain_mse')]
    """

    estimators: tuple[str, ...] = DEFAULT_ESTIMATORS
    metrics: tuple[str, ...] = DEFAULT_METRICS

    @classmethod
    def of(cls, estimators: Iterable[str], metrics: Iterable[str]) -> Measures:
        """Check the names; an alias of an estimator counts as what it stands for.

        Examples
        --------
        >>> Measures.of(["none", "raw"], ["mse"])
        Measures(estimators=('raw',), metrics=('mse',))
        """
        keys = (
            find_estimator(name, needs="counts", argument="estimators").key
            for name in check.sequence("estimators", estimators, "keys")
        )
        names = (check.choice("metrics", name, _metrics()) for name in check.sequence("metrics", metrics, "names"))
        return cls(tuple(dict.fromkeys(keys)), tuple(names))

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield every estimator with every metric, in the order of the rows; Γ is over MI, so MI has none.

        Examples
        --------
        >>> list(Measures(("mi", "ibu"), ("mse", "gain_mse")).pairs())
        [('mi', 'mse'), ('ibu', 'mse'), ('ibu', 'gain_mse')]
        """
        for estimator in self.estimators:
            for metric in self.metrics:
                if estimator != "mi" or not metric.startswith("gain_"):
                    yield estimator, metric

    def rows(self, result: Result) -> list[Row]:
        """Return the rows of a result.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> result = ldp.run(ldp.Setting(n=1_000, k=4, runs=2))
        >>> (row,) = Measures(("ibu",), ("mse",)).rows(result)
        >>> row.mean == result.error("ibu", "mse").mean
        True
        """
        return [self._measured(result, *pair) for pair in self.pairs()]

    def _measured(self, result: Result, estimator: str, metric: str) -> Row:
        """Return a row; an estimator may refuse the data, as one that needs an order refuses categories."""
        try:
            return self._row(result.setting, _summary(result, estimator, metric), estimator, metric)
        except Refused as problem:
            return self._row(result.setting, Summary([np.nan]), estimator, metric, str(problem))

    def no_rows(self, setting: Setting, problem: str) -> list[Row]:
        """Return the rows of a setting that could not be run.

        Examples
        --------
        >>> (row,) = Measures(("ibu",), ("mse",)).no_rows(Setting(), "out of memory")
        >>> row.mean, row.problem
        (nan, 'out of memory')
        """
        return [self._row(setting, Summary([np.nan]), *pair, problem) for pair in self.pairs()]

    @staticmethod
    def _row(setting: Setting, s: Summary, estimator: str, metric: str, problem: str = "") -> Row:
        # What `Summary.quantile` says, of all three at the cost of one.
        q05, q50, q95 = np.quantile(s.values, (0.05, 0.5, 0.95), method="inverted_cdf").tolist()
        return Row(setting, estimator, metric, s.mean, s.se, q05, q50, q95, problem)


def _summary(result: Result, estimator: str, metric: str) -> Summary:
    if not metric.startswith("gain_"):
        return result.error(estimator, metric)
    name = metric.removeprefix("gain_")
    return result.gain(name.removesuffix("_unclipped"), clip=name in METRICS, estimator=estimator)


def sweep_frame(rows: Iterable[Row | Mapping[str, Any]]) -> pd.DataFrame:
    """Return rows of chunks as the frame that `sweep` returns.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> chunks = ldp.sweep_iter([ldp.Setting(n=1_000, k=5, runs=2)], metrics=["mse"])
    >>> ldp.sweep_frame(row for chunk in chunks for row in chunk.rows)[["mechanism", "estimator", "metric"]]
      mechanism estimator metric
    0       GRR        mi    mse
    1       GRR       ibu    mse
    """
    import pandas as pd

    every = check.sequence("rows", rows, "rows", (Row, Mapping))
    records = [row.asdict() if isinstance(row, Row) else row for row in every]
    frame = pd.DataFrame(records, columns=list(COLUMNS))
    return frame.astype({"eps_inf": "float64"})
