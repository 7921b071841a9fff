"""How the command line ends: a refusal is a sentence and exit code 2, and a bug is not taken for one."""

import re
import subprocess
import sys

import pytest
from commands import call

import ldpcore as ldp
from ldpcore.cli import main as command
from ldpcore.cli import run


def _raise(problem):
    def do(*arguments, **options):
        raise problem

    return do


def test_a_refusal_is_a_sentence(monkeypatch, capsys):
    monkeypatch.setattr(run, "run", _raise(ldp.Refused("k must be 2 or more")))
    assert command.main(["run"]) == 2
    assert capsys.readouterr().err == "python -m ldpcore: k must be 2 or more\n"


@pytest.mark.parametrize(
    "bug", [ValueError("zip() argument 2 is shorter than argument 1"), KeyError("eps"), TypeError()]
)
def test_a_bug_is_not_taken_for_a_refusal(monkeypatch, bug):
    monkeypatch.setattr(run, "run", _raise(bug))
    with pytest.raises(type(bug)):
        command.main(["run"])


@pytest.mark.slow
def test_a_bug_ends_with_1_and_says_where_it_is():
    code = "import sys; from ldpcore.cli import main, run; run.run = lambda *a, **o: [*zip((), (1,), strict=True)]"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; sys.exit(main.main(['run']))"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "ValueError" in done.stderr


@pytest.mark.parametrize("command", ["reproduce", "tournament"])
def test_a_folder_of_results_is_no_file(command, tmp_path, capsys):
    (tmp_path / "h.csv").write_text("a\n")
    assert call(command, "--out", tmp_path / "h.csv") == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert re.search(r"ldpcore: out must be a folder, or one that can be made; got the file '.*h\.csv'$", said)


def test_a_grid_is_no_folder(tmp_path, capsys):
    assert call("sweep", tmp_path, "--out", tmp_path / "a.csv") == 2
    assert re.search(r"ldpcore: the grid '.*' cannot be read: Is a directory$", capsys.readouterr().err.strip())
