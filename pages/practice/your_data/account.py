"""What became of the rows that were brought."""

from __future__ import annotations

from ldpui.format import plain, times
from ldpui.own import Upload


def account(upload: Upload) -> str:
    """Say how many rows were read, how many are used, and why the others are not."""
    used, dropped = upload.usable
    text = (
        f"**{times(upload.table.rows, 'row')}** read from {plain(upload.table.name)}, "
        f"column {plain(upload.column)}: **{used:,} used**"
    )
    if not dropped:
        return f"{text}, none dropped."
    reasons = "; ".join(f"{count:,} {reason}{_rows(upload, reason)}" for reason, count in dropped.items())
    return f"{text}, {sum(dropped.values()):,} dropped ({reasons})."


def _rows(upload: Upload, reason: str) -> str:
    """Name the first rows that were dropped for a reason."""
    first = upload.data.examples.get(reason, ())
    more = ", …" if upload.data.dropped.get(reason, 0) > len(first) else ""
    word = "row" if len(first) == 1 else "rows"
    return f", {word} {', '.join(f'{row:,}' for row in first)}{more}" if first else ""


def advice(upload: Upload, k: int) -> str:
    """Say when there are more bins than different numbers, so that some must stay empty."""
    numbers = upload.data.different_numbers
    if numbers is None or numbers >= k or upload.binning.values:
        return ""
    way = "with *values* or " if upload.can_have_values() else ""
    only = times(numbers, "different number")
    return f"There are only {only}: {way}with fewer bins there are no gaps."
