"""What every run of a page in these tests would do again, done once."""

from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner


@pytest.fixture(autouse=True, scope="session")
def _one_look_for_components():
    """Streamlit looks through all installed packages for components, in these tests at every run of every page."""
    look = manifest_scanner.scan_component_manifests
    manifest_scanner.scan_component_manifests = cache(look)
    yield
    manifest_scanner.scan_component_manifests = look
