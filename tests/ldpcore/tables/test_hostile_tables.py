"""Hostile files get a sentence, within bounds on memory and time."""

import json
import resource
import subprocess
import sys
import time

import hostile_files as files
import pytest
from table_reading import ROOT, said

from ldpcore.tables import read_table


def test_there_are_many_hostile_files():
    assert len(files.HOSTILE) >= 45


# These go the way of others a hundred thousand times before they are refused; measured, they would take half a minute.
LONG = {
    "bomb: pages without values",
    "bomb: row groups that share their pages",
    "bomb: columns within columns",
    "bomb: a footer of many parts",
    "too many columns in Parquet",
}


def measured(case):
    return pytest.param(case, marks=pytest.mark.unmeasured) if case in LONG else case


@pytest.mark.slow
@pytest.mark.parametrize("case", [measured(case) for case in files.HOSTILE])
def test_a_hostile_file_gives_a_sentence(case):
    name, data = files.HOSTILE[case]()
    told = said(read_table, data, name)
    assert told is not None
    for words in files.WORDS[case]:
        assert words in told
    assert "/" not in told.split(":")[0]


# What the module states, of the largest files that are read and of those that are refused last. Each in a copy of a
# process that has imported everything: the peak of a copy begins at what it has. Where memory goes with the rows, of
# which the largest files have many, a part of the largest with the same part of the bound says the same.
PARTS = {"commas": 2, "numbers": 4, "names": 4}
PEAKS = """
import json
import os
import sys
import traceback
sys.path[:0] = ["tests/helpers"]
import tempfile
from pathlib import Path
import hostile_files as files
import numpy as np
import ldpcore as ldp
from benchmarks.memory import peak_mebibytes
from ldpcore import tables
from ldpcore.collected.files import count_piece, pieces
from ldpcore.datasets import categories_from, numbers_from
import pyarrow.parquet, pyarrow.csv, pyarrow.compute

def made(case, part):
    if case == "commas":
        row = b"," * 9_999 + b"\\n"
        return b",".join(files.columns(10_000)) + b"\\n" + row * (tables.MAX_BYTES // len(row) // part - 10)
    if case == "runs":
        return files.parquet(files.same_value(10**7), 10**7, files.columns(6))
    if case == "texts":
        return files.parquet(files.same_value(10**7, (10**5).to_bytes(4, "little") + b"a" * 10**5), 10**7,
                             files.columns(6), kind=files.TEXT)
    if case in ("numbers", "names"):
        digits = np.random.default_rng(0).integers(48, 58, (48 * 2**20 // 11 // part, 11), dtype=np.uint8)
        digits[:, 10] = 10
        return b"x\\n" + digits.tobytes()
    if case in ("long bits", "long bits on disk"):
        return files.parquet(files.same_value(50_000, (10**5).to_bytes(4, "little") + b"0" * 10**5), 50_000,
                             kind=files.TEXT)
    return files.HOSTILE[case]()[1]

def read(case, data):
    name = "a.csv" if data[:4] != b"PAR1" else "a.parquet"
    m = ldp.mechanism("OUE", k=1000, eps=1.0)
    try:
        if case == "long bits on disk":
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, name)
                path.write_bytes(data)
                (piece,) = pieces(path, m)
                count_piece(piece, m)
        table = tables.read_table(data, name)
        if case == "numbers":
            numbers_from(table, "x")
        elif case == "names":
            categories_from(table, "x")
        elif case == "long bits":
            ldp.estimate_table(table, m)
        return str(table.rows)
    except ValueError as problem:
        return str(problem)

for case, part in json.loads(sys.argv[1]).items():
    child = os.fork()
    if child == 0:
        try:
            data = made(case, part)
            before = peak_mebibytes()
            told = read(case, data)
            print(json.dumps([case, told, peak_mebibytes() - before]), flush=True)
        except BaseException:
            traceback.print_exc()
        os._exit(0)
    os.waitpid(child, 0)
"""
LARGE = (
    "commas",
    "runs",
    "texts",
    "numbers",
    "names",
    "long bits",
    "long bits on disk",
    "bomb: one long text in every row",
)


@pytest.fixture(scope="module")
def peaks():
    """What was said of each large file and the mebibytes that it took, and the errors if there were any."""
    limit = 4 * 2**30

    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    command = [sys.executable, "-c", PEAKS, json.dumps({case: PARTS.get(case, 1) for case in LARGE})]
    out = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, preexec_fn=bound, timeout=240)
    lines = [json.loads(line) for line in out.stdout.splitlines()]
    return {case: (told, peak) for case, told, peak in lines}, out.stderr


@pytest.mark.slow
@pytest.mark.parametrize("case", LARGE)
def test_memory_stays_bounded(case, peaks):
    of, errors = peaks
    assert case in of, errors
    told, peak = of[case]
    refusals = ("at most 100,000 bytes", "at most 96 MB of text", "at most 100,000 different values")
    assert told.isdigit() or any(refusal in told for refusal in refusals)
    assert peak < 700 / PARTS.get(case, 1), told


@pytest.mark.slow
def test_ten_thousand_columns_take_as_long_as_they_are_many():
    """They took seven seconds: every column was looked for among all others."""

    def seconds(number):
        text = b",".join(files.columns(number)) + b"\n" + (b",".join([b"1"] * number) + b"\n") * 3
        times = []
        for _ in range(3):
            before = time.process_time()
            read_table(text, "a.csv")
            times.append(time.process_time() - before)
        return min(times)

    # Four times as many: four times as long if each is looked at alone, sixteen if each with all others.
    assert seconds(10_000) < 9 * seconds(2_500)
