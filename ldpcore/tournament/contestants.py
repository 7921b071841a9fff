"""All contestants on the same counts: what each of them gets wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.estimators import ESTIMATORS, Options
from ldpcore.estimators.auto import choose_both
from ldpcore.experiment import RUNS_MAX, Setting, run
from ldpcore.mechanisms import Mechanism
from ldpcore.metrics import mse
from ldpcore.tournament.grid import REPEATS, Match
from ldpcore.tournament.records import MatchRecord
from ldpcore.tournament.shapes import users

# Every estimator that needs counts alone, written down as the results have them: a new one was not in the tournament.
# `auto` is not told that bins have an order, "auto-ordered" is.
AUTO, ORDERED_AUTO = "auto", "auto-ordered"
CONTESTANTS = tuple(
    "raw mi base-pos base-cut norm norm-cut norm-sub mle-apx power power-ns ibu ibu-cv limit smooth auto "
    "auto-ordered".split()
)
"""The keys of the estimators that take part, as the columns of the results have them."""
ORDERED = ("smooth", ORDERED_AUTO)
"""The contestants that use the order of the bins."""
# The same on bins in another order, which means nothing.
SHUFFLED = tuple(f"{key}-shuffled" for key in ORDERED)
ORDER_BLIND = tuple(key for key in CONTESTANTS if key not in ORDERED)
"""The contestants that do not use the order of the bins."""
NAMES = {key: ESTIMATORS[key].name for key in CONTESTANTS if key in ESTIMATORS} | {ORDERED_AUTO: "auto, ordered bins"}
"""What people call the contestants, by key."""


def contest(match: Match) -> list[MatchRecord]:
    """Run a match; return a record for each data set and repeat, with the mean squared error of every contestant.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> first, second = tournament.contest(tournament.Match("OUE", 1.0, 1_000, 10, ("spike",)))
    >>> first["data"], first["norm-sub"] < first["raw"]
    ('spike', True)
    """
    m = check_match(match).make_mechanism()
    keys = [(data, repeat) for data in match.data for repeat in range(REPEATS)]
    seeds = [match.seed_of(*key) for key in keys]
    people = np.stack([users(data, match.n, match.k, seed) for (data, _), seed in zip(keys, seeds, strict=True)])
    counts, true = _counts(m, people, seeds), people / match.n
    errors = {name: _errors(estimate, true) for name, estimate in estimates(counts, match.n, m, CONTESTANTS).items()}
    if match.shuffled:
        order = np.random.default_rng(match.seed_of("order", 0)).permutation(match.k)
        other = estimates(counts[:, order], match.n, m, ORDERED)
        errors |= {f"{name}-shuffled": _errors(estimate, true[:, order]) for name, estimate in other.items()}
    return [
        MatchRecord(*match.key, data, repeat, {name: float(errors[name][row]) for name in errors})
        for row, (data, repeat) in enumerate(keys)
    ]


def auto_over_best(setting: Setting, others: tuple[str, ...]) -> float:
    """Return the mean squared error of `auto` at a setting, over that of the best of others.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> ldp.tournament.auto_over_best(ldp.Setting(data="uniform", n=1_000, k=10, runs=2), ("mi", "norm-sub")) < 1
    True
    """
    others = _others(others)
    result = run(setting)
    return result.error(AUTO).mean / min(result.error(key).mean for key in others)


def auto_again(match: Match, data: str, others: tuple[str, ...], runs: int = 20) -> float:
    """Return the same of `auto` without the order of the bins, at a setting of the tournament that is run again.

    Users and noise are drawn anew, as in repeats that the tournament has not had: a setting that was picked because its
    repeats were bad has a fair trial.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> match = tournament.Match("OUE", 1.0, 1_000, 10, ("uniform",))
    >>> tournament.auto_again(match, "uniform", ("mi", "norm-sub"), runs=3) < 1
    True
    """
    others, runs = _others(others), check.integer("runs", runs, 1, RUNS_MAX)
    m, seeds = check_match(match).make_mechanism(), [match.seed_of(data, REPEATS + number) for number in range(runs)]
    people = np.stack([users(data, match.n, match.k, seed) for seed in seeds])
    by_key = estimates(_counts(m, people, seeds), match.n, m, (AUTO, *others))
    errors = {key: _errors(estimate, people / match.n).mean() for key, estimate in by_key.items()}
    return float(errors[AUTO] / min(errors[key] for key in others))


def check_match(match: Any) -> Match:
    """Return `match` if it is one."""
    return check.instance("match", match, Match, "an ldpcore.tournament.Match")


def _others(others: Any) -> tuple[str, ...]:
    keys = check.sequence("others", others, "keys", least=1)
    return tuple(check.choice("others", key, CONTESTANTS) for key in keys)


def estimates(counts: IntArray, n: int, m: Mechanism, keys: tuple[str, ...]) -> dict[str, FloatArray]:
    """Return the estimates of contestants from counts (rows, k), by key."""
    by_key = {key: ESTIMATORS[key](counts, n, m, Options()) for key in keys if key not in (AUTO, ORDERED_AUTO)}
    if AUTO in keys or ORDERED_AUTO in keys:
        both = zip((AUTO, ORDERED_AUTO), choose_both(counts, n, m), strict=True)
        by_key |= {key: np.stack([choice.estimate for choice in chosen]) for key, chosen in both if key in keys}
    return {key: by_key[key] for key in keys}


def _counts(m: Mechanism, people: IntArray, seeds: list[int]) -> IntArray:
    """Draw support counts for each row of users; one in which nothing is supported says nothing, and is flat."""
    rows = [
        m.sample_counts(row, 1, np.random.default_rng([seed, 1]))[0] for row, seed in zip(people, seeds, strict=True)
    ]
    counts = np.stack(rows)
    return np.where(counts.any(axis=1, keepdims=True), counts, 1)


def _errors(estimate: FloatArray, true: FloatArray) -> FloatArray:
    return np.array([float(mse(e, t)) for e, t in zip(estimate, true, strict=True)])
