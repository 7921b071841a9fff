"""What all distributions of user values have in common."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.errors import Refused


@dataclass(frozen=True)
class Parameter:
    """A parameter of a distribution: its name, the paper's value of it, and the range that is allowed.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> ldp.distribution("poisson").parameters()[0].default
    5.0
    """

    name: str
    default: float
    low: float
    high: float


def parameter(default: float, low: float, high: float) -> Any:
    """Declare a parameter as a field of a distribution's dataclass; whole numbers are taken for reals.

    >>> parameter(2, 1, 10).metadata["parameter"]
    (2.0, 1.0, 10.0)
    """
    numbers = tuple(check.real(name, v) for name, v in (("default", default), ("low", low), ("high", high)))
    if not numbers[1] <= numbers[0] <= numbers[2]:
        raise Refused(f"the default of a parameter must be from low to high; got {default} for {low} to {high}")
    return dataclasses.field(default=numbers[0], metadata={"parameter": numbers})


def probabilities(name: str, values: Any) -> FloatArray:
    """Return `values` as a float64 array with every entry from 0 to 1."""
    array = check.reals(name, values)
    if not np.all((array >= 0) & (array <= 1)):
        raise Refused(f"{name} must hold numbers from 0 to 1; got {check.shown(values)}")
    return array


def drawing(n: Any, rng: Any) -> tuple[int, np.random.Generator]:
    """Return how many users are drawn, and what draws them."""
    return check.integer("n", n, 0, check.DRAWS_MAX), check.generator("rng", rng)


@dataclass(frozen=True)
class Distribution(ABC):
    """A distribution of user values; the fields of a subclass are its parameters.

    Both tails have their own functions, `cdf` with `quantile` and `survival` with
    `upper_quantile`: the largest of 10⁹ samples lies where 1 - cdf has no digits left.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> poisson = ldp.distribution("poisson", {"rate": 2.0})
    >>> poisson.label, round(float(poisson.cdf(1)), 4), round(float(poisson.survival(1)), 4)
    ('Poisson', 0.406, 0.594)
    """

    # What programs and people call it, a sentence on it, what its values are (the title of an axis), and their unit.
    name: ClassVar[str]
    label: ClassVar[str]
    description: ClassVar[str]
    axis: ClassVar[str] = "value"
    unit: ClassVar[str] = ""
    # Whether the values are whole numbers, which may have a bin each.
    whole: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for p in self.parameters():
            # Frozen for everyone else; here the checked float replaces whatever number was given.
            object.__setattr__(self, p.name, check.real(p.name, getattr(self, p.name), p.low, p.high))

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """Return the parameters in order, with the paper's values and the allowed ranges.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> [p.name for p in ldp.distribution("gaussian").parameters()]
        ['mean', 'sd']
        """
        return tuple(Parameter(f.name, *f.metadata["parameter"]) for f in dataclasses.fields(cls))

    @abstractmethod
    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        """Pr[X <= x].

        Examples
        --------
        >>> import ldpcore as ldp
        >>> poisson = ldp.distribution("poisson", {"rate": 2.0})
        >>> poisson.cdf([0, 1]).round(3)
        array([0.135, 0.406])
        """

    @abstractmethod
    def survival(self, x: npt.ArrayLike) -> FloatArray:
        """Pr[X > x], precise where it is small.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> poisson = ldp.distribution("poisson", {"rate": 2.0})
        >>> poisson.survival([0, 1]).round(3), bool(poisson.survival(20) > 0)
        (array([0.865, 0.594]), True)
        """

    @abstractmethod
    def quantile(self, u: npt.ArrayLike) -> FloatArray:
        """Inverse of `cdf`.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> poisson = ldp.distribution("poisson", {"rate": 2.0})
        >>> poisson.quantile([0.1, 0.5, 0.9])
        array([0., 2., 4.])
        """

    @abstractmethod
    def upper_quantile(self, s: npt.ArrayLike) -> FloatArray:
        """Inverse of `survival`: the value that a sample exceeds with probability `s`.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> poisson = ldp.distribution("poisson", {"rate": 2.0})
        >>> poisson.upper_quantile([0.1, 1e-9])
        array([ 4., 15.])
        """

    @abstractmethod
    def draw(self, n: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw the values of n users.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> poisson = ldp.distribution("poisson", {"rate": 2.0})
        >>> values = poisson.draw(1_000, np.random.default_rng(1))
        >>> values.shape, values.dtype.kind
        ((1000,), 'i')
        """


class DiscreteDistribution(Distribution):
    """A distribution over whole numbers, given by the probability of each."""

    whole: ClassVar[bool] = True

    @abstractmethod
    def atoms(self) -> tuple[IntArray, FloatArray]:
        """Return consecutive values and their probabilities; what lies outside has less than 1e-18."""

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        values, p = self.atoms()
        below = np.concatenate(([0.0], np.cumsum(p)))
        return np.asarray(np.minimum(below[np.searchsorted(values, check.reals("x", x), side="right")], 1.0))

    def survival(self, x: npt.ArrayLike) -> FloatArray:
        values, p = self.atoms()
        above = np.concatenate((np.cumsum(p[::-1])[::-1], [0.0]))
        return np.asarray(np.minimum(above[np.searchsorted(values, check.reals("x", x), side="right")], 1.0))

    def quantile(self, u: npt.ArrayLike) -> FloatArray:
        """Return the smallest value whose `cdf` is at least `u`."""
        values, p = self.atoms()
        at = np.searchsorted(np.cumsum(p), probabilities("u", u), side="left")
        return values[np.minimum(at, values.size - 1)].astype(np.float64)

    def upper_quantile(self, s: npt.ArrayLike) -> FloatArray:
        """Return the smallest value whose `survival` is at most `s`."""
        values, p = self.atoms()
        above = np.cumsum(p[::-1]) - p[::-1]  # survival of the values, largest value first
        at = values.size - np.searchsorted(above, probabilities("s", s), side="right")
        return values[np.clip(at, 0, values.size - 1)].astype(np.float64)
