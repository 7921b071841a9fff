"""Results, computed once for each Setting and shared by all sessions; those on a visitor's own data stay in theirs.

Every function here takes the setting and the data that it needs: what a session brought (see `session.data_of`), or
None for settings that have data of their own. The two decide the result, and nothing else does.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache, partial, update_wrapper
from inspect import unwrap
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore.metrics import RECORDS
from ldpui.computing import compute, measuring, work
from ldpui.own import Upload

# Full-report IBU on the page: more than this would keep a reader waiting for many seconds.
FULL_ENTRIES = 4_000_000
FULL_RUNS = 3
# What one kind of answer may take in the server's memory for all visitors, and for one of them; and how long it stays.
# All kinds together: `server.maxCacheDataSize` in .streamlit/config.toml.
MAX_BYTES, OWN_BYTES, TTL = 64 << 20, 32 << 20, 6 * 3600
P = ParamSpec("P")
T = TypeVar("T")


class _MissingError(Exception):
    """Nothing is known yet."""


class Answers(Generic[P, T]):
    """A function whose answers are kept: for all sessions, or those on own data in the session that brought it."""

    def __init__(
        self, function: Callable[P, T], entries: int, own_entries: int, apart: bool = False, copied: bool = True
    ) -> None:
        # Streamlit makes a key of all arguments but those with an underscore, and takes a millisecond to look through a
        # record; so it gets a short key of ours. (Arguments are given by name, which saves another tenth.)
        def called(key: Any, _call: Callable[[], T]) -> T:
            return _call()

        # Known by the function's name, and by its code: after an edit the old answers are not used.
        called.__module__, code = function.__module__, hash(unwrap(function).__code__)
        called.__qualname__ = f"{function.__qualname__} {code}"
        keep: Any = partial(st.cache_data if copied else st.cache_resource, ttl=TTL, show_spinner=False)
        size = {"max_size": MAX_BYTES} if copied else {}
        own_size = {"max_size": OWN_BYTES} if copied else {}
        self._shared = keep(max_entries=entries, **size)(called)
        self._private = keep(max_entries=own_entries, scope="session", **own_size)(called)
        self._function, self._apart = function, apart
        update_wrapper(self, function)

    def __call__(self, *arguments: P.args, **options: P.kwargs) -> T:
        call = partial(self._function, *arguments, **options)
        if not self._apart:
            return self._at(call, *arguments, **options)
        # Not within Streamlit's cache, where others who ask the same could not be stopped while they wait.
        try:
            return self._at(_missing, *arguments, **options)
        except _MissingError:
            return self.keep(call(), *arguments, **options)

    def known(self, *arguments: P.args, **options: P.kwargs) -> T | None:
        """Return the answer if it is known already."""
        try:
            return self._at(_missing, *arguments, **options)
        except _MissingError:
            return None

    def keep(self, answer: T, /, *arguments: P.args, **options: P.kwargs) -> T:
        """Keep an answer that was found elsewhere."""
        return self._at(lambda: answer, *arguments, **options)

    def fill(
        self,
        function: Callable[..., T],
        calls: Sequence[tuple[Any, ...]],
        task: Callable[..., tuple[Any, ...]],
        tell: Callable[[int, int], None] | None = None,
        long: bool = False,
    ) -> Iterator[tuple[Any, ...]]:
        """Have calls answered on all workers, where the answer is not known; yield each when it is.

        `function` finds an answer there, with what `task` makes of the arguments of a call; `tell` is told how many of
        the new ones are done. `long` are those that take more than a second or so.
        """
        known: Any = self.known
        keep: Any = self.keep
        new = []
        for call in calls:
            if known(*call) is None:
                new.append(call)
            else:
                yield call
        done = 0
        keys = [same(function, *call) for call in new]
        for answer in compute.stream(function, [task(*call) for call in new], keys, long=long):
            if answer is not None:
                done += 1
                keep(answer[1], *new[answer[0]])
                yield new[answer[0]]
            if tell is not None:
                tell(done, len(new))

    def _at(self, call: Callable[[], T], /, *arguments: P.args, **options: P.kwargs) -> T:
        data = arguments[1]
        known = data.version if isinstance(data, Upload) else data
        key = _key((arguments[0], known, *arguments[2:], *options.items()), own=data is not None)
        answer: T = (self._shared if data is None else self._private)(key=key, _call=call)
        return answer


def _missing() -> Any:
    raise _MissingError


def by_setting(
    entries: int, own_entries: int, apart: bool = False, copied: bool = True
) -> Callable[[Callable[P, T]], Answers[P, T]]:
    """Cache a function whose first arguments are a setting, or a tuple of them, and their own data or None.

    For all sessions where there is no own data; else in the session that brought it, by the data's version. All other
    arguments are scalars, or frozen records of them. What calls `compute` is called `apart`: its wait can be left. What
    is not `copied` is handed out as it is, and nobody may change it; its bytes are not counted.
    """
    return lambda function: Answers(function, entries, own_entries, apart, copied)


def same(function: Callable[..., Any], *arguments: Any) -> Hashable:
    """Return what equal calls of a worker are known by; None where there is own data, which is nobody else's."""
    return None if arguments[1] is not None else (function, *arguments)


def _key(arguments: tuple[Any, ...], own: bool) -> Any:
    """Return what a call is known by; names of somebody's own columns are not kept."""
    try:
        hash(arguments)
    except TypeError:  # a list or an array: its repr may leave something out, so Streamlit looks at every part of it
        return arguments
    return repr(arguments) if own else _words(arguments)


@lru_cache(maxsize=4096)
def _words(arguments: tuple[Hashable, ...]) -> str:
    """Return arguments in words, which differ where the arguments do."""
    return repr(arguments)


@by_setting(1, 200)
def _own_histogram(seed_and_users: tuple[int, int], data: Upload, k: int, by_value: bool) -> ldp.Histogram:
    seed, n = seed_and_users
    return data.histogram(k, n, seed, by_value)


def own_histogram(setting: ldp.Setting, data: Upload | None) -> ldp.Histogram | None:
    """Return own data as a setting needs it; None where the setting makes its own."""
    if data is None:
        return None
    return _own_histogram((setting.seed, setting.n), data, setting.k, setting.binning == "values")


def histogram(setting: ldp.Setting, data: Upload | None) -> ldp.Histogram:
    """Return the data of a setting."""
    return own_histogram(setting, data) or setting.make_histogram()


@by_setting(400, 20, apart=True)
def run(setting: ldp.Setting, data: Upload | None) -> ldp.Result:
    """Run an experiment; a long one slice by slice."""
    return run_slices(setting, data, lambda done, total: None)


def run_slices(setting: ldp.Setting, data: Upload | None, tell: Callable[[int, int], None]) -> ldp.Result:
    """Run an experiment on all workers; tell how many of its slices are done, a few times a second."""
    work.check([setting])
    work.check_users(setting)
    own, slices = own_histogram(setting, data), work.slices(setting)
    if len(slices) == 1:
        return compute.run(work.run, setting, own, key=same(work.run, setting, data), long=False)
    answers: dict[int, work.Slice] = {}
    keys = [same(work.run_slice, setting, data, *part) for part in slices]
    for answer in compute.stream(work.run_slice, [(setting, own, *part) for part in slices], keys):
        if answer is not None:
            answers[answer[0]] = answer[1]
        tell(len(answers), len(slices))
    return work.whole([answers[number] for number in range(len(slices))])


@by_setting(100, 20, apart=True)
def run_full(setting: ldp.Setting, data: Upload | None) -> npt.NDArray[np.float64]:
    """Run full-report IBU a few times, each in its turn: one takes seconds."""
    runs, own = range(FULL_RUNS), own_histogram(setting, data)
    keys = [same(work.full_run, setting, data, number) for number in runs]
    answers = compute.stream(work.full_run, [(setting, own, number) for number in runs], keys, long=True)
    by_number = dict(answer for answer in answers if answer is not None)
    return np.stack([by_number[number] for number in runs])


def full_refusal(setting: ldp.Setting) -> str | None:
    """Say why full-report IBU is not on offer at this setting, if it is not."""
    entries = setting.n * setting.k
    if entries <= FULL_ENTRIES:
        return None
    return (
        f"Full-report IBU keeps every report: here n·k = {entries:,} entries, and this page stops at {FULL_ENTRIES:,}. "
        "Take fewer users or bins, or run ldpcore.run_full on your own machine."
    )


def possible_estimators(ordered: bool = True) -> list[ldp.Estimator]:
    """Return the estimators from counts; of bins without an order those that need none."""
    return [e for e in ldp.ESTIMATORS.values() if e.needs == "counts" and (ordered or not e.ordered)]


def slow_estimators(ordered: bool = True) -> list[str]:
    """Return the keys of the estimators that take seconds: those that iterate, but for IBU, which every result has."""
    return [e.key for e in possible_estimators(ordered) if e.iterated and e.key != "ibu"]


@by_setting(2_000, 500, apart=True)
def slow_estimate(setting: ldp.Setting, data: Upload | None, key: str, number: int) -> npt.NDArray[np.float64]:
    """Return what a slow estimator makes of one run, shape (1, k)."""
    if key == "auto":
        return choice(setting, data, number).estimate[None]
    known = same(work.slow_estimate, setting, data, key, number)
    return compute.run(work.slow_estimate, run(setting, data), key, number, key=known)


@by_setting(2_000, 500, apart=True)
def choice(setting: ldp.Setting, data: Upload | None, number: int) -> ldp.Choice:
    """Return what auto chooses in one run, with what it expected of all others."""
    known = same(work.auto_choice, setting, data, number)
    return compute.run(work.auto_choice, run(setting, data), number, key=known)


@by_setting(100, 20, apart=True)
def measures(setting: ldp.Setting, data: Upload | None) -> measuring.Measures:
    """Return what all quick estimators get wrong, by every metric."""
    return measure_slices(setting, data, lambda done, total: None)


def measure_slices(setting: ldp.Setting, data: Upload | None, tell: Callable[[int, int], None]) -> measuring.Measures:
    """Try all quick estimators on all workers; tell how many slices of the runs are done, a few times a second."""
    measuring.check(setting)
    result, slices = run(setting, data), measuring.slices(setting)
    slow = slow_estimators(result.ordered)
    keys = tuple(e.key for e in possible_estimators(result.ordered) if e.key not in slow)
    tasks = [(measuring.some_runs(result, *part), keys) for part in slices]
    known = [same(measuring.measure, setting, data, keys, *part) for part in slices]
    if len(slices) == 1:
        return measuring.joined([compute.run(measuring.measure, *tasks[0], key=known[0], long=False)])
    answers: dict[int, measuring.Measures] = {}
    for answer in compute.stream(measuring.measure, tasks, known):
        if answer is not None:
            answers[answer[0]] = answer[1]
        tell(len(answers), len(slices))
    return measuring.joined([answers[number] for number in range(len(slices))])


@by_setting(200, 40, apart=True)
def measures_of(setting: ldp.Setting, data: Upload | None, key: str) -> measuring.Measures:
    """Return what one estimator that takes seconds gets wrong, by every metric: a slow one, or full-report IBU."""
    if key == "full":
        some = run_full(setting, data)
    else:
        some = np.concatenate([slow_estimate(setting, data, key, number) for number in range(setting.runs)])
    known = same(measuring.measure_estimates, setting, data, key)
    answer = compute.run(measuring.measure_estimates, {key: some}, run(setting, data).true, key=known, long=False)
    return measuring.joined([answer])


@by_setting(100, 20, apart=True)
def estimator_table(
    setting: ldp.Setting, data: Upload | None, metric: str, with_full: bool, with_slow: bool = False
) -> pd.DataFrame:
    """Return the error of every estimator, best first; of the MSE of several runs also its two parts."""
    others = [*(slow_estimators(run(setting, data).ordered) if with_slow else ()), *(["full"] if with_full else ())]
    all_measures = [measures(setting, data), *(measures_of(setting, data, key) for key in others)]
    record = RECORDS[metric]
    values_by_key = {key: values for some in all_measures for key, values in some.by_estimator(metric).items()}
    lost = {key: work.but_for_rounding(record, values) for key, values in values_by_key.items()}
    # What a score lacks of the best, taken from the best, is the score again.
    errors = {key: ldp.Summary(record.loss(values)) for key, values in lost.items()}
    two = {key: parts for some in all_measures for key, parts in some.parts.items()} if metric == "mse" else {}

    def parts(key: str) -> dict[str, float]:
        return {"Bias²": two[key].bias_squared, "Variance": two[key].variance} if key in two else {}

    losses = {name: float(values.mean()) for name, values in lost.items()}
    base = losses["mi"]
    rows = [
        {
            "Estimator": ldp.ESTIMATORS[name].name,
            "What it does": ldp.ESTIMATORS[name].summary,
            "Error": error.mean,
            "Standard error": error.se,
            "Against MI": 100 * (losses[name] / base - 1) if base > 0 and np.isfinite(losses[name]) else np.nan,
            **parts(name),
            "Runs": error.values.size,
        }
        for name, error in sorted(errors.items(), key=lambda item: losses[item[0]])
    ]
    return pd.DataFrame(rows)


@by_setting(5_000, 500, apart=True)
def limits(setting: ldp.Setting, data: Upload | None) -> work.Limits:
    """Return what theory allows for the mean squared error at a setting."""
    key = same(work.limits, setting, data)
    return compute.run(work.limits, setting, own_histogram(setting, data), key=key, long=False)


@lru_cache(maxsize=64)
def value_edges(data: str, params: tuple[tuple[str, float], ...], n: int, seed: int) -> tuple[float, ...]:
    """Return the edges of one bin per value; none for data that are not whole numbers."""
    if not ldp.distribution(data).whole:
        return ()
    return tuple(ldp.sample_histogram(data, n, None, "values", seed, params).edges.tolist())


@lru_cache(maxsize=64)
def shape(data: str, params: tuple[tuple[str, float], ...]) -> tuple[float, ...]:
    """Return the heights of a small preview of a distribution."""
    counts = ldp.sample_histogram(data, 10**7, 60, params=params).counts
    return tuple((counts / counts.max()).tolist())
