"""What the log of a server says: what failed and where, never in which words.

The words of an exception may hold a cell of a visitor's data, or a text from a link. So what is logged of it is its
kind, and for each step on the way to it the file, the line and the function. The same goes for whatever other packages
would write: warnings, arguments of their messages, exceptions of threads. Nothing here needs Streamlit: workers do it
too.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from numbers import Number
from typing import Any, TextIO

# What these log is our own, and they are given no words of visitors; what others log may be anything.
_OWN = ("ldpui", "ldpcore", "pages", "deploy")
# Where an exception has the steps on its way in another process: they do not come with it.
_ELSEWHERE = "_steps_elsewhere"
_LOG = logging.getLogger(__name__)


def described(error: BaseException) -> str:
    """Say what failed and where, and what that came from, in lines; not in its own words.

    >>> try:
    ...     int("a cell of somebody's")
    ... except ValueError as error:
    ...     print(described(error))  # doctest: +ELLIPSIS
      File "...", line 2, in <module>
    ValueError
    """
    return "\n".join(line for one in _chain(error) for line in (*_steps(one), kind(one)))


def kind(error: BaseException) -> str:
    """Return the kind of an exception; of one of the system's also what the system calls its number.

    >>> kind(ValueError("a cell of somebody's")), kind(OSError(2, "a name of somebody's"))
    ('ValueError', 'FileNotFoundError (No such file or directory)')
    """
    name = type(error).__qualname__
    module = type(error).__module__
    full = name if module == "builtins" else f"{module}.{name}"
    number = getattr(error, "errno", None)
    return f"{full} ({os.strerror(number)})" if isinstance(error, OSError) and isinstance(number, int) else full


def remember_steps(error: BaseException) -> None:
    """Have an exception know the steps on its way when it goes to another process."""
    with suppress(AttributeError, TypeError):
        setattr(error, _ELSEWHERE, list(_steps(error)))


def keep_words_out() -> None:
    """Have everything that this process logs say what failed and where, and nothing else; twice changes nothing."""
    make: Callable[..., logging.LogRecord] = logging.getLogRecordFactory()
    if not getattr(make, "keeps_words_out", False):

        def record(*arguments: Any, **options: Any) -> logging.LogRecord:
            return _without_words(make(*arguments, **options))

        record.keeps_words_out = True  # type: ignore[attr-defined]
        logging.setLogRecordFactory(record)
    # A message that can't be written would be printed with all that belongs to it.
    logging.raiseExceptions = False
    sys.excepthook = _ended
    sys.unraisablehook = lambda what: _LOG.error("failed while something was freed", exc_info=what.exc_value)
    threading.excepthook = lambda what: _LOG.error("a thread ended", exc_info=what.exc_value)
    warnings.showwarning = _warned


def keep_words_out_of_a_worker() -> None:
    """Have a process whose only subject is visitors' data log the same, and let nothing else of it reach the log.

    What a library in C writes before it ends its process, nobody can look through.
    """
    out = os.fdopen(os.dup(2), "w", buffering=1, encoding="utf-8", errors="replace")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    handler = logging.StreamHandler(out)
    handler.setFormatter(logging.Formatter("%(asctime)s worker %(process)d: %(message)s"))
    logging.getLogger().addHandler(handler)
    keep_words_out()


@contextmanager
def quiet(name: str) -> Iterator[None]:
    """Have a logger say nothing but errors for a while.

    >>> with quiet("somebody"):
    ...     logging.getLogger("somebody").isEnabledFor(logging.WARNING)
    False
    """
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and those that it came from, the first cause first."""
    errors, seen = [error], {id(error)}
    while (cause := errors[0].__cause__ or errors[0].__context__) is not None and id(cause) not in seen:
        seen.add(id(cause))
        errors.insert(0, cause)
    yield from errors


def _steps(error: BaseException) -> Iterator[str]:
    for frame in (*traceback.extract_tb(error.__traceback__), *getattr(error, _ELSEWHERE, ())):
        yield frame if isinstance(frame, str) else f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}'


def _without_words(record: logging.LogRecord) -> logging.LogRecord:
    """Leave of a message what is known to be no visitor's."""
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        record.exc_text = described(error)
    record.exc_info = None
    own = record.name.partition(".")[0] in _OWN
    if isinstance(record.msg, BaseException):
        record.msg, record.args = kind(record.msg), ()
    elif record.name == "asyncio":
        # It has the texts of all objects that had to do with it, the exception among them.
        record.msg, record.args = str(record.msg).partition("\n")[0].partition("(")[0].partition("<")[0], ()
    if isinstance(record.args, dict):
        record.args = {name: _safe(value, own) for name, value in record.args.items()}
    elif record.args:
        record.args = tuple(_safe(value, own) for value in record.args)
    return record


def _safe(value: Any, own: bool) -> Any:
    """Return what may be logged in the place of an argument: numbers are not words, nor is what we say ourselves."""
    if isinstance(value, BaseException):
        return kind(value)
    if own or value is None or isinstance(value, Number):
        return value
    return f"<{type(value).__name__}>"


def _ended(_kind: Any, error: BaseException, _traceback: Any) -> None:
    if isinstance(error, KeyboardInterrupt):
        sys.stderr.write("stopped\n")
    else:
        _LOG.critical("the process ends", exc_info=error)


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    _LOG.warning("%s in %s, line %d", category.__name__, filename, lineno)
