"""Wheels of the project, built once for a worker, and environments that have one of them."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _build(source: Path, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def dashboard_wheel(tmp_path_factory):
    return _build(ROOT, tmp_path_factory.mktemp("dashboard"))


@pytest.fixture(scope="session")
def library_wheel(tmp_path_factory):
    return _build(ROOT / "ldpcore", tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="session")
def install():
    """Make an environment that has a wheel, and the packages that these tests run with for all that it needs."""

    def make(wheel: Path, folder: Path) -> Path:
        venv.create(folder, with_pip=False, symlinks=True)
        python = folder / "bin" / "python"
        command = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps", "--no-index"]
        subprocess.run([*command, str(wheel)], check=True, capture_output=True)
        # Only folders: what these name in turn, such as this repository by an editable install, is not looked into.
        shared = [path for path in sys.path if Path(path).name == "site-packages"]
        here = next((folder / "lib").glob("python*/site-packages"))
        (here / "shared.pth").write_text("\n".join(shared) + "\n")
        return python

    return make
