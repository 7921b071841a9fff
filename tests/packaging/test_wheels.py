"""What is built, installed elsewhere and started there is what is here."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
import tomllib
import urllib.request
import zipfile
from pathlib import Path

import pytest
from browser_steps import free_port
from visitor import visit

import ldpcore

ROOT = Path(__file__).resolve().parents[2]


def _names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def _sources(folder: str) -> set[str]:
    """Return the files of a folder that belong to the project."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", folder], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip("no git here to say which files belong to the project")
    return {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}


ABOUT_THE_LIBRARY_ALONE = {"ldpcore/pyproject.toml", "ldpcore/README.md", "ldpcore/LICENSE"}


def test_the_dashboards_wheel_holds_library_pages_and_theme(dashboard_wheel):
    names = {name for name in _names(dashboard_wheel) if ".dist-info/" not in name}
    expected = (_sources("ldpcore") | _sources("ldpui")) - ABOUT_THE_LIBRARY_ALONE
    expected |= {f"ldp_explorer/{name}" for name in _sources("pages")}
    expected |= {"ldp_explorer/app.py", "ldp_explorer/.streamlit/config.toml"}
    assert names == expected


def test_the_librarys_wheel_holds_the_library_alone(library_wheel):
    names = {name for name in _names(library_wheel) if ".dist-info/" not in name}
    assert names == _sources("ldpcore") - ABOUT_THE_LIBRARY_ALONE


def test_one_version_one_licence_and_no_other_floors():
    dashboard = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    library = tomllib.loads((ROOT / "ldpcore" / "pyproject.toml").read_text())["project"]
    assert set(library["dependencies"]) < set(dashboard["dependencies"])
    assert set(library["optional-dependencies"]["acs"]) < set(dashboard["dependencies"])
    assert library["optional-dependencies"]["distributed"] == dashboard["optional-dependencies"]["distributed"]
    assert library["requires-python"] == dashboard["requires-python"]
    assert library["scripts"].items() <= dashboard["scripts"].items()
    assert (ROOT / "ldpcore" / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_both_wheels_have_the_librarys_version(dashboard_wheel, library_wheel):
    assert dashboard_wheel.name.split("-")[1] == library_wheel.name.split("-")[1] == ldpcore.__version__


@contextlib.contextmanager
def _started(command: list[str], folder: Path):
    """Run the command in a folder and a home of its own; the address of its server."""
    port = free_port()
    flags = ["--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true"]
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STREAMLIT"))}
    with (folder / "log").open("w+") as log:
        process = subprocess.Popen(
            [*command, *flags],
            cwd=folder,
            env=outside | {"HOME": str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            _wait_for_health(address, process, log.name)
            yield address
        finally:
            process.terminate()
            process.wait(10)


def _wait_for_health(address: str, process: subprocess.Popen[bytes], log: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health") as answer:  # noqa: S310
            if answer.read() == b"ok":
                return
        time.sleep(0.1)
    raise AssertionError(Path(log).read_text())


def test_the_installed_dashboard_starts_from_any_folder(dashboard_wheel, install, tmp_path):
    python = install(dashboard_wheel, tmp_path / "environment")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with _started([str(python.with_name("ldp-explorer"))], elsewhere) as address:
        page = visit(address)
    log = (elsewhere / "log").read_text()
    assert not page.problems, log
    assert "Estimate" in page.texts, page.texts
    assert "Traceback" not in log
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert page.colour == settings["theme"]["light"]["primaryColor"]
    # Nothing of it came from this repository.
    where = "import ldpcore; from ldpui.serving.launch import app_file; print(ldpcore.__file__, app_file())"
    told = subprocess.run([str(python), "-I", "-c", where], cwd=elsewhere, capture_output=True, text=True, check=True)
    for path in told.stdout.split():
        assert Path(path).is_relative_to(tmp_path)


def test_the_installed_library_has_its_command(library_wheel, install, tmp_path):
    python = install(library_wheel, tmp_path / "environment")
    command = [str(python.with_name("ldpcore")), "run", "--mechanism", "GRR", "--n", "1000", "--k", "4", "--runs", "2"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert told.stdout.startswith("GRR on ")
