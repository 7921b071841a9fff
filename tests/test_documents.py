"""The documents: their examples run, every public name has one of its own, and the site builds and has them all."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import importlib.util
import inspect
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

import ldpcore
from benchmarks import document, load
from benchmarks.__main__ import SECTIONS
from benchmarks.__main__ import main as benchmark
from ldpcore.cli.main import main as command_line

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "ldpcore" / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
FENCE = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# What takes long, or needs a file that a reader has and a test has not.
NOT_RUN = ("reproduce", "--scheduler", "reports/*.parquet")


@dataclass(frozen=True)
class Block:
    """A block of code in a page, with the number of its first line."""

    language: str
    title: str
    code: str
    line: int


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [Block(m[1], m[2] or "", m[3], text.count("\n", 0, m.start()) + 2) for m in FENCE.finditer(text)]


WITH_CODE = [page for page in PAGES if any(block.language in ("python", "pycon", "sh") for block in blocks(page))]


def commands(block: Block) -> Iterator[list[str]]:
    """Yield the commands of ldpcore in a block that are cheap enough to be run."""
    for line in block.code.splitlines():
        if line.startswith("python -m ldpcore ") and not any(word in line for word in NOT_RUN):
            yield shlex.split(line, comments=True)[3:]


def run_command(words: list[str]) -> None:
    """Run a command of ldpcore in this process, where everything is imported already."""
    before = signal.getsignal(signal.SIGTERM)
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = command_line(words)
    except SystemExit as end:  # --help
        code = end.code
    finally:
        signal.signal(signal.SIGTERM, before)
    assert code == 0, f"{' '.join(words)}\n{said.getvalue()}"


def run_python(block: Block, page: Path, namespace: dict[str, object]) -> None:
    # Blank lines before the code make the numbers of lines in a traceback those of the page.
    exec(compile("\n" * (block.line - 1) + block.code, str(page), "exec"), namespace)  # noqa: S102


def run_session(block: Block, page: Path, namespace: dict[str, object]) -> None:
    """Check that a session prints what the page says it does."""
    test = doctest.DocTestParser().get_doctest(block.code, namespace, page.name, str(page), block.line - 1)
    said: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=said.append, clear_globs=False)
    namespace.update(test.globs)
    assert outcome.failed == 0, "".join(said)


def add_file(path: Path, code: str) -> None:
    """Write a file that a page shows, and let the package that it would belong to find it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code, encoding="utf-8")
    section = path.parent.parent
    if section.parts and importlib.util.find_spec(section.parts[0]):
        importlib.import_module(".".join(section.parts)).__path__.append(str(section.resolve()))


def run_page(page: Path) -> None:
    """Run the blocks of a page one after the other, in one namespace and in the current folder."""
    # Dataclasses look for the module that they are defined in.
    module = sys.modules["page"] = ModuleType("page")
    for block in blocks(page):
        if block.title:
            add_file(Path(block.title), block.code)
        elif block.language == "python":
            run_python(block, page, module.__dict__)
        elif block.language == "pycon":
            run_session(block, page, module.__dict__)
        elif block.language == "sh":
            for command in commands(block):
                if page.name == "README.md" and "sweep" in command:
                    continue  # the guide has the grid
                run_command(command)


ADDING = [page for page in WITH_CODE if page.parent.name == "adding"]


def run_alone(page: Path, folder: Path) -> str:
    """Run a page in a copy of this process, where what it adds to the library stays; what it said if it failed."""
    child = os.fork()
    if child == 0:
        failed = 1
        with (folder / "said").open("w", encoding="utf-8") as said:
            try:
                os.chdir(folder)
                run_page(page)
                failed = 0
            except BaseException:  # the copy ends here, whatever it is
                traceback.print_exc(file=said)
        os._exit(failed)
    status = os.waitpid(child, 0)[1]
    return (folder / "said").read_text(encoding="utf-8") or f"ended with {status}" if status else ""


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Run the pages that add something, each in a process of its own that has no more to import; what failed."""
    folders = [tmp_path_factory.mktemp(page.stem) for page in ADDING]
    words = [str(word) for pair in zip(ADDING, folders, strict=True) for word in pair]
    command = [sys.executable, str(Path(__file__)), *words]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
):
    monkeypatch.chdir(tmp_path)
    if page in ADDING:
        assert request.getfixturevalue("added")[str(page)] == ""
    else:
        run_page(page)


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 150


def test_blocks_are_found_and_a_wrong_one_is_not_forgiven(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text("# T\n\n```python\nx = 1\n```\n\n```pycon\n>>> x + 1\n3\n\n```\n", encoding="utf-8")
    first, second = blocks(page)
    assert (first.language, first.line, second.language) == ("python", 4, "pycon")
    namespace: dict[str, object] = {}
    run_python(first, page, namespace)
    with pytest.raises(AssertionError, match="Expected"):
        run_session(second, page, namespace)


# ---- docstrings --------------------------------------------------------------------


def modules() -> list[str]:
    """Return the modules whose docstrings have examples."""
    sources = (path for folder in ("ldpcore", "ldpui", "pages") for path in sorted((ROOT / folder).rglob("*.py")))
    files = [path.relative_to(ROOT) for path in sources if ">>>" in path.read_text(encoding="utf-8")]
    return [".".join(file.with_suffix("").parts).removesuffix(".__init__") for file in files]


@pytest.mark.parametrize("name", modules())
def test_the_examples_of_a_module_run(name: str):
    module = importlib.import_module(name)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module):
        runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)


# The rooms that have public names of their own.
ROOMS = (
    "advisor", "arrays", "collected", "datasets", "errors", "estimators", "experiment", "mechanisms", "metrics",
    "paper", "sweep", "tables", "theory", "tournament",
)  # fmt: skip


def public_modules() -> list[ModuleType]:
    """Return the library and its rooms."""
    return [ldpcore, *(importlib.import_module(f"ldpcore.{room}") for room in ROOMS)]


def public_names(module: ModuleType) -> list[str]:
    """Return the names that a module lists, or else those that it defines."""
    own = [name for name, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__]
    return getattr(module, "__all__", [name for name in own if name[0] != "_"])


def methods(cls: type) -> dict[str, object]:
    """Return the public methods of a class where they are defined: its own, and those of its bases in the library.

    A method without a docstring is another one's in a subclass, which has the docstring and the example.
    """
    return {
        f"{base.__module__}.{base.__qualname__}.{name}": method
        for base in cls.__mro__
        if base.__module__.startswith("ldpcore")
        for name, member in vars(base).items()
        if inspect.isfunction(method := getattr(member, "__func__", member)) and name[0] != "_"
        if method.__doc__ or not any(hasattr(above, name) for above in base.__mro__[1:])
    }


def public() -> dict[str, object]:
    """Return the public functions and classes of the library and of its rooms, and the methods of these classes."""
    things: dict[str, object] = {}
    for module in public_modules():
        for name in public_names(module):
            thing = getattr(module, name)
            if inspect.isclass(thing):
                things |= {f"{thing.__module__}.{thing.__qualname__}": thing} | methods(thing)
            elif inspect.isroutine(thing):
                things[f"{thing.__module__}.{name}"] = thing
    return things


@pytest.mark.parametrize(("name", "thing"), public().items(), ids=public())
def test_a_public_name_has_an_example_that_runs(name: str, thing: object):
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(thing) or "")
    assert examples, f"{name} has no example in its docstring"
    assert not any(doctest.SKIP in example.options for example in examples), f"an example of {name} is not run"


# ---- the site ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason='mkdocs is not installed: pip install -e ".[docs]"')
    folder = tmp_path_factory.mktemp("documents") / "site"
    # Not --quiet: what it keeps silent, strict mode does not count.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_site_builds_without_a_warning_and_needs_no_network(site: Path):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        # Links may lead away; scripts, styles and pictures may not.
        text = page.read_text(encoding="utf-8")
        away = re.findall(r"<(?:script|img|iframe)[^>]*\ssrc=\"?(?:https?:)?//[^\s>]*", text)
        away += re.findall(r"<link[^>]*\shref=\"?(?:https?:)?//[^\s>]*", text)
        assert not away, page.name


def test_the_reference_has_every_public_name(site: Path):
    ids = {i for page in site.glob("api/*/index.html") for i in re.findall(r'id="(ldpcore[.\w]*)"', page.read_text())}
    missing = [
        f"{module.__name__}.{name}"
        for module in public_modules()
        for name in public_names(module)
        if not any(shows(i, name, getattr(module, name)) for i in ids)
    ]
    assert missing == []


def shows(entry: str, name: str, thing: object) -> bool:
    """Tell whether an entry of the reference is that of a name: of this very thing, or of a part of the module."""
    if isinstance(thing, ModuleType):
        return entry.startswith(f"{thing.__name__}.")
    module, _, last = entry.rpartition(".")
    return last == name and getattr(sys.modules.get(module), name, None) is thing


def test_the_architecture_names_every_room_and_contract():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    folders = [path.parent for folder in ("ldpcore", "pages") for path in (ROOT / folder).glob("*/__init__.py")]
    for folder in folders:
        assert f"`{folder.relative_to(ROOT)}`" in text, folder
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]:
        assert contract["name"] in text, contract["name"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_page_names_are_there(page: Path):
    paths = re.findall(
        r"`((?:ldpcore|ldpui|pages|tests|docs|benchmarks|scripts)/[\w./-]+)`", page.read_text(encoding="utf-8")
    )
    assert not [path for path in paths if not (ROOT / path).exists()]


def test_contributing_names_every_chore():
    chores = set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"`make (\w+)`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))) == chores


# ---- the page of benchmarks --------------------------------------------------------


def test_a_benchmark_replaces_its_section_of_the_page_and_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    page = tmp_path / "benchmarks.md"
    document.write(page, {"limit": "Measured long ago.\n", "coverage": "Measured long ago.\n"}, list(SECTIONS))
    assert benchmark(["--quick", "coverage", "--write", str(page)]) == 0
    now = document.sections(page.read_text(encoding="utf-8"))
    assert list(now) == ["limit", "coverage"]
    assert now["limit"] == "Measured long ago.\n"
    assert re.match(r"Measured \d{4}-\d\d-\d\d, Python .*`python -m benchmarks --quick coverage`\.", now["coverage"])
    assert "| L-OSUE " in now["coverage"]
    assert "| L-OSUE " in capsys.readouterr().out


def test_the_page_of_benchmarks_is_as_the_benchmark_writes_it(tmp_path: Path):
    page = ROOT / "docs" / "benchmarks.md"
    text = page.read_text(encoding="utf-8")
    parts = document.sections(text)
    assert list(parts) == list(SECTIONS)
    for name, part in parts.items():
        assert re.match(rf"Measured \d{{4}}-\d\d-\d\d, .*`python -m benchmarks {name}`\.\n", part)
    again = tmp_path / "again.md"
    document.write(again, parts, list(SECTIONS))
    assert again.read_text(encoding="utf-8") == text


def test_the_load_benchmark_replaces_its_table_and_nothing_else(tmp_path: Path):
    page = tmp_path / "hosting.md"
    page.write_text(f"before\n{load.PLACE[0]}\nold\n{load.PLACE[1]}\nafter\n", encoding="utf-8")
    rows = [load.Row("CPU a step", 24.6, 25, "ms"), load.Row("sessions", 40, 50, "sessions", at_least=True)]
    load.write(page, "\n".join(" ".join(row.cells()) for row in rows))
    assert page.read_text(encoding="utf-8").splitlines() == [
        "before", load.PLACE[0], "CPU a step 24.6 ms ≤ 25 yes", "sessions 40 sessions ≥ 50 NO", load.PLACE[1], "after"
    ]  # fmt: skip
    assert all(mark in (ROOT / "docs/hosting.md").read_text(encoding="utf-8") for mark in load.PLACE)
    page.write_text("no place", encoding="utf-8")
    with pytest.raises(SystemExit, match="no place for the table"):
        load.write(page, "")


if __name__ == "__main__":
    words = [Path(word) for word in sys.argv[1:]]
    pairs = zip(words[::2], words[1::2], strict=True)
    print(json.dumps({str(page): run_alone(page, folder) for page, folder in pairs}))
