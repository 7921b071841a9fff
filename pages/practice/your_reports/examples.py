"""Example files of collected reports, made in memory: one for each format, and as other packages write them."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

import ldpcore as ldp
from pages.practice.your_reports import controls

USERS, BINS, SEED = 5_000, 20, 2023
# An example of the chosen mechanism is no larger than this, whatever k.
_ENTRIES = 2_000_000
_BUDGETS = (0.5, 1.0, 2.0)

Users = npt.NDArray[np.int64]
Frame = Callable[[ldp.Mechanism, Users, np.random.Generator], pd.DataFrame]


def shape(k: int) -> npt.NDArray[np.float64]:
    """Return what the users of every example hold: two humps, a large one around k/4 and a small one around 0.7·k."""
    x = np.arange(k)
    weights = np.exp(-(((x - k / 4) / (k / 10)) ** 2) / 2) + 0.5 * np.exp(-(((x - 0.7 * k) / (k / 14)) ** 2) / 2)
    return np.asarray(weights / weights.sum())


# ---- how reports are written ------------------------------------------------------


def _values(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame({"report": m.privatize(users, rng)})


def _counts(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame({"value": np.arange(m.k), "count": m.support_counts(m.privatize(users, rng))})


def _bits(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    bits = m.privatize(users, rng)
    return pd.DataFrame(bits.astype(np.int8), columns=[f"bit_{v}" for v in range(m.k)])


def _strings(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    digits = np.where(m.privatize(users, rng), b"1", b"0")
    return pd.DataFrame({"bits": [row.tobytes().decode() for row in digits]})


def _reals(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    reals = m.noisy_histograms(users, rng)  # type: ignore[attr-defined]
    return pd.DataFrame(reals.round(4), columns=[f"noisy_{v}" for v in range(m.k)])


def _sets(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame({"set": [" ".join(map(str, row)) for row in m.privatize(users, rng)]})


def _pairs(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    reports = m.privatize(users, rng)
    return pd.DataFrame({"seed": reports.seed, "value": reports.value})


def _peer_pairs(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    """Write the peers' tuples (value, seed) as a frame made of them has them: no names, and seeds of 63 bits."""
    reports = m.privatize(users, rng)
    high = rng.integers(0, 2**31, size=users.size) << 32  # which xxh32 does not look at
    return pd.DataFrame({"0": reports.value, "1": high + reports.seed})


def _peer_bits(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    """Write bits as multi-freq-ldpy has them: 0.0 and 1.0."""
    return pd.DataFrame(m.privatize(users, rng).astype(float), columns=[str(v) for v in range(m.k)])


def _different(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    """Let every user choose one of three ε."""
    budgets = rng.choice(_BUDGETS, size=users.size)
    strings = np.empty(users.size, dtype=object)
    for eps in _BUDGETS:
        who = budgets == eps
        strings[who] = _strings(ldp.mechanism(m.name, k=m.k, eps=eps), users[who], rng)["bits"].to_numpy()
    return pd.DataFrame({"bits": strings.astype(str), "eps": budgets})


def _stronger(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    return _strings(ldp.mechanism(m.name, k=m.k, eps=2 * m.eps), users, rng)


def _own(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    """Write the reports of any mechanism in the shortest way."""
    writers = {"pairs": _pairs, "values": _values, "sets": _sets, "bits": _strings}
    return writers[m.report_kind.key](m, users, rng)


# ---- the examples -----------------------------------------------------------------


@dataclass(frozen=True)
class Example:
    """A file to try: what it is, what the page must be set to, and how it is written."""

    what: str
    settings: dict[str, Any]
    frame: Frame


def _example(what: str, mechanism: str, frame: Frame, **settings: Any) -> Example:
    basis = {"r_mechanism": mechanism, "r_k": float(BINS), "r_eps": 1.0}
    return Example(what, basis | {f"r_{key}": value for key, value in settings.items()}, frame)


EXAMPLES = dict(
    zip(
        controls.REPORT_EXAMPLES,
        (
            Example("Reports of the mechanism that is set above, in the shortest way to write them.", {}, _own),
            _example(
                "How many of 5 000 OUE reports support each value.",
                "OUE",
                _counts,
                holds=controls.COUNTS,
                n=float(USERS),
            ),
            _example("One value a user.", "GRR", _values),
            _example("One column of 0 and 1 for each value.", "OUE", _bits),
            _example("The same as a string a user.", "SUE", _strings),
            _example("A set of values a user, separated by blanks.", "SS", _sets),
            _example("The seed of a hash function and a cell.", "OLH", _pairs),
            _example("One real number for each value; the server applies the threshold.", "THE", _reals),
            _example(
                "OLH pairs (value, seed) as `pd.DataFrame(reports)` has them: without names.",
                "OLH",
                _peer_pairs,
                family=controls.PEERS_HASH,
                pair=controls.VALUE_SEED,
            ),
            _example("OUE bits as `pd.DataFrame(reports)` has them: 0.0 and 1.0.", "OUE", _peer_bits),
            _example(
                "OLH pairs (value, seed) without a header, as `np.savetxt(…, fmt='%d', delimiter=',')` writes them.",
                "OLH",
                _peer_pairs,
                family=controls.PEERS_HASH,
                pair=controls.VALUE_SEED,
                bare=True,
            ),
            _example("Each user chose ε = 0.5, 1 or 2; a column says which.", "OUE", _different, each=controls.COLUMN),
            _example("Reports made at ε = 2 that are said to be made at 1: see what the check says.", "SUE", _stronger),
        ),
        strict=True,
    )
)


def example_frame(name: str, m: ldp.Mechanism) -> pd.DataFrame:
    """Make the reports of an example; the seed is fixed, so they are always the same."""
    rng = np.random.default_rng(SEED)
    users = rng.choice(m.k, size=min(USERS, max(100, _ENTRIES // m.k)), p=shape(m.k))
    return EXAMPLES[name].frame(m, users, rng)


def as_csv(frame: pd.DataFrame, header: bool) -> bytes:
    """Write an example as CSV."""
    return frame.to_csv(index=False, header=header).encode()


def as_parquet(frame: pd.DataFrame) -> bytes:
    """Write an example as Parquet, in memory."""
    file = io.BytesIO()
    frame.to_parquet(file, index=False)
    return file.getvalue()
