"""What is said about collected reports, and what a reader can take away."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore.cli.command import count_words, shell_line
from ldpcore.collected.report_tables import FIT_ALARM, some_eps, worst_fit
from ldpui import cache, glossary
from pages.practice.your_reports.outcomes import NOT_POSSIBLE, STOPPED, Outcome


def fit_words(found: ldp.Collected) -> tuple[bool, str]:
    """Return whether the reports fit, and the sentence with its p-value."""
    sentence, p_value = worst_fit(found.fit)
    shown = f"{p_value:.2g}" if p_value >= 1e-4 else "below 0.0001"
    return p_value >= FIT_ALARM, f"{sentence} p-value {shown}."


def left_out_words(outcome: Outcome) -> list[str]:
    """Say which estimates are not there, and why."""
    found, k = outcome.found, outcome.job.asked.k
    told = []
    if outcome.mixed:
        told.append("IBU on counts and its limit need one ε for all; full-report IBU takes their place.")
    if not outcome.with_reports:
        told.append("Full-report IBU needs the reports; support counts are not enough.")
    elif outcome.by_counts:
        told.append(f"A report of {outcome.job.asked.mechanism} is one value: full-report IBU is IBU's limit.")
    elif outcome.full == STOPPED:
        told.append("Full-report IBU was stopped.")
    elif outcome.full == NOT_POSSIBLE:
        told.append(
            f"Full-report IBU is left out: it keeps every report, here n·k = {found.n * k:,} entries, and this page "
            f"stops at {cache.FULL_ENTRIES:,}. The Python script below does it on your own machine."
        )
    return told


_COLUMNS = {
    "raw": ("MI raw", glossary.REPORTS_RAW),
    "noise_low": ("noise only, from", glossary.REPORTS_NOISE),
    "noise_high": ("to", glossary.REPORTS_NOISE),
    "population_low": ("noise with sampling, from", glossary.REPORTS_POPULATION),
    "population_high": ("to ", glossary.REPORTS_POPULATION),
    "mi": ("MI", glossary.MI),
    "ibu": ("IBU", glossary.IBU),
    "limit": ("IBU limit", glossary.LIMIT),
    "full": ("Full-report IBU", glossary.FULL),
}


def percent_table(found: ldp.Collected) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the estimates in percent, and how their columns are called and written."""
    frame = found.table()
    there = [name for name in _COLUMNS if name in frame]
    shown = frame[["value", "count"]].join(100 * frame[there])
    number = st.column_config.NumberColumn
    places = max(2, math.ceil(math.log10(len(frame))))
    config = {name: number(_COLUMNS[name][0], help=_COLUMNS[name][1], format=f"%.{places}f%%") for name in there}
    support = number("support count", help=glossary.SUPPORT, format="localized")
    return shown, config | {"value": number("value"), "count": support}


def as_json(outcome: Outcome) -> str:
    """Write a result as JSON."""
    found, job = outcome.found, outcome.job
    frame = found.table()
    fits, sentence = fit_words(found)
    content = {
        "made_by": f"LDP Explorer {ldp.__version__}",
        "file": outcome.name,
        "settings": asdict(job.asked)
        | {"columns": job.columns, "eps_column": job.eps_column, "leave_out": job.leave_out},
        "n": found.n,
        "level": found.level,
        "fits": fits,
        "fit": sentence,
        "p_values": [fit.p_value for fit in found.fit],
        "values": {name: frame[name].tolist() for name in frame},
    }
    return json.dumps(content, indent=1)


def command(outcome: Outcome) -> str:
    """Write the command that gives the same table."""
    job, asked = outcome.job, outcome.job.asked
    words_ = count_words(
        outcome.source.name,
        asked.mechanism,
        asked.options(),
        columns=job.columns or (),
        leave_out=job.leave_out,
        eps_column=job.eps_column,
        header=asked.header,
        counts=asked.counts,
        n=asked.n,
        full=outcome.found.full is not None,
    )
    return shell_line(words_)


def script(outcome: Outcome) -> str:
    """Write a program that gives the same table."""
    job, asked = outcome.job, outcome.job.asked
    options = {"eps": some_eps(asked.mechanism, asked.eps_inf)} | asked.options()
    made = "".join(f", {name}={value!r}" for name, value in options.items())
    if asked.counts:
        call = f"estimate_counts(table, m, {asked.n!r})"
    else:
        where = {"columns": job.columns, "eps_column": job.eps_column, "leave_out": job.leave_out}
        said = "".join(f", {name}={value!r}" for name, value in where.items() if value)
        call = f"estimate_table(table, m{said})"
    return f'''"""Made by LDP Explorer {ldp.__version__}. Run it with the name of the file of reports."""

import sys
from pathlib import Path

import ldpcore as ldp

path = Path(sys.argv[1])
table = ldp.read_table(path.read_bytes(), path.name, header={asked.header!r})
m = ldp.mechanism({asked.mechanism!r}{made})
found = ldp.{call}
for fit in found.fit:
    print(fit.sentence, f"p-value {{fit.p_value:.2g}}")
print(found.table().to_string(index=False))
'''
