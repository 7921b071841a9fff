"""The experiment of 2023: its mechanisms, data, grids and variants, and the numbers that were printed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import resources
from typing import TYPE_CHECKING, Any

from ldpcore import _validate as check
from ldpcore.datasets import DATASETS
from ldpcore.experiment import Setting
from ldpcore.mechanisms import LONGITUDINAL, ONE_TIME

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


def table_of(table: int) -> Table:
    """Return what Table 1 or 2 is about."""
    return TABLES[check.integer("table", table, 1, 2)]


def published(table: int) -> pd.DataFrame:
    """Return the paper's table: one row a distribution ("data"), mechanism and metric, with its "gain" in percent."""
    import pandas as pd

    number = table_of(table).number
    with (
        resources.files("ldpcore.paper").joinpath("results", f"paper_table{number}.csv").open(encoding="utf-8") as lines
    ):
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
