"""The experiment of 2023: its mechanisms, data, grids and variants, and the numbers that were printed.

All of it is written down here, and nothing taken from the registries of mechanisms and distributions or from the
defaults of a setting: what the library learns later changes no table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import resources
from typing import TYPE_CHECKING, Any

from ldpcore import _validate as check
from ldpcore.experiment import Setting

if TYPE_CHECKING:
    import pandas as pd

ONE_TIME = ("GRR", "SUE", "OUE", "SS", "THE", "BLH", "OLH")
"""The one-time mechanisms of the paper, in its order."""
LONGITUDINAL = ("L-GRR", "L-SUE", "L-OUE", "L-SOUE", "L-OSUE", "L-BLH", "L-OLH")
"""The longitudinal mechanisms of the paper, in its order."""
LABELS = {
    "gaussian": "Gaussian",
    "exponential": "Exponential",
    "uniform": "Uniform",
    "poisson": "Poisson",
    "triangular": "Triangular",
    "acs-income": "ACS income",
}
"""What the tables call the distributions, by name."""
DATA = tuple(LABELS)
"""The names of the distributions, in the order of the tables."""
OTHER_CHANNEL = ("L-GRR", "L-BLH", "L-OLH")
"""The mechanisms whose IBU the paper computed with a channel other than the exact one."""

VARIANTS = ("as published", "exact channel", "at convergence")
"""The three ways in which the tables are computed; the text at the top says what they are."""
GAIN_METRICS = ("mse", "mae")
"""The metrics whose Γ the tables have."""
MEASURED: dict[str, Any] = {
    "estimators": ("mi", "ibu", "limit"),
    "metrics": ("mse", "mae", "gain_mse", "gain_mae"),
}
"""What a sweep has to measure for the tables and figures."""
ACS_SURVEY = ("2018", "5-Year")
"""Year and horizon of the survey that the paper's ACS income comes from."""
ACS_BRACKETS = "ACS PUMS 2024 1-Year brackets"
"""What results call the ACS income that ships with the library, which is in brackets."""
KEYS = ("table", "data", "mechanism", "n", "k", "eps", "draw")
"""The columns that tell the cells of the experiment apart."""


@dataclass(frozen=True)
class Table:
    """What one of the paper's tables is about; `eps` is ε₁ in Table 2, where ε∞ = 2ε₁.

    Examples
    --------
    >>> from ldpcore import paper
    >>> paper.TABLES[2].mechanisms[:2], paper.TABLES[2].eps_inf
    (('L-GRR', 'L-SUE'), (2.0, 4.0, 8.0))
    """

    number: int
    title: str
    mechanisms: tuple[str, ...]
    data: tuple[str, ...] = DATA
    k: tuple[int, ...] = (2, 50, 100, 200)
    n: tuple[int, ...] = (20_000, 100_000)
    eps: tuple[float, ...] = (1.0, 2.0, 4.0)

    @property
    def eps_inf(self) -> tuple[float | None, ...]:
        """The ε∞ that belongs to each ε; None for one-time mechanisms."""
        return tuple(2 * eps if self.number == 2 else None for eps in self.eps)


TABLES = {
    1: Table(1, "One-time mechanisms", ONE_TIME),
    2: Table(2, "Longitudinal mechanisms", LONGITUDINAL),
}
"""Tables 1 and 2 by number."""


def table_of(table: int) -> Table:
    """Return what Table 1 or 2 is about.

    Examples
    --------
    >>> from ldpcore import paper
    >>> paper.table_of(1).k
    (2, 50, 100, 200)
    """
    return TABLES[check.integer("table", table, 1, 2)]


def published(table: int) -> pd.DataFrame:
    """Return the paper's table: one row a distribution ("data"), mechanism and metric, with its "gain" in percent.

    Examples
    --------
    >>> from ldpcore import paper
    >>> frame = paper.published(1)
    >>> frame[(frame["data"] == "poisson") & (frame["mechanism"] == "OLH")][["metric", "gain"]].to_dict("records")
    [{'metric': 'mse', 'gain': 46.0}, {'metric': 'mae', 'gain': 30.0}]
    """
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
    """Return the settings of one draw of a table; where the published channel is not the exact one, both.

    Examples
    --------
    >>> from ldpcore import paper
    >>> len(paper.settings(1)), len(paper.settings(2))
    (1008, 1440)
    """
    about = table_of(table)
    out = []
    for data in about.data:
        for n in about.n:
            for k in about.k:
                for mechanism in about.mechanisms:
                    for eps, eps_inf in zip(about.eps, about.eps_inf, strict=True):
                        exact = Setting(
                            data=data, params=(), binning="paper", n=n, k=k, runs=runs, seed=seed,
                            mechanism=mechanism, eps=eps, eps_inf=eps_inf, calibration="published", channel="exact",
                            max_iter=10_000, tol=1e-12, stop="max_abs", start="uniform",
                        )  # fmt: skip
                        out.append(exact)
                        if mechanism in OTHER_CHANNEL:
                            out.append(replace(exact, channel="published"))
    return out


def variants_of(setting: Setting) -> list[tuple[str, str]]:
    """Return which variants the results of a setting stand for, each with the key of its estimator."""
    if setting.channel == "published":
        return [("as published", "ibu")]
    exact = [("exact channel", "ibu"), ("at convergence", "limit")]
    return exact if setting.mechanism in OTHER_CHANNEL else [("as published", "ibu"), *exact]
