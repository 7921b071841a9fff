"""Which tests there are, what they are called by, and how they are shared out among the workers."""

from importlib.util import find_spec
from pathlib import Path

TESTS = Path(__file__).resolve().parent
LIBRARY = TESTS.parent / "ldpcore"

# With the library installed alone, its own tests are the tests.
collect_ignore = [] if find_spec("streamlit") else ["app", "browser", "packaging", "test_documents.py"]


def pytest_configure(config):
    # Left alone, one worker is given all the tests of pages and browsers at once, and the others wait for it.
    if getattr(config.option, "maxschedchunk", 0) is None:
        config.option.maxschedchunk = 8


def pytest_collection_modifyitems(items):
    """Mark tests by folder, so that a new file needs no marks."""
    for item in items:
        name = item.path.relative_to(TESTS).parts[0]
        if name in ("app", "browser"):
            item.add_marker(name)
        elif (LIBRARY / name).is_dir() or (LIBRARY / name.removeprefix("test_")).is_file():
            item.add_marker("core")
