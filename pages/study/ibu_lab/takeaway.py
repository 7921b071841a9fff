"""What a reader takes away from the lab: the numbers behind the curves, the frames, and the player itself."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st
from plotly.basedatatypes import BaseFigure

import ldpcore as ldp
from ldpui import export, widgets
from pages.study.ibu_lab.paths import Path


def downloads(s: ldp.Setting, path: Path, number: int, figure: BaseFigure) -> None:
    """Offer the figures' data, and the player as a page of its own."""
    st.header("Take it away", anchor=False)
    name = export.file_name(s, f"ibu-lab-collection{number}")

    def measured() -> bytes:
        return export.csv(export.with_setting(steps_table(path).assign(collection=number), s))

    def estimated() -> bytes:
        return export.csv(export.with_setting(estimates_table(path).assign(collection=number), s))

    with st.container(horizontal=True):
        widgets.download("Steps (CSV)", measured, f"{name}-steps.csv")
        widgets.download("Estimates (CSV)", estimated, f"{name}-estimates.csv")
        widgets.download("Player (HTML)", lambda: export.html(figure, export.described(s)[0]), f"{name}.html")


def steps_table(path: Path) -> pd.DataFrame:
    """Return a row for each number of steps: how far IBU is, its errors, and what the curves show."""
    estimates = path.trace.estimates
    columns = {
        "steps": path.trace.iterations,
        "steps_by_T": path.steps / path.clock,
        "share_of_the_way": path.way,
        "off_by_points": path.errors,
        **{name: ldp.METRICS[name](estimates, path.truth) for name in ("mse", "mae", "tv")},
        "below_maximum_by": path.gaps,
        "step_size": path.trace.steps,
    }
    return pd.DataFrame(columns)


def estimates_table(path: Path) -> pd.DataFrame:
    """Return a row for each bin: truth, MI, the limit, and IBU after every number of steps that was looked at."""
    columns: dict[str, Any] = {"label": list(path.labels)} if path.labels else {}
    columns |= {"bin_from": path.edges[:-1], "bin_to": path.edges[1:]}
    columns |= {"true": path.truth, "mi": path.mi, "limit": path.limit}
    steps = zip(path.trace.iterations.tolist(), path.trace.estimates, strict=True)
    return pd.DataFrame(columns | {f"ibu_{step}": estimate for step, estimate in steps})
