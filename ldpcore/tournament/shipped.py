"""The results that come with the library, and the notes on how they were made."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from ldpcore import _validate as check

if TYPE_CHECKING:
    import pandas as pd


def load(part: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the results of a part of the tournament that come with the library, and the notes on how they were made.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> frame, about = tournament.load("questions")
    >>> about["seed"], sorted(frame["question"].unique())
    (0, ['many bins', 'ordered', 'several', 'stopping'])
    """
    import pandas as pd

    folder = resources.files("ldpcore.tournament").joinpath("results")
    # By their files, not by the list of parts: a part may start from the results of another.
    check.choice("part", part, sorted(file.name[:-5] for file in folder.iterdir() if file.name.endswith(".json")))
    with resources.as_file(folder.joinpath(f"{part}.parquet")) as path:
        frame = pd.read_parquet(path)
    return frame, json.loads(folder.joinpath(f"{part}.json").read_text(encoding="utf-8"))
