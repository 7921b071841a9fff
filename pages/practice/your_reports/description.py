"""What the reader says about collected reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import ldpcore as ldp
from ldpcore.collected.report_tables import some_eps
from ldpcore.mechanisms.reports import PAIRS
from pages.practice.your_reports import controls


@dataclass(frozen=True)
class Description:
    """What made the reports, and what the file holds; what does not concern the mechanism is None.

    Attributes
    ----------
    eps : float or None
        None: every report has its own.
    n : int or None
        Number of reports behind support counts; None where the counts, or the rows, say it.
    pair : str or None
        The order of the two columns of hashed pairs, where they have no names.
    """

    mechanism: str
    k: int
    eps: float | None
    eps_inf: float | None
    calibration: str | None
    hash_family: str | None
    holds: str
    n: int | None
    pair: str | None
    header: bool

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Description:
        """Return what the controls of the page say, by their keys."""
        m = ldp.mechanism_class(values["r_mechanism"])
        counts = values["r_holds"] == controls.COUNTS
        own_eps = values["r_each"] == controls.COLUMN and not counts
        tight = m.calibration_matters and values["r_calibration"] != "published"
        peers = "hash_family" in m.options and values["r_family"] == controls.PEERS_HASH and not counts
        return cls(
            mechanism=m.name,
            k=round(values["r_k"]),
            eps=None if own_eps else float(values["r_eps"]),
            eps_inf=float(values["r_eps_inf"]) if m.longitudinal else None,
            calibration=values["r_calibration"] if tight else None,
            hash_family="xxh32" if peers else None,
            holds=values["r_holds"],
            # Where every report supports the same number of values, their sum says how many reports there were.
            n=round(values["r_n"]) if counts and m.support_law != "fixed size" else None,
            pair=values["r_pair"] if m.report_kind is PAIRS and not counts else None,
            header=not values["r_bare"],
        )

    @property
    def counts(self) -> bool:
        """Whether the file holds support counts."""
        return self.holds == controls.COUNTS

    @property
    def kind(self) -> type[ldp.Mechanism]:
        """The class of the mechanism, which is there whatever the numbers are."""
        return ldp.mechanism_class(self.mechanism)

    def options(self) -> dict[str, Any]:
        """Return the mechanism as the library and the command line take it, without what is left at its default."""
        names = ("eps_inf", "calibration", "hash_family")
        chosen = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return {"k": self.k} | ({} if self.eps is None else {"eps": self.eps}) | chosen

    def make_mechanism(self) -> ldp.Mechanism:
        """Make the mechanism; where reports bring their own ε, with some ε."""
        eps = some_eps(self.mechanism, self.eps_inf) if self.eps is None else self.eps
        return ldp.mechanism(self.mechanism, **self.options() | {"eps": eps})

    def words(self) -> str:
        """Write it as a reader does."""
        first = "ε₁" if self.eps_inf is not None else "ε"
        eps = f"{first} in a column" if self.eps is None else f"{first} = {self.eps:g}"
        inf = "" if self.eps_inf is None else f", ε∞ = {self.eps_inf:g}"
        more = [word for word in (self.calibration, self.hash_family) if word is not None]
        return ", ".join([self.mechanism, f"k = {self.k:,}", eps + inf, *more])
