"""The hash family of other packages: xxh32 of the value as text. Random tests have a false-alarm rate of 10⁻⁶."""

from __future__ import annotations

import numpy as np
import pytest
from mechanism_cases import CHOOSING, chi2, chi2_limit

from ldpcore.mechanisms import HASH_FAMILIES, hash_cells, mechanism
from ldpcore.mechanisms._xxh32 import xxh32_decimal

# (value, seed, hash), as xxHash's own library gives them.
KNOWN = [
    (0, 0, 0x48454CB2), (7, 0, 0x20B06902), (10, 1, 0x81405755), (99, 2**32 - 1, 0xBEFAB2E0),
    (123, 12345, 0x187CB5F2), (4567, 2654435761, 0x56E04E78), (99999, 0, 0x0E211CB4), (123456, 7, 0x4EF79605),
    (999999, 2**31, 0x2471C4F4), (12345678, 3, 0xE69B8311), (123456789012345, 2**32 - 2, 0xE07C2DA7),
]  # fmt: skip
# What pure-ldp 1.2.0 sent for ε = 1, d = 12 and what its server counted: (value, seed) of 24 users.
PURE_LDP = {
    "BLH": (
        [
            (1, 1164115433906158532), (1, 2175216119781798972), (0, 8711387064946514083), (0, 7002664860023442459),
            (0, 3872982626502034966), (0, 8999366892653588108), (1, 7190703300742001586), (1, 4912931603392816429),
            (0, 1885758236351349410), (0, 5855543267441242937), (0, 411770278714326748), (1, 169801152120619550),
            (0, 6377047045578648633), (0, 7677164818041690485), (1, 1844679518563690323), (0, 5467437777444762813),
            (1, 3502109416845026634), (1, 5241815115701522205), (1, 9211604062182188228), (1, 7256093656713152453),
            (1, 8858624155593387863), (1, 7457799070378274648), (0, 6772239360026359448), (0, 1595045547040606607),
        ],
        [12, 14, 12, 8, 13, 10, 7, 13, 9, 13, 14, 16],
    ),
    "OLH": (
        [
            (2, 1990980354791980309), (1, 3019700541753656291), (1, 6834936842587758009), (1, 8657428560074652038),
            (3, 5691363375748086700), (0, 3110015850176577870), (3, 4186255040170865876), (3, 226924141740646395),
            (1, 3680427371254579517), (1, 7460875389816005895), (2, 6342468101875337769), (3, 6516758115540163662),
            (3, 7077824384042673985), (1, 2384231109348281064), (1, 3790533972295231020), (0, 8874762027149433018),
            (3, 6728192493419560012), (0, 7625884847633161299), (2, 7644783055287522883), (3, 29233438688579592),
            (3, 6108407880909172558), (0, 3334876004289034833), (2, 1689747666745627563), (0, 598765265892340545),
        ],
        [9, 5, 7, 7, 6, 4, 5, 4, 3, 7, 7, 10],
    ),
}  # fmt: skip


def test_known_answers():
    values, seeds, hashes = (np.array(column) for column in zip(*KNOWN, strict=True))
    assert xxh32_decimal(seeds, values).tolist() == hashes.tolist()
    np.testing.assert_array_equal(xxh32_decimal(seeds[:, None], values).diagonal(), hashes)


def test_against_the_library():
    xxhash = pytest.importorskip("xxhash", reason='needs xxhash: pip install "xxhash<4"')
    rng = np.random.default_rng(51)
    values = np.append(np.arange(1_100), rng.integers(0, 10 ** rng.integers(1, 16, 400)))
    seeds = rng.integers(0, 2**63, values.size)

    def expected(value, seed):
        return xxhash.xxh32(str(value).encode(), seed=int(seed) % 2**32).intdigest()

    pairs = zip(values, seeds, strict=True)
    assert xxh32_decimal(seeds, values).tolist() == [expected(v, s) for v, s in pairs]
    table = xxh32_decimal(seeds[:20, None], values)
    assert table.tolist() == [[expected(v, s) for v in values] for s in seeds[:20]]


def test_only_32_bits_of_a_seed_count():
    seeds = np.array([5, 5 + 2**32, 5 + 2**62])
    assert np.unique(hash_cells(seeds, 17, 2**31, family="xxh32")).size == 1


def test_the_shape_is_the_broadcast_one():
    values = np.array([[3, 10], [200, 4]])
    table = hash_cells([[1], [2]], values, 9, family="xxh32")
    assert table.dtype == np.int64
    for row, column in np.ndindex(2, 2):
        assert table[row, column] == hash_cells(row + 1, values[row, column], 9, family="xxh32")
    assert hash_cells(1, 2, 9, family="xxh32").shape == ()


@pytest.mark.parametrize("name", list(PURE_LDP))
def test_the_reports_of_pure_ldp_are_counted_as_it_counts_them(name):
    pairs, counts = PURE_LDP[name]
    values, seeds = np.array(pairs).T
    assert mechanism(name, k=12, eps=1.0, hash_family="xxh32").support_counts((seeds, values)).tolist() == counts


@pytest.mark.parametrize("name", CHOOSING)
def test_own_reports_in_the_other_family(name):
    n, k = 50_000, 30
    m = mechanism(name, k=k, eps=1.0, hash_family="xxh32")
    reports = m.privatize(np.full(n, 3), np.random.default_rng(52))
    table = hash_cells(reports.seed[:, None], np.arange(k), m.g, family="xxh32")
    np.testing.assert_array_equal(m.supports(reports), table == reports.value[:, None])
    np.testing.assert_array_equal(m.support_counts(reports), m.supports(reports).sum(axis=0))
    probability = np.where(np.arange(k) == 3, m.p, m.q)
    counts = m.support_counts(reports)
    # Values are supported independently of each other, so the squares of k standard normals.
    assert (((counts - n * probability) ** 2) / (n * probability * (1 - probability))).sum() < chi2_limit(k)
    assert chi2(np.bincount(reports.value, minlength=m.g), n / m.g) < chi2_limit(m.g - 1)


@pytest.mark.parametrize("name", CHOOSING)
def test_the_family_is_checked(name):
    assert mechanism(name, k=4, eps=1.0).hash_family == "splitmix64"
    assert list(HASH_FAMILIES) == ["splitmix64", "xxh32"]
    with pytest.raises(ValueError, match="hash_family must be one of splitmix64, xxh32; got 'md5'"):
        mechanism(name, k=4, eps=1.0, hash_family="md5")
    m = mechanism(name, k=4, eps=1.0, hash_family="xxh32")
    assert m.support_counts(([2**63 - 1], [0])).shape == (4,)
    with pytest.raises(ValueError, match=r"reports\.seed must hold whole numbers from 0 to"):
        m.support_counts((np.array([2**63], dtype=np.uint64), [0]))


def test_others_have_no_hash_family():
    with pytest.raises(ValueError, match="OUE has no parameter 'hash_family'"):
        mechanism("OUE", k=4, eps=1.0, hash_family="xxh32")
    with pytest.raises(ValueError, match="family must be one of"):
        hash_cells(1, 2, 3, family="")
