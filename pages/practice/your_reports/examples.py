"""Example files of collected reports, made in memory: one for each format, and as other packages write them."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

import ldpcore as ldp
from ldpui.address import links
from pages.practice.your_reports import controls, writers
from pages.practice.your_reports.writers import Writer

USERS, BINS, SEED = 5_000, 20, 2023
# An example of the chosen mechanism is no larger than this, whatever k.
_ENTRIES = 2_000_000


@dataclass(frozen=True)
class Example:
    """A file to try: its name in the list, what it is, how it is written, and what the page must be set to."""

    name: str
    what: str
    write: Writer
    settings: dict[str, Any] = field(default_factory=dict)


def _of(mechanism: str, **settings: Any) -> dict[str, Any]:
    """Return the settings of an example of one mechanism."""
    basis = {"r_mechanism": mechanism, "r_k": float(BINS), "r_eps": 1.0}
    return basis | {f"r_{key}": value for key, value in settings.items()}


_PEERS = {"family": controls.PEERS_HASH, "pair": controls.VALUE_SEED}
EXAMPLES = {
    example.name: example
    for example in (
        Example(
            "chosen mechanism",
            "Reports of the mechanism that is set above, in the shortest way to write them.",
            writers.shortest,
        ),
        Example(
            "support counts",
            "How many of 5,000 OUE reports support each value.",
            writers.counts,
            _of("OUE", holds=controls.COUNTS, n=float(USERS)),
        ),
        Example("GRR values", "One value a user.", writers.values, _of("GRR")),
        Example("bits in columns", "One column of 0 and 1 for each value.", writers.bits, _of("OUE")),
        Example("bits as strings", "The same as a string a user.", writers.strings, _of("SUE")),
        Example("subsets", "A set of values a user, separated by blanks.", writers.sets, _of("SS")),
        Example("hashed pairs", "The seed of a hash function and a cell.", writers.pairs, _of("OLH")),
        Example(
            "noisy histograms",
            "One real number for each value; the server applies the threshold.",
            writers.reals,
            _of("THE"),
        ),
        Example(
            "multi-freq-ldpy, hashed pairs",
            "OLH pairs (value, seed) as `pd.DataFrame(reports)` has them: without names.",
            writers.peer_pairs,
            _of("OLH", **_PEERS),
        ),
        Example(
            "multi-freq-ldpy, bits",
            "OUE bits as `pd.DataFrame(reports)` has them: 0.0 and 1.0.",
            writers.peer_bits,
            _of("OUE"),
        ),
        Example(
            "pure-ldp, hashed pairs",
            "OLH pairs (value, seed) without a header, as `np.savetxt(…, fmt='%d', delimiter=',')` writes them.",
            writers.peer_pairs,
            _of("OLH", **_PEERS, bare=True),
        ),
        Example(
            "users with different ε",
            "Each user chose ε = 0.5, 1 or 2; a column says which.",
            writers.different_eps,
            _of("OUE", each=controls.COLUMN),
        ),
        Example(
            "a wrong ε",
            "Reports made at ε = 2 that are said to be made at 1: see what the check says.",
            writers.wrong_eps,
            _of("SUE"),
        ),
    )
}
links.declare(links.one_of("r_example", next(iter(EXAMPLES)), EXAMPLES, page=True))


def shape(k: int) -> npt.NDArray[np.float64]:
    """Return what the users of every example hold: two humps, a large one around k/4 and a small one around 0.7·k."""
    x = np.arange(k)
    weights = np.exp(-(((x - k / 4) / (k / 10)) ** 2) / 2) + 0.5 * np.exp(-(((x - 0.7 * k) / (k / 14)) ** 2) / 2)
    return np.asarray(weights / weights.sum())


def example_frame(name: str, m: ldp.Mechanism) -> pd.DataFrame:
    """Make the reports of an example; the seed is fixed, so they are always the same."""
    rng = np.random.default_rng(SEED)
    users = rng.choice(m.k, size=min(USERS, max(100, _ENTRIES // m.k)), p=shape(m.k))
    return EXAMPLES[name].write(m, users, rng)


def as_csv(frame: pd.DataFrame, header: bool) -> bytes:
    """Write an example as CSV."""
    return frame.to_csv(index=False, header=header).encode()


def as_parquet(frame: pd.DataFrame) -> bytes:
    """Write an example as Parquet, in memory."""
    file = io.BytesIO()
    frame.to_parquet(file, index=False)
    return file.getvalue()
