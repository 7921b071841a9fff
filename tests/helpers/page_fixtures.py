"""What every run of a page in these tests would do again, done once."""

from functools import cache
from weakref import WeakKeyDictionary

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import local_script_runner

from ldpui.charts import in_turn
from ldpui.computing import compute
from ldpui.serving import held_files
from pages.explore.estimate import in_view


@pytest.fixture(autouse=True, scope="session")
def one_look_for_components():
    """Streamlit looks through all installed packages for components, in these tests at every run of every page."""
    look = manifest_scanner.scan_component_manifests
    manifest_scanner.scan_component_manifests = cache(look)
    yield
    manifest_scanner.scan_component_manifests = look


def wait(runner, timeout=3):
    """Wait until a page has run, without asking again and again."""
    runner._script_thread.join(timeout)
    if not runner.script_stopped():
        runner.request_stop()
        runner.join()
        raise RuntimeError(f"AppTest script run timed out after {timeout}(s)")


@pytest.fixture(autouse=True, scope="session")
def quiet_wait():
    """Streamlit asks a thousand times a second whether a page has run, and holds the page's own thread up with it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "require_widgets_deltas", wait)
        yield


@pytest.fixture(autouse=True, scope="session")
def all_in_view():
    """What is drawn when a reader comes near is drawn at once: here is no browser that would say so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_view, "ASSUMED", True)
        yield


@pytest.fixture(autouse=True, scope="session")
def no_pauses():
    """Pictures come at once: here is no browser that would draw them meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_turn, "PAUSE", 0.0)
        yield


@pytest.fixture(scope="module")
def one_worker():
    """A process that computes for pages, as on a server; without one every page computes for itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(compute.WORKERS, "1")
        compute.start()
        yield
        compute.stop()


@pytest.fixture(autouse=True)
def no_columns_of_other_tests(monkeypatch):
    """The server counts what all sessions hold; those of earlier tests may not be freed yet."""
    monkeypatch.setattr(held_files, "_things", WeakKeyDictionary())
