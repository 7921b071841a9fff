"""All that a result depends on: the file, what is said about it, and which of its columns are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import ldpcore as ldp
from ldpcore.collected.columns import Columns, Head, choose_columns
from ldpcore.collected.formats import is_named_pair
from ldpui.computing.reading import Selection
from pages.practice.your_reports import controls
from pages.practice.your_reports.description import Description


@dataclass(frozen=True)
class Job:
    """What is to be computed, of the file with this number; the columns as the reader said them, None for all.

    `words` are the names of the values where these stand in the cells.
    """

    number: int
    description: Description
    columns: tuple[str, ...] | None = None
    eps_column: str | None = None
    leave_out: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def mixed(self) -> bool:
        """Whether every report has an ε of its own."""
        return self.eps_column is not None

    @property
    def selection(self) -> Selection:
        """Which columns are counted, as workers take it."""
        counts, n = self.description.counts, self.description.n
        return Selection(self.columns, self.eps_column, self.leave_out, self.words, counts, n)


def job_of(
    number: int,
    head: Head,
    description: Description,
    chosen: Sequence[str] = (),
    leave_out: Sequence[str] = (),
    eps_column: str | None = None,
) -> tuple[Job, Columns | None]:
    """Return what is to be computed, and which columns it takes; None where that is refused, which is said later."""
    seed_first = description.pair == controls.SEED_VALUE if description.pair else None
    job = Job(number, description, tuple(chosen) or None, eps_column, tuple(leave_out))
    try:
        m = description.make_mechanism()
        columns = choose_columns(head, m, chosen, eps_column, leave_out=leave_out, seed_first=seed_first)
    except ldp.Refused:
        return job, None
    if description.pair and len(columns.reports) == 2 and not is_named_pair(m, columns.reports):
        # The columns have names that do not tell seeds from cells, so the job says which is which by their order.
        job = replace(job, columns=columns.reports, leave_out=())
    return job, columns
