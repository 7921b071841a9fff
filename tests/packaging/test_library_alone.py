"""The library works with the few packages that it promises to need, and with nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Runs before the code under test: whatever is neither Python's own, nor the library, nor promised can't be imported.
GATE = """
import importlib.abc, sys
ALLOWED = {allowed!r}
class Gate(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in ALLOWED and not name.startswith("_sysconfigdata"):
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Gate())
"""
WORK = """
import pathlib, sys, tempfile
import numpy as np
import ldpcore as ldp

m = ldp.mechanism("OLH", k=4, eps=1.0)
reports = m.privatize(np.arange(400) % 4, np.random.default_rng(0))
assert ldp.ibu(m.support_counts(reports), m).shape == (4,)
settings = [ldp.Setting(mechanism="GRR", eps=eps, n=500, k=4, runs=2) for eps in (1.0, 2.0)]
assert ldp.run(settings[0]).mi.shape == (2, 4)
assert set(ldp.sweep(settings, workers=1)["eps"]) == {1.0, 2.0}

import pandas as pd
from ldpcore.__main__ import main

with tempfile.TemporaryDirectory() as folder:
    for ending in ("csv", "parquet"):
        file = pathlib.Path(folder, f"reports.{ending}")
        frame = pd.DataFrame({"value": np.arange(400) % 4})
        frame.to_csv(file, index=False) if ending == "csv" else frame.to_parquet(file)
        out = pathlib.Path(folder, f"{ending}.csv")
        options = "--mechanism GRR --eps 1 --k 4 --workers 1 --out".split()
        assert main(["count", str(file), *options, str(out)]) == 0
        assert len(pd.read_csv(out)) == 4
print("done")
"""


def _promised() -> set[str]:
    """Return the packages that ldpcore's pyproject.toml names, and those that they need themselves."""
    project = tomllib.loads((ROOT / "ldpcore" / "pyproject.toml").read_text())["project"]
    named = {re.match(r"[\w-]+", line).group().replace("-", "_") for line in project["dependencies"]}
    return named | {"dateutil", "pytz", "six", "tzdata"} if "pandas" in named else named


def _run(code: str, allowed: set[str]) -> subprocess.CompletedProcess[str]:
    gate = GATE.format(allowed=allowed | {"ldpcore", "__mp_main__"} | set(sys.stdlib_module_names))
    return subprocess.run([sys.executable, "-c", gate + code], cwd=ROOT, capture_output=True, text=True, check=False)


def test_mechanisms_experiments_sweeps_and_counting_need_no_other_packages():
    told = _run(WORK, _promised())
    assert told.returncode == 0, told.stderr
    assert told.stdout.splitlines()[-1] == "done"


def test_the_gate_is_shut():
    for package in ("streamlit", "plotly", "folktables", "scipy", "sklearn", "ldpui"):
        told = _run(f"import {package}", _promised())
        assert f"No module named '{package}'" in told.stderr, package


def test_numpy_alone_runs_an_experiment():
    """The others are read when files and tables are, not before."""
    told = _run("import ldpcore as ldp; print(ldp.run(ldp.Setting(n=500, k=4, runs=2)).mi.shape)", {"numpy"})
    assert told.stdout == "(2, 4)\n", told.stderr
