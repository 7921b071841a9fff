"""What tests of the commands share."""

import pytest

from ldpcore.collected import parts
from ldpcore.tables import files


@pytest.fixture
def small_batches(monkeypatch):
    """Make even small files come in many batches."""
    monkeypatch.setattr(parts, "CELLS", 1_000)
    monkeypatch.setattr(files, "BLOCK", 5_000)
