"""What became of the rows that were brought."""

from __future__ import annotations

from ldpcore.datasets import OwnBinning
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
    """Say how many bins must be empty, where there are more of them than different numbers, and what would help."""
    numbers = upload.data.different_numbers
    if numbers is None or numbers >= k or upload.binning.values:
        return ""
    empty = k - numbers
    are = "is" if empty == 1 else "are"
    only = f"There are only {times(numbers, 'different number')}, so at least {times(empty, 'bin')} {are} empty"
    return f"{only}: take fewer{_or_values(upload, numbers)}."


def _or_values(upload: Upload, numbers: int) -> str:
    """Say how many bins are empty with one for each whole number; nothing where a range may decide it too."""
    ends, how = upload.data.whole_range, upload.binning
    if ends is None or not upload.can_have_values() or how != OwnBinning(log=how.log):
        return ""
    span = round(ends[1] - ends[0]) + 1
    return f", or *values*, with which {span - numbers or 'none'} of {span:,} {'is' if span - numbers < 2 else 'are'}"
