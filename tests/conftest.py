"""Which tests there are, what they are called by, and how they are shared out among the workers."""

import gc
import os
import pkgutil
from collections import Counter
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

# The workers share the cores already. NumPy's own threads would wait for each other there, and read this when it is
# first imported, in the workers and in the servers that tests start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The peer's package compiles its loops when they are first called, which takes longer than what is asked of them here.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

TESTS = Path(__file__).resolve().parent
# What tests are called by their folder.
MARKS = {"ldpcore": "core", "ldpui": "app", "pages": "app", "app": "app", "browser": "browser"}

# Of each test, as many cases as the floors under the coverage need; the others run at full speed.
MEASURED_CASES = 1
# Here every case is a file, a column or a question of its own kind, and takes another way through the code.
MEASURED_WHOLE = {"tables", "datasets", "tournament"}
# Here the whole project is at work for long, and goes no way that it does not go in other tests too.
UNMEASURED = {
    "test_additions.py", "test_documents.py", "test_extremes.py", "test_halves.py", "test_hostile_tables.py",
    "test_project.py", "test_reproduce.py",
}  # fmt: skip
# Slow tests that go ways of their own: those of the library, most of whose time is NumPy's, of workers and clusters.
MEASURED_SLOW = {"ldpcore", "computing"}
# What is measured.
PACKAGES = ("ldpcore", "ldpui", "pages")
# What these import besides, and takes long.
LARGE_PACKAGES = ("plotly.graph_objects", "pyarrow.parquet", "streamlit.testing.v1", "streamlit.web.bootstrap")

# With the library installed alone, its own tests are the tests.
LIBRARY_ALONE = find_spec("streamlit") is None


def pytest_configure(config):
    config.pluginmanager.register(_Measuring(config), "measuring")
    # Tests of one file stay together, and make what they share once; who has none left takes some of another's.
    if getattr(config.option, "dist", "no") == "load":
        config.option.dist = "worksteal"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """One worker more than there are cores: the tests with a browser wait a third of the time."""
    return (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep the garbage collector from going through thousands of tests and modules again and again: they stay."""
    gc.disable()
    yield
    gc.freeze()
    # A page makes tens of thousands of objects that live until the next: to look through them seldom is enough.
    gc.set_threshold(50_000, 20, 50)
    gc.enable()


def pytest_ignore_collect(collection_path, config):
    """Leave out unread what `-m "core …"` would leave out anyway: reading it takes as long as many tests."""
    only_the_library = LIBRARY_ALONE or f"{config.option.markexpr} and ".startswith("core and ")
    another = collection_path.parent == TESTS and MARKS.get(collection_path.name) != "core"
    return True if only_the_library and another else None


def pytest_collection_modifyitems(items):
    """Mark tests by folder, so that a new file needs no marks."""
    for item in items:
        if not item.path.is_relative_to(TESTS):
            continue  # the example of a docstring
        mark = MARKS.get(item.path.relative_to(TESTS).parts[0])
        if mark:
            item.add_marker(mark)
        if mark == "browser":
            # A click is lost now and then where a page is drawn anew under it, on a machine with more to do than cores.
            # What does not come twice in a row, does not come.
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=["TimeoutError"]))
    # One worker has the browser's tests, which wait a third of the time; the others keep the cores at work meanwhile.
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)
    _measure_the_first_cases(items)


def _measure_the_first_cases(items):
    """Leave the coverage of long tests and all but the first cases unmeasured: measuring doubles the time of a test."""
    cases = Counter()
    for item in items:
        function = item.nodeid.partition("[")[0]
        cases[function] += 1
        measured = cases[function] <= MEASURED_CASES or item.path.parent.name in MEASURED_WHOLE
        slow = item.get_closest_marker("slow") and not MEASURED_SLOW & set(function.split("/"))
        if slow or not measured or item.path.name in UNMEASURED or item.get_closest_marker("browser"):
            item.add_marker("unmeasured")


class _Measuring:
    """Measures the coverage of tests, but for those that are unmeasured.

    pytest-cov has a mark for that, `no_cover`. But it stops for the call of a test alone, and opens its data base
    whenever it goes on: for the small tests of this project that takes longer than the tests themselves. Here it stops
    before the first unmeasured test in a row, and goes on after the last.
    """

    def __init__(self, config):
        self._config, self._stopped = config, False

    @property
    def _coverage(self):
        return getattr(self._config.pluginmanager.getplugin("_cov"), "cov_controller", None)

    def _set(self, stopped):
        coverage = self._coverage
        if coverage is None or stopped == self._stopped:
            return
        self._stopped = stopped
        if stopped:
            coverage.pause()
            self._stop_what_is_left()
        else:
            coverage.resume()

    @staticmethod
    def _stop_what_is_left():
        """Stop what a worker measured before it knew that it is one: that would go on whenever its own coverage stops.

        pytest-cov starts one in every process, and in a worker a second one that does not end the first.
        """
        from coverage import Coverage  # pytest-cov has it

        while (left := Coverage.current()) is not None:
            left.stop()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self):
        """Measure what a module does when it is imported, and not how pytest then reads the tests."""
        if self._coverage is None:
            return
        self._set(stopped=True)
        for package in LARGE_PACKAGES:
            import_module(package)
        self._set(stopped=False)
        for package in map(import_module, PACKAGES):
            for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
                if not module.name.endswith("__main__"):
                    import_module(module.name)
        self._set(stopped=True)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self._set(stopped=item.get_closest_marker("unmeasured") is not None)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self):
        self._set(stopped=False)
