"""What the paper shows: the cells of its tables, the bars and lines of its figures; and the results that ship."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldpcore import _validate as check
from ldpcore.errors import Refused
from ldpcore.metrics import gain
from ldpcore.paper.draws import file_stem
from ldpcore.paper.experiment import DATA, KEYS, TABLES, published

if TYPE_CHECKING:
    import pandas as pd


_COLUMNS = (*KEYS, "metric", "variant", "mi", "ibu", "gain")


class Results(NamedTuple):
    """Per-setting results, as `reproduce` returns them, and how they were made.

    Examples
    --------
    >>> from ldpcore import paper
    >>> results = paper.load_results()
    >>> sorted(results.about), sorted(results.details["table"].unique().tolist())
    (['1', '2'], [1, 2])
    """

    details: pd.DataFrame
    about: dict[str, Any]


def cells(details: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of the tables in `details`.

    One row a table, data, mechanism, metric and variant: the "gain" averaged as in the paper, the standard
    deviation "sd" of that over the draws (nan for one draw), how many "draws" there are, and the paper's own number,
    "published".

    Examples
    --------
    >>> from ldpcore import paper
    >>> cells = paper.cells(paper.load_results().details)
    >>> here = (cells["data"] == "poisson") & (cells["mechanism"] == "OLH") & (cells["metric"] == "mse")
    >>> cells[here & (cells["variant"] == "as published")][["gain", "published"]].round(0).to_dict("records")
    [{'gain': 46.0, 'published': 46.0}]
    """
    check.frame("details", details, _COLUMNS)
    return _with_published(_over_draws(details, ["table", "variant", "metric", "data", "mechanism"]), average=False)


def averages(details: pd.DataFrame) -> pd.DataFrame:
    """Return the last row of the tables: as `cells`, averaged over the distributions.

    "published" is the mean of the paper's printed cells, which are rounded: its own last row can be a point
    less or more. "sd" is that over the "draws" that have all distributions, if some come with more.

    Examples
    --------
    >>> from ldpcore import paper
    >>> len(paper.averages(paper.load_results().details))  # 14 mechanisms, 2 metrics, 3 variants
    84
    """
    keys = ["table", "variant", "metric", "mechanism"]
    means = cells(details).groupby(keys, sort=False)["gain"].mean().reset_index()
    shared = details[details.groupby(["table", "draw"])["data"].transform("nunique") == details["data"].nunique()]
    spread = _over_draws(shared, keys).drop(columns="gain")
    return _with_published(means.merge(spread, on=keys, how="left"), average=True)


def bars(details: pd.DataFrame, *, data: str = "acs-income", n: int = 20_000, k: int = 100) -> pd.DataFrame:
    """Return the bars of Figures 1 and 2: errors "mi" and "ibu" of each mechanism and ε, averaged over the draws.

    "gain" is the number above the bars, by the authors' own formula for these figures: that of the averaged errors,
    clipped once. (A cell of a table averages the clipped gains of the runs.)

    Examples
    --------
    >>> from ldpcore import paper
    >>> bars = paper.bars(paper.load_results().details)
    >>> list(bars.columns)
    ['table', 'variant', 'metric', 'eps', 'mechanism', 'mi', 'ibu', 'gain']
    """
    check.frame("details", details, _COLUMNS)
    check.choice("data", data, dict.fromkeys((*DATA, *details["data"])))
    for name, value in (("n", n), ("k", k)):
        _check_number(name, value, [x for table in TABLES.values() for x in getattr(table, name)], details)
    here = details[(details["data"] == data) & (details["n"] == n) & (details["k"] == k)]
    keys = ["table", "variant", "metric", "eps", "mechanism"]
    frame = _plain(here).groupby(keys, sort=False)[["mi", "ibu"]].mean().reset_index()
    return frame.assign(gain=gain(frame["mi"], frame["ibu"]))


def lines(details: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return the lines of Figures 3 and 4: Γ of each distribution, over all mechanisms, against "eps", "n" or "k".

    Examples
    --------
    >>> from ldpcore import paper
    >>> sorted(paper.lines(paper.load_results().details, "k")["k"].unique().tolist())
    [2, 50, 100, 200]
    """
    check.frame("details", details, _COLUMNS)
    check.choice("by", by, ("eps", "n", "k"))
    return _over_draws(details, ["table", "variant", "metric", "data", by])


def _check_number(name: str, value: Any, usual: Sequence[int], details: pd.DataFrame) -> None:
    """Refuse a number of users or bins that neither the tables nor the details have: nothing would be left."""
    allowed = sorted({*usual, *details[name].tolist()})
    if not isinstance(value, (int, float, np.integer)) or value not in allowed:
        raise Refused(f"{name} must be one of {', '.join(map(str, allowed))}; got {check.shown(value)}")


def _plain(details: pd.DataFrame) -> pd.DataFrame:
    """Return the frame in double precision and with words as words, so that groups are those that occur."""
    words: dict[Any, Any] = dict.fromkeys(("data", "mechanism", "metric", "variant"), "str")
    numbers: dict[Any, Any] = dict.fromkeys(("eps", "mi", "ibu", "gain"), "float64")
    return details.astype(words | numbers)


def _over_draws(details: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    each = _plain(details).groupby([*keys, "draw"], sort=False)["gain"].mean()
    return each.groupby(list(keys), sort=False).agg(gain="mean", sd="std", draws="count").reset_index()


def _with_published(frame: pd.DataFrame, *, average: bool) -> pd.DataFrame:
    import pandas as pd

    printed = pd.concat([published(number).assign(table=number) for number in TABLES])
    printed = printed.rename(columns={"gain": "published"})
    keys = ["table", "metric", "mechanism"] if average else ["table", "metric", "data", "mechanism"]
    printed = printed.groupby(keys, sort=False)["published"].mean().reset_index()
    return frame.merge(printed, on=keys, how="left")


# ---- the results that come with the library ----------------------------------------

MORE_DRAWS = ("exponential",)
"""The distributions of which more draws ship: their bins depend on the largest sample, so cells vary between draws."""


def load_results() -> Results:
    """Return the results that come with the library: both tables, and the tables' own notes under "1" and "2".

    The rows of `MORE_DRAWS` have more draws than the others; the notes on those are under "more".

    Examples
    --------
    >>> from ldpcore import paper
    >>> paper.load_results().about["1"]["runs"]
    20
    """
    import pandas as pd

    frames, about = [], {}
    for number in TABLES:
        whole, notes = _shipped(number)
        frames.append(whole)
        about[str(number)] = notes | {"more": {}}
        for data in MORE_DRAWS:
            rows, more = _shipped(number, data)
            frames.append(rows[rows["draw"] >= notes["draws"]])
            about[str(number)]["more"][data] = more
    return Results(pd.concat([_plain(frame) for frame in frames], ignore_index=True), about)


def _shipped(table: int, *data: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return what comes with the library of a table, or of some rows of it, and the notes on it."""
    import pandas as pd

    folder = resources.files("ldpcore.paper").joinpath("results")
    stem = file_stem(table, data)
    with resources.as_file(folder.joinpath(f"{stem}.parquet")) as path:
        frame = pd.read_parquet(path)
    return frame, json.loads(folder.joinpath(f"{stem}.json").read_text(encoding="utf-8"))
