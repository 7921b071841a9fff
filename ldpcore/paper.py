"""The paper's experiment: its Tables 1 and 2, and the numbers behind its Figures 1 to 4.

A cell of a table is Γ of IBU over MI in percent, for one distribution and mechanism: of each run,
clipped at 0, averaged over 20 runs and over all k, n and ε. It is computed in three variants:

- "as published": the paper's binning, the paper's IBU channel, at most 10 000 iterations, tolerance 10⁻¹²;
- "exact channel": the same with the exact channel, which differs for L-GRR, L-BLH and L-OLH;
- "at convergence": the exact channel, and the limit of IBU in place of its 10 000 iterations.

The data sets are drawn anew in every draw; one data set a distribution and n is shared by all else.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ldpcore import _validate as check
from ldpcore.datasets import DATASETS, Histogram, acs_records, sample_records
from ldpcore.datasets.acs import FIPS
from ldpcore.datasets.binning import bin_values
from ldpcore.experiment import RUNS_MAX, Setting
from ldpcore.mechanisms import LONGITUDINAL, ONE_TIME
from ldpcore.sweep import Row, gather, sweep_iter

if TYPE_CHECKING:
    import pandas as pd

VARIANTS = ("as published", "exact channel", "at convergence")
GAIN_METRICS = ("mse", "mae")
# What a sweep has to measure for the tables and figures.
MEASURED: dict[str, Any] = {
    "estimators": ("mi", "ibu", "limit"),
    "metrics": ("mse", "mae", "gain_mse", "gain_mae"),
}
ACS_SURVEY = ("2018", "5-Year")
ACS_BRACKETS = "ACS PUMS 2024 1-Year brackets"
KEYS = ("table", "data", "mechanism", "n", "k", "eps", "draw")


@dataclass(frozen=True)
class Table:
    """What one of the paper's tables is about; `eps` is ε₁ in Table 2, where ε∞ = 2ε₁."""

    number: int
    title: str
    mechanisms: tuple[str, ...]
    data: tuple[str, ...] = DATASETS
    k: tuple[int, ...] = (2, 50, 100, 200)
    n: tuple[int, ...] = (20_000, 100_000)
    eps: tuple[float, ...] = (1.0, 2.0, 4.0)

    @property
    def eps_inf(self) -> tuple[float | None, ...]:
        """The ε∞ that belongs to each ε; None for one-time mechanisms."""
        return tuple(2 * eps if self.mechanisms == LONGITUDINAL else None for eps in self.eps)


TABLES = {
    1: Table(1, "One-time mechanisms", ONE_TIME),
    2: Table(2, "Longitudinal mechanisms", LONGITUDINAL),
}


class Results(NamedTuple):
    """Per-setting results, as `reproduce` returns them, and how they were made."""

    details: pd.DataFrame
    about: dict[str, Any]


def table_of(table: int) -> Table:
    """Return what Table 1 or 2 is about."""
    return TABLES[check.integer("table", table, 1, 2)]


def published(table: int) -> pd.DataFrame:
    """Return the paper's table: one row a distribution ("data"), mechanism and metric, with its "gain" in percent."""
    import pandas as pd

    number = table_of(table).number
    with resources.files("ldpcore").joinpath("results", f"paper_table{number}.csv").open(encoding="utf-8") as lines:
        wide = pd.read_csv(lines)
    wide["data"] = wide["distribution"].str.lower().str.replace(" ", "-")
    wide = wide.rename(columns={"gain_mse": "mse", "gain_mae": "mae"})
    tall = wide.melt(["data", "mechanism"], list(GAIN_METRICS), var_name="metric", value_name="gain")
    return tall.astype({"gain": "float64"})


def settings(table: int, *, runs: int = 20, seed: int = 0) -> list[Setting]:
    """Return the settings of one draw of a table; where the published channel is not the exact one, both."""
    about = table_of(table)
    out = []
    for data in about.data:
        for n in about.n:
            for k in about.k:
                for mechanism in about.mechanisms:
                    for eps, eps_inf in zip(about.eps, about.eps_inf, strict=True):
                        exact = Setting(
                            data=data, mechanism=mechanism, eps=eps, eps_inf=eps_inf, n=n, k=k,
                            runs=runs, seed=seed, binning="paper",
                        )  # fmt: skip
                        m = exact.make_mechanism()
                        out.append(exact)
                        if m.published_channel != (m.p, m.q):
                            out.append(replace(exact, channel="published"))
    return out


def reproduce(
    table: int,
    draws: int = 1,
    runs: int = 20,
    seed: int = 0,
    executor: Executor | None = None,
    on_progress: Callable[[int, int], object] | None = None,
    *,
    workers: int | None = None,
    acs_root: str | PathLike[str] | None = None,
) -> pd.DataFrame:
    """Run the experiment behind a table.

    Parameters
    ----------
    table : {1, 2}
        Which one.
    draws, runs : int
        How often the data sets are drawn, and runs of noise on each.
    seed : int
        Draw number d (from 0) is made of settings with the seed `seed` + d.
    executor, on_progress, workers
        As for `ldpcore.sweep`. If `on_progress` returns False, the frame has the settings done until then.
    acs_root : path, optional
        Where folktables has stored 2018 5-Year records: the ACS income of all states found there takes the
        place of the 2024 brackets.

    Returns
    -------
    pandas.DataFrame
        One row a setting, draw, metric ("mse", "mae") and variant: the mean error of MI, "mi", that of
        IBU, "ibu", and the mean clipped "gain" in percent. See `cells`, `averages`, `bars` and `lines`.
    """
    draws = check.integer("draws", draws, 1, RUNS_MAX)
    seed = check.integer("seed", seed, 0)
    todo = [s for draw in range(draws) for s in settings(table, runs=runs, seed=seed + draw)]
    histogram_of = None if acs_root is None else AcsRecords(acs_root)
    chunks = sweep_iter(todo, executor, workers=workers, histogram_of=histogram_of, **MEASURED)
    return details(table, seed, gather(chunks, len(todo), on_progress))


def reproduce_part(
    table: int,
    data: Sequence[str],
    mechanisms: Sequence[str],
    *,
    runs: int = 20,
    seed: int = 0,
    on_progress: Callable[[int, int], object] | None = None,
) -> pd.DataFrame:
    """Run one draw of some cells of a table, in this process; the frame is that of `reproduce`."""
    todo = [s for s in settings(table, runs=runs, seed=seed) if s.data in data and s.mechanism in mechanisms]
    if not todo:
        raise ValueError(f"data and mechanisms must name a part of Table {table}; got {data!r} and {mechanisms!r}")
    return details(table, seed, gather(sweep_iter(todo, workers=1, **MEASURED), len(todo), on_progress))


class AcsRecords:
    """The histograms of ACS income from records that folktables has stored; None for other data."""

    def __init__(self, root: str | PathLike[str]) -> None:
        year, horizon = ACS_SURVEY
        folder = Path(root) / year / horizon
        found = [state for state, code in FIPS.items() if (folder / f"psam_p{code}.csv").is_file()]
        self._records = acs_records(root, found or ("AL",), year, horizon)
        self.label = f"ACS PUMS {year} {horizon} records of {', '.join(found)}"

    def __call__(self, setting: Setting) -> Histogram | None:
        if setting.data != "acs-income":
            return None
        return bin_values(sample_records(self._records, setting.n, setting.seed), setting.k, setting.binning)


def details(table: int, seed: int, settings_rows: Iterable[list[Row]]) -> pd.DataFrame:
    """Return the rows of a table's settings, as `sweep_iter` gives them, as the frame of `reproduce`."""
    import pandas as pd

    out: list[Row] = []
    for rows in settings_rows:
        first = rows[0]
        mean = {(row["estimator"], row["metric"]): row["mean"] for row in rows}
        head = {"table": table, "draw": first["seed"] - seed}
        head |= {name: first[name] for name in ("data", "mechanism", "n", "k", "eps")}
        for variant, estimator in _variants(first):
            for metric in GAIN_METRICS:
                errors = {"mi": mean["mi", metric], "ibu": mean[estimator, metric]}
                out.append(
                    {**head, "metric": metric, "variant": variant, **errors, "gain": mean[estimator, f"gain_{metric}"]}
                )
    frame = pd.DataFrame(out, columns=[*KEYS, "metric", "variant", "mi", "ibu", "gain"])
    return frame.astype(_DTYPES)


def _variants(row: Row) -> list[tuple[str, str]]:
    """Return which variants the results of a setting stand for, each with its estimator."""
    if row["channel"] == "published":
        return [("as published", "ibu")]
    exact = [("exact channel", "ibu"), ("at convergence", "limit")]
    point = {name: row[name] for name in ("mechanism", "eps", "k", "n")}
    # Rows that were read from a file say nan where there is none.
    eps_inf = None if row["eps_inf"] is None or math.isnan(row["eps_inf"]) else row["eps_inf"]
    m = Setting(**point, eps_inf=eps_inf).make_mechanism()
    return [("as published", "ibu"), *exact] if m.published_channel == (m.p, m.q) else exact


_DTYPES: dict[str, Any] = {
    "table": "int8", "data": "category", "mechanism": "category", "n": "int32", "k": "int16", "eps": "float32",
    "draw": "int16", "metric": "category", "variant": "category", "mi": "float32", "ibu": "float32", "gain": "float32",
}  # fmt: skip


# ---- what the paper shows ----------------------------------------------------------


def cells(details: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of the tables in `details`.

    One row a table, data, mechanism, metric and variant: the "gain" averaged as in the paper, the standard
    deviation "sd" of that over the draws (nan for one draw), and the paper's own number, "published".
    """
    return _with_published(_over_draws(details, ["table", "variant", "metric", "data", "mechanism"]), average=False)


def averages(details: pd.DataFrame) -> pd.DataFrame:
    """Return the last row of the tables: as `cells`, averaged over the distributions.

    "published" is the mean of the paper's printed cells: its last row before it was rounded again.
    """
    return _with_published(_over_draws(details, ["table", "variant", "metric", "mechanism"]), average=True)


def bars(details: pd.DataFrame, *, data: str = "acs-income", n: int = 20_000, k: int = 100) -> pd.DataFrame:
    """Return the bars of Figures 1 and 2: "mi", "ibu" and "gain" of each mechanism and ε, averaged over the draws."""
    here = details[(details["data"] == data) & (details["n"] == n) & (details["k"] == k)]
    keys = ["table", "variant", "metric", "eps", "mechanism"]
    return _plain(here).groupby(keys, sort=False)[["mi", "ibu", "gain"]].mean().reset_index()


def lines(details: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return the lines of Figures 3 and 4: Γ of each distribution, over all mechanisms, against "eps", "n" or "k"."""
    check.choice("by", by, ("eps", "n", "k"))
    return _over_draws(details, ["table", "variant", "metric", "data", by])


def _plain(details: pd.DataFrame) -> pd.DataFrame:
    """Return the frame in double precision and with words as words, so that groups are those that occur."""
    words: dict[Any, Any] = dict.fromkeys(("data", "mechanism", "metric", "variant"), "str")
    numbers: dict[Any, Any] = dict.fromkeys(("eps", "mi", "ibu", "gain"), "float64")
    return details.astype(words | numbers)


def _over_draws(details: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    each = _plain(details).groupby([*keys, "draw"], sort=False)["gain"].mean()
    return each.groupby(list(keys), sort=False).agg(gain="mean", sd="std").reset_index()


def _with_published(frame: pd.DataFrame, *, average: bool) -> pd.DataFrame:
    import pandas as pd

    printed = pd.concat([published(number).assign(table=number) for number in TABLES])
    printed = printed.rename(columns={"gain": "published"})
    keys = ["table", "metric", "mechanism"] if average else ["table", "metric", "data", "mechanism"]
    printed = printed.groupby(keys, sort=False)["published"].mean().reset_index()
    return frame.merge(printed, on=keys, how="left")


# ---- the results that come with the library ----------------------------------------


def load_results() -> Results:
    """Return the results that come with the library: both tables, and the tables' own notes under "1" and "2"."""
    import pandas as pd

    frames, about = [], {}
    for number in TABLES:
        folder = resources.files("ldpcore").joinpath("results")
        with resources.as_file(folder.joinpath(f"reproduced_table{number}.parquet")) as path:
            frames.append(pd.read_parquet(path))
        about[str(number)] = json.loads(folder.joinpath(f"reproduced_table{number}.json").read_text(encoding="utf-8"))
    return Results(_plain(pd.concat(frames, ignore_index=True)), about)
