"""The paper's tables: run afresh, to take away, and what explains where their values differ."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

import ldpcore as ldp
from ldpcore.cli.command import shell_line
from ldpcore.paper.reproduction import settings_of_part
from ldpcore.sweep import Measures, Row, pieces
from ldpui.computing import compute
from ldpui.computing.work import WORK_MAX, amount
from pages.study.results import LABELS, cell, cells, deviation, draws, results, spread


def rerun(
    table: int, data: list[str], mechanisms: list[str], seed: int, on_progress: Callable[[int, int], object]
) -> pd.DataFrame:
    """Run a part of a table afresh; return a row for each cell and metric, with its variants and the printed number."""
    settings = settings_of_part(table, data, mechanisms, seed=seed)
    check(table, data, seed, settings)
    fresh = ldp.paper.cells(ldp.paper.details(table, seed, _measured(settings, on_progress)))
    keys = ["data", "mechanism", "metric"]
    wide = fresh.pivot_table(index=keys, columns="variant", values="gain", sort=False).reset_index()
    printed = fresh.drop_duplicates(keys)[[*keys, "published"]]
    out = wide.merge(printed, on=keys)[[*keys, "published", *ldp.paper.VARIANTS]]
    out["data"] = out["data"].map(LABELS)
    return out.rename(columns={"data": "Distribution", "mechanism": "Mechanism", "metric": "Γ of"} | _COLUMNS)


def _measured(settings: list[ldp.Setting], on_progress: Callable[[int, int], object]) -> list[list[Row]]:
    """Measure settings on all workers, piece by piece as a sweep does; return the rows of each."""
    measures, todo = Measures(**ldp.paper.MEASURED), pieces.plan(settings, (), None)
    rows: dict[int, list[Row]] = {}
    keys = [(pieces.work, piece, measures) for piece in todo]
    for answer in compute.stream(pieces.work, [(piece, measures) for piece in todo], keys):
        if answer is not None:
            piece = todo[answer[0]]
            each = len(answer[1]) // len(piece.indices)
            rows |= {index: answer[1][i * each : (i + 1) * each] for i, index in enumerate(piece.indices)}
            on_progress(len(rows), len(settings))
    return [rows[index] for index in sorted(rows)]


def check(table: int, data: list[str], seed: int, settings: list[ldp.Setting]) -> None:
    """Refuse what would keep a server busy for minutes, and say how to do it oneself."""
    numbers = sum(map(amount, settings))
    if numbers <= WORK_MAX:
        return
    words = ["python", "-m", "ldpcore", "reproduce", "--table", str(table), "--out", "results"]
    words += ["--data", *data] if len(data) < len(LABELS) else []
    words += ["--seed", str(seed)] if seed else []
    raise ldp.Refused(
        f"runs × bins × iterations of this part come to {numbers:,}, and a page stops at {WORK_MAX:,}, about a minute "
        f"of one core. Choose fewer distributions or mechanisms; on your own machine there is no such bound: "
        f"`{shell_line(words)}`"
    )


_COLUMNS = {"published": "printed", "as published": "reproduced"}


def provenance(table: int) -> str:
    """Say how the shipped results were made."""
    about = results().about[str(table)]
    return (
        f"Made on {about['date']} with version {about['version']} by {commands(table)}: {draws(table)}, "
        f"{about['runs']} runs each, seed {about['seed']}. ACS income: {about['acs_income']}, in place of the paper's "
        "2018 5-Year records."
    )


def commands(table: int) -> str:
    """Return the commands that make the shipped results, as they are noted beside them."""
    about = results().about[str(table)]
    return " and ".join(f"`{notes['command']}`" for notes in (about, *about["more"].values()))


def frame(table: int, metric: str) -> pd.DataFrame:
    """Return all four values of all cells, to take away."""
    every = cells()
    return every[(every["table"] == table) & (every["metric"] == metric)].reset_index(drop=True)


def explanations(table: int, metric: str) -> list[str]:
    """Say what explains where the values of a table differ, with the cells that show it best."""

    def gain(data: str, mechanism: str, value: str) -> str:
        return f"{cell(table, metric, data, mechanism, value):.0f}%"

    away = deviation(table, metric)
    texts = [
        f"**As published** the table comes out again: the averages of the mechanisms within {away.mechanisms:.1f} "
        f"points, those of the distributions within {away.distributions:.1f} ({away.farthest}), every cell within "
        f"{away.cells:.1f}. **Exponential** and **ACS income** move most from draw to draw (by "
        f"{spread(table, metric, 'exponential'):.1f} and {spread(table, metric, 'acs-income'):.1f} points: the "
        "standard deviation of a cell, on average), because their bins hang on the largest sample.",
    ]
    if table == 1:
        texts.append(
            "**At convergence** much changes: 10,000 iterations from a uniform start are a shrinkage towards "
            f"uniform. BLH on Uniform falls from {gain('uniform', 'BLH', 'as published')} to "
            f"{gain('uniform', 'BLH', 'at convergence')}; on Poisson it rises from "
            f"{gain('poisson', 'BLH', 'as published')} to {gain('poisson', 'BLH', 'at convergence')}. The exact "
            "channel is the published one for these seven mechanisms."
        )
    else:
        texts.append(
            "**The exact channel** changes L-GRR, L-BLH and L-OLH, where the published one is not theirs. L-GRR "
            f"on Triangular goes from {gain('triangular', 'L-GRR', 'as published')} to "
            f"{gain('triangular', 'L-GRR', 'exact channel')}, on Poisson from "
            f"{gain('poisson', 'L-GRR', 'as published')} to {gain('poisson', 'L-GRR', 'exact channel')}."
        )
        texts.append(
            "**At convergence** the shrinkage of 10,000 iterations from a uniform start is gone too: L-GRR on "
            f"Triangular is {gain('triangular', 'L-GRR', 'at convergence')}, L-BLH on Uniform goes from "
            f"{gain('uniform', 'L-BLH', 'exact channel')} to {gain('uniform', 'L-BLH', 'at convergence')}."
        )
    return texts
