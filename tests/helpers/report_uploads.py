"""Files of reports handed to the page Your reports, and what other packages write into them."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest
from app_steps import YOUR_REPORTS, open_page, session_of

from pages.practice.your_reports import state

K = 6
REASON = 'the peer is not installed: pip install multi-freq-ldpy==0.2.5 "xxhash<4"'


def as_file(frame, suffix="csv", **more):
    if suffix == "csv":
        return "mine.csv", frame.to_csv(index=False, **more).encode()
    file = io.BytesIO()
    frame.to_parquet(file, index=False)
    return "mine.parquet", file.getvalue()


def opened(mechanism="GRR", k=K, **settings):
    """Open the page with what made the reports."""
    values = {"r_mechanism": mechanism, "r_k": float(k)} | {f"r_{key}": value for key, value in settings.items()}
    return open_page(YOUR_REPORTS, values)


def upload(at, file):
    name, data = file
    return at.file_uploader[0].set_value((name, data, "text/csv")).run()


def outcome(at):
    return session_of(at).part(state.Reports).outcome


def pure_ldp_reports(n, k, eps, rng):
    """The definition of pure-ldp's LHClient: (value, seed), with xxh32 of the value as text, modulo g."""
    xxhash = pytest.importorskip("xxhash", reason=REASON)
    g = round(np.exp(eps)) + 1
    p = np.exp(eps) / (np.exp(eps) + g - 1)
    pairs = []
    for value in rng.integers(0, k // 2, n):
        seed = int(rng.integers(0, sys.maxsize))
        cell = xxhash.xxh32(str(value).encode(), seed=seed % 2**32).intdigest() % g
        pairs.append((cell if rng.random() < p else (cell + 1 + int(rng.integers(0, g - 1))) % g, seed))
    return pairs, g, xxhash


def bare_pairs(pairs):
    """Pairs as `np.savetxt` writes them, without a header."""
    text = io.StringIO()
    np.savetxt(text, np.array(pairs), fmt="%d", delimiter=",")
    return "pairs.csv", text.getvalue().encode()
