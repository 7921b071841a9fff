"""What is said when something fails: a refusal in its own words, and one calm sentence for anything else."""

from __future__ import annotations

import logging

import ldpcore as ldp

NO_MEMORY = "there is not enough memory for it here"


def reason(error: Exception, doing: str) -> str:
    """Say why something failed; the details of what nobody foresaw go to the log, not to the reader.

    >>> reason(ldp.Refused("k must be small"), "the page was drawn"), reason(MemoryError(), "the page was drawn")
    ('k must be small', 'there is not enough memory for it here')
    """
    if isinstance(error, ldp.Refused):
        return str(error)
    if isinstance(error, MemoryError):
        return NO_MEMORY
    logging.getLogger(__name__).error("failed while %s", doing, exc_info=error)
    return f"something went wrong while {doing}"
