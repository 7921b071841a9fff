"""The project around the library: what it imports, what it installs, what its README promises."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import ldpcore

ROOT = Path(__file__).resolve().parent.parent


def test_importing_the_core_imports_nothing_heavy():
    heavy = ["folktables", "sklearn", "streamlit", "plotly", "pandas", "pyarrow", "scipy"]
    code = f"import sys, ldpcore; print([m for m in {heavy} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_requirements_txt_is_what_pyproject_says():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert (ROOT / "requirements.txt").read_text().split("\n") == [*declared, ""]


def test_the_changelog_speaks_of_this_version():
    assert f"## {ldpcore.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_ci_runs_the_readmes_test_command():
    commands = re.findall(r"^python3 -m venv .*$", (ROOT / "README.md").read_text(), flags=re.MULTILINE)
    assert len(commands) == 2
    tests = next(command for command in commands if "pytest" in command)
    assert tests in (ROOT / ".ci" / "run").read_text()


def test_a_chore_is_one_command_in_both_places():
    """The Makefile names what .ci/run does: the same tools with the same arguments."""
    chores = (ROOT / "Makefile").read_text()
    modules = {"codespell": "codespell_lib", "lint-imports": "importlinter"}
    run = (ROOT / ".ci" / "run").read_text()
    for tool, arguments in re.findall(r"^\.venv/bin/([\w-]+)(.*?)(?: &)?$", run, re.MULTILINE):
        assert re.search(rf"\(PYTHON\) -(m|c \"from) {modules.get(tool, tool)}.*{re.escape(arguments)}", chores), tool


def test_every_public_name_exists():
    assert all(hasattr(ldpcore, name) for name in ldpcore.__all__)
    assert len(ldpcore.__all__) == len(set(ldpcore.__all__))


def test_the_core_knows_nothing_of_the_pages():
    for path in (ROOT / "ldpcore").rglob("*.py"):
        assert not re.search(r"^\s*(import|from) (streamlit|plotly|ldpui|pages)", path.read_text(), re.MULTILINE), path


MIRRORED = ("ldpcore", "ldpui", "pages")
# What only a browser can try, and pages only draw.
IN_A_BROWSER = {"ldpui.charts.player_keys"}


def test_tests_lie_where_what_they_test_lies():
    """A folder that is renamed takes its tests along, and what is new at the top of the tests says what it is."""
    folders = [path for name in MIRRORED for path in (ROOT / "tests" / name).rglob("*") if path.is_dir()]
    own = [path.relative_to(ROOT / "tests") for path in folders if any(path.glob("*.py"))]
    assert own
    assert not [str(path) for path in own if not (ROOT / path).is_dir()]
    top = {path.name for path in (ROOT / "tests").iterdir() if any(path.rglob("*.py"))}
    assert top == {*MIRRORED, "app", "browser", "deploy", "helpers", "packaging"}


def test_every_room_page_and_shared_module_has_its_tests():
    """Rooms of the library and pages have a folder or a file of their name; what pages share has one or is imported."""
    rooms = [*(ROOT / "ldpcore").glob("*/__init__.py"), *(ROOT / "pages").glob("*/*/__init__.py")]
    for room in (path.parent.relative_to(ROOT) for path in rooms):
        folder = ROOT / "tests" / room
        assert any(folder.glob("test_*.py")) or folder.with_name(f"test_{room.name}.py").is_file(), room
    imported = set()
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    for path in (path.relative_to(ROOT) for path in (ROOT / "ldpui").rglob("*.py") if path.name != "__init__.py"):
        mirror = ROOT / "tests" / path.parent / f"test_{path.name}"
        assert mirror.is_file() or ".".join(path.with_suffix("").parts) in imported | IN_A_BROWSER, path


def test_modules_functions_and_pages_stay_short():
    """400 lines a module, 150 a file of a page, 60 a function with its docstring."""
    long = []
    folders = ("ldpcore", "ldpui", "pages", "deploy", "benchmarks", "scripts", "tests")
    for path in (p for folder in folders for p in (ROOT / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        most = 150 if path.is_relative_to(ROOT / "pages") else 400
        long += [str(path)] * (len(text.splitlines()) > most)
        functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
        long += [f"{path}: {f.name}" for f in functions if (f.end_lineno or 0) - f.lineno >= 60]
    assert not long


def test_what_is_unmeasured_is_not_measured():
    """Under xdist pytest-cov's first coverage went on behind its second, a quarter of the time of all tests."""
    assert "coverage" not in type(sys.gettrace()).__module__
