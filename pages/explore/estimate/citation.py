"""Whom to cite, and where the source is: what the package says of itself, and nothing else."""

from __future__ import annotations

from importlib import metadata

import ldpcore as ldp

PACKAGE = "ldp-explorer"
# What packages call the address of their source, in the order in which it is looked for.
_LABELS = ("source", "source code", "repository", "homepage")

_PAPER = r"""@inproceedings{arcolezi2023utility,
  author    = {Arcolezi, H{\'e}ber H. and Cerna, Selene and Palamidessi, Catuscia},
  title     = {On the Utility Gain of Iterative {Bayesian} Update for Locally Differentially Private Mechanisms},
  booktitle = {Data and Applications Security and Privacy XXXVII (DBSec 2023)},
  series    = {Lecture Notes in Computer Science},
  volume    = {13942},
  year      = {2023},
  doi       = {10.1007/978-3-031-37586-6_11},
}
"""


def source_address(package: str = PACKAGE) -> str | None:
    """Return where the source is, if the installed package names an address."""
    try:
        lines = metadata.metadata(package).get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return None
    named = {}
    for line in lines:
        label, _, address = str(line).partition(",")
        named[label.strip().lower()] = address.strip()
    return next((named[label] for label in _LABELS if named.get(label)), None)


def bibtex() -> str:
    """Return the paper and this tool as BibTeX."""
    fields = {
        "author": "{The LDP Explorer authors}",
        "title": "{LDP Explorer}",
        "version": ldp.__version__,
        "note": "MIT licence",
        "url": source_address(),
    }
    lines = "".join(f"  {name:<9} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"{_PAPER}\n@software{{ldp_explorer,\n{lines}}}\n"
