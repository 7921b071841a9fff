"""The grid of the tournament: every draw is balanced, and enough draws are the whole cross."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from ldpcore import tournament
from ldpcore.tournament import DATA, EPS, LEVELS, MECHANISMS, Level, Match, N, matches
from ldpcore.tournament.shapes import SHAPES, users


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: f"k={level.k}")
@pytest.mark.parametrize("draw", [0, 3])
def test_every_eps_and_n_meets_equally_many_mechanisms(level, draw):
    met = Counter((match.eps, match.n) for match in matches(draw, levels=(level,)))
    assert len(met) == len(EPS) * len(N)
    assert set(met.values()) == {len(MECHANISMS) // level.one_in}


@pytest.mark.parametrize("level", [Level(10, 7), Level(50, 14, data_in=4), Level(50, 2, data_in=2)])
def test_enough_draws_are_the_whole_cross_and_no_setting_comes_twice(level):
    settings = Counter(
        (match.mechanism, match.eps, match.n, data)
        for draw in range(level.one_in * level.data_in)
        for match in matches(draw, levels=(level,))
        for data in match.data
    )
    assert len(settings) == len(MECHANISMS) * len(EPS) * len(N) * len(DATA)
    assert set(settings.values()) == {1}


def test_every_repeat_has_a_seed_of_its_own():
    seeds = Counter(match.seed_of(data, r) for match in matches() for data in match.data for r in range(2))
    # 2 896 numbers of 2³¹: a common one is to be expected in 1 of 500 grids.
    assert max(seeds.values()) == 1


@pytest.mark.parametrize("data", SHAPES)
@pytest.mark.parametrize("k", [2, 10, 501])
def test_the_three_other_data_sets_are_shares_of_all_bins(data, k):
    shares = SHAPES[data](k)
    assert shares.shape == (k,)
    assert shares.min() > 0
    assert shares.sum() == pytest.approx(1)


def test_users_follow_the_shares():
    drawn = users("zipf", 10**6, 20, seed=3)
    shares = SHAPES["zipf"](20)
    chi2 = ((drawn - 10**6 * shares) ** 2 / (10**6 * shares)).sum()
    assert chi2 < 66  # 19 degrees of freedom: exceeded once in 3 million
    assert np.array_equal(drawn, users("zipf", 10**6, 20, seed=3))
    assert not np.array_equal(drawn, users("zipf", 10**6, 20, seed=4))


def test_a_longitudinal_mechanism_has_twice_its_eps_in_all():
    m = tournament.Match("L-OUE", 0.5, 1_000, 10, ("zipf",)).make_mechanism()
    assert m.eps_inf == 1.0


def test_numbers_and_words_of_a_frame_have_the_same_seed():
    match = Match("OUE", 0.5, 1_000, 10, ("zipf",), draw=2, seed=3)
    row = pd.DataFrame([{"mechanism": "OUE", "eps": 0.5, "n": 1_000, "k": 10}]).astype({"n": "int32"}).iloc[0]
    of_a_frame = Match(row["mechanism"], row["eps"], row["n"], row["k"], ("zipf",), np.int64(2), np.int64(3))
    assert of_a_frame == match
    assert of_a_frame.seed_of(np.str_("zipf"), np.int64(1)) == match.seed_of("zipf", 1) == 726_664_070
