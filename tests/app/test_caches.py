"""What Streamlit keeps for all visitors is bounded in bytes and time, as docs/hosting.md says."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def caches():
    """Yield place and arguments of every use of `st.cache_data` as a decorator."""
    for folder in ("pages", "ldpui"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(text)) if "cache_data" in text else ():
                if isinstance(node, ast.FunctionDef):
                    for one in node.decorator_list:
                        if "cache_data" in ast.unparse(one):
                            yield f"{path.relative_to(ROOT)}: {node.name}", ast.unparse(one)


@pytest.mark.parametrize(("place", "decorator"), list(caches()))
def test_a_cache_has_bounds(place, decorator):
    for bound in ("max_size=cache.MAX_BYTES", "ttl=cache.TTL"):
        assert bound in decorator
