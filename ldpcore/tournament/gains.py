"""What the paper's grid says of every contestant: Γ as published, losses counted, and where the largest come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ldpcore import _validate as check
from ldpcore.tournament.paper_grid import CHOOSING

if TYPE_CHECKING:
    import pandas as pd

TABLE_KEYS = ("table", "metric", "estimator")
# An error counts as above another from here on: of a few runs, less is as often chance.
WORSE = 1.05
_COLUMNS = (
    *TABLE_KEYS, "mechanism", "data", "eps", "n", "k", "draw",
    "error", "gain", "reduction", "ibu_gain", "ibu_reduction",
)  # fmt: skip
_SETTING = ["table", "metric", "mechanism", "data", "eps", "n", "k", "draw"]


def paper_summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each table, metric and contestant of the results "paper".

    gain, ibu_gain : mean Γ over MI, and of IBU over this contestant; a run that is lost counts as 0
    reduction, ibu_reduction : the same with losses counted, in percent, as means over the settings
    geometric, ibu_geometric : by how many percent the geometric mean of the ratios of errors is below 1
    worse, worst, worst_mechanism, worst_k : in what share of the settings its error is more than 5 % above MI's, the
        largest ratio of the two, and where that is
    cause, without : the mechanism whose settings take most from the mean reduction, and that of all others
    few_bins, many_bins : the mean reduction where there are two bins, and where there are more

    Examples
    --------
    >>> from ldpcore import tournament
    >>> rows = tournament.paper_summary(tournament.load("paper")[0]).set_index(["table", "metric", "estimator"])
    >>> bool(rows.loc[(1, "mse", "ibu"), "reduction"] < rows.loc[(1, "mse", "ibu"), "gain"])
    True
    """
    import pandas as pd

    rows = with_ratios(check.frame("frame", frame, _COLUMNS))
    out = []
    for key, part in rows.groupby(list(TABLE_KEYS), observed=True):
        worst = part.iloc[int(part["ratio"].to_numpy().argmax())]
        means = part[["gain", "reduction", "ibu_gain", "ibu_reduction"]].mean().to_dict()
        few = part["k"] == 2
        out.append(
            dict(zip(TABLE_KEYS, key, strict=True))
            | means
            | {
                "geometric": _below(part["ratio"]),
                "ibu_geometric": _below(part["ibu_ratio"]),
                "worse": float((part["ratio"] > WORSE).mean()),
                "worst": float(worst["ratio"]),
                "worst_mechanism": str(worst["mechanism"]),
                "worst_k": int(worst["k"]),
                "few_bins": float(part["reduction"][few].mean()),
                "many_bins": float(part["reduction"][~few].mean()),
            }
            | _cause(part)
        )
    return pd.DataFrame(out)


def with_ratios(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the results with "ratio", the error over MI's, and "ibu_ratio", IBU's error over this contestant's.

    Both are of the same runs. Of those who choose, which have fewer, they come from the reductions, whose last digits
    are rounded.
    """
    wide = frame[frame["estimator"].isin(["mi", "ibu"])].pivot_table(
        index=_SETTING, columns="estimator", values="error", observed=True
    )
    rows = frame.join(wide.rename(columns={"mi": "mi_error", "ibu": "ibu_error"}), on=_SETTING)
    fewer = rows["estimator"].isin(CHOOSING)
    least = 1e-4  # what rounding to 11 binary digits leaves of a ratio near 0
    ratio = np.where(fewer, 1 - rows["reduction"] / 100, rows["error"] / rows["mi_error"])
    ibu_ratio = np.where(fewer, 1 - rows["ibu_reduction"] / 100, rows["ibu_error"] / rows["error"])
    return rows.assign(ratio=np.maximum(ratio, least), ibu_ratio=np.maximum(ibu_ratio, least))


def _below(ratios: pd.Series) -> float:
    return 100 * float(1 - np.exp(np.log(ratios.astype(float)).mean()))


def _cause(part: pd.DataFrame) -> dict[str, str | float]:
    """Return the mechanism without which the mean reduction is largest, and that mean; of one alone its own."""
    sums = part.groupby("mechanism", observed=True)["reduction"].agg(["sum", "size"]).astype(float)
    if len(sums) == 1:
        return {"cause": str(sums.index[0]), "without": float(part["reduction"].mean())}
    without = (sums["sum"].sum() - sums["sum"]) / (sums["size"].sum() - sums["size"])
    return {"cause": str(without.idxmax()), "without": float(without.max())}
