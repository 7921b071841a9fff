"""What tests of tables share."""

from pathlib import Path

from ldpcore.errors import Refused

ROOT = Path(__file__).resolve().parents[2]


def said(read, *arguments):
    """Return the one sentence that is said about a file, or None if it is read."""
    try:
        table = read(*arguments)
    except ValueError as problem:
        kind, told = type(problem), str(problem)
    else:
        assert table.rows == table.data.num_rows > 0
        assert table.columns == tuple(table.data.column_names)
        return None
    assert kind is Refused
    assert "\n" not in told
    assert 10 < len(told) < 400
    return told
