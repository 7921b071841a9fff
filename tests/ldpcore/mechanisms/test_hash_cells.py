"""The hash function behaves like an ideal one. χ² limits by Wilson and Hilferty, false-alarm rate 10⁻⁶ a test."""

from __future__ import annotations

import numpy as np
import pytest
from mechanism_cases import chi2, chi2_limit, frequency_z, z_limit

from ldpcore.errors import Refused
from ldpcore.mechanisms import hash_cells, mechanism

N = 200_000
CELLS = (2, 3, 4, 7, 55)
VALUES = (0, 1, 2, 17, 99, 1023, 999_999)
PAIRS = ((0, 1), (1, 2), (0, 2), (7, 8), (0, 64), (31, 32), (5, 999_999), (255, 256))
TRIPLES = ((0, 1, 2), (0, 1, 3), (10, 20, 30), (4, 5, 1000))


def seeds(kind):
    if kind == "sequential":
        return np.arange(N)
    if kind == "top":
        # The last seeds of the range: the 32-bit shift must not lose their high bits.
        return np.arange(2**32 - N, 2**32)
    return np.random.default_rng(31).integers(0, 2**32, N)


KINDS = ("random", "sequential", "top")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("g", CELLS)
def test_cells_are_uniform(g, kind):
    for value in VALUES:
        cells = hash_cells(seeds(kind), value, g)
        assert cells.min() >= 0
        assert cells.max() < g
        assert chi2(np.bincount(cells, minlength=g), N / g) < chi2_limit(g - 1, tests=len(VALUES))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("g", CELLS)
def test_cells_of_two_values_are_independent(g, kind):
    for v, w in PAIRS:
        pairs = hash_cells(seeds(kind), v, g) * g + hash_cells(seeds(kind), w, g)
        assert chi2(np.bincount(pairs, minlength=g * g), N / g**2) < chi2_limit(g * g - 1, tests=len(PAIRS))


@pytest.mark.parametrize("kind", KINDS)
def test_cells_of_three_values_are_independent(kind):
    for triple in TRIPLES:
        cells = np.array([hash_cells(seeds(kind), value, 2) for value in triple])
        assert chi2(np.bincount([4, 2, 1] @ cells, minlength=8), N / 8) < chi2_limit(7, tests=len(TRIPLES))
        together = (cells == cells[0]).all(axis=0).mean()
        assert abs(frequency_z(together, 0.25, N)) < z_limit(len(TRIPLES))


@pytest.mark.parametrize("g", CELLS)
def test_cells_of_one_function_are_uniform_over_the_values(g):
    # A user's own function is balanced too: here the values vary and the seed stays.
    for seed in (0, 1, 2**32 - 1):
        cells = hash_cells([seed], np.arange(N), g)
        assert chi2(np.bincount(cells, minlength=g), N / g) < chi2_limit(g - 1, tests=3)


def test_neighbouring_seeds_give_independent_functions():
    cells = hash_cells(np.arange(N + 1), 3, 7)
    pairs = cells[:-1] * 7 + cells[1:]
    assert chi2(np.bincount(pairs, minlength=49), N / 49) < chi2_limit(48)


def test_known_answers():
    # The first outputs of splitmix64 started at 0, as published with the generator.
    outputs = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    for g in (2, 3, 55, 1000, 2**31):
        cells = hash_cells(np.array([0]), np.array([0, 1, 2]), g)
        assert cells.tolist() == [output % g for output in outputs]


def splitmix64(place):
    """Return the output at a place of the sequence, in Python's unlimited integers."""
    mask = 2**64 - 1
    z = (place + 1) * 0x9E3779B97F4A7C15 & mask
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
    return z ^ z >> 31


def test_against_a_plain_implementation():
    rng = np.random.default_rng(32)
    some_seeds = np.append(rng.integers(0, 2**32, 200), [0, 1, 2**31, 2**32 - 1])
    values = np.append(rng.integers(0, 10**6, 200), [0, 999_999, 0, 999_999])
    for g in (2, 5, 149, 2**31):
        expected = [splitmix64((int(s) << 32) + int(v)) % g for s, v in zip(some_seeds, values, strict=True)]
        assert hash_cells(some_seeds, values, g).tolist() == expected


def test_arguments_are_broadcast_and_left_alone():
    some_seeds, values = np.arange(5, dtype=np.uint64), np.arange(3, dtype=np.uint64)
    table = hash_cells(some_seeds[:, None], values, 11)
    assert table.shape == (5, 3)
    assert table.dtype == np.int64
    assert table[4, 2] == hash_cells([4], [2], 11)[0]
    assert some_seeds.tolist() == list(range(5))
    assert values.tolist() == list(range(3))


@pytest.mark.parametrize("name", ["BLH", "OLH", "L-BLH", "L-OLH"])
def test_supports_are_the_values_that_hash_to_the_reported_cell(name):
    m = mechanism(name, k=30, eps=1.5)
    rng = np.random.default_rng(33)
    reports = m.privatize(rng.integers(0, 30, 500), rng)
    table = hash_cells(reports.seed[:, None], np.arange(30), m.g)
    np.testing.assert_array_equal(m.supports(reports), table == reports.value[:, None])
    assert reports.seed.min() >= 0
    assert reports.seed.max() < 2**32
    assert np.unique(reports.seed).size > 495, "every user has a function of their own"


@pytest.mark.parametrize("family", ["splitmix64", "xxh32"])
def test_seeds_and_values_that_do_not_fit_are_said(family):
    with pytest.raises(Refused, match=r"^seeds and values must have the same shape.* got \(3,\) and \(2,\)"):
        hash_cells([1, 2, 3], [1, 2], 3, family=family)
    assert hash_cells([1, 2, 3], 1, 3, family=family).shape == (3,)
