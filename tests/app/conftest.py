"""What every run of a page in these tests would do again, done once."""

from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner

from ldpui.computing import compute
from pages.explore.estimate import in_view


@pytest.fixture(autouse=True, scope="session")
def _one_look_for_components():
    """Streamlit looks through all installed packages for components, in these tests at every run of every page."""
    look = manifest_scanner.scan_component_manifests
    manifest_scanner.scan_component_manifests = cache(look)
    yield
    manifest_scanner.scan_component_manifests = look


@pytest.fixture(autouse=True, scope="session")
def _all_in_view():
    """What is drawn when a reader comes near is drawn at once: here is no browser that would say so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_view, "ASSUMED", True)
        yield


@pytest.fixture(scope="module")
def one_worker():
    """A process that computes for pages, as on a server; without one every page computes for itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(compute.WORKERS, "1")
        compute.start()
        yield
        compute.stop()
