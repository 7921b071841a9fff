"""What phones send, read as if an enemy had sent it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import ldpcore as ldp
from ldpcore.mechanisms.reports import BITS, VALUES

# GRR sends one value, OUE one bit for each: the kinds that the program on the phones can make.
MECHANISMS = ("GRR", "OUE")
# The phone's own random name: 128 bits.
_TOKEN = re.compile(r"[0-9a-f]{32}", re.ASCII)
_PARTS = {"round", "token", "report"}


@dataclass(frozen=True)
class Report:
    """One report: for which round, from which phone, and the values that it supports."""

    round: int
    token: str
    supported: tuple[int, ...]


def read(message: Any, mechanism: str, k: int) -> Report:
    """Return the report that a message holds; a `Refused` where it is anything else.

    >>> read({"round": 1, "token": "0" * 32, "report": 2}, "GRR", 3).supported
    (2,)
    >>> read({"round": 1, "token": "0" * 32, "report": [0, 1, 1]}, "OUE", 3).supported
    (1, 2)
    """
    if type(message) is not dict or set(message) != _PARTS:
        raise ldp.Refused("this is not a report")
    number, token, report = message["round"], message["token"], message["report"]
    # True and 1.0 are equal to 1, but no phone of ours sends them.
    if type(number) is not int or type(token) is not str or not _TOKEN.fullmatch(token):
        raise ldp.Refused("this is not a report")
    return Report(number, token, _READERS[ldp.mechanism_class(mechanism).report_kind.key](report, k))


def _value(report: Any, k: int) -> tuple[int, ...]:
    if type(report) is not int or not 0 <= report < k:
        raise ldp.Refused(f"the report must be one of the {k} answers")
    return (report,)


def _bits(report: Any, k: int) -> tuple[int, ...]:
    if type(report) is not list or len(report) != k or any(type(bit) is not int or bit not in (0, 1) for bit in report):
        raise ldp.Refused(f"the report must be {k} bits")
    return tuple(value for value, bit in enumerate(report) if bit)


# What a phone may send, by the kind of report.
_READERS = {VALUES.key: _value, BITS.key: _bits}
