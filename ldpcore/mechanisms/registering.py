"""What a class of mechanisms must say before it is one of the list."""

from __future__ import annotations

import inspect
from typing import get_args

from ldpcore import _validate as check
from ldpcore.errors import Refused
from ldpcore.mechanisms.base import Mechanism, SupportLaw
from ldpcore.mechanisms.reports import ReportKind


def check_class(cls: type[Mechanism]) -> type[Mechanism]:
    """Return a class of mechanisms if it says all that the library asks of it, or say what is missing.

    Every mechanism of the list has passed; a new one can be tried before it is there.

    Examples
    --------
    >>> from ldpcore.mechanisms import mechanism_class
    >>> check_class(mechanism_class("SS")).name
    'SS'
    """
    if not isinstance(cls, type) or not issubclass(cls, Mechanism):
        raise Refused(f"cls must be a class that derives from ldpcore.Mechanism; got {check.shown(cls)}")
    for word in ("name", "full_name", "summary"):
        if not isinstance(getattr(cls, word, None), str):
            raise _wanting(cls, f"{word}, a text")
    kind = getattr(cls, "report_kind", None)
    if not isinstance(kind, ReportKind):
        raise _wanting(cls, "report_kind, one of ldpcore.mechanisms.REPORT_KINDS or a ReportKind of its own")
    if type(kind).text is ReportKind.text:
        raise _wanting(cls, f"a report_kind with a text, which says in words what a report is; {kind.key!r} has none")
    check.choice(f"support_law of {cls.__name__}", cls.support_law, get_args(SupportLaw))
    _check_options(cls)
    m = cls(k=4, eps=1.0)
    check.mechanism(m)
    for option in cls.options:
        if not hasattr(m, option):
            raise _wanting(cls, f"the attribute {option}, because its options name it")
    if not 0 <= m.q < m.p <= 1:
        raise Refused(f"{cls.__name__} must have 0 ≤ q < p ≤ 1; got p = {m.p:g} and q = {m.q:g} at k = 4 and ε = 1")
    if cls.takes_reals and m.threshold is None:
        raise _wanting(cls, "threshold, because takes_reals says that reports may hold reals")
    return cls


def draws_users(cls: type[Mechanism]) -> bool:
    """Tell whether counts are drawn by way of the reports of all users: what that takes grows with their number.

    >>> from ldpcore.mechanisms import LONGITUDINAL, ONE_TIME, mechanism_class
    >>> [name for name in ONE_TIME + LONGITUDINAL if draws_users(mechanism_class(name))]
    []
    """
    return cls.support_law != "independent" and cls._sample_counts is Mechanism._sample_counts


def _check_options(cls: type[Mechanism]) -> None:
    parameters = inspect.signature(cls).parameters
    for option in cls.options:
        if option not in parameters or parameters[option].default is inspect.Parameter.empty:
            raise _wanting(cls, f"a default for its option {option}: mechanism(name, k=…, eps=…) must make one")
    if unknown := sorted(set(cls.shape_options) - set(cls.options)):
        raise Refused(f"shape_options of {cls.__name__} must be among its options; got {unknown[0]!r}")


def _wanting(cls: type, what: str) -> Refused:
    return Refused(f"{cls.__name__} must have {what}")
