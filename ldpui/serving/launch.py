"""The command `ldp-explorer`: `streamlit run` of the dashboard, from any folder."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from streamlit.web import cli

_SETTINGS = Path(".streamlit") / "config.toml"


def main() -> None:
    """Start the server; arguments are those of `streamlit run`."""
    app = app_file()
    sys.argv = ["streamlit", "run", str(app), *host_flags(app), *sys.argv[1:]]
    cli.main(prog_name="streamlit")


def app_file() -> Path:
    """Return the dashboard's script: that of the wheel, or that of the repository beside this package."""
    root = Path(__file__).resolve().parents[2]
    installed = root / "ldp_explorer" / "app.py"
    return installed if installed.exists() else root / "app.py"


def host_flags(app: Path) -> list[str]:
    """Return flags for what the host's own settings decide otherwise than the dashboard's.

    Streamlit reads the settings of the home folder, then those of the current folder, then those beside the script:
    the last win. Ours are defaults, so what both decide is handed on as flags, which win over files. The environment
    decides over files too, and is left to do so.
    """
    ours = app.parent / _SETTINGS
    defaults = dict(_options(ours))
    host: dict[str, Any] = {}
    for folder in (Path.home(), Path.cwd()):
        path = folder / _SETTINGS
        if path.is_file() and path.resolve() != ours.resolve():
            host.update(_options(path))
    return [f"--{name}={_flag(host[name])}" for name in host if name in defaults and not _in_environment(name)]


def _options(path: Path) -> Iterator[tuple[str, Any]]:
    """Give the options of a file under their full names, such as theme.light.textColor."""
    try:
        yield from _flat(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return  # Streamlit reads the file too, and says what is wrong with it


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _flag(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _in_environment(name: str) -> bool:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.replace(".", "_"))
    return f"STREAMLIT_{words.upper()}" in os.environ
