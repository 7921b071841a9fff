"""The words of a command line that counts reports, and how a shell takes them: what a page prints is what runs."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from ldpcore.experiment import Setting


def count_words(
    file: str,
    mechanism: str,
    options: Mapping[str, Any],
    *,
    columns: Sequence[str] = (),
    leave_out: Sequence[str] = (),
    eps_column: str | None = None,
    header: bool = True,
    counts: bool = False,
    n: int | None = None,
    full: bool = False,
    names: Sequence[str] = (),
    words: bool = False,
    estimator: str | None = None,
    ordered: bool = False,
) -> list[str]:
    r"""Return the words of `python -m ldpcore count`.

    Parameters
    ----------
    file, mechanism : str
        The file of reports, and what made them.
    options : mapping
        Of the mechanism: k, eps, and what else `ldpcore.mechanism` takes.
    columns, leave_out, eps_column, header, counts, n, full, names, words, estimator, ordered
        As the options of the command of these names.

    Examples
    --------
    >>> print(shell_line(count_words("my reports.csv", "OLH", {"k": 20, "eps": 1.0}, columns=["b", "a, c"])))
    python -m ldpcore count 'my reports.csv' --mechanism OLH --k 20 --eps 1.0 --columns 'b,"a, c"'
    """
    line = ["python", "-m", "ldpcore", "count", f"./{file}" if file.startswith("-") else file]
    line += ["--mechanism", mechanism]
    for name, value in options.items():
        line += [f"--{name.replace('_', '-')}", str(value)]
    named = {
        "--eps-column": eps_column or "",
        "--columns": _line(columns),
        "--leave-out": _line(leave_out),
        "--n": "" if n is None else str(n),
        "--names": _line(names),
        "--estimator": estimator or "",
    }
    for option, value in named.items():
        if value:
            # A value that begins like an option would be taken for one.
            line += [f"{option}={value}"] if value.startswith("-") else [option, value]
    switches = {"--no-header": not header, "--counts": counts, "--full": full, "--words": words, "--ordered": ordered}
    return line + [switch for switch, on in switches.items() if on]


def run_words(setting: Setting) -> list[str]:
    """Return the words of `python -m ldpcore run` for a setting on data of its own; defaults need not be said.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> print(shell_line(run_words(ldp.Setting(data="poisson", mechanism="OUE", n=5_000, runs=100))))
    python -m ldpcore run --data poisson --mechanism OUE --n 5000 --runs 100
    """
    line = ["python", "-m", "ldpcore", "run"]
    for field in fields(setting):
        value = getattr(setting, field.name)
        if field.name != "params" and value != field.default:
            line += [f"--{field.name.replace('_', '-')}", str(value)]
    return line + [word for name, value in setting.params for word in ("--param", f"{name}={value!r}")]


def _line(names: Sequence[str]) -> str:
    """Write names as a line of CSV."""
    out = io.StringIO()
    blanks = any(name != name.strip() for name in names)
    csv.writer(out, lineterminator="", quoting=csv.QUOTE_ALL if blanks else csv.QUOTE_MINIMAL).writerow(names)
    return out.getvalue()


def shell_line(words: Sequence[str]) -> str:
    """Write words so that a shell takes them as they are."""
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    r"""Quote a word; where it has characters that do not print, as bash and zsh write them.

    >>> print(_quoted("it's"), _quoted("a\nb"))
    'it'"'"'s' $'a\x0ab'
    """
    if word.isprintable():
        return shlex.quote(word)
    parts = []
    for character in word:
        if character in "'\\":
            parts.append(f"\\{character}")
        elif character.isprintable():
            parts.append(character)
        else:
            parts += [f"\\x{byte:02x}" for byte in character.encode(errors="surrogateescape")]
    return f"$'{''.join(parts)}'"
