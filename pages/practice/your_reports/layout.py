"""What a file of reports must look like."""

from __future__ import annotations

import ldpcore as ldp
from ldpcore.collected.formats import wanted
from pages.practice.your_reports.description import Description


def words(description: Description) -> str:
    """Say what the mechanism does, and what the file must look like."""
    kind = description.kind
    about = f"**{kind.full_name}.** {kind.summary} "
    if description.counts:
        return about + (
            f"The file has a row for each of the k = {description.k:,} values: a column *count* with the number of "
            "reports that support it, and a column *value* if the rows are not in the order 0, 1, 2, …"
        )
    try:
        m = description.make_mechanism()
    except ldp.Refused:  # the reason is said where the file is counted
        return about
    try:
        return f"{about}The file has {_columns(m, own_eps=description.eps is None)}; one row a report."
    except ldp.Refused as refused:
        return f"{about}**Only support counts can be read: {refused}.**"


def _columns(m: ldp.Mechanism, own_eps: bool) -> str:
    reals = "" if m.threshold is None else ", or of real numbers before the threshold"
    size = "ω" if own_eps else f"ω = {m.support_size}"
    columns = {
        "values": f"one column of values from 0 to {m.k - 1:,}, or of their names",
        "bits": f"k = {m.k:,} columns of 0 and 1{reals}, or one column of strings such as *0110…*",
        "sets": f"{size} columns of values, or one column such as *3 7 9*",
        "pairs": "two columns, *seed* and *value* (the cell), or one of pairs such as *(2, 4318013)*",
    }
    return columns.get(m.report_kind.key) or wanted(m)
