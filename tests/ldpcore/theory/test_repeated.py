"""What many reports cost and win: against all sequences that can be sent, and users who report again and again."""

from __future__ import annotations

import math
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from exact_channels import channel_of, largest_ratio, memo_channel_of, second_channel, symmetric_matrix
from mechanism_cases import KNOWN_CASES, KNOWN_CHAINS, MANY_CELLS, case_id, make, z_limit
from repeated_reports import first_channels, fresh, sequences, with_memo

import ldpcore as ldp
from ldpcore.mechanisms import hash_cells
from ldpcore.theory import averaged_variance, changing_eps, effective_eps_after

every_case = pytest.mark.parametrize("case", KNOWN_CASES, ids=case_id)
every_chain = pytest.mark.parametrize("case", KNOWN_CHAINS, ids=case_id)


# ---- effective ε ----------------------------------------------------------------------


@every_chain
@pytest.mark.parametrize(("k", "reports"), [(2, 1), (2, 4), (3, 2), (3, 3)])
def test_the_largest_ratio_over_all_sequences_of_a_memo(case, k, reports):
    if case[0] in MANY_CELLS:
        k, reports = 2, min(reports, 3)
    m = make(case, k, 0.9, 2.0)
    largest = max(largest_ratio(first @ law) for _, first, law in with_memo(m, reports))
    assert effective_eps_after(m, reports) == pytest.approx(math.log(largest), rel=1e-9)


@every_chain
def test_infinitely_many_reports_cost_what_the_memo_costs(case):
    m = make(case, 3, 0.7, 1.5)
    largest = max(largest_ratio(first) for _, first in first_channels(m))
    assert effective_eps_after(m, math.inf) == pytest.approx(math.log(largest), rel=1e-9)
    assert effective_eps_after(m, math.inf) == pytest.approx(m.eps_inf, rel=1e-9)


@every_case
def test_fresh_reports_add_up(case):
    k = 2 if case[0] in MANY_CELLS else 3
    m = make(case, k, 0.8)
    assert effective_eps_after(m, 2, memo=False) == pytest.approx(math.log(largest_ratio(fresh(m, 2))), rel=1e-9)
    assert effective_eps_after(m, math.inf, memo=False) == math.inf


@every_case
@pytest.mark.parametrize("k", [2, 7, 1000])
@pytest.mark.parametrize(("eps", "eps_inf"), [(0.01, 0.02), (0.5, 4.0), (1.3, 2.0), (6.0, 14.0)])
def test_with_a_memo_it_rises_and_never_passes_its_bound(case, k, eps, eps_inf):
    m = make(case, k, eps, eps_inf if case[1] else None)
    costs = [effective_eps_after(m, t) for t in (1, 2, 5, 30, 1_000, 10_000, math.inf)]
    assert costs[0] == pytest.approx(m.effective_eps, rel=1e-9)
    assert all(after >= before - 1e-10 for before, after in pairwise(costs))
    assert costs[-1] <= (m.eps_inf or m.eps) * (1 + 1e-9)


def test_a_split_near_the_whole_budget_leaves_nothing_to_learn():
    m = ldp.mechanism("L-SUE", k=5, eps=1.999999, eps_inf=2.0)
    assert effective_eps_after(m, 1) == pytest.approx(effective_eps_after(m, 10_000), rel=1e-5)


# ---- values that change -----------------------------------------------------------------


def history_law(first, second, memos, reports):
    """Return Pr[all sequences | a history]: for each report the row of `first` that its memo was drawn from."""
    law = np.ones(len(reports))
    for memo in set(memos):
        times = [i for i, held in enumerate(memos) if held == memo]
        law = law * (first[memo] @ second[:, reports[:, times]].prod(axis=2))
    return law


def memo_laws(m):
    """Return Pr[memo | key] and Pr[report | memo], and to which key each value goes for each hash function of a user.

    A one-time mechanism sends its memo as it is, and its hash function, drawn with it, is a part of it. Where a user
    keeps one, the memo is the cell: its first round is that of randomized response on the cells.
    """
    if not m.longitudinal:
        first = channel_of(m)[0]
        return first, np.eye(first.shape[1]), [range(m.k)]
    if m.g:
        return symmetric_matrix(m.g, m.p1, m.q1), second_channel(m), list(product(range(m.g), repeat=m.k))
    return memo_channel_of(m)[0], second_channel(m), [range(m.k)]


def pattern(memos):
    """Return when a history goes back to which memo."""
    return [memos.index(memo) for memo in memos]


# Among them fewer cells than values, where one-time hashing draws a function for each value, and more cells.
HISTORIES = [
    *(("GRR", 0.8, *sizes) for sizes in ((3, 1, 4), (3, 2, 3), (2, 1, 3))),
    *(("OUE", 0.8, *sizes) for sizes in ((3, 1, 3), (2, 1, 4))),
    *(("SS", 0.3, *sizes) for sizes in ((4, 1, 3), (3, 1, 4))),
    *(("BLH", 0.8, *sizes) for sizes in ((3, 1, 3), (2, 2, 3), (2, 1, 3))),
    *(("OLH", 0.3, *sizes) for sizes in ((3, 1, 3), (2, 1, 3))),
    ("OLH", 0.8, 2, 1, 3),
    *(("L-GRR", 0.8, *sizes) for sizes in ((3, 1, 3), (3, 2, 3), (2, 1, 4), (2, 2, 3), (2, 1, 3))),
    *((name, 0.8, *sizes) for name in ("L-SUE", "L-OSUE") for sizes in ((3, 1, 3), (3, 2, 3), (2, 2, 3), (2, 1, 3))),
    *(("L-BLH", 0.8, *sizes) for sizes in ((4, 1, 4), (4, 2, 3), (2, 1, 4), (2, 2, 3))),
    ("L-OLH", 1.5, 2, 1, 3),
]


@pytest.mark.parametrize(("name", "eps", "k", "every", "number"), HISTORIES)
def test_the_largest_ratio_between_two_histories_that_change_at_the_same_times(name, eps, k, every, number):
    m = ldp.mechanism(name, k=k, eps=eps, eps_inf=eps + 0.9 if name.startswith("L-") else None)
    first, second, functions = memo_laws(m)
    reports = sequences(second.shape[1], number)
    largest = 0.0
    for keys in functions:
        for one, other in product(permutations(range(k)), repeat=2):
            if any(a == b for a, b in zip(one, other, strict=True)):
                continue
            memos = [[keys[order[t // every % k]] for t in range(number)] for order in (one, other)]
            if pattern(memos[0]) == pattern(memos[1]):
                laws = [history_law(first, second, held, reports) for held in memos]
                possible = laws[1] > 0
                assert (laws[0][~possible] == 0).all()
                largest = max(largest, float((laws[0][possible] / laws[1][possible]).max()))
    assert changing_eps(m, number, every) == pytest.approx(math.log(largest), rel=1e-9)


@pytest.mark.parametrize("name", ["BLH", "OLH", "GRR", "L-BLH", "L-OLH", "L-GRR"])
@pytest.mark.parametrize("eps", [0.3, 2.0])
def test_a_device_comes_to_keep_so_many_memos(name, eps):
    """Through all values and back: one memo for each, or for each cell of the one hash function that is kept."""
    m, rng = ldp.mechanism(name, k=3, eps=eps), np.random.default_rng(8)
    most = 0
    for _ in range(40):
        phone, memos = m.device(0, rng, memo=True), {}
        for value in (0, 1, 2, 0, 1, 2):
            phone.hold(value, rng)
            phone.report(rng)
            kept = np.array(phone.memo).ravel().tolist()
            key = int(hash_cells(kept[0], [value], m.g)[0]) if m.g and m.longitudinal else value
            assert memos.setdefault(key, kept) == kept
        if m.g:
            assert len({seed for seed, _ in memos.values()}) == (1 if m.longitudinal else 3)
        most = max(most, len(memos))
    # Three values fall into both of two cells, or into three of many, with a chance above 1/2: 2⁻⁴⁰ that none do.
    assert m.memos == most


def test_that_a_value_changed_is_not_bounded_by_the_budgets_of_its_memos():
    """Reports of one memo and then of another, against those of one memo all along: the ratio grows with c."""
    m = ldp.mechanism("L-GRR", k=3, eps=1.0, eps_inf=2.0, calibration="tight")
    first, second = symmetric_matrix(3, m.p1, m.q1), symmetric_matrix(3, m.p2, m.q2)
    for c, beyond in ((2, False), (40, True)):
        reports = np.array([[0] * c + [1] * c])
        changed, stayed = (history_law(first, second, h, reports)[0] for h in ([0] * c + [1] * c, [0] * 2 * c))
        assert (math.log(changed / stayed) > changing_eps(m, 2 * c, c)) == beyond


@pytest.mark.parametrize(("c", "ratio"), [(5, 6.784), (20, 27.898), (100, 140.507)])
def test_nor_is_a_change_within_a_cell_against_one_between_cells(c, ratio):
    """Both histories change their value once, at the same time; the values of one are in one cell and have one memo.

    The ratio by hand: what two memos say of c reports of cell 0 and c of cell 1, against what one says of both.
    """
    m = ldp.mechanism("L-BLH", k=4, eps=1.0, eps_inf=2.0)
    first, second = symmetric_matrix(2, m.p1, m.q1), symmetric_matrix(2, m.p2, m.q2)
    reports = np.array([[0] * c + [1] * c])
    between, within = (history_law(first, second, h, reports)[0] for h in ([0] * c + [1] * c, [0] * 2 * c))
    two = (m.p1 * m.p2**c + m.q1 * m.q2**c) ** 2
    assert math.log(between / within) == pytest.approx(math.log(two / (m.p2 * m.q2) ** c), rel=1e-12)
    assert math.log(between / within) == pytest.approx(ratio, abs=5e-4)
    assert math.log(between / within) > changing_eps(m, 2 * c, c) + 2


@every_case
def test_a_value_that_never_changes_costs_what_it_costs(case):
    m = make(case, 6, 1.1)
    for t in (1, 7, 400):
        assert changing_eps(m, t, 1_000) == pytest.approx(effective_eps_after(m, t), rel=1e-12)
        assert changing_eps(m, t, 3, memo=False) == effective_eps_after(m, t, memo=False)
    # However often: one memo for each value, or for each cell of the hash function that is kept.
    most = (min(m.g, 6) if m.g and m.longitudinal else 6) * effective_eps_after(m, math.inf)
    assert changing_eps(m, 10_000, 1) == pytest.approx(most, rel=0.02)
    assert changing_eps(m, 10_000, 1) <= most * (1 + 1e-9)


# ---- the server's side --------------------------------------------------------------------


@every_case
@pytest.mark.parametrize("memo", [True, False])
def test_the_variance_of_a_mean_over_collections_is_that_of_simulated_users(case, memo):
    """20 000 users of one value: the variance of their mean supports; one false alarm in 10⁶ over all cases."""
    users, collections, rng = 20_000, 4, np.random.default_rng(5)
    m = make(case, 3, 1.2)
    values = np.zeros(users, dtype=np.int64)
    if memo and m.longitudinal:
        kept = m.memoize(values, rng)
        means = sum(m.supports(m.report(kept, rng)).astype(float) for _ in range(collections)) / collections
    elif memo:
        means = m.supports(m.privatize(values, rng)).astype(float)
    else:
        means = sum(m.supports(m.privatize(values, rng)).astype(float) for _ in range(collections)) / collections
    around = (means - means.mean(axis=0)) ** 2
    scale = (m.p - m.q) ** 2
    for share, column in ((1.0, 0), (0.0, 1)):
        expected = averaged_variance(m, share, 1, collections, memo=memo) * scale
        z = (around[:, column].mean() - expected) / (around[:, column].std() / math.sqrt(users))
        assert abs(z) < z_limit(2 * 2 * len(KNOWN_CASES))


@every_case
def test_one_collection_and_infinitely_many(case):
    m, f = make(case, 5, 0.9), np.array([0.0, 0.3, 1.0])
    for memo in (True, False):
        np.testing.assert_allclose(averaged_variance(m, f, 1_000, 1, memo=memo), m.noise_variance(f, 1_000), rtol=1e-9)
    assert (averaged_variance(m, f, 1_000, math.inf, memo=False) == 0).all()
    end = averaged_variance(m, f, 1_000, math.inf)
    if not m.longitudinal:
        np.testing.assert_allclose(end, m.noise_variance(f, 1_000))
        return
    # The memo's noise stays: that of the first round alone.
    q1 = m.q1 if m.g is None else 1 / m.g
    np.testing.assert_allclose(end, (f * m.p1 * (1 - m.p1) + (1 - f) * q1 * (1 - q1)) / (1_000 * (m.p1 - q1) ** 2))


@pytest.mark.parametrize(
    "call",
    [
        lambda m: effective_eps_after(m, 0),
        lambda m: changing_eps(m, 5, 0),
        lambda m: averaged_variance(m, 0.5, 10, 0.5),
        lambda m: averaged_variance(m, 0.5, 0, 1),
    ],
)
def test_bad_numbers_are_named(call):
    with pytest.raises(ldp.Refused, match=r"^(reports|every|collections|n) must be"):
        call(ldp.mechanism("L-SUE", k=3, eps=1.0))


def test_a_chain_that_does_not_say_its_rounds_says_so():
    class Silent(type(ldp.mechanism("L-GRR", k=3, eps=1.0))):
        rounds = None

    with pytest.raises(ldp.Refused, match="L-GRR does not say what its two rounds are"):
        effective_eps_after(Silent(k=3, eps=1.0), 2)
