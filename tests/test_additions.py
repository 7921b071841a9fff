"""Mechanisms, a distribution, an estimator, a metric, a format and a page are each added in one place; all pages work.

A copy of the project gets one of each, as docs/adding says: a file, and a line in the list. Then every page of the copy
is opened with them chosen, and the paper's tables must not have noticed. The tests of the rooms that they were added to
take them too, as they are.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from app_steps import QUICK, charts, open_page

from ldpcore import paper
from pages.table import PAGES

ROOT = Path(__file__).parents[1]

MECHANISM = '''"""Mechanisms: one that says no more than it must, one of a family, and one for repeated reports."""

import math

import numpy as np

from ldpcore.mechanisms.base import Mechanism
from ldpcore.mechanisms.longitudinal_unary import LSUE
from ldpcore.mechanisms.reports import BITS
from ldpcore.mechanisms.unary import UnaryEncoding


class Added(Mechanism):
    """A true yes is kept three times out of four; how many values a report supports it does not say."""

    name = "TUE"
    full_name = "Three-quarters Unary Encoding"
    summary = "A true yes is kept three times out of four."
    report_kind = BITS

    def __init__(self, *, k, eps):
        super().__init__(k=k, eps=eps)
        self.p, self.q = 3 / 4, 3 / (3 + math.exp(self.eps))

    @property
    def report_bits(self):
        return float(self.k)

    @property
    def likelihood_ratio(self):
        return math.exp(self.eps)

    def _privatize(self, values, rng):
        chances = np.where(np.arange(self.k) == np.asarray(values)[:, None], self.p, self.q)
        return rng.random(chances.shape) < chances

    def supports(self, reports):
        return np.asarray(reports, dtype=bool)

    def support_counts(self, reports):
        return self.supports(reports).sum(axis=0)


class AddedKind(UnaryEncoding):
    """The same, as one of its family."""

    name = "XUE"
    full_name = "Extra Unary Encoding"
    summary = "A true yes is kept three times out of four."

    def __init__(self, *, k, eps):
        super().__init__(k=k, eps=eps)
        self.p, self.q = 3 / 4, 3 / (3 + math.exp(self.eps))


class AddedChain(LSUE):
    """Basic RAPPOR under another name."""

    name = "L-TUE"
    full_name = "Longitudinal Three-quarters Unary Encoding"
    summary = "Flips each answer once for good, and again at every report."
'''
DISTRIBUTION = '''"""Distributions: one without parameters, and one with a parameter."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ldpcore.datasets.base import Distribution, parameter, probabilities


class Falling(Distribution):
    """A ramp from 0 to `end`."""

    def survival(self, x):
        return np.clip(1 - np.asarray(x) / self.end, 0, 1) ** 2

    def cdf(self, x):
        return 1 - self.survival(x)

    def quantile(self, u):
        return self.upper_quantile(1 - probabilities("u", u))

    def upper_quantile(self, s):
        return self.end * (1 - np.sqrt(probabilities("s", s)))

    def draw(self, n, rng):
        return self.upper_quantile(rng.random(n))


@dataclass(frozen=True)
class Added(Falling):
    """A ramp from 0 to an end of one's choice."""

    name: ClassVar[str] = "ramp"
    label: ClassVar[str] = "Ramp"
    description: ClassVar[str] = "A ramp that falls."

    end: float = parameter(1.0, 1e-9, 1e9)


@dataclass(frozen=True)
class AddedPlain(Falling):
    """A ramp from 0 to 1."""

    name: ClassVar[str] = "wedge"
    label: ClassVar[str] = "Wedge"
    description: ClassVar[str] = "A ramp that falls from 0 to 1."

    end: ClassVar[float] = 1.0
'''
ESTIMATOR = '''"""An estimator."""

import numpy as np


def added(counts, n, m, options):
    """Say that all values are equally likely."""
    return np.full(np.shape(counts), 1 / m.k)
'''
METRIC = '''

def added(estimate: Any, true: Any) -> FloatArray:
    """Half the squared distance."""
    return np.asarray(np.square(estimate - true).sum(axis=-1) / 2)


'''
PAGE = '''"""A page."""

import ldpcore as ldp
from ldpui import cache, session
from ldpui.navigation import heading


def page(s: ldp.Setting) -> None:
    """Draw the page."""
    error = cache.run(s, session.data_of(s)).error("mi", "half").mean
    heading(f"MI is off by {error:.3g}.")
'''
FORMAT = """
def _is_hexadecimal(cells: Cells, m: Mechanism) -> bool:
    return cells.is_text(cells.columns[0]) and cells.column(cells.columns[0])[0].as_py().startswith("0x")


def _hexadecimal(cells: Cells, m: Mechanism) -> Any:
    words = cells.column(cells.columns[0]).to_pylist()
    return np.array([[int(word, 16) >> (m.k - 1 - v) & 1 for v in range(m.k)] for word in words], dtype=bool)


FORMATS: list[Format] = [
    Format("hexadecimal", BITS, lambda m, own: {1}, lambda m: "one of 0x…", _hexadecimal, suits=_is_hexadecimal),
"""
# The file, what stands there, and what stands there with the addition: the line, and the import that Python wants.
LINES = (
    ("ldpcore/mechanisms/__init__.py", "\n)\n_CLASSES", "\n    Added,\n    AddedKind,\n    AddedChain,\n)\n_CLASSES"),
    (
        "ldpcore/mechanisms/__init__.py",
        "from ldpcore.mechanisms.base import",
        "from ldpcore.mechanisms.added import Added, AddedChain, AddedKind\nfrom ldpcore.mechanisms.base import",
    ),
    ("ldpcore/datasets/sampling.py", "Triangular, AcsIncome)", "Triangular, AcsIncome, Added, AddedPlain)"),
    (
        "ldpcore/datasets/sampling.py",
        "from ldpcore.datasets.base import",
        "from ldpcore.datasets.added import Added, AddedPlain\nfrom ldpcore.datasets.base import",
    ),
    (
        "ldpcore/estimators/records.py",
        '        _post("mle-apx"',
        '        Estimator("flat", "Flat", "All alike.", added, advised=True, tabled=True),\n        _post("mle-apx"',
    ),
    (
        "ldpcore/estimators/records.py",
        "from ldpcore.estimators.full import",
        "from ldpcore.estimators.added import added\nfrom ldpcore.estimators.full import",
    ),
    (
        "ldpcore/metrics.py",
        "\n\n@dataclass(frozen=True)\nclass Metric",
        f"{METRIC}@dataclass(frozen=True)\nclass Metric",
    ),
    (
        "ldpcore/metrics.py",
        '        Metric("mae"',
        '        Metric("half", "Half", "half the squared distance", "Half of it.", added),\n        Metric("mae"',
    ),
    ("ldpcore/collected/formats.py", "FORMATS: list[Format] = [\n", FORMAT),
    (
        "pages/table/__init__.py",
        "    Page(about.page",
        '    Page(added.page, "Study", "Added", "added", "add"),\n    Page(about.page',
    ),
    ("pages/table/__init__.py", "from pages.study import about", "from pages.study import about, added"),
)
OPEN = """
import contextlib, functools, io, json, sys
from pathlib import Path
sys.path[:0] = ["tests/helpers"]
import app_steps
from streamlit.components.v2 import manifest_scanner
# Every page that is opened asks all installed packages whether they have components.
manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)
# And while it runs, it is asked a thousand times a second whether it has.
import page_fixtures
page_fixtures.local_script_runner.require_widgets_deltas = page_fixtures.wait
import numpy as np
from pages.table import PAGES
import ldpcore as ldp
from ldpcore import paper
from ldpcore.cli.main import main
from ldpui import grids

# A map names all mechanisms in a few cells too.
grids._MAP_GRIDS = {"eps": (0.5, 2), "n": (10**3, 10**5), "k": (2, 10)}
chosen = app_steps.QUICK | {"data": "Ramp", "mechanism": "TUE", "metric": "Half"}
repeated = app_steps.QUICK | {"reports": "repeatedly", "chain": "L-TUE"}
views = {
    "": [{"closer": word} for word in ("All estimators", "One user's report", "Take it away")],
    "tradeoff": [{"view": "curves", "estimators": ["MI", "Flat"]}, {"view": "best mechanism"}],
    "your_reports": [{"r_mechanism": "TUE"}, {"r_mechanism": "L-TUE"}],
}
wrong, opened = [], []
for page in PAGES:
    ways = [chosen | view for view in views.get(page.address, [{}])]
    ways += [repeated] if page.needs == "setting" else []
    for way in ways:
        at = app_steps.open_page(page.address, way)
        opened.append(page.address)
        problems = [*at.exception, *at.error, *at.warning]
        wrong += [(page.address, way, box.value) for box in problems]
        words = [*(m.value for m in at.main.markdown), *(c.value for c in at.main.caption)]
        if page.address == "added" and "MI is off by" not in " ".join(words):
            wrong.append((page.address, way, words))
        if page.address == "tradeoff" and "estimators" in way and "Flat" not in json.dumps(app_steps.charts(at)):
            wrong.append("Trade-off does not draw the estimator")
        if way.get("closer") == "All estimators" and "Flat" not in list(at.dataframe[0].value["Estimator"]):
            wrong.append("the estimator is not in the table of all")
        if page.address == "paper" and way == chosen:
            drawn = app_steps.charts(at)
at = app_steps.open_page("", chosen | {"data": "Wedge"})
said = [caption.value for caption in at.sidebar.caption]
if at.exception or at.error or "A ramp that falls from 0 to 1." not in said or "ACS" in " ".join(said):
    wrong.append(("data without parameters is not described", said))
at = app_steps.open_page("compare", chosen | {"mechanisms": ["TUE", "GRR", "L-TUE"]})
figures = json.dumps(list(app_steps.charts(at).values()))
if not ('"TUE"' in figures and '"L-TUE"' in figures):
    wrong.append("Compare does not draw the mechanisms")
at = app_steps.open_page("advisor", chosen | {"what_if": "other data"})
ranking, others = (frame.value.to_string() for frame in at.main.dataframe)
if not ("TUE" in ranking and "Flat" in ranking and "Ramp" in others):
    wrong.append("the Advisor leaves out one of them")
# Reports in the new format, read by the page and by the command.
m, rng = ldp.mechanism("TUE", k=8, eps=1.0), np.random.default_rng(1)
reports = m.privatize(rng.integers(0, 8, 300), rng)
text = chr(10).join(["report", *(f"0x{int(''.join('01'[int(bit)] for bit in row), 2):02x}" for row in reports)])
Path("hex.csv").write_text(text)
state = {"r_mechanism": "TUE", "r_k": 8.0, "r_eps": 1.0, "r_lines": ["MI", "Flat"]}
at = app_steps.open_page("your_reports", chosen | state)
at.file_uploader[0].set_value(("hex.csv", text.encode(), "text/csv")).run()
table = at.main.dataframe[0].value if at.main.dataframe else {}
if at.error or "flat" not in table or list(table["count"]) != m.support_counts(reports).tolist():
    wrong.append(("its reports are not read, or not estimated", [box.value for box in at.error], list(table)))
elif "Flat" not in json.dumps(app_steps.charts(at)["reports_chart"]):
    wrong.append("Your reports does not draw the estimator")
said = io.StringIO()
with contextlib.redirect_stdout(said):
    main(["count", "hex.csv", "--mechanism", "TUE", "--k", "8", "--eps", "1"])
if "Flat" not in said.getvalue():
    wrong.append(("count does not print the estimator", said.getvalue()))
settings = {table: [repr(s) for s in paper.settings(table)] for table in (1, 2)}
print(json.dumps({"wrong": wrong, "opened": opened, "settings": settings, "paper": drawn}))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Copy the project and add one of each."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("ldpcore", "ldpui", "pages", ".streamlit", "tests/helpers", "tests/ldpcore"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("app.py", "pyproject.toml", "tests/conftest.py"):
        shutil.copy(ROOT / name, folder / name)
    files = {
        "ldpcore/mechanisms/added.py": MECHANISM,
        "ldpcore/datasets/added.py": DISTRIBUTION,
        "ldpcore/estimators/added.py": ESTIMATOR,
        "pages/study/added/__init__.py": PAGE,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    for name, before, after in LINES:
        text = (folder / name).read_text(encoding="utf-8")
        assert text.count(before) == 1, (name, before)
        (folder / name).write_text(text.replace(before, after), encoding="utf-8")
    return folder


def test_every_page_opens_with_one_more_of_each(copy):
    command = [sys.executable, "-W", "error", "-c", OPEN]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    result = json.loads(done.stdout.splitlines()[-1])
    assert not result["wrong"]
    assert set(result["opened"]) == {*(page.address for page in PAGES), "added"}
    assert result["settings"] == {str(table): [repr(s) for s in paper.settings(table)] for table in (1, 2)}
    # The paper's page draws the tables that it drew before.
    before = charts(open_page("paper", QUICK))
    assert before
    assert result["paper"] == before


# The tests that are asked in the copy: those of what was added, and those that go over a whole list at once.
ROOMS = (
    "mechanisms", "theory/test_bounds.py", "theory/test_life.py", "datasets/test_synthetic.py",
    "datasets/test_without_users.py", "estimators/test_records.py", "test_metrics.py",
)  # fmt: skip
ASKED = "TUE or XUE or ramp or flat or half or registry or loops or truth or scores or papers or names"


def test_the_tests_of_their_rooms_take_them_as_they_are(copy):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-v",
        "-p",
        "no:cacheprovider",
        "--tb=short",
        "-m",
        "not slow",
        "-k",
        ASKED,
    ]
    command += [f"tests/ldpcore/{room}" for room in ROOMS]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:]
    assert all(f"{name}] PASSED" in done.stdout for name in ("[TUE", "[XUE", "[L-TUE", "[ramp", "[flat", "[half"))
