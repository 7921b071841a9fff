"""Bad arguments are ValueErrors whose sentence names the argument and shows what was given."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import ldpcore as ldp
from ldpcore.estimators import postprocess

M = ldp.mechanism("OUE", k=4, eps=1.0)
GOOD = [40, 30, 20, 10]
UNIFORM = [0.25] * 4
SUPPORTS = np.eye(4, dtype=bool)
nan, inf = float("nan"), float("inf")

ON_COUNTS: dict[str, Callable] = {
    "mi": lambda counts: ldp.mi(counts, 100, M),
    "ibu": lambda counts: ldp.ibu(counts, M),
    "ibu_run": lambda counts: ldp.ibu_run(counts, M),
    "ibu_limit": lambda counts: ldp.ibu_limit(counts, M),
}


@pytest.mark.parametrize("estimator", list(ON_COUNTS))
@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ([1, 2, 3], r"k = 4 .*\(3,\)"),
        ([[1, 2, 3, 4, 5]], r"k = 4 .*\(1, 5\)"),
        (np.ones((4, 3)), r"k = 4 .*\(4, 3\)"),
        (7, r"k = 4 .*\(\)"),
        ([], r"k = 4 .*\(0,\)"),
        (np.ones((0, 4)), r"k = 4 .*\(0, 4\)"),
        (None, r"k = 4 .*\(\)"),
        ([1, 2, -3, 4], r"at least 0; got -3 at position 2"),
        ([[1, 2, 3, 4], [1, nan, 3, 4]], r"got nan at position \(1, 1\)"),
        ([1, 2, inf, 4], r"got inf at position 2"),
        ([0, 0, 0, 0], r"above 0; got only zeros"),
        ([[1, 2, 3, 4], [0, 0, 0, 0]], r"above 0; got only zeros"),
        (["1", "2", "3", "4"], r"numbers; got an array of type <U1"),
        ([True, False, True, True], r"numbers; got an array of type bool"),
        ([1j, 0, 0, 0], r"numbers; got an array of type complex"),
        ([1, None, 2, 3], r"numbers; got an array of type object"),
    ],
)
def test_counts(estimator: str, counts: object, told: str) -> None:
    with pytest.raises(ValueError, match=rf"^counts must .*{told}"):
        ON_COUNTS[estimator](counts)


@pytest.mark.parametrize("n", [0, -5, 2.5, nan, inf, "100", None, True, 10**13])
def test_n(n: object) -> None:
    with pytest.raises(ValueError, match=rf"^n must be a whole number .*; got {n!r}"):
        ldp.mi(GOOD, n, M)


@pytest.mark.parametrize("post", ["Norm-Sub", "", "mean", None, 3, ["norm"]])
def test_post(post: object) -> None:
    with pytest.raises(ValueError, match=r"^post must be one of none, base-pos, .*; got ") as caught:
        ldp.mi(GOOD, 100, M, post=post)
    assert repr(post) in str(caught.value)
    with pytest.raises(ValueError, match=r"^method must be one of "):
        postprocess(np.ones(4), post, n=100, m=M)


WITH_START: dict[str, Callable] = {
    "ibu": lambda **options: ldp.ibu(GOOD, M, **options),
    "ibu_run": lambda **options: ldp.ibu_run(GOOD, M, **options),
    "ibu_full": lambda **options: ldp.ibu_full(SUPPORTS, M, **options),
    "ibu_supports": lambda **options: ldp.ibu_supports(SUPPORTS, 3.0, **options),
}


@pytest.mark.parametrize("estimator", list(WITH_START))
@pytest.mark.parametrize(
    ("start", "told"),
    [
        ([0.5, 0.2, 0.2, 0.2], r"sum to 1; got a sum of 1\.1"),
        ([0.2, 0.2, 0.2, 0.2], r"sum to 1; got a sum of 0\.8"),
        ([0.5, 0.0, 0.25, 0.25], r"above 0 everywhere .*got 0 at position 1"),
        ([0.5, -0.1, 0.3, 0.3], r"at least 0; got -0\.1 at position 1"),
        ([0.5, nan, 0.25, 0.25], r"got nan at position 1"),
        ([0.5, 0.25, 0.25], r"k = 4 .*\(3,\)"),
        (0.25, r"k = 4 .*\(\)"),
        (["a", "b", "c", "d"], r"numbers; got an array of type <U1"),
    ],
)
def test_start(estimator: str, start: object, told: str) -> None:
    with pytest.raises(ValueError, match=rf"^start must .*{told}"):
        WITH_START[estimator](start=start)


def test_start_that_does_not_fit_the_batch() -> None:
    with pytest.raises(ValueError, match=r"^start must have shape \(4,\) or \(3, 4\), .*; got \(2, 4\)"):
        ldp.ibu(np.ones((3, 4)), M, start=[UNIFORM, UNIFORM])


@pytest.mark.parametrize("estimator", ["ibu_full", "ibu_supports"])
def test_bug_start_of_two_rows_for_full_reports_is_not_explained(estimator: str) -> None:
    """Two starts for one estimate end in NumPy's reshape error, which names neither argument nor shape."""
    with pytest.raises(ValueError, match=r"^start must .*\(2, 4\)"):
        WITH_START[estimator](start=[UNIFORM, UNIFORM])


@pytest.mark.parametrize("estimator", list(WITH_START))
@pytest.mark.parametrize("max_iter", [0, -1, 2.5, nan, inf, "10", None, True])
def test_max_iter(estimator: str, max_iter: object) -> None:
    if max_iter is None and estimator in ("ibu", "ibu_run"):
        WITH_START[estimator](max_iter=None)  # nobody says it: the paper's number
        return
    with pytest.raises(
        ValueError, match=rf"^max_iter must be a whole number from 1 to 1,000,000,000,000; got {max_iter!r}"
    ):
        WITH_START[estimator](max_iter=max_iter)


@pytest.mark.parametrize("estimator", list(WITH_START))
@pytest.mark.parametrize("tol", [-1e-9, nan, inf, "small", None, True])
def test_tol(estimator: str, tol: object) -> None:
    with pytest.raises(ValueError, match=rf"^tol must be a number of at least 0; got {tol!r}"):
        WITH_START[estimator](tol=tol)


@pytest.mark.parametrize("value", ["MAX_ABS", "", None, 1, "rmse"])
def test_stop_and_channel(value: object) -> None:
    with pytest.raises(ValueError, match=rf"^stop must be one of max_abs, mse, mae, max_squared, cv; got {value!r}"):
        ldp.ibu(GOOD, M, stop=value)
    with pytest.raises(ValueError, match=rf"^channel must be one of exact, published; got {value!r}"):
        ldp.ibu(GOOD, M, channel=value)
    with pytest.raises(ValueError, match=rf"^channel must be one of exact, published; got {value!r}"):
        ldp.ibu_limit(GOOD, M, channel=value)


@pytest.mark.parametrize("mark", [-1, 11, 2.5, nan, "3", None])
def test_record(mark: object) -> None:
    with pytest.raises(ValueError, match=rf"^record must be a whole number from 0 to 10; got {mark!r}"):
        ldp.ibu_run(GOOD, M, max_iter=10, record=[1, mark])


@pytest.mark.parametrize(
    ("supports", "told"),
    [
        (np.eye(4), r"float64 \(4, 4\)"),
        (np.eye(4, dtype=int), r"int64 \(4, 4\)"),
        (np.ones(4, dtype=bool), r"bool \(4,\)"),
        (np.ones((2, 3, 4), dtype=bool), r"bool \(2, 3, 4\)"),
        (np.ones((0, 4), dtype=bool), r"bool \(0, 4\)"),
        (np.ones((3, 1), dtype=bool), r"bool \(3, 1\)"),
        ("supports", r"<U8 \(\)"),
        (None, r"object \(\)"),
    ],
)
def test_supports(supports: object, told: str) -> None:
    with pytest.raises(ValueError, match=rf"^supports must be .*; got {told}"):
        ldp.ibu_supports(supports, 3.0)


def test_too_many_supports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ldpcore.estimators.full.FULL_MAX_ENTRIES", 15)
    with pytest.raises(
        ValueError, match=r"^full-report IBU takes at most n·k = 15 entries; got n = 4 reports of k = 4 values"
    ):
        ldp.ibu_supports(SUPPORTS, 3.0)


@pytest.mark.parametrize("ratio", [[2.0, 3.0], np.ones((4, 4)), np.ones(5), []])
def test_likelihood_ratio_of_another_length(ratio: object) -> None:
    told = rf"^likelihood_ratio must be .* n = 4 users; got shape {np.shape(ratio)}".replace("(", r"\(").replace(
        ")", r"\)"
    )
    with pytest.raises(ValueError, match=told):
        ldp.ibu_full(SUPPORTS, M, likelihood_ratio=ratio)


@pytest.mark.parametrize("ratio", [0.99, 0, -3, nan, inf, [2, 2, 0.5, 2], [2, nan, 2, 2]])
def test_likelihood_ratio_below_one(ratio: object) -> None:
    for call in (
        lambda: ldp.ibu_supports(SUPPORTS, ratio),
        lambda: ldp.ibu_full(SUPPORTS, M, likelihood_ratio=ratio),
    ):
        with pytest.raises(ValueError, match=r"^likelihood_ratio must be at least 1 and finite"):
            call()


@pytest.mark.parametrize(("ratio", "told"), [(0.99, "0.99"), ([2, 2, 0.5, 2], "0.5"), (nan, "nan")])
def test_bug_a_likelihood_ratio_below_one_is_not_shown(ratio: object, told: str) -> None:
    with pytest.raises(ValueError, match=rf"^likelihood_ratio must .*got {told}"):
        ldp.ibu_supports(SUPPORTS, ratio)


@pytest.mark.parametrize("ratio", ["three", ["2", "x", "2", "2"]])
def test_bug_a_likelihood_ratio_that_is_text_is_not_explained(ratio: object) -> None:
    """The error comes from NumPy's conversion and does not name the argument."""
    with pytest.raises(ValueError, match=r"^likelihood_ratio must "):
        ldp.ibu_supports(SUPPORTS, ratio)


def test_bug_ragged_counts_are_not_explained() -> None:
    """The error comes from NumPy's conversion and does not name the argument."""
    with pytest.raises(ValueError, match=r"^counts must "):
        ldp.ibu([[1, 2, 3, 4], [1, 2]], M)


@pytest.mark.parametrize("raw", [[0.5, 0.5], [[0.2] * 5], 1.0])
@pytest.mark.parametrize("method", ["norm", "norm-sub", "power"])
def test_bug_raw_estimates_of_another_length_are_not_refused(method: str, raw: object) -> None:
    """`postprocess` is public, too: Norm divides by m.k whatever the length, and the sum is not 1."""
    with pytest.raises(ValueError, match=r"^raw must .*k = 4"):
        postprocess(raw, method, n=100, m=M)
