"""What a session holds of collected reports.

A file lives in the session of the one who brought it, and nowhere else: not on disk, not in the URL, in no shared
cache. The session has the file as it came (50 MB at most), the one before it as long as the new one gives no result,
and the last result; the table that is read from a file lives in a worker, as long as it is counted.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpcore.collected.full import is_limit
from ldpui import session, uploads
from ldpui.computing.reading import Place
from ldpui.serving import held_files
from pages.practice.your_reports.jobs import Job
from pages.practice.your_reports.report_file import File, ReportFile


class Full(Enum):
    """How far full-report IBU is: it can take long, so it comes last."""

    TO_DO = "to do"
    DONE = "done"
    STOPPED = "stopped"
    NOT_POSSIBLE = "not possible"


@dataclass(frozen=True, eq=False)
class Outcome:
    """A result, and what it belongs to; full-report IBU has come to `place`.

    `ordered` says whether auto, where it has chosen, was told that the values have an order.
    """

    upload: ReportFile
    job: Job
    collected: ldp.Collected
    full: Full
    place: Place | None = None
    ordered: bool = False

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.upload.head.name

    @property
    def by_counts(self) -> bool:
        """Whether the counts say all that the reports say."""
        return is_limit(self.job.description.make_mechanism(), self.job.mixed)


@dataclass(frozen=True)
class Failure:
    """Why a job has no result, whether the same once more could have one, and the command that has one elsewhere."""

    job: Job
    sentence: str
    again: bool = False
    command: str = ""


@dataclass
class Reports(session.Uploads[ReportFile]):
    """The file that the page works with, and what came of it.

    Attributes
    ----------
    pending : File or None
        A new file that could not be read yet.
    outcome : Outcome or None
        The last result.
    failures : dict
        For each file, by its number, why it has no result.
    by_link : bool or None
        Whether the page was opened by a link with settings for it; None before it was opened.
    number, box : int
        How many files there were, and how many upload boxes.
    choices : dict
        What was chosen in widgets that are not in the address, by their keys.
    words : tuple or None
        The words of a column that are names of values, after what they were looked up for.
    choice : tuple or None
        What auto chose, or why it did not, after what it was asked for: the job, and whether its values have an order.
    refusal : str or None
        Why the last file was not taken.
    """

    pending: File | None = None
    outcome: Outcome | None = None
    failures: dict[int, Failure] = field(default_factory=dict)
    by_link: bool | None = None
    number: int = 0
    box: int = 0
    choices: dict[str, Any] = field(default_factory=dict)
    words: tuple[Hashable, tuple[str, ...]] | None = None
    choice: tuple[tuple[Job, bool], ldp.Choice | str] | None = None
    refusal: str | None = None

    def bring(self, name: str, data: bytes) -> None:
        """Give a new file its number; it is read in the next run, if the server does not hold too much already."""
        self.number += 1
        file = File(self.number, name, data)
        try:
            held_files.hold(file)
        except ldp.Refused as refused:
            self.refusal = f"{name}: {refused}"
        else:
            self.pending, self.refusal = file, None

    def fail(self, job: Job, sentence: str, again: bool = False, command: str = "") -> None:
        """Note why a job has no result."""
        self.failures[job.number] = Failure(job, sentence, again, command)


def reports() -> Reports:
    """Return what this session holds of reports."""
    return session.current().part(Reports)


def forget() -> None:
    """Drop the file and all that was made of it."""
    old = reports()
    for key in old.choices:
        st.session_state.pop(key, None)
    last = None if old.outcome is None else old.outcome.upload
    for upload in (old.upload, last):
        if upload is not None:
            held_files.drop(upload, upload.file)
    if old.pending is not None:
        held_files.drop(old.pending)
    # A new number makes a new box, which is empty; the old one keeps nothing.
    session.current().parts[Reports] = Reports(by_link=old.by_link, number=old.number, box=old.box + 1)
    uploads.drop_unused()
