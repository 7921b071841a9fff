"""A setting: all that decides the numbers of an experiment."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.datasets import BINNINGS, DISTRIBUTIONS, Histogram, distribution, sample_histogram
from ldpcore.errors import Refused, UnsuitedError
from ldpcore.estimators import STOPS
from ldpcore.mechanisms import CALIBRATIONS, Mechanism, mechanism, mechanism_class
from ldpcore.mechanisms.longitudinal import EPS_INF_MAX

STARTS = ("uniform", "observed", "mi")
"""Where IBU may start: at uniform, at the support counts, or at the MI estimate."""
OWN_DATA = "own"
"""The name of data that are none of `DATASETS`: whoever runs the setting hands them over as a `Histogram`."""
RUNS_MAX = 10_000
"""The largest number of runs of a setting."""
# Streams of one seed: the data has number 0 (see datasets.data_rng).
NOISE_STREAM, REPORTS_STREAM = 1, 2


def check_setting(name: str, setting: Any) -> Setting:
    """Return `setting` if it is one.

    Examples
    --------
    >>> check_setting("setting", Setting()).k
    100
    """
    if not isinstance(setting, Setting):
        raise Refused(f"{name} must be an ldpcore.Setting; got {check.shown(setting)}")
    return setting


@dataclass(frozen=True, kw_only=True, eq=False)
class Setting:
    """All that decides the numbers of an experiment; frozen, hashable, made of scalars.

    Attributes
    ----------
    data : str
        One of `ldpcore.DATASETS`; `params` are (name, value) pairs of its parameters that are not the paper's.
        Or "own": then every function that runs the setting takes the data as a `Histogram`.
    mechanism, eps, eps_inf, calibration
        As for `ldpcore.mechanism`. `eps_inf` is filled in with 2·eps where a longitudinal mechanism has none, and
        stays what it is when `dataclasses.replace` changes `eps` or `mechanism`: name it too, None for a new 2·eps.
        `calibration` is "published" where it has no effect.
    n, k, binning
        Number of users, number of bins, and how to bin ("equal-width", "paper", or "values": one bin for each whole
        number, of which k must be the number; `sample_histogram` with k = None tells it).
    runs, seed
        Independent repetitions of the noise on one data set, and the number that decides all randomness.
    channel, max_iter, tol, stop, start
        IBU's; the defaults are the paper's, but for the channel, which is the exact one. `start` is
        "uniform", "observed" (the support counts, one added to each) or "mi" (the MI estimate likewise).
        A channel that is no other for the mechanism is kept, so that `dataclasses.replace` can give it to one for which
        it is; but it makes no other setting.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> ldp.Setting(mechanism="OUE", channel="published") == ldp.Setting(mechanism="OUE", channel="exact")
    True
    >>> ldp.Setting(mechanism="L-OSUE", eps=1) == ldp.Setting(mechanism="L-OSUE", eps=1.0, eps_inf=2)
    True
    >>> print(ldp.Setting(data="poisson", mechanism="OUE", n=5_000).title)
    OUE on poisson: ε = 1, n = 5,000, k = 100, 20 runs, seed 0
    """

    data: str = "gaussian"
    mechanism: str = "GRR"
    eps: float = 1.0
    n: int = 20_000
    k: int = 100
    runs: int = 20
    seed: int = 0
    eps_inf: float | None = None
    calibration: str = "published"
    channel: str = "exact"
    binning: str = "equal-width"
    max_iter: int = 10_000
    tol: float = 1e-12
    stop: str = "max_abs"
    start: str = "uniform"
    params: tuple[tuple[str, float], ...] = ()
    _experiment: ClassVar[tuple[Any, ...]]  # each setting has its own, made once

    def __post_init__(self) -> None:
        # Frozen for everyone else. Checked and plain values make equal settings equal, and hash alike.
        for name, value in self._checked().items():
            object.__setattr__(self, name, value)
        try:
            self.make_mechanism()
        except UnsuitedError:
            raise
        except Refused as refused:
            raise UnsuitedError(str(refused)) from refused
        object.__setattr__(self, "_experiment", tuple(self._deciding().values()))

    def _deciding(self) -> dict[str, Any]:
        """Return all that decides the numbers: a channel that is no other for the mechanism counts as the exact one."""
        decides = {f.name: getattr(self, f.name) for f in fields(self)}
        return decides if mechanism_class(self.mechanism).channel_matters() else decides | {"channel": "exact"}

    def __eq__(self, other: object) -> bool:
        """Tell whether both are one experiment."""
        return self._experiment == other._experiment if isinstance(other, Setting) else NotImplemented

    def __hash__(self) -> int:
        """Hash what decides the numbers."""
        return hash(self._experiment)

    def _checked(self) -> dict[str, Any]:
        return {
            "params": self._checked_params(),
            # The word itself: text of NumPy is equal to it, but its repr, which decides the noise, is not.
            "data": check.choice("data", self.data, (OWN_DATA, *DISTRIBUTIONS)),
            "mechanism": mechanism_class(self.mechanism, argument="mechanism").name,
            "eps": check.epsilon("eps", self.eps),
            "n": check.integer("n", self.n, 1, check.N_MAX),
            "k": check.integer("k", self.k, 2, check.K_MAX),
            "runs": check.integer("runs", self.runs, 1, RUNS_MAX),
            "seed": check.seed(self.seed),
            "eps_inf": self._checked_eps_inf(),
            "calibration": self._checked_calibration(),
            "channel": check.channel(self.channel),
            "binning": check.choice("binning", self.binning, BINNINGS),
            "max_iter": check.iterations(self.max_iter),
            "tol": check.real("tol", self.tol, 0),
            "stop": check.choice("stop", self.stop, STOPS),
            "start": check.choice("start", self.start, STARTS),
        }

    def _checked_params(self) -> tuple[tuple[str, float], ...]:
        """Parameters at their defaults need not be said, so that equal experiments are equal settings."""
        if isinstance(self.data, str) and self.data == OWN_DATA:
            if self.params:
                raise Refused(f"params must be empty for data = 'own'; got {check.shown(self.params)}")
            return ()
        dist = distribution(self.data, self.params)
        defaults = {p.name: p.default for p in dist.parameters()}
        # Added to 0, because -0.0 equals 0.0 and would be written, and so draw its noise, in another way.
        chosen = {name: getattr(dist, name) + 0.0 for name in defaults}
        return tuple(sorted((name, v) for name, v in chosen.items() if v != defaults[name]))

    def _checked_eps_inf(self) -> float | None:
        """Fill in what is left out, so that equal experiments are equal settings with equal noise."""
        if not mechanism_class(self.mechanism, argument="mechanism").longitudinal:
            return self.eps_inf  # the mechanism says what is wrong with any but None
        eps_inf = 2 * check.epsilon("eps", self.eps) if self.eps_inf is None else self.eps_inf
        return check.epsilon("eps_inf", eps_inf, EPS_INF_MAX)

    def _checked_calibration(self) -> str:
        """Where calibrations do not differ there is only one, so that equal experiments are equal settings."""
        calibration = check.choice("calibration", self.calibration, CALIBRATIONS)
        return calibration if mechanism_class(self.mechanism).calibration_matters else "published"

    @property
    def title(self) -> str:
        """The setting in one line; what is not there has its default."""
        inf = "" if self.eps_inf is None else f", ε∞ = {self.eps_inf:g}"
        users = f"n = {self.n:,}, k = {self.k:,}, {self.runs} runs, seed {self.seed}"
        return f"{self.mechanism} on {self.data}: ε = {self.eps:g}{inf}, {users}"

    def make_mechanism(self) -> Mechanism:
        """Return the mechanism of this setting.

        Examples
        --------
        >>> Setting(mechanism="L-GRR", eps=1.0, k=10).make_mechanism()
        LGRR(k=10, eps=1.0, eps_inf=2.0, calibration='published')
        """
        if mechanism_class(self.mechanism).longitudinal:
            return mechanism(self.mechanism, k=self.k, eps=self.eps, eps_inf=self.eps_inf, calibration=self.calibration)
        return mechanism(self.mechanism, k=self.k, eps=self.eps, eps_inf=self.eps_inf)

    def make_histogram(self) -> Histogram:
        """Draw the data set: the same for all settings that differ only in mechanism, ε or estimator.

        Examples
        --------
        >>> people, same = (Setting(mechanism=name, n=1_000, k=5).make_histogram() for name in ("GRR", "OUE"))
        >>> people.n, bool((people.counts == same.counts).all())
        (1000, True)
        """
        if self.data == OWN_DATA:
            raise Refused("data = 'own' has no distribution to draw from: hand the histogram over, as data=…")
        return sample_histogram(self.data, self.n, self.k, self.binning, self.seed, self.params)

    def noise_rng(self, stream: int = NOISE_STREAM) -> np.random.Generator:
        """Return the generator of the noise: another one for another mechanism or ε, the same for all estimators.

        Examples
        --------
        >>> settings = Setting(), Setting(start="mi"), Setting(eps=2.0)
        >>> first, same, other = (setting.noise_rng().random() for setting in settings)
        >>> first == same, first == other
        (True, False)
        """
        decides = ("data", "params", "mechanism", "eps", "eps_inf", "calibration", "n", "k", "binning")
        words = repr([getattr(self, name) for name in decides])
        stream = check.integer("stream", stream, 0, check.SEED_MAX)
        sequence = np.random.SeedSequence(self.seed, spawn_key=(stream, zlib.crc32(words.encode())))
        return np.random.default_rng(sequence)

    def ibu_start(self, counts: IntArray, estimate_mi: FloatArray) -> FloatArray | None:
        """Return where IBU starts; one user is added to every value so that none is at 0.

        Examples
        --------
        >>> counts, mi = np.array([6, 2, 0]), np.array([0.9, 0.1, 0.0])
        >>> Setting(start="observed").ibu_start(counts, mi).round(2), Setting(start="uniform").ibu_start(counts, mi)
        (array([0.64, 0.27, 0.09]), None)
        """
        if self.start == "uniform":
            return None
        weights = counts if self.start == "observed" else self.n * estimate_mi
        smoothed = weights + 1.0
        return np.asarray(smoothed / smoothed.sum(axis=-1, keepdims=True))

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, `params` as a dict.

        Examples
        --------
        >>> Setting(data="poisson", params={"rate": 2}).as_dict()["params"]
        {'rate': 2.0}
        """
        out = {f.name: getattr(self, f.name) for f in fields(self)}
        return out | {"params": dict(self.params)}
