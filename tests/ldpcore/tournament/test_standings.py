"""Standings: against numbers worked out by hand; and what ships is whole, small, and agrees with what is known."""

from dataclasses import replace
from importlib import resources

import numpy as np
import pandas as pd
import pytest

import ldpcore
from ldpcore import tournament
from ldpcore.tournament import CONTESTANTS, Cells, matches, run, winner


def frame(*rows):
    """Return a frame of (data, repeat, mi, a, b)."""
    head = {"mechanism": "OUE", "eps": 1.0, "n": 1_000, "k": 10, "draw": 0}
    return pd.DataFrame([head | dict(zip(("data", "repeat", "mi", "a", "b"), row, strict=True)) for row in rows])


CELLS = Cells.of(
    frame(
        ("zipf", 0, 4.0, 1.0, 8.0), ("zipf", 1, 4.0, 3.0, 8.0), ("spike", 0, 2.0, 4.0, 1.0), ("spike", 1, 6.0, 4.0, 1.0)
    ),
    ("mi", "a", "b"),
)


def test_standings_by_hand():
    assert CELLS.errors.tolist() == [[4.0, 2.0, 8.0], [4.0, 4.0, 1.0]]
    by_key = {s.key: s for s in CELLS.standings()}
    assert [s.key for s in CELLS.standings()] == ["a", "b", "mi"]
    assert by_key["a"].score == pytest.approx(np.sqrt(0.5 * 1))
    # Relative to their means the repeats of a on Zipf are 0.5 and 1.5, and MI's on Spike the same: half of the
    # squared difference for each setting, over two settings.
    assert by_key["a"].se == pytest.approx(np.sqrt(0.25 + 0.25) / 2)
    assert by_key["b"].cost == pytest.approx(np.sqrt(4 * 1))
    assert (by_key["b"].worst, by_key["b"].median, by_key["b"].wins) == (4.0, 2.5, 0.5)
    assert CELLS.settings["data"][by_key["b"].worst_at] == "zipf"


def test_a_part_of_the_settings_and_of_the_contestants():
    spike = CELLS.where(CELLS.settings["data"] == "spike").among(("b", "mi"))
    assert spike.errors.tolist() == [[1.0, 4.0]]
    assert spike.log_ratio("b", "mi") == pytest.approx((np.log(0.25), 0.5))
    with pytest.raises(ldpcore.Refused, match="no settings"):
        CELLS.where([False, False]).standings()


def test_a_winner_and_its_ties():
    best = winner(CELLS.where(CELLS.settings["data"] == "zipf"))
    # a is ahead of MI by ln 2, with a standard error of 1/2: a tie. b is behind by ln 4, beyond two of them.
    assert (best.key, best.ties, best.settings) == ("a", ("mi",), 1)
    assert best.score == pytest.approx(0.5)
    assert np.isnan(winner(CELLS.among(("a", "b"))).score)


def test_the_standard_error_is_that_of_repeated_tournaments():
    """Two settings of two repeats, 10 000 times: the mean of the squared standard errors is the variance of the means.

    So many know a variance to 1.4 %, and the mean of squares to 1 %: five of both together are 8.7 %. That ratios are
    taken for their logarithms leaves 1.5 % more. One false alarm in a million.
    """
    rng, tournaments = np.random.default_rng(7), 10_000
    rows = [("zipf", 0), ("zipf", 1), ("spike", 0), ("spike", 1)]
    cells = Cells.of(frame(*((*row, 1.0, 1.0, 1.0) for row in rows)), ("a", "b"))
    common = rng.gamma(50, 1 / 50, size=(tournaments, 4, 1))
    said = []
    for values in common * rng.gamma(100, 1 / 100, size=(tournaments, 4, 2)):
        errors = values.reshape(2, 2, 2).mean(axis=1)
        said.append(replace(cells, errors=errors, spread=values / errors[cells.cell] - 1).log_ratio("a", "b"))
    means, ses = np.array(said).T
    assert np.mean(ses**2) == pytest.approx(np.var(means), rel=0.102)


# ---- what ships -------------------------------------------------------------------


@pytest.fixture(scope="module")
def shipped():
    return {part: tournament.load(part) for part in tournament.PARTS}


def test_what_ships_is_small_and_says_how_it_was_made(shipped):
    folder = resources.files("ldpcore.tournament").joinpath("results")
    assert sum(len(file.read_bytes()) for file in folder.iterdir()) < 2_000_000
    for part, (_, about) in shipped.items():
        assert about["command"].startswith(f"python -m ldpcore tournament --part {part} --draws {about['draws']}")
        assert {"seed", "version", "date"} <= set(about)
        assert sum(sitting["pieces"] for sitting in about["sittings"]) > 0
        assert all(sitting["seconds"] > 0 for sitting in about["sittings"])
        # Made by the estimators as they are now.
        assert about["revision"] == run.REVISION
        assert about["probe"] == pytest.approx(run.probe(), rel=run.PROBE_APART)


def test_what_does_not_ship_is_refused():
    with pytest.raises(ldpcore.Refused, match=r"part must be one of .*matches.*; got 'nothing'"):
        tournament.load("nothing")


def test_every_setting_of_the_grid_ships_and_no_other(shipped):
    rows, about = shipped["matches"]
    every = [match for draw in range(about["draws"]) for match in matches(draw, about["seed"])]
    expected = {(*match.key, data, r) for match in every for data in match.data for r in range(tournament.REPEATS)}
    columns = [rows[name].tolist() for name in ("mechanism", "eps", "n", "k", "draw", "data", "repeat")]
    assert set(zip(*columns, strict=True)) == expected
    assert len(rows) == len(expected)
    assert rows[list(CONTESTANTS)].notna().all(axis=None)
    assert (rows[list(CONTESTANTS)] > 0).all(axis=None)


def test_the_standard_errors_of_pooled_means_are_below_three_percent(shipped):
    cells = Cells.of(shipped["matches"][0])
    for keep in (cells.settings["k"] > 0, *(cells.settings["k"] == level.k for level in tournament.LEVELS)):
        assert max(s.se for s in cells.where(keep).standings()) < 0.03


@pytest.mark.slow
def test_a_shipped_match_is_what_a_run_gives(shipped):
    rows, about = shipped["matches"]
    match = next(m for m in matches(0, about["seed"]) if m.k == 10 and m.mechanism == "OUE")
    fresh = pd.DataFrame(map(dict, tournament.contest(match))).set_index(["data", "repeat"]).sort_index()
    here = rows[(rows["mechanism"] == "OUE") & (rows["k"] == 10) & (rows["n"] == match.n) & (rows["eps"] == match.eps)]
    stored = here.astype({"data": str}).set_index(["data", "repeat"]).sort_index()
    keys = list(CONTESTANTS)
    np.testing.assert_allclose(stored[keys].to_numpy(), fresh[keys].to_numpy(), rtol=2e-3)


@pytest.mark.parametrize(("table", "known"), [(1, (24.1, 26.0, 34.8, 6.0)), (2, (24.2, 25.7, 35.1, 7.0))])
def test_gains_on_the_paper_s_grid_agree_with_those_of_other_seeds(shipped, table, known):
    rows = shipped["paper"][0]
    part = rows[(rows["table"] == table) & (rows["metric"] == "mse")]
    means = part.groupby("estimator", observed=True)[["gain", "reduction"]].mean()
    measured = [means.loc[key, "gain"] for key in ("ibu", "norm-sub", "power-ns")] + [means.loc["ibu", "reduction"]]
    # One draw of the data: a mean Γ moves by about half a point, the mean reduction, which has no floor, by more.
    assert np.abs(np.array(measured) - known) == pytest.approx(np.zeros(4), abs=3)
    assert np.abs(np.array(measured[:3]) - known[:3]).max() < 1.5
