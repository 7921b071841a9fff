"""The command that the page Your reports prints gives the page's table: every example in every dialect of its file.

The page's own functions find the columns and estimate, without the page around them; a few files go through the page.
The printed line is split as a shell does, and run in this process.
"""

from __future__ import annotations

import csv
import os
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from app_steps import YOUR_REPORTS, assert_calm, open_page, session_of

from ldpcore.cli.command import shell_line
from ldpcore.cli.main import main
from ldpcore.collected.columns import eps_column_of
from ldpui.computing import reading
from pages.practice.your_reports import controls, downloads, examples, jobs, report_file, state
from pages.practice.your_reports.description import Description

ROWS = 800
DEFAULTS = {
    "r_mechanism": "L-OLH",
    "r_k": 20.0,
    "r_eps": 1.0,
    "r_eps_inf": 3.0,
    "r_calibration": "published",
    "r_family": controls.OWN_HASH,
    "r_holds": controls.REPORTS,
    "r_each": controls.SAME,
    "r_pair": controls.VALUE_SEED,
    "r_bare": False,
    "r_n": 0.0,
}


def plain(frame, header, **more):
    return frame.to_csv(index=False, header=header, **more)


def padded(frame, header):
    """Write blanks around the names; without names, around the cells."""
    if header:
        return plain(frame.rename(columns="  {} ".format), header, quoting=csv.QUOTE_NONNUMERIC)
    return plain(frame, header).replace(",", " , ")


# From a frame, and whether it has a header, to the name and the bytes of a file.
DIALECTS = {
    "comma": lambda frame, header: ("reports.csv", plain(frame, header).encode()),
    "semicolon": lambda frame, header: ("my reports.csv", plain(frame, header, sep=";", decimal=",").encode()),
    "tab": lambda frame, header: ("reports.tsv", plain(frame, header, sep="\t", lineterminator="\r\n").encode()),
    "padded header": lambda frame, header: ("-it's $(mine).txt", padded(frame, header).encode()),
    "ending in capitals": lambda frame, header: ("REPORTS.CSV", plain(frame, header).encode()),
    "mark of UTF-8": lambda frame, header: ("été.csv", plain(frame, header).encode("utf-8-sig")),
    "UTF-16": lambda frame, header: ("reports.Txt", plain(frame, header, sep="\t").encode("utf-16")),
    "numbered rows": lambda frame, header: ("reports.csv", frame.to_csv(header=header).encode()),
    "Parquet": lambda frame, header: ("reports.PQ", examples.as_parquet(frame)),
}


def as_the_page_does(file, description):
    """Return the outcome of a file, without full-report IBU."""
    upload = report_file.File(1, *file).look(description.header)
    eps_column = eps_column_of(upload.head.columns) if description.eps is None else None
    job, _ = jobs.job_of(1, upload.head, description, eps_column=eps_column)
    collected = reading.count(upload.raw, description.make_mechanism(), job.selection)
    return state.Outcome(upload, job, collected, state.Full.STOPPED)


def printed(outcome, file, folder, monkeypatch):
    """Run the printed command in this process; return its table."""
    (folder / file[0]).write_bytes(file[1])
    monkeypatch.chdir(folder)
    words = shlex.split(downloads.command(outcome))
    assert words[:4] == ["python", "-m", "ldpcore", "count"]
    assert main([*words[3:], "--workers", "1", "--out", "table.parquet"]) == 0
    return pd.read_parquet("table.parquet")


@pytest.fixture(scope="module")
def frames():
    made = {}

    def frame(name, settings):
        if name not in made:
            made[name] = examples.example_frame(name, Description.of(settings).make_mechanism()).head(ROWS)
        return made[name]

    return frame


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", examples.EXAMPLES)
def test_the_printed_command_gives_the_table_of_the_page(name, dialect, frames, tmp_path, monkeypatch):
    settings = DEFAULTS | examples.EXAMPLES[name].settings
    description = Description.of(settings)
    if dialect == "numbered rows" and (not description.header or description.counts):
        pytest.skip("three columns without names, and support counts in two columns, are no question of an index")
    file = DIALECTS[dialect](frames(name, settings), description.header)
    outcome = as_the_page_does(file, description)
    assert outcome.collected.n == (examples.USERS if description.counts else ROWS)
    table = printed(outcome, file, tmp_path, monkeypatch)
    pd.testing.assert_frame_equal(table, outcome.collected.table(), rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "dialect"),
    [("hashed pairs", "UTF-16"), ("support counts", "semicolon"), ("users with different ε", "padded header")],
)
def test_the_command_on_the_page_gives_the_table_on_the_page(name, dialect, frames, tmp_path, monkeypatch):
    settings = DEFAULTS | examples.EXAMPLES[name].settings
    file = DIALECTS[dialect](frames(name, settings), True)
    at = open_page(YOUR_REPORTS, settings)
    at.file_uploader[0].set_value((*file, "text/csv")).run()
    assert_calm(at)
    outcome = session_of(at).part(state.Reports).outcome
    assert downloads.command(outcome) in [code.value for code in at.code]
    table = printed(outcome, file, tmp_path, monkeypatch)
    expected = outcome.collected.table()
    assert list(table) == list(expected)
    assert ("full" in table) == (name != "support counts")
    for column in table:
        # Full-report IBU stops where steps are small.
        atol = 1e-6 if column == "full" else 1e-12
        np.testing.assert_allclose(table[column], expected[column], rtol=0, atol=atol, err_msg=column)


HARD_NAMES = ["a b.csv", "it's.csv", '"quoted".csv', "$(touch x).csv", "`x`;rm.csv", "back\\slash.csv", "a!b*?.csv"]
HARD_NAMES += ["line\nend.csv", "bell\x07 and 'both'\t.csv", "right\u202eleft.csv", "été 中.csv"]


@pytest.mark.parametrize("name", HARD_NAMES)
def test_a_shell_takes_the_name_of_a_file_as_it_is(name):
    line = shell_line(["printf", "%s", name])
    assert line.isprintable()
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True, env=environment)
    assert done.stdout.decode() == name


@pytest.mark.parametrize(
    ("names", "chosen"),
    [(["-x", "a, b"], ["-x"]), (['say "c"', "a, b"], ['say "c"']), ([" blanks ", "blanks"], [" blanks "])],
)
def test_columns_of_any_name_are_chosen(names, chosen, tmp_path, monkeypatch):
    values = np.arange(40) % 4
    frame = pd.DataFrame({name: values if name in chosen else 1 for name in names})
    file = ("reports.parquet", examples.as_parquet(frame))
    description = Description.of(DEFAULTS | {"r_mechanism": "GRR", "r_k": 4.0})
    upload = report_file.File(1, *file).look(True)
    job, columns = jobs.job_of(1, upload.head, description, chosen=chosen)
    assert columns.reports == tuple(chosen)
    collected = reading.count(upload.raw, description.make_mechanism(), job.selection)
    outcome = state.Outcome(upload, job, collected, state.Full.STOPPED)
    assert printed(outcome, file, tmp_path, monkeypatch)["count"].tolist() == [10] * 4
    assert Path("table.parquet").exists()
