"""What auto chose, what it expected of each estimator and how sure it was: of one collection, or of many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpui import glossary


def tally(kinds: Sequence[str]) -> dict[str, int]:
    """Count what was chosen, the most frequent first.

    >>> tally(["PowerNS", "smoothed", "smoothed"])
    {'smoothed': 2, 'PowerNS': 1}
    """
    numbers = {kind: list(kinds).count(kind) for kind in dict.fromkeys(kinds)}
    return dict(sorted(numbers.items(), key=lambda item: -item[1]))


def words(chosen: Mapping[str, int], of: str = "collections") -> str:
    """Say what was chosen how often.

    >>> words({"smoothed": 14, "PowerNS": 6}), words({"PowerNS": 20}), words({"PowerNS": 1})
    ('smoothed in 14 of 20 collections, PowerNS in 6', 'PowerNS in all 20 collections', 'PowerNS')
    """
    total = sum(chosen.values())
    (first, number), *others = chosen.items()
    if total == 1:
        return first
    if not others:
        return f"{first} in all {total} {of}"
    return ", ".join([f"{first} in {number} of {total} {of}", *(f"{kind} in {times}" for kind, times in others)])


def brief(chosen: Mapping[str, int]) -> str:
    """Write what was chosen how often in the cell of a table.

    >>> brief({"smoothed": 14, "PowerNS": 6}), brief({"PowerNS": 20})
    ('smoothed 14, PowerNS 6', 'PowerNS')
    """
    if len(chosen) == 1:
        return next(iter(chosen))
    return ", ".join(f"{kind} {number}" for kind, number in chosen.items())


def sentence(choices: Sequence[ldp.Choice]) -> str:
    """Say what was chosen and how sure that was; of one collection in its own words."""
    if len(choices) == 1:
        return choices[0].sentence
    text = f"chose {words(tally([choice.candidate.kind for choice in choices]))}"
    sure = np.array([choice.sure for choice in choices])
    if np.isnan(sure).all():
        return f"{text}: too few reports to choose by."
    low, middle, high = np.nanquantile(sure, [0, 0.5, 1])
    return f"{text}, {middle:.0%} sure (the median of {low:.0%} to {high:.0%})."


def explain(choices: Sequence[ldp.Choice]) -> None:
    """Say what was chosen and how sure that is, and show what was expected of the others."""
    st.markdown(f"**auto:** {sentence(choices)}", help=glossary.AUTO)
    with st.expander("What auto expected of each estimator"):
        table, columns, about = _of_one(choices[0]) if len(choices) == 1 else _of_many(choices)
        st.dataframe(
            table,
            hide_index=True,
            height=300,
            alt="For each estimator that auto could choose, the mean squared error that it expected, best first.",
            column_config=columns,
        )
        splits = f"over {choices[0].splits} split{'s' if choices[0].splits > 1 else ''}"
        st.caption(
            f"Mean squared error with twice the noise, as halves have it, {splits}; ±: its standard error. It is "
            f"estimated without bias, so near 0 it can be negative. {about}"
        )


_Table = tuple[pd.DataFrame, dict[str, Any], str]
_NUMBER = st.column_config.NumberColumn


def _of_one(choice: ldp.Choice) -> _Table:
    columns = {
        "name": "estimator",
        "error": _NUMBER("expected MSE", format="%.2e"),
        "se": _NUMBER("±", format="%.0e"),
        "behind": _NUMBER("behind the chosen", format="%.2e"),
        "behind_se": _NUMBER("± ", format="%.0e"),
    }
    about = (
        "The same noise is in all of them: the last two columns say how much more than the chosen one's it is, which "
        "is known better than either."
    )
    return choice.table()[list(columns)], columns, about


def _of_many(choices: Sequence[ldp.Choice]) -> _Table:
    """Return the means over the collections, whose candidates are the same."""
    errors = np.array([[score.error for score in choice.scores] for choice in choices])
    ses = np.array([[score.se for score in choice.scores] for choice in choices])
    candidates = [score.candidate for score in choices[0].scores]
    chosen = [choice.candidate for choice in choices]
    table = pd.DataFrame(
        {
            "name": [candidate.name for candidate in candidates],
            "error": errors.mean(axis=0),
            "se": ses.mean(axis=0),
            "chosen": [chosen.count(candidate) for candidate in candidates],
        }
    ).sort_values("error", kind="stable", ignore_index=True)
    columns = {
        "name": "estimator",
        "error": _NUMBER("expected MSE, mean", format="%.2e"),
        "se": _NUMBER("± in one collection", format="%.0e"),
        "chosen": _NUMBER("chosen in"),
    }
    return table, columns, f"Means over {len(choices)} collections; each of them chose by its own."
