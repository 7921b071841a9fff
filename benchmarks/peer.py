"""The fourteen mechanisms of multi-freq-ldpy behind one interface."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# ldpcore's name: the peer's module, the prefix of its functions there, what its `optimal` has to be.
_FUNCTIONS: dict[str, tuple[str, str, tuple[bool, ...]]] = {
    "GRR": ("pure_frequency_oracles.GRR", "GRR", ()),
    "SUE": ("pure_frequency_oracles.UE", "UE", (False,)),
    "OUE": ("pure_frequency_oracles.UE", "UE", (True,)),
    "SS": ("pure_frequency_oracles.SS", "SS", ()),
    "THE": ("pure_frequency_oracles.HE", "HE", ()),
    "BLH": ("pure_frequency_oracles.LH", "LH", (False,)),
    "OLH": ("pure_frequency_oracles.LH", "LH", (True,)),
    "L-GRR": ("long_freq_est.L_GRR", "L_GRR", ()),
    "L-SUE": ("long_freq_est.L_SUE", "L_SUE", ()),
    "L-OUE": ("long_freq_est.L_OUE", "L_OUE", ()),
    "L-SOUE": ("long_freq_est.L_SOUE", "L_SOUE", ()),
    "L-OSUE": ("long_freq_est.L_OSUE", "L_OSUE", ()),
    "L-BLH": ("long_freq_est.L_LH", "L_LH", (False,)),
    "L-OLH": ("long_freq_est.L_LH", "L_LH", (True,)),
}
NAMES = tuple(_FUNCTIONS)
HASHING = ("BLH", "OLH", "L-BLH", "L-OLH")


def problem() -> str | None:
    """Return why the peer can't be used, or None if it can."""
    install = 'pip install -e ".[benchmarks]" installs it as it is needed here.'
    try:
        importlib.import_module("multi_freq_ldpy.pure_frequency_oracles.HE")
        xxhash = importlib.import_module("xxhash")
    except ImportError as error:
        return f"The peer, multi-freq-ldpy, is not installed ({error}). {install}"
    try:
        xxhash.xxh32("0", seed=0)
    except TypeError:
        return f"The peer, multi-freq-ldpy, needs xxhash below 4, and {xxhash.VERSION} is installed. {install}"
    return None


class Peer:
    """One of the peer's mechanisms with its parameters filled in.

    `eps_inf` is used by the longitudinal ones. Making a `Peer` compiles its functions,
    so that timings of the methods measure the work alone.
    """

    def __init__(self, name: str, *, k: int, eps: float, eps_inf: float) -> None:
        module_name, prefix, optimal = _FUNCTIONS[name]
        module = importlib.import_module(f"multi_freq_ldpy.{module_name}")
        budget = (eps_inf, eps) if name.startswith("L-") else (eps,)
        self.name, self.k = name, k
        self._client = getattr(module, f"{prefix}_Client")
        self._client_arguments = (k, *budget, *optimal)
        self._mi = self._filled_in(getattr(module, f"{prefix}_Aggregator_MI"), budget, optimal)
        self._ibu = self._filled_in(getattr(module, f"{prefix}_Aggregator_IBU"), budget, optimal)
        self._compile()

    def _filled_in(self, function: Callable[..., Any], budget: tuple[float, ...], optimal: tuple[bool, ...]) -> Any:
        """Return the aggregator as a function of the reports alone; not all of them take k."""
        takes_k = "k" in inspect.signature(function).parameters
        arguments = (*((self.k,) if takes_k else ()), *budget, *optimal)
        return lambda reports: function(reports, *arguments)

    def _compile(self) -> None:
        reports = self.privatize([value % self.k for value in range(200)])
        self.mi(reports)
        self.ibu(reports)

    def privatize(self, values: Sequence[int]) -> list[Any]:
        """Return the reports, one call of the client for each of the values."""
        client, arguments = self._client, self._client_arguments
        return [client(value, *arguments) for value in values]

    def mi(self, reports: list[Any]) -> np.ndarray:
        """Count the reports and estimate by Matrix Inversion."""
        return np.asarray(self._mi(reports))

    def ibu(self, reports: list[Any]) -> np.ndarray:
        """Count the reports and estimate by Iterative Bayesian Update, 10 000 iterations at most."""
        return np.asarray(self._ibu(reports))
