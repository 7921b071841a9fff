"""What all mechanisms have in common."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal, Self

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, FloatArray, IntArray
from ldpcore.errors import Refused
from ldpcore.mechanisms._random import row_blocks
from ldpcore.mechanisms.device import Device, FreshDevice, ResendingDevice
from ldpcore.mechanisms.reports import ReportKind
from ldpcore.mechanisms.rounds import Rounds
from ldpcore.mechanisms.support_probabilities import SupportProbabilities

SupportLaw = Literal["independent", "fixed size", "unknown"]


class Mechanism(SupportProbabilities, ABC):
    """A pure LDP mechanism over the values 0..k-1.

    Every report y supports a set of values S(y), and two probabilities say all
    that the server's estimators need: a report supports its own true value with
    probability `p` and any given other value with probability `q`. Moreover
    Pr[y | v] is proportional to `likelihood_ratio` if v is in S(y), and to 1 if not.

    A mechanism answers for itself: nothing outside this package asks which one it is. A new
    one is a subclass that sets the names, `summary`, `report_kind`, `p` and `q`, and says how to make, count
    and read reports. If it sets nothing more, counts, attacks and bounds are simulated user by user; with `support_law`
    they are computed.

    Attributes
    ----------
    name, full_name, summary : str
        What it is called, briefly and in full, and one sentence on how it works.
    report_kind : ReportKind
        How its reports are written down.
    options : tuple of str
        The arguments that it takes besides k and eps; each is an attribute too.
    support_law : {"independent", "fixed size", "unknown"}
        Which sets a report supports if no value were the true one: every value on its own with probability
        `base_rate`, all sets of `support_size` values alike, or something else.
    calibration_matters : bool
        Whether the published calibration of a longitudinal mechanism differs from the tight one.
    takes_reals : bool
        Whether a report may also hold reals in place of bits; those above `threshold` count as 1.
    k : int
        Number of values.
    eps : float
        Privacy parameter ε of one report (ε₁ for longitudinal mechanisms).
    p, q : float
        The support probabilities above.
    support_size : int or None
        How many values every report supports; None where chance decides.
    eps_inf, calibration : float, str or None
        ε∞ and the calibration of a longitudinal mechanism, None for the others.
    g, hash_family : int, str or None
        The number of cells and the family of hash functions, None where nothing is hashed.
    threshold : float or None
        The threshold of reals, where reports may hold them.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> m = mechanism("SS", k=10, eps=1.0)
    >>> m
    SS(k=10, eps=1.0, omega=3)
    >>> m.report_kind.name, m.support_size
    ('a set of values', 3)
    >>> m.with_eps(3.0).same_as
    'GRR'
    >>> reports = m.privatize([0, 0, 7], np.random.default_rng(1))
    >>> int(m.support_counts(reports).sum())
    9
    """

    name: ClassVar[str]
    full_name: ClassVar[str]
    summary: ClassVar[str]
    report_kind: ClassVar[ReportKind]
    longitudinal: ClassVar[bool] = False
    options: ClassVar[tuple[str, ...]] = ()
    # The options that decide what a report looks like: the cells of a hash function, the size of a set.
    shape_options: ClassVar[tuple[str, ...]] = ()
    support_law: ClassVar[SupportLaw] = "unknown"
    calibration_matters: ClassVar[bool] = False
    takes_reals: ClassVar[bool] = False

    eps_inf: float | None = None
    calibration: str | None = None
    g: int | None = None
    hash_family: str | None = None
    threshold: float | None = None

    def __init__(self, *, k: int, eps: float) -> None:
        self.k = check.integer("k", k, 2, check.K_MAX)
        self.eps = check.epsilon("eps", eps)

    # ---- who it is ----------------------------------------------------------------

    @property
    def all_parameters(self) -> dict[str, Any]:
        """All that it was made with, and the options that it chose itself."""
        return {"k": self.k, "eps": self.eps} | {name: getattr(self, name) for name in self.options}

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that make it again; those that it would choose itself are left out."""
        own = self._own_choice()
        return {name: v for name, v in self.all_parameters.items() if name not in own or v != own[name]}

    def _own_choice(self) -> dict[str, Any]:
        """Return the options that the mechanism chooses if they are not given, with what it chooses."""
        return {}

    def with_eps(self, eps: float, *, same_shape: bool = False) -> Self:
        """Return the same mechanism at another ε; a longitudinal one keeps its ε∞.

        With `same_shape` its reports look the same too: as many cells of the hash functions, sets as large.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> m = mechanism("OLH", k=100, eps=1.0)
        >>> m.with_eps(3.0).g, m.with_eps(3.0, same_shape=True).g
        (21, 4)
        """
        same = self.shape_options if check.truth("same_shape", same_shape) else ()
        return type(self)(**(self.parameters | {name: getattr(self, name) for name in same} | {"eps": eps}))

    @property
    def same_as(self) -> str | None:
        """The name of the other mechanism that it equals with these parameters, if any."""
        return None

    @classmethod
    def own_eps_inf(cls, eps_inf: float | None) -> float | None:
        """Return this ε∞ for a mechanism that has one; None for the others.

        Examples
        --------
        >>> from ldpcore.mechanisms import mechanism_class
        >>> mechanism_class("GRR").own_eps_inf(2.0), mechanism_class("L-GRR").own_eps_inf(2.0)
        (None, 2.0)
        """
        return eps_inf if cls.longitudinal else None

    @classmethod
    def max_eps(cls, eps_inf: float | None = None) -> float:
        """Return the largest ε; for a longitudinal mechanism what its ε₁ must stay below at this ε∞.

        Examples
        --------
        >>> from ldpcore.mechanisms import mechanism_class
        >>> mechanism_class("GRR").max_eps()
        50.0
        """
        return check.EPS_MAX

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={v!r}' for name, v in self.all_parameters.items())})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mechanism):
            return NotImplemented
        return type(self) is type(other) and self.parameters == other.parameters

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.parameters.items())))

    def _repr_html_(self) -> str:
        """Show it as a small table in a notebook."""
        rows = {name: repr(v) for name, v in self.all_parameters.items()}
        rows |= {"p": f"{self.p:.6g}", "q": f"{self.q:.6g}"}
        rows |= {"effective ε": f"{self.effective_eps:.6g}", "bits a report": f"{self.report_bits:.4g}"}
        cells = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(v)}</td></tr>" for name, v in rows.items())
        title = f"<b>{html.escape(self.name)}</b>, {html.escape(self.full_name)}"
        return f"<table><caption>{title}</caption>{cells}</table>"

    def encoding(self, value: int) -> str | None:
        """Say how the value is written down before the noise; None if it stays as it is.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> print(mechanism("OUE", k=4, eps=1.0).encoding(2))
        4 bits, all 0 but the one of bin 2.
        >>> print(mechanism("GRR", k=4, eps=1.0).encoding(2))
        None
        """
        return None

    def follow(
        self, value: int, kept_rng: np.random.Generator, rng: np.random.Generator
    ) -> tuple[list[tuple[str, str]], Any]:
        """Send one user's report, and return its steps on the way in words, and the report.

        What a user draws once and keeps, in a longitudinal mechanism, is drawn from `kept_rng`, all else from `rng`.

        Examples
        --------
        >>> from ldpcore.mechanisms import mechanism
        >>> steps, report = mechanism("GRR", k=4, eps=50.0).follow(2, np.random.default_rng(), np.random.default_rng())
        >>> steps, report.tolist()
        ([('Sent', 'After the noise: bin 2.')], [2])
        """
        value = check.integer("value", value, 0, self.k - 1)
        encoding = self.encoding(value)
        report = self.privatize([value], rng)
        sent = ("Sent", f"After the noise: {self.report_kind.text(report)}.")
        return [("Encoded", encoding), sent] if encoding else [sent], report

    # ---- what a report is made of -------------------------------------------------

    @property
    def rounds(self) -> Rounds | None:
        """The two rounds of a longitudinal mechanism; None for the others, and where they are of another kind."""
        return None

    @property
    def memos(self) -> int:
        """How many memos a user comes to keep at most who holds one value after the other: one for each of them."""
        return self.k

    @property
    @abstractmethod
    def report_bits(self) -> float:
        """Size of one report in bits, as the information that must travel."""

    # ---- the client's side --------------------------------------------------------

    def privatize(self, values: Any, rng: np.random.Generator) -> Any:
        """Return the reports of len(values) users, one for each true value in 0..k-1.

        For reports that are really sent, `rng` is `ldpcore.secure_rng()`; for a simulation, `default_rng(seed)`.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> m, rng = mechanism("GRR", k=4, eps=50.0), np.random.default_rng(1)  # with next to no noise
        >>> m.privatize([2, 0, 3], rng)
        array([2, 0, 3])
        """
        return self._privatize(self._check_values(values), check.generator("rng", rng))

    @abstractmethod
    def _privatize(self, values: IntArray, rng: np.random.Generator) -> Any: ...

    def noisy_histograms(
        self, values: Any, rng: np.random.Generator, *, accept_leak: bool = False
    ) -> FloatArray | None:
        """Return the reals of each user that a report is made of by a threshold; None where there are none.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> m, rng = mechanism("THE", k=4, eps=1.0), np.random.default_rng(1)
        >>> m.noisy_histograms([2, 0, 1], rng, accept_leak=True).shape
        (3, 4)
        """
        return None

    def device(self, value: int, rng: np.random.Generator, *, memo: bool | None = None) -> Device:
        """Return the device of one user who holds a value, to send report after report.

        `memo` says whether anything is kept between reports: for a longitudinal mechanism the first round, for a
        one-time mechanism the report of each value. If not given, it is as the mechanism has it: a longitudinal
        one keeps its memo, a one-time one nothing.

        Examples
        --------
        >>> from ldpcore.mechanisms import mechanism
        >>> phone, rng = mechanism("GRR", k=4, eps=50.0).device(2, np.random.default_rng(0)), np.random.default_rng(1)
        >>> phone.report(rng).tolist(), phone.memo
        ([2], None)
        """
        value = check.integer("value", value, 0, self.k - 1)
        again = memo is not None and check.truth("memo", memo)
        return (ResendingDevice if again else FreshDevice)(self.privatize, value, self.k)

    # ---- the server's side --------------------------------------------------------

    @abstractmethod
    def support_counts(self, reports: Any) -> IntArray:
        """Return C, shape (k,): how many of the reports support each value.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> mechanism("GRR", k=4, eps=1.0).support_counts([2, 0, 2])
        array([1, 0, 2, 0])
        """

    @abstractmethod
    def supports(self, reports: Any) -> BoolArray:
        """Return the supports themselves, shape (n, k): True where a report supports a value.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> mechanism("GRR", k=4, eps=1.0).supports([2, 0])
        array([[False, False,  True, False],
               [ True, False, False, False]])
        """

    def repeated_supports(self, values: Any, reports: int, rng: np.random.Generator) -> IntArray:
        """Draw so many reports of each user and return how many of them support each value, shape (n, k).

        A one-time mechanism draws fresh noise every time; a longitudinal one keeps its memo.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> m, rng = mechanism("L-SUE", k=3, eps=49.0, eps_inf=50.0), np.random.default_rng(1)
        >>> m.repeated_supports([2, 0], 10, rng)
        array([[ 0,  0, 10],
               [10,  0,  0]])
        """
        values = self._check_values(values)
        reports, rng = check.integer("reports", reports, 1, check.REPORTS_MAX), check.generator("rng", rng)
        draw = self._repeater(values, rng)
        counts = np.zeros((values.size, self.k), dtype=np.int64)
        for _ in range(reports):
            counts += self.supports(draw())
        return counts

    def _repeater(self, values: IntArray, rng: np.random.Generator) -> Callable[[], Any]:
        """Return what draws the next report of each user."""
        return lambda: self._privatize(values, rng)

    # ---- the short cut ------------------------------------------------------------

    @classmethod
    def counts_come_at_once(cls) -> bool:
        """Tell whether counts are drawn in one step: of independent values, and of reports that support one value.

        Examples
        --------
        >>> from ldpcore.mechanisms import mechanism_class
        >>> mechanism_class("OUE").counts_come_at_once(), mechanism_class("SS").counts_come_at_once()
        (True, False)
        """
        return cls.support_law == "independent" or cls.support_size == 1

    def sample_counts(self, histogram: Any, runs: int, rng: np.random.Generator) -> IntArray:
        """Draw the support counts of `runs` independent collections, shape (runs, k).

        Exactly the distribution that `privatize` and `support_counts` would give for
        users with this `histogram` of true values, at a cost that does not depend on
        the number of users.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> m, users = mechanism("OUE", k=3, eps=2.0), [600_000_000, 300_000_000, 100_000_000]
        >>> counts = m.sample_counts(users, runs=2, rng=np.random.default_rng(1))
        >>> counts.shape, ((counts / 1e9 - m.q) / (m.p - m.q)).round(2)[0]
        ((2, 3), array([0.6, 0.3, 0.1]))
        """
        counts = check.counts_array("histogram", histogram, self.k)
        if counts.ndim != 1:
            raise Refused(f"histogram must be one-dimensional; got shape {counts.shape}")
        n = int(counts.sum())
        check.integer("n (the sum of histogram)", n, 1, check.N_MAX)
        runs = check.integer("runs", runs, 1, check.DRAWS_MAX // self.k)
        return self._sample_counts(counts, runs, check.generator("rng", rng))

    def _sample_counts(self, histogram: IntArray, runs: int, rng: np.random.Generator) -> IntArray:
        """Independent values: C_v = Bin(c_v, p) + Bin(n - c_v, q). Otherwise all users report, one by one."""
        if self.support_law != "independent":
            return np.stack([self._counts_of_users(histogram, rng) for _ in range(runs)])
        shape = (runs, self.k)
        others = histogram.sum() - histogram
        return rng.binomial(histogram, self.p, size=shape) + rng.binomial(others, self.q, size=shape)

    def _counts_of_users(self, histogram: IntArray, rng: np.random.Generator) -> IntArray:
        """Draw the support counts of one collection by way of the reports themselves, some users at a time."""
        upto = np.cumsum(histogram)
        counts = np.zeros(self.k, dtype=np.int64)
        for users in row_blocks(int(upto[-1]), self.k):
            values = np.searchsorted(upto, np.arange(users.start, users.stop), side="right")
            counts += self.support_counts(self._privatize(values, rng))
        return counts

    # ---- checks -------------------------------------------------------------------

    def _check_values(self, values: Any) -> IntArray:
        array = check.integer_array("values", values, 0, self.k - 1)
        if array.ndim != 1:
            raise Refused(f"values must be one-dimensional, one value a user; got shape {array.shape}")
        return array
