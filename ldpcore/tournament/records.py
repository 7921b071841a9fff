"""The rows of the tournament: what a match, a cell of the paper's grid, a point of an answer and a loss give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Record:
    """A row of results; `record["data"]` and `dict(record)` work too, with the columns of the files as keys."""

    def asdict(self) -> dict[str, Any]:
        """Return the row as the files have it.

        Examples
        --------
        >>> AnswerRecord("several", "GRR zipf", 0, "auto", 0.5, 0.75, 0.125).asdict()["series"]
        'auto'
        """
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def keys(self) -> Iterator[str]:
        """Return the columns.

        Examples
        --------
        >>> list(AnswerRecord("several", "GRR zipf", 0, "auto", 0.5, 0.75, 0.125).keys())[:3]
        ['question', 'part', 'draw']
        """
        return iter(self.asdict())

    def __getitem__(self, column: str) -> Any:
        return self.asdict()[column]


@dataclass(frozen=True)
class MatchRecord(Record):
    """The mean squared errors of all contestants on one data set; a column for each of them in the file.

    Examples
    --------
    >>> record = MatchRecord("OUE", 1.0, 1_000, 10, 0, "spike", 0, {"mi": 0.25, "norm-sub": 0.125})
    >>> record["norm-sub"], list(record.keys())[-2:]
    (0.125, ['mi', 'norm-sub'])
    """

    mechanism: str
    eps: float
    n: int
    k: int
    draw: int
    data: str
    repeat: int
    errors: Mapping[str, float]

    def asdict(self) -> dict[str, Any]:
        row = super().asdict()
        errors: Mapping[str, float] = row.pop("errors")
        return row | dict(errors)


@dataclass(frozen=True)
class PaperRecord(Record):
    """What one contestant gives on a data set of the paper's grid, by one metric; see `paper_contest`.

    Examples
    --------
    >>> PaperRecord(1, "GRR", 1.0, 20_000, 2, 0, "uniform", "mse", "ibu", 0.1, 5.0, 4.0, 0.0, 0.0)["gain"]
    5.0
    """

    table: int
    mechanism: str
    eps: float
    n: int
    k: int
    draw: int
    data: str
    metric: str
    estimator: str
    error: float
    gain: float
    reduction: float
    ibu_gain: float
    ibu_reduction: float


@dataclass(frozen=True)
class AnswerRecord(Record):
    """A point of an answer: in which panel, of which series, where, and its standard error.

    Examples
    --------
    >>> dict(AnswerRecord("several", "GRR zipf", 0, "auto", 0.5, 0.75, 0.125))["y"]
    0.75
    """

    question: str
    part: str
    draw: int
    series: str
    x: float
    y: float
    se: float


@dataclass(frozen=True)
class LossRecord(Record):
    """What is left of a loss of auto: its mean squared error over that of the best fixed estimator, in new runs.

    Examples
    --------
    >>> LossRecord("OUE", 0.25, 1_000, 10, "spike", "anew", 0, 20, 1.25)["ratio"]
    1.25
    """

    mechanism: str
    eps: float
    n: int
    k: int
    data: str
    kind: str
    draw: int
    runs: int
    ratio: float
