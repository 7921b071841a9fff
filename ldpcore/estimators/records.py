"""All estimators in one list: what each is called, what it does, what it needs, and the function that does it.

To add one, write its function and put its record into `ESTIMATORS`; tables, sweeps, the Advisor, pages and the command
line go over that list. A post-processing that `ldpcore.mi(post=…)` is to offer as well has a line in `POSTPROCESSINGS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.errors import Refused
from ldpcore.estimators.auto import auto, smooth
from ldpcore.estimators.counts import check_counts
from ldpcore.estimators.full import ibu_full
from ldpcore.estimators.ibu import MAX_ITER, TOL, ibu
from ldpcore.estimators.inversion import mi
from ldpcore.estimators.limit import ibu_limit
from ldpcore.estimators.postprocess import DISTRIBUTIONS
from ldpcore.mechanisms.base import Mechanism


@dataclass(frozen=True, eq=False)
class Options:
    """What an estimator may be told beside the counts.

    IBU's channel, stopping rule and start, as `ibu` takes them, and whether the bins have an order.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore.estimators import Options
    >>> m = ldp.mechanism("GRR", k=2, eps=1.0)
    >>> ldp.estimator("ibu")([560, 440], 1_000, m, Options(max_iter=1)).round(3)
    array([0.528, 0.472])
    """

    channel: str = "exact"
    max_iter: int = MAX_ITER
    tol: float = TOL
    stop: str = "max_abs"
    start: Any = None
    ordered: bool = False


# From counts (or reports), the number of reports, their mechanism and the options to estimates of shape (..., k).
Function = Callable[[Any, int, Mechanism, Options], FloatArray]
Needs = Literal["counts", "reports"]


@dataclass(frozen=True)
class Estimator:
    """An estimator of frequencies.

    Attributes
    ----------
    key, name, summary : str
        What programs call it, what people call it, and in one line what it does.
    function : callable
        Takes the support counts (..., k), or the reports, then n, the mechanism and the `Options`; returns (..., k).
    needs : {"counts", "reports"}
        What it estimates from.
    distribution : bool
        Whether its estimates are non-negative and sum to 1.
    ordered : bool
        Whether it uses the order of the bins.
    iterated : bool
        Whether it takes many steps, and so most of the time.
    advised : bool
        Whether the Advisor ranks it.
    tabled : bool
        Whether every table of estimates has it: those of collected reports, and those to take away.
    aliases : tuple of str
        Other keys that it answers to.
    closed_form : bool
        Whether its error is that of raw MI, which is known without simulation (`ldpcore.advisor.raw_error`).

    Examples
    --------
    >>> import ldpcore as ldp
    >>> ldp.ESTIMATORS["norm-sub"].summary
    'The same taken from every bin and cut at 0: the nearest histogram.'
    """

    key: str
    name: str
    summary: str
    function: Function
    needs: Needs = "counts"
    distribution: bool = True
    ordered: bool = False
    iterated: bool = False
    advised: bool = False
    tabled: bool = False
    aliases: tuple[str, ...] = ()
    closed_form: bool = False

    def __post_init__(self) -> None:
        for word in ("key", "name", "summary"):
            if not isinstance(getattr(self, word), str) or (word != "summary" and not getattr(self, word)):
                raise Refused(f"{word} of an estimator must be a text; got {check.shown(getattr(self, word))}")
        of = f"of the estimator {self.key!r}"
        if not callable(self.function):
            raise Refused(f"function {of} must be one; got {check.shown(self.function)}")
        check.choice(f"needs {of}", self.needs, get_args(Needs))
        for word in ("distribution", "ordered", "iterated", "advised", "tabled", "closed_form"):
            if not isinstance(getattr(self, word), bool):
                raise Refused(f"{word} {of} must be True or False; got {check.shown(getattr(self, word))}")
            # Where reports must be at hand, what that costs decides, and the lists of estimators do not know it.
            if word in ("advised", "tabled", "closed_form") and getattr(self, word) and self.needs == "reports":
                raise Refused(f"{word} {of} must be False, because it needs reports; got True")
        if not isinstance(self.aliases, tuple) or not all(isinstance(alias, str) for alias in self.aliases):
            raise Refused(f"aliases {of} must be a tuple of texts; got {check.shown(self.aliases)}")

    def __call__(self, data: Any, n: int, m: Mechanism, options: Options | None = None) -> FloatArray:
        """Estimate from the support counts (or reports) of n users.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> m = ldp.mechanism("OUE", k=2, eps=1.0)
        >>> ldp.estimator("norm-sub")([600, 400], 1_000, m).round(2)
        array([0.93, 0.07])
        """
        if self.needs == "counts":
            check_counts(data, n, m)
        else:
            check.mechanism(m)
            if check.integer("n", n, 1, check.N_MAX) != (number := m.report_kind.length(data)):
                raise Refused(f"n must be {number:,}, the number of reports; got {n:,}")
        options = Options() if options is None else options
        return self.function(data, n, m, check.instance("options", options, Options, "ldpcore.estimators.Options"))


def _inverted(post: str, counts: Any, n: int, m: Mechanism, options: Options) -> FloatArray:
    return mi(counts, n, m, post=post)


def _iterated(counts: Any, n: int, m: Mechanism, options: Options) -> FloatArray:
    return ibu(counts, m, **_of_ibu(options))


def _stopped(counts: Any, n: int, m: Mechanism, options: Options) -> FloatArray:
    return ibu(counts, m, n=n, **(_of_ibu(options) | {"stop": "cv"}))


def _of_ibu(options: Options) -> dict[str, Any]:
    return {name: value for name, value in vars(options).items() if name != "ordered"}


def _smooth(counts: Any, n: int, m: Mechanism, options: Options) -> FloatArray:
    return smooth(counts, n, m)


def _auto(counts: Any, n: int, m: Mechanism, options: Options) -> FloatArray:
    return auto(counts, n, m, ordered=options.ordered)


def _limit(counts: Any, n: int, m: Mechanism, options: Options) -> FloatArray:
    return ibu_limit(counts, m, channel=options.channel)


def _full(reports: Any, n: int, m: Mechanism, options: Options) -> FloatArray:
    return ibu_full(reports, m)


def _post(key: str, name: str, summary: str, *, post: str = "", **more: Any) -> Estimator:
    """Return the record of MI with a post-processing."""
    post = post or key
    return Estimator(key, name, summary, partial(_inverted, post), distribution=post in DISTRIBUTIONS, **more)


ESTIMATORS: dict[str, Estimator] = {
    record.key: record
    for record in (
        _post(
            "raw", "raw MI", "Noise taken away, nothing else: can be negative.",
            post="none", aliases=("none",), advised=True, tabled=True, closed_form=True,
        ),
        _post(
            "mi", "MI", "Negatives to 0, then rescaled to 100%.",
            post="norm-mul", aliases=("norm-mul",), advised=True, tabled=True,
        ),
        _post("base-pos", "Base-Pos", "Negatives to 0, not rescaled."),
        _post("base-cut", "Base-Cut", "All that noise alone could give to 0, not rescaled."),
        _post("norm", "Norm", "The same added to every bin, so that the sum is 100%."),
        _post("norm-cut", "Norm-Cut", "Largest bins kept until they sum to 100%, the rest 0."),
        _post(
            "norm-sub", "Norm-Sub", "The same taken from every bin and cut at 0: the nearest histogram.", advised=True
        ),
        _post("mle-apx", "MLE-Apx", "As Norm-Sub, but noisier bins give more."),
        _post("power", "Power", "Each bin pulled towards what a power law would expect."),
        _post("power-ns", "PowerNS", "Power, then Norm-Sub."),
        Estimator(
            "ibu", "IBU", "Fitted step by step, from a uniform start.", _iterated,
            iterated=True, advised=True, tabled=True,
        ),
        Estimator(
            "ibu-cv", "IBU stopped", "IBU, stopped where the two halves of the users no longer agree.",
            _stopped, iterated=True,
        ),
        Estimator("limit", "IBU limit", "Where IBU's steps lead in the end.", _limit, advised=True, tabled=True),
        Estimator(
            "smooth", "smoothed", "Raw MI smoothed over neighbouring bins, then Norm-Sub.", _smooth,
            ordered=True,
        ),
        Estimator(
            "auto", "auto", "The one of these that does best when each half of the users judges the other.", _auto,
            iterated=True,
        ),
        Estimator(
            "full", "full-report IBU", "IBU on every single report, not only on their counts.", _full,
            needs="reports", iterated=True,
        ),
    )
}  # fmt: skip
"""All estimators by key, in the order of every table: the one list that pages, sweeps and commands read."""


def estimator(key: str, *, needs: str | None = None, argument: str = "key") -> Estimator:
    """Return the estimator called `key`, by its key or an alias.

    Parameters
    ----------
    key : str
        Of `ESTIMATORS`; "none" is an alias of "raw", and "norm-mul" of "mi".
    needs : {"counts", "reports"}, optional
        Only estimators that need this.
    argument : str
        What the caller's argument is called, for the sentence on a key that is none.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> ldp.estimator("none").name
    'raw MI'
    """
    if needs is not None:
        check.choice("needs", needs, ("counts", "reports"))
    allowed = [e for e in ESTIMATORS.values() if needs in (None, e.needs)]
    for record in allowed:
        if isinstance(key, str) and key in (record.key, *record.aliases):
            return record
    raise Refused(f"{argument} must be one of {', '.join(e.key for e in allowed)}; got {check.shown(key)}")
