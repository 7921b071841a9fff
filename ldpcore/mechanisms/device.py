"""One user's device: the value that is held, what is kept between reports, and the reports that are sent."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from ldpcore import _validate as check

# From values, one for each user, and a generator to reports.
Privatize = Callable[[Any, np.random.Generator], Any]


class Device(ABC):
    """What one user sends from, report after report; `Mechanism.device` makes it.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> rng = np.random.default_rng(1)
    >>> phone = ldp.mechanism("L-GRR", k=4, eps=1.0, eps_inf=40.0).device(3, rng)
    >>> phone.memo.tolist()  # drawn once, and kept for good
    [3]
    >>> phone.hold(2, rng)
    >>> phone.memo.tolist(), phone.report(rng).shape
    ([2], (1,))
    """

    @property
    @abstractmethod
    def memo(self) -> Any:
        """What is kept for the value that is held, in the form of a report; None where nothing is."""

    @abstractmethod
    def hold(self, value: int, rng: np.random.Generator) -> None:
        """Hold another value from now on, or the same.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> rng = np.random.default_rng(1)
        >>> phone = ldp.mechanism("GRR", k=4, eps=50.0).device(3, rng)
        >>> phone.hold(1, rng)
        >>> phone.report(rng)
        array([1])
        """

    @abstractmethod
    def report(self, rng: np.random.Generator) -> Any:
        """Return the next report, as `privatize` returns that of one user.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> rng = np.random.default_rng(1)
        >>> phone = ldp.mechanism("GRR", k=4, eps=50.0).device(3, rng)
        >>> [phone.report(rng).item() for _ in range(3)]
        [3, 3, 3]
        """


class FreshDevice(Device):
    """Keeps nothing: all noise is fresh at every report.

    >>> phone = FreshDevice(lambda values, rng: rng.integers(0, 9, len(values)), 3, k=4)
    >>> phone.memo is None, phone.report(np.random.default_rng(0)).shape
    (True, (1,))
    """

    def __init__(self, privatize: Privatize, value: int, k: int) -> None:
        self._privatize, self._value, self._k = privatize, value, k

    @property
    def memo(self) -> None:
        return None

    def hold(self, value: int, rng: np.random.Generator) -> None:
        self._value = check.integer("value", value, 0, self._k - 1)

    def report(self, rng: np.random.Generator) -> Any:
        return self._privatize([self._value], rng)


class ResendingDevice(FreshDevice):
    """Keeps the first report of every value, and sends it again and again: copies, which callers may write to.

    >>> phone = ResendingDevice(lambda values, rng: rng.integers(0, 10**9, len(values)), 3, k=4)
    >>> rng = np.random.default_rng(0)
    >>> bool(phone.report(rng) == phone.report(rng))
    True
    """

    def __init__(self, privatize: Privatize, value: int, k: int) -> None:
        super().__init__(privatize, value, k)
        self._reports: dict[int, Any] = {}

    @property
    def memo(self) -> Any:
        return copy.deepcopy(self._reports.get(self._value))

    def report(self, rng: np.random.Generator) -> Any:
        if self._value not in self._reports:
            self._reports[self._value] = super().report(rng)
        return copy.deepcopy(self._reports[self._value])
