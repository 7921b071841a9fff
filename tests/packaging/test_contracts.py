"""Who may import whom: the contracts of pyproject.toml, kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINT = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"


def _lint(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LINT, "--no-cache", *arguments]
    return subprocess.run(command, cwd=folder, env=os.environ | {"COLUMNS": "200"}, capture_output=True, text=True)


def test_the_contracts_are_kept():
    told = _lint()
    assert told.returncode == 0, told.stdout


def test_arrows_upwards_and_sideways_are_seen(tmp_path):
    """A copy of the tree with a few imports too many."""
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    for name in ("ldpcore", "ldpui", "pages"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "results"))
    _add(tmp_path / "ldpcore" / "errors.py", "import ldpui.theme\nfrom ldpcore import metrics\nimport plotly\n")
    _add(tmp_path / "ldpcore" / "metrics.py", "import ldpcore.tables\n")
    _add(tmp_path / "ldpcore" / "new_room.py", "")
    one, another = sorted(path.stem for path in (ROOT / "pages" / "explore").iterdir() if path.stem[0] != "_")[:2]
    page = tmp_path / "pages" / "explore" / one
    _add(page / "__init__.py" if page.is_dir() else page.with_suffix(".py"), f"import pages.explore.{another}\n")
    _add(tmp_path / "ldpui" / "format.py", "from ldpcore._validate import shown\n")
    told = _lint(folder=tmp_path)
    assert told.returncode == 1
    assert {line.partition(" BROKEN")[0] for line in told.stdout.splitlines() if " BROKEN" in line} == {
        "Pages stand on ldpui, ldpui on ldpcore",
        "The library knows no dashboard, and needs few packages",
        "The dashboard has no use for the library's own checks",
        "The rooms of the library, highest first",
        "What a file is has nothing to do with mechanisms",
        "No page knows another; those of the study share its results",
    }, told.stdout
    assert "new_room" in told.stdout


def _add(path: Path, lines: str) -> None:
    path.write_text((path.read_text() if path.exists() else "") + "\n" + lines)
