"""The fourteen mechanisms of the paper, one family a file."""

from __future__ import annotations

from typing import Any

from ldpcore import _validate as check
from ldpcore.errors import Refused
from ldpcore.mechanisms.base import Mechanism
from ldpcore.mechanisms.grr import GRR
from ldpcore.mechanisms.hashing import BLH, HASH_FAMILIES, OLH, HashedReports, LocalHashing, hash_cells
from ldpcore.mechanisms.histogram_encoding import THE
from ldpcore.mechanisms.longitudinal import (
    CALIBRATIONS,
    EPS_INF_MAX,
    LBLH,
    LGRR,
    LOLH,
    LOSUE,
    LOUE,
    LSOUE,
    LSUE,
    LongitudinalMechanism,
    LongitudinalUnary,
)
from ldpcore.mechanisms.subset import SS
from ldpcore.mechanisms.unary import OUE, SUE

_CLASSES: dict[str, type[Mechanism]] = {
    cls.name: cls for cls in (GRR, SUE, OUE, SS, THE, BLH, OLH, LGRR, LSUE, LOUE, LSOUE, LOSUE, LBLH, LOLH)
}
ONE_TIME = tuple(name for name, cls in _CLASSES.items() if not cls.longitudinal)
LONGITUDINAL = tuple(name for name, cls in _CLASSES.items() if cls.longitudinal)


def mechanism_class(name: str) -> type[Mechanism]:
    """Return the class of a mechanism by its name in the paper."""
    return _CLASSES[check.choice("mechanism", name, _CLASSES)]


def mechanism(
    name: str, *, k: int, eps: float, eps_inf: float | None = None, calibration: str | None = None, **options: Any
) -> Mechanism:
    """Make a mechanism by its name in the paper.

    Parameters
    ----------
    name : str
        One of ONE_TIME or LONGITUDINAL.
    k : int
        Number of values, 2 to 1 000 000.
    eps : float
        ε of one report; ε₁ of a longitudinal mechanism.
    eps_inf : float, optional
        ε∞ of a longitudinal mechanism, above `eps`; 2·eps, as in the paper, if not given.
    calibration : {"published", "tight"}, optional
        How the second round of a longitudinal mechanism is set; "published" if not given.
    **options
        `theta`, the threshold of THE; `hash_family`, "splitmix64" or "xxh32", of the four that hash.
    """
    cls = mechanism_class(name)
    if cls.longitudinal:
        options |= {"eps_inf": eps_inf, "calibration": "published" if calibration is None else calibration}
    elif eps_inf is not None or calibration is not None:
        which = "eps_inf" if eps_inf is not None else "calibration"
        given = eps_inf if eps_inf is not None else calibration
        raise Refused(f"{which} is for longitudinal mechanisms only, and {name} is not one; got {given!r}")
    known = {"eps_inf", "calibration"} | ({"theta"} if cls is THE else set())
    known |= {"hash_family"} if issubclass(cls, LocalHashing) else set()
    unknown = options.keys() - known
    if unknown:
        raise Refused(f"{name} has no parameter {min(unknown)!r}")
    return cls(k=k, eps=eps, **options)


def max_eps(name: str, eps_inf: float) -> float:
    """Return the bound that ε₁ of a longitudinal mechanism must stay below at this ε∞."""
    cls = mechanism_class(name)
    if not cls.longitudinal:
        raise Refused(f"max_eps is for longitudinal mechanisms only, and {name} is not one")
    eps_inf = check.epsilon("eps_inf", eps_inf, EPS_INF_MAX)
    return cls.max_eps(eps_inf) if issubclass(cls, LongitudinalUnary) else eps_inf


__all__ = [
    "CALIBRATIONS",
    "HASH_FAMILIES",
    "LONGITUDINAL",
    "ONE_TIME",
    "HashedReports",
    "LongitudinalMechanism",
    "Mechanism",
    "hash_cells",
    "max_eps",
    "mechanism",
    "mechanism_class",
]
