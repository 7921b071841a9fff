"""What a reader can take away of collected reports: the settings with the estimates, a command and a script."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import ldpcore as ldp
from ldpcore.cli.command import count_words, shell_line
from ldpcore.collected.report_tables import some_eps
from pages.practice.your_reports.jobs import Job
from pages.practice.your_reports.report_file import ReportFile
from pages.practice.your_reports.results import FitVerdict
from pages.practice.your_reports.state import Outcome


def as_json(outcome: Outcome) -> str:
    """Write a result as JSON."""
    collected, job = outcome.collected, outcome.job
    frame = collected.table()
    verdict = FitVerdict.of(collected)
    columns = {"columns": job.columns, "eps_column": job.eps_column, "leave_out": job.leave_out}
    columns |= {"words": job.words}
    content = {
        "made_by": f"LDP Explorer {ldp.__version__}",
        "file": outcome.name,
        "settings": asdict(job.description) | columns,
        "n": collected.n,
        "level": collected.level,
        "fits": verdict.fits,
        "verdict": verdict.verdict,
        "fit": verdict.sentence,
        "p_values": [fit.p_value for fit in collected.fit],
        "values": {name: frame[name].tolist() for name in frame},
    }
    return json.dumps(content, indent=1)


def command(outcome: Outcome) -> str:
    """Write the command that gives the same table."""
    return count_command(
        outcome.upload,
        outcome.job,
        full=outcome.collected.full is not None,
        names=outcome.collected.names,
        estimator="auto" if outcome.collected.choice else None,
        ordered=outcome.ordered,
    )


def count_command(upload: ReportFile, job: Job, **more: Any) -> str:
    """Write the command that counts what a job counts; `more` are options of `count_words` that are not of counting."""
    description = job.description
    words = count_words(
        upload.file.name,
        description.mechanism,
        description.options(),
        columns=job.columns or (),
        leave_out=job.leave_out,
        eps_column=job.eps_column,
        header=description.header,
        counts=description.counts,
        n=description.n,
        words=bool(job.words),
        **more,
    )
    return shell_line(words)


def script(outcome: Outcome) -> str:
    """Write a program that gives the same table."""
    job, description = outcome.job, outcome.job.description
    options = {"eps": some_eps(description.mechanism, description.eps_inf)} | description.options()
    arguments = "".join(f", {name}={value!r}" for name, value in options.items())
    if description.counts:
        call = f"estimate_counts(table, m, {description.n!r})"
    else:
        columns = {"columns": job.columns, "eps_column": job.eps_column, "leave_out": job.leave_out}
        columns |= {"words": job.words}
        call = f"estimate_table(table, m{''.join(f', {name}={value!r}' for name, value in columns.items() if value)})"
    if outcome.collected.names and not job.words:
        call += f".named({outcome.collected.names!r})"
    if outcome.collected.choice:
        call += f".chosen(ordered={outcome.ordered!r})"
    return f'''"""Made by LDP Explorer {ldp.__version__}. Run it with the name of the file of reports."""

import sys
from pathlib import Path

import ldpcore as ldp

if len(sys.argv) != 2:
    sys.exit("say the name of the file of reports, and nothing else")
path = Path(sys.argv[1])
table = ldp.read_table(path.read_bytes(), path.name, header={description.header!r})
m = ldp.mechanism({description.mechanism!r}{arguments})
collected = ldp.{call}
for fit in collected.fit:
    print(fit.sentence, f"p-value {{fit.p_value:.2g}}")
print(collected.table().to_string(index=False))
'''
