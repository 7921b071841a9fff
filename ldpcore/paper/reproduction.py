"""The experiment, run again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldpcore import _validate as check
from ldpcore.datasets import Histogram, acs_records, sample_records
from ldpcore.datasets.acs import FIPS
from ldpcore.datasets.binning import bin_values
from ldpcore.errors import Refused
from ldpcore.experiment import RUNS_MAX, Setting
from ldpcore.paper.experiment import ACS_SURVEY, GAIN_METRICS, KEYS, MEASURED, settings
from ldpcore.sweep import Row, gather, sweep_iter

if TYPE_CHECKING:
    import pandas as pd


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
        raise Refused(f"data and mechanisms must name a part of Table {table}; got {data!r} and {mechanisms!r}")
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
