"""Wrong arguments: each is a ValueError that names the argument and what was given."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest
from mechanism_cases import MECHANISMS, sending

from ldpcore.mechanisms import LONGITUDINAL, ONE_TIME, HashedReports, max_eps, mechanism, mechanism_class
from ldpcore.mechanisms.hashing import LocalHashing
from ldpcore.mechanisms.unary import BitReports

NAN, INF = float("nan"), float("inf")
# The families that check reports in these words; a mechanism outside of them has its own.
UNARY = [name for name in sending("bits") if issubclass(mechanism_class(name), BitReports)]
HASHING = [name for name in sending("pairs") if issubclass(mechanism_class(name), LocalHashing)]
every_mechanism = pytest.mark.parametrize("name", MECHANISMS)


def rng():
    return np.random.default_rng(1)


def refuses(argument, given, call, *args, **options):
    """Check that the call is refused with a sentence that names the argument and the given value."""
    with pytest.raises(ValueError, match=rf"^{re.escape(argument)}\b.*; got .*{re.escape(given)}") as caught:
        call(*args, **options)
    assert "\n" not in str(caught.value)


# ---- parameters ---------------------------------------------------------------------


@every_mechanism
@pytest.mark.parametrize("eps", [0, -1.0, NAN, INF, -INF, 1e-9, 1000, "1", True, None, [1.0], 1j])
def test_eps(name, eps):
    refuses("eps", repr(eps), mechanism, name, k=4, eps=eps)


@every_mechanism
@pytest.mark.parametrize("k", [1, 0, -3, 2.5, NAN, INF, "4", True, None, 10**7])
def test_k(name, k):
    refuses("k", repr(k), mechanism, name, k=k, eps=1.0)


@pytest.mark.parametrize("name", LONGITUDINAL)
def test_eps_inf_of_longitudinal_mechanisms(name):
    for eps_inf in (1.0, 0.5):
        with pytest.raises(ValueError, match=rf"^eps .* below eps_inf .*= {eps_inf:g}; got 1$"):
            mechanism(name, k=4, eps=1.0, eps_inf=eps_inf)
    for eps_inf in (0, -1, NAN, INF, "2", True, 1000):
        refuses("eps_inf", repr(eps_inf), mechanism, name, k=4, eps=1.0, eps_inf=eps_inf)
    refuses("calibration", "'loose'", mechanism, name, k=4, eps=1.0, calibration="loose")


@pytest.mark.parametrize("name", ONE_TIME)
def test_one_time_mechanisms_have_no_longitudinal_parameters(name):
    refuses("eps_inf", "2.0", mechanism, name, k=4, eps=1.0, eps_inf=2.0)
    refuses("calibration", "'tight'", mechanism, name, k=4, eps=1.0, calibration="tight")
    with pytest.raises(ValueError, match=f"^name must be that of a longitudinal mechanism; got '{name}'"):
        max_eps(name, 2.0)


@pytest.mark.parametrize("name", ["grr", "", "L-THE", None, 3, ["GRR"]])
def test_unknown_names(name):
    refuses("name", repr(name), mechanism, name, k=4, eps=1.0)
    refuses("name", repr(name), mechanism_class, name)


@every_mechanism
def test_unknown_options(name):
    with pytest.raises(ValueError, match=f"{name} has no parameter 'sigma'"):
        mechanism(name, k=4, eps=1.0, sigma=2)
    if "theta" not in mechanism_class(name).options:
        with pytest.raises(ValueError, match=f"{name} has no parameter 'theta'"):
            mechanism(name, k=4, eps=1.0, theta=0.7)


@pytest.mark.parametrize("theta", [-0.1, 1.5, NAN, "0.7", True])
def test_theta(theta):
    refuses("theta", repr(theta), mechanism, "THE", k=4, eps=1.0, theta=theta)


@every_mechanism
def test_channel_and_n(name):
    m = mechanism(name, k=4, eps=1.0)
    refuses("which", "'wrong'", m.channel, "wrong")
    for n in (0, -1, 1.5, NAN, "10", True, None):
        refuses("n", repr(n), m.noise_variance, 0.1, n)
        refuses("n", repr(n), m.total_variance, 0.1, n)


# ---- true values ----------------------------------------------------------------------


@every_mechanism
@pytest.mark.parametrize(
    ("values", "given"),
    [
        ([0, 4], "4 at position 1"),
        ([-1], "-1 at position 0"),
        ([1, 0.5], "0.5 at position 1"),
        ([NAN], "nan at position 0"),
        ([INF], "inf at position 0"),
        ([], "an empty array"),
        ([[0, 1], [2, 3]], "shape (2, 2)"),
        (2, "shape ()"),
        (["0"], "type <U1"),
        ([True], "type bool"),
        ([None], "type object"),
        ([1j], "type complex128"),
    ],
)
def test_values(name, values, given):
    m = mechanism(name, k=4, eps=1.0)
    refuses("values", given, m.privatize, values, rng())
    if m.longitudinal:
        refuses("values", given, m.memoize, values, rng())
    if m.takes_reals:
        refuses("values", given, partial(m.noisy_histograms, accept_leak=True), values, rng())


@every_mechanism
@pytest.mark.parametrize("bad", [None, 5, np.random, "rng"], ids=["None", "number", "module", "word"])
def test_random_generators(name, bad):
    m = mechanism(name, k=4, eps=1.0)
    refuses("rng", repr(bad)[:40], m.privatize, [0], bad)
    refuses("rng", repr(bad)[:40], m.sample_counts, [1, 0, 0, 0], 1, bad)
    if m.longitudinal:
        refuses("rng", repr(bad)[:40], m.memoize, [0], bad)
        refuses("rng", repr(bad)[:40], m.report, m.memoize([0], rng()), bad)


# ---- histograms -------------------------------------------------------------------------


@every_mechanism
@pytest.mark.parametrize(
    ("histogram", "given"),
    [
        ([], "shape (0,)"),
        ([1, 2, 3], "shape (3,)"),
        ([1, 2, 3, 4, 5], "shape (5,)"),
        (7, "shape ()"),
        ([[1, 2, 3, 4], [1, 2, 3, 4]], "shape (2, 4)"),
        ([1, -2, 3, 4], "-2 at position 1"),
        ([1, 2.5, 3, 4], "2.5 at position 1"),
        ([1, NAN, 3, 4], "nan at position 1"),
        ([1, 10**13, 3, 4], "10000000000000 at position 1"),
        ([0, 0, 0, 0], "only zeros"),
        (["1", "2", "3", "4"], "type <U1"),
        ([True, False, True, True], "type bool"),
    ],
)
def test_histograms(name, histogram, given):
    m = mechanism(name, k=4, eps=1.0)
    refuses("histogram", given, m.sample_counts, histogram, 1, rng())


@every_mechanism
def test_more_users_than_allowed(name):
    m = mechanism(name, k=4, eps=1.0)
    with pytest.raises(ValueError, match=r"^n \(the sum of histogram\) .*got 2000000000000"):
        m.sample_counts([10**12, 0, 10**12, 0], 1, rng())


@every_mechanism
@pytest.mark.parametrize("runs", [0, -1, 1.5, NAN, "3", True, None])
def test_runs(name, runs):
    m = mechanism(name, k=4, eps=1.0)
    refuses("runs", repr(runs), m.sample_counts, [1, 0, 0, 0], runs, rng())


# ---- reports ------------------------------------------------------------------------------


def refused_by_the_server(m, argument, given, reports):
    refuses(argument, given, m.support_counts, reports)
    refuses(argument, given, m.supports, reports)


@pytest.mark.parametrize("name", ["GRR", "L-GRR"])
@pytest.mark.parametrize(
    ("reports", "given"),
    [
        ([4], "4 at position 0"),
        ([0, -1], "-1 at position 1"),
        ([0.5], "0.5 at position 0"),
        ([], "an empty array"),
        ([[0, 1]], "shape (1, 2)"),
        (["a"], "type <U1"),
        ([None], "type object"),
    ],
)
def test_single_values(name, reports, given):
    refused_by_the_server(mechanism(name, k=4, eps=1.0), "reports", given, reports)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize(
    ("reports", "given"),
    [
        ([[0, 1, 2]], "2 in row 0, column 2"),
        ([[0, 1, 0], [-1, 0, 0]], "-1 in row 1, column 0"),
        ([0, 1, 0], "shape (3,)"),
        ([[0, 1]], "shape (1, 2)"),
        (np.zeros((0, 3), dtype=bool), "shape (0, 3)"),
        (np.zeros((2, 3, 3)), "shape (2, 3, 3)"),
        ([["0", "1", "a"]], "an array of type <U1"),
    ],
)
def test_bits(name, reports, given):
    refused_by_the_server(mechanism(name, k=3, eps=1.0), "reports", given, reports)


@pytest.mark.parametrize("name", [n for n in UNARY if not mechanism_class(n).takes_reals])
def test_only_the_takes_reals(name):
    m = mechanism(name, k=3, eps=1.0)
    refused_by_the_server(m, "reports", "0.7 in row 0, column 1", [[0, 0.7, 1]])
    refused_by_the_server(m, "reports", "nan in row 0, column 1", [[0, NAN, 1]])


@pytest.mark.parametrize("bad", [NAN, INF])
def test_reals_must_be_finite(bad):
    m = mechanism("THE", k=3, eps=1.0)
    for call in (m.support_counts, m.supports):
        with pytest.raises(ValueError, match=r"^reports must hold finite numbers; row 1, column 2 does not"):
            call([[0.1, 0.2, 0.3], [0.1, 0.2, bad]])


@pytest.mark.parametrize(
    ("reports", "given"),
    [
        ([[0, 7]], "7 at position (0, 1)"),
        ([[0, -1]], "-1 at position (0, 1)"),
        ([[0, 0.5]], "0.5 at position (0, 1)"),
        ([[0, 1, 2]], "shape (1, 3)"),
        ([0, 1], "shape (2,)"),
        (np.zeros((0, 2), dtype=int), "an empty array"),
        ([["a", "b"]], "type <U1"),
    ],
)
def test_subsets(reports, given):
    m = mechanism("SS", k=6, eps=1.0)
    assert m.omega == 2
    refused_by_the_server(m, "reports", given, reports)


def test_subsets_with_a_value_twice():
    m = mechanism("SS", k=6, eps=1.0)
    for call in (m.support_counts, m.supports):
        with pytest.raises(ValueError, match=r"^reports must be sets; row 1 holds a value twice"):
            call([[0, 1], [3, 3]])
    # The order does not matter to the server.
    assert m.support_counts([[5, 0], [1, 0]]).tolist() == [2, 1, 0, 0, 0, 1]


@pytest.mark.parametrize("name", HASHING)
def test_hashed_reports(name):
    m = mechanism(name, k=4, eps=1.0)
    for reports in (5, [1, 2], np.zeros((2, 2)), (1, 2, 3), None):
        for call in (m.support_counts, m.supports):
            with pytest.raises(ValueError, match=r"^reports must be a pair \(seed, value\)"):
                call(reports)
    pairs = [
        ("reports.seed", "4294967296 at position 0", [2**32], [0]),
        ("reports.seed", "-1 at position 0", [-1], [0]),
        ("reports.value", f"{m.g} at position 1", [1, 2], [0, m.g]),
        ("reports.value", "0.5 at position 0", [1], [0.5]),
        ("reports", "shapes (2,) and (1,)", [1, 2], [0]),
        ("reports", "shapes (1, 1) and (1, 1)", [[1]], [[0]]),
        ("reports.seed", "an empty array", [], []),
        ("reports.value", "type <U1", [1], ["0"]),
    ]
    for argument, given, seeds, cells in pairs:
        refused_by_the_server(m, argument, given, HashedReports(seeds, cells))
