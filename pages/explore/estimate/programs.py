"""Programs that give the very numbers on screen: a script, and a notebook."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import ldpcore as ldp
from ldpui.export import described
from pages.explore.estimate.citation import source_address


@dataclass(frozen=True)
class _Parts:
    """The parts of a program: what it imports, the setting with its data, and the run."""

    imports: str
    setting: str
    run: str


def _parts(result: ldp.Result) -> _Parts:
    """Return the parts for a result; data of one's own goes with it, as a histogram."""
    own = result.setting.data == ldp.OWN_DATA
    lines = ",\n    ".join(f"{name}={value!r}" for name, value in result.setting.as_dict().items())
    setting = f"setting = ldp.Setting(\n    {lines},\n)"
    if own:
        setting += (
            f"\ndata = ldp.Histogram(\n    np.array({result.histogram.tolist()}),\n"
            f"    np.array({result.edges.tolist()}),\n    {result.labels!r},\n)"
        )
    numpy = "import numpy as np\n\n" if own else ""
    return _Parts(f"{numpy}import ldpcore as ldp", setting, f"result = ldp.run(setting{', data' if own else ''})")


def _head(result: ldp.Result) -> list[str]:
    """Return what a program says of itself: its setting, and how to install what it imports."""
    setting_line, how = described(result.setting)
    version, address = ldp.__version__, source_address()
    return [
        f"{setting_line}; {how.partition(' · ')[0]}.",
        f"It needs ldpcore {version}, the library of LDP Explorer. In a copy of the source"
        + (f" ({address})" if address else "")
        + ":",
        "    pip install ./ldpcore",
        "or from the wheel that `make wheels` builds there:",
        f"    pip install dist/ldpcore-{version}-py3-none-any.whl",
    ]


def _shown(collection: int | None) -> str:
    if collection is None:
        return "result.true, result.mi, result.ibu, result.limit hold the histograms: (k,) and (runs, k)."
    return f"The chart showed collection {collection} alone: result.mi[{collection - 1}], result.ibu[{collection - 1}]."


def script(result: ldp.Result, collection: int | None = None) -> str:
    """Write a program that prints a result's numbers."""
    parts = _parts(result)
    head = "\n".join(_head(result))
    return f'''"""Made by LDP Explorer {ldp.__version__}; prints the numbers that were on screen.

{head}
"""

import json

{parts.imports}

{parts.setting}
{parts.run}
print(json.dumps(result.summary(), indent=1))

# {_shown(collection)}
'''


def notebook(result: ldp.Result, collection: int | None = None) -> str:
    """Write the same as a notebook: nbformat 4.5, which every Jupyter of today reads."""
    parts = _parts(result)
    setting_line, _ = described(result.setting)
    cells = [
        _cell(
            "about",
            "markdown",
            f"# {setting_line}\n\nMade by LDP Explorer {ldp.__version__}.\n\n" + _prose(_head(result)),
        ),
        _cell("setting", "code", f"{parts.imports}\n\n{parts.setting}"),
        _cell("run", "code", f"{parts.run}\nresult"),
        _cell("numbers", "code", "result.summary()"),
        _cell("histograms", "markdown", _shown(collection)),
        _cell("estimates", "code", "result.ibu.mean(axis=0)"),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _prose(lines: list[str]) -> str:
    """Write lines for Markdown, in which an indented line is code only after an empty one."""
    return "\n\n".join(lines)


def _cell(name: str, kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": {}, "source": text.splitlines(keepends=True)}
    return cell | {"execution_count": None, "outputs": []} if kind == "code" else cell
