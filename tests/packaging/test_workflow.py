"""Every job of the workflow installs what it imports: on a machine that has nothing else."""

import ast
import re
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
JOBS = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8"))["jobs"]
# What a test asks for only where it is there (`pytest.importorskip`, or within a function) is not looked at.
OURS = {"app", "benchmarks", "deploy", "ldpcore", "ldpui", "pages"}


@cache
def providers():
    """The distributions that have each package; asking takes long, and every worker reads this file."""
    return metadata.packages_distributions()


def canonical(name):
    return re.sub("[-_.]+", "-", name).lower()


def commands(job):
    return [step["run"] for step in JOBS[job]["steps"] if "run" in step]


def extras(job):
    """The extras that a job installs the project with."""
    (found,) = [re.search(r'-e "\.\[(.*)\]"', run) for run in commands(job) if run.startswith("pip install")]
    return found[1].split(",")


@cache
def closure(name, wanted=frozenset()):
    """A distribution and all that comes with it."""
    try:
        lines = metadata.requires(name) or []
    except metadata.PackageNotFoundError:  # of another system, or another Python
        return frozenset({canonical(name)})
    everything = {canonical(name)}
    for requirement in map(Requirement, lines):
        if any(not requirement.marker or requirement.marker.evaluate({"extra": e}) for e in wanted or {""}):
            everything |= closure(requirement.name, frozenset(requirement.extras))
    return frozenset(everything)


@cache
def imported(path):
    """The modules that are imported when a file is."""
    names, body = [], list(ast.parse(path.read_text(encoding="utf-8")).body)
    for node in body:
        if isinstance(node, ast.Try):
            body += node.body
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


@cache
def ours(name):
    """The file of one of our own modules, if it is one."""
    for base in (ROOT, ROOT / "tests/helpers"):
        path = base.joinpath(*name.split("."))
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                return file
    return None


def strangers(files):
    """The top-level packages of others that files import, and our own modules behind them."""
    seen, open_files, names = set(), list(files), set()
    while open_files:
        file = open_files.pop()
        if file in seen:
            continue
        seen.add(file)
        for name in imported(file):
            known = ours(name)
            top = name.partition(".")[0]
            if known is not None:
                open_files.append(known)
            elif top not in OURS and not (ROOT / "tests/helpers" / f"{top}.py").exists():
                names.add(top)
    return names - set(sys.stdlib_module_names) - {"__future__"}


def files_of(*folders):
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


@pytest.mark.parametrize(
    ("job", "folders"),
    [
        ("lint", ["ldpcore", "ldpui", "pages", "deploy"]),
        ("tests", ["tests"]),
        ("browser", ["tests/browser", "tests/helpers"]),
    ],
)
def test_a_job_installs_what_it_imports(job, folders):
    there = closure("ldp-explorer", frozenset(extras(job)))
    assert {"numpy", "pytest"} <= there
    names = strangers([*files_of(*folders), ROOT / "tests/conftest.py"])
    assert "streamlit" in names
    missing = {name for name in names if not {canonical(one) for one in providers().get(name, ())} & there}
    assert not missing


def test_what_is_not_installed_is_missed():
    assert "psutil" not in closure("ldp-explorer", frozenset({"test"}))
    assert "psutil" in closure("ldp-explorer", frozenset({"benchmarks"}))
    assert "psutil" in strangers([ROOT / "tests/test_documents.py"])


def test_the_browser_job_reads_no_other_tests():
    assert commands("browser")[-1] == "python -m pytest -n auto tests/browser"
