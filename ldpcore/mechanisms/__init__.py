"""The mechanisms, one family a file, each registered in the one list below; it begins with the paper's."""

from __future__ import annotations

from typing import Any

from ldpcore import _validate as check
from ldpcore.errors import Refused
from ldpcore.mechanisms.base import Mechanism
from ldpcore.mechanisms.device import Device
from ldpcore.mechanisms.grr import GRR
from ldpcore.mechanisms.hashing import BLH, HASH_FAMILIES, OLH, hash_cells
from ldpcore.mechanisms.histogram_encoding import THE
from ldpcore.mechanisms.longitudinal import CALIBRATIONS, LBLH, LGRR, LOLH, LongitudinalMechanism
from ldpcore.mechanisms.longitudinal_unary import LOSUE, LOUE, LSOUE, LSUE
from ldpcore.mechanisms.memo import Memo
from ldpcore.mechanisms.registering import check_class
from ldpcore.mechanisms.reports import REPORT_KINDS, HashedReports, ReportKind
from ldpcore.mechanisms.rounds import Rounds
from ldpcore.mechanisms.secure import SecureGenerator, secure_rng
from ldpcore.mechanisms.square_wave import SquareWave
from ldpcore.mechanisms.subset import SS
from ldpcore.mechanisms.unary import OUE, SUE

# The one place where a mechanism is registered, in the paper's order.
_REGISTERED: tuple[type[Mechanism], ...] = (
    GRR,
    SUE,
    OUE,
    SS,
    THE,
    BLH,
    OLH,
    LGRR,
    LSUE,
    LOUE,
    LSOUE,
    LOSUE,
    LBLH,
    LOLH,
)
_CLASSES: dict[str, type[Mechanism]] = {cls.name: check_class(cls) for cls in _REGISTERED}
ONE_TIME = tuple(name for name, cls in _CLASSES.items() if not cls.longitudinal)
"""The names of the one-time mechanisms, in the paper's order."""
LONGITUDINAL = tuple(name for name, cls in _CLASSES.items() if cls.longitudinal)
"""The names of the longitudinal mechanisms, in the paper's order."""


def mechanism_class(name: str, *, argument: str = "name") -> type[Mechanism]:
    """Return the class of a mechanism by its name in the paper; `argument` is what the caller's own is called.

    Examples
    --------
    >>> mechanism_class("SS").full_name
    'Subset Selection'
    """
    return _CLASSES[check.choice(argument, name, _CLASSES)]


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
        What the mechanism's own `options` names: `theta`, the threshold of THE; `hash_family`, "splitmix64" or "xxh32",
        of the four that hash; `g`, the number of cells of OLH and L-OLH; `omega`, the size of the sets of SS.

    Examples
    --------
    >>> mechanism("OUE", k=100, eps=1.0)
    OUE(k=100, eps=1.0)
    >>> mechanism("L-GRR", k=100, eps=1.0, calibration="tight").eps_inf
    2.0
    """
    cls = mechanism_class(name)
    for option, value in (("eps_inf", eps_inf), ("calibration", calibration)):
        if value is not None and not cls.longitudinal:
            raise Refused(
                f"{option} is for longitudinal mechanisms only, and {name} is not one; got {check.shown(value)}"
            )
        if value is not None:
            options[option] = value
    unknown = options.keys() - set(cls.options)
    if unknown:
        takes = ", ".join(("k", "eps", *cls.options))
        raise Refused(f"{name} has no parameter {min(unknown)!r}; it takes {takes}")
    return cls(k=k, eps=eps, **options)


def max_eps(name: str, eps_inf: float) -> float:
    """Return the bound that ε₁ of a longitudinal mechanism must stay below at this ε∞.

    Examples
    --------
    >>> max_eps("L-SUE", 2.0)
    2.0
    """
    cls = mechanism_class(name)
    if not cls.longitudinal:
        raise Refused(f"name must be that of a longitudinal mechanism; got {check.shown(name)}")
    return cls.max_eps(eps_inf)


__all__ = [
    "CALIBRATIONS",
    "HASH_FAMILIES",
    "LONGITUDINAL",
    "ONE_TIME",
    "REPORT_KINDS",
    "Device",
    "HashedReports",
    "LongitudinalMechanism",
    "Mechanism",
    "Memo",
    "ReportKind",
    "Rounds",
    "SecureGenerator",
    "SquareWave",
    "check_class",
    "hash_cells",
    "max_eps",
    "mechanism",
    "mechanism_class",
    "secure_rng",
]
