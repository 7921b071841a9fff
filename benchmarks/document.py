"""The page of benchmarks, written section by section: what was measured again replaces what was there."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np

HEAD = """\
# Benchmarks

How fast ldpcore is, beside multi-freq-ldpy 0.2.5, the authors' package, in the same run on the same machine; what large
files and many users take; and how long a reader of the dashboard waits. The benchmark writes this page itself:

```sh
python -m benchmarks --write docs/benchmarks.md
```

Name sections to measure only those (`python -m benchmarks --write docs/benchmarks.md limit count`); the others stay as
they are. Every section says when it was measured, on what, and with which command.
"""
_SECTION = re.compile(r"^## (\w+)\n", re.MULTILINE)


def measured(command: str, with_peer: bool) -> str:
    """Say when, on what and with which command timings are taken."""
    versions = [f"Python {platform.python_version()}", f"NumPy {np.__version__}"]
    if with_peer:
        versions += [f"{package} {version(package)}" for package in ("multi-freq-ldpy", "numba")]
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    return f"{day}, {', '.join(versions)}, {os.cpu_count()} cores, `{command}`"


def section(when: str, tables: Sequence[object]) -> str:
    """Return the text of a section: when it was measured, and its tables one heading deeper."""
    body = "\n".join(str(table) for table in tables)
    return f"Measured {when}.\n\n" + re.sub(r"^(#+ )", r"#\1", body, flags=re.MULTILINE)


def sections(text: str) -> dict[str, str]:
    """Return the sections of a page by name."""
    _, *parts = _SECTION.split(text)
    return {name: body.strip() + "\n" for name, body in zip(parts[::2], parts[1::2], strict=True)}


def write(path: Path, changed: Mapping[str, str], order: Sequence[str]) -> None:
    """Write a page: the sections that it has, with those that changed in the place of the old ones."""
    old = sections(path.read_text(encoding="utf-8")) if path.exists() else {}
    now = {**old, **changed}
    parts = [f"## {name}\n\n{now[name].strip()}\n" for name in order if name in now]
    path.write_text("\n".join([HEAD, *parts]), encoding="utf-8")
