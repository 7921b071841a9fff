"""How reports are written into example files, in every format and as other packages write them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pandas as pd

import ldpcore as ldp

_BUDGETS = (0.5, 1.0, 2.0)
Users = npt.NDArray[np.int64]
Writer = Callable[[ldp.Mechanism, Users, np.random.Generator], pd.DataFrame]


def values(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame({"report": m.privatize(users, rng)})


def counts(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame({"value": np.arange(m.k), "count": m.support_counts(m.privatize(users, rng))})


def bits(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame(m.privatize(users, rng).astype(np.int8), columns=[f"bit_{v}" for v in range(m.k)])


def strings(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    digits = np.where(m.privatize(users, rng), b"1", b"0")
    return pd.DataFrame({"bits": [row.tobytes().decode() for row in digits]})


def reals(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    noisy = m.noisy_histograms(users, rng, accept_leak=True)
    return pd.DataFrame(np.round(np.asarray(noisy), 4), columns=[f"noisy_{v}" for v in range(m.k)])


def sets(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame({"set": [" ".join(map(str, row)) for row in m.privatize(users, rng)]})


def pairs(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    reports = m.privatize(users, rng)
    return pd.DataFrame({"seed": reports.seed, "value": reports.value})


_SHORTEST: dict[str, Writer] = {"values": values, "bits": strings, "sets": sets, "pairs": pairs}


def shortest(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    """Write the reports of any mechanism in the shortest way."""
    writer = _SHORTEST.get(m.report_kind.key)
    if writer is None:
        raise ldp.Refused(f"nobody has written down how to write {m.report_kind.name} into a file")
    return writer(m, users, rng)


# ---- as other packages write them ---------------------------------------------------


def peer_pairs(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    """Write the peers' tuples (value, seed) as a frame made of them has them: no names, and seeds of 63 bits."""
    reports = m.privatize(users, rng)
    high = rng.integers(0, 2**31, size=users.size) << 32  # which xxh32 does not look at
    return pd.DataFrame({"0": reports.value, "1": high + reports.seed})


def peer_bits(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    """Write bits as multi-freq-ldpy has them: 0.0 and 1.0."""
    return pd.DataFrame(m.privatize(users, rng).astype(float), columns=[str(v) for v in range(m.k)])


# ---- at other ε ---------------------------------------------------------------------


def different_eps(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    """Let every user choose one of three ε."""
    budgets = rng.choice(_BUDGETS, size=users.size)
    bit_strings = np.empty(users.size, dtype=object)
    for eps in _BUDGETS:
        who = budgets == eps
        bit_strings[who] = strings(m.with_eps(eps), users[who], rng)["bits"].to_numpy()
    return pd.DataFrame({"bits": bit_strings.astype(str), "eps": budgets})


def wrong_eps(m: ldp.Mechanism, users: Users, rng: np.random.Generator) -> pd.DataFrame:
    """Report with twice the ε that is said."""
    return strings(m.with_eps(2 * m.eps), users, rng)
