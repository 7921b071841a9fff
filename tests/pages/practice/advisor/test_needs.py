"""The Advisor: what is needed, and what if the data are others."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from advisor_page import ACCURACY, BASE, CHAIN, KEYS, kind, opened, ranking, said
from app_steps import charts, numbers

import ldpcore as ldp
from ldpcore import advisor as core
from ldpcore.advisor import Accuracy
from ldpui import clock, grids, privacy
from pages.practice.advisor import (
    controls,
    errors,
    fine_grid,
    needs,
    participants,
    question,
    runs,
)

# ---- what is needed -----------------------------------------------------------------


# Any two of the three choices meet.
@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("solve", "goal", "reports"),
    [
        ("which ε", "every bin", "once"),
        ("which ε", "total variation", "repeatedly"),
        ("how many users", "every bin", "repeatedly"),
        ("how many users", "total variation", "once"),
    ],
)
def test_what_is_needed_is_what_core_finds(few_runs, solve, goal, reports):
    base = replace(BASE if reports == "once" else CHAIN, k=5)
    bound = {"points": "5", "tv": "0.05"}
    at = opened(solve=solve, goal=goal, reports=reports, k="5", **bound)
    frame = ranking(at)
    accuracy = replace(ACCURACY[goal], bound=0.05)
    sought = question.SOUGHT[solve]
    # SS takes part where it sends more than a single value: that hangs on the ε that is found.
    counts = frame["Mechanism"].value_counts()
    assert all(counts[name] == 4 for name in kind(at))
    assert counts.sum() - counts.get("SS", 0) == 4 * len(kind(at))
    for _, row in frame[frame["Mechanism"] == "SS"].iterrows():
        assert ldp.mechanism("SS", k=5, eps=row["Needed"]).omega > 1
    assert frame["Needed"].dropna().is_monotonic_increasing
    for name in (kind(at)[0], kind(at)[-1]):
        s = replace(privacy.same_privacy(base, name), runs=1, max_iter=1)
        for key, answer in core.needed(s, accuracy, sought, errors.QUICK, runs=few_runs).items():
            (row,) = frame[(frame["Mechanism"] == name) & (frame["Estimator"] == core.ADVISED[key])].to_dict("records")
            if answer.reached:
                expected = [core.round_up(answer.value), core.round_down(answer.low), core.round_up(answer.high)]
                assert [row["Needed"], row["from"], row["to"]] == pytest.approx(expected, rel=1e-9)
                assert row["Found by"] == answer.method
            else:
                assert math.isnan(row["Needed"])
                assert row["Found by"] == "out of reach"
    assert "enough**" in said(at)[1]
    assert charts(at)


# What it goes through is measured where auto is ranked by its error.
@pytest.mark.unmeasured
@pytest.mark.usefixtures("few_runs")
def test_auto_can_be_asked_for_where_something_is_sought(monkeypatch):
    assert runs.choosing(BASE) >= 10
    monkeypatch.setattr(runs, "choosing", lambda t: 2)  # it takes as long as all other tests of the page
    at = opened(solve="how many users", with_auto=True, goal="total variation", tv="0.05", k="4")
    frame = ranking(at)
    assert (frame["Estimator"] == "auto").sum() == len(kind(at))
    row = frame[(frame["Mechanism"] == "GRR") & (frame["Estimator"] == "auto")].iloc[0]
    s = replace(BASE, k=4, runs=1, max_iter=1)
    expected = core.needed_users(s, "auto", ACCURACY["total variation"], runs=2).value
    assert row["Needed"] == pytest.approx(core.round_up(expected))


@pytest.mark.usefixtures("few_runs")
def test_the_steps_of_ibu_say_what_they_are_worth_from_the_slowest_mechanism_to_the_quickest():
    at = opened(solve="how accurate")
    shares = {name: ldp.mechanism(name, k=10, eps=BASE.eps).share_of_the_way(BASE.max_iter) for name in ldp.ONE_TIME}
    said = [box.value for box in at.sidebar.caption if box.value.startswith("By its clock")]
    low, high = (end(shares, key=lambda name: shares[name]) for end in (min, max))
    ends = [clock.how_much(shares[name]) for name in (low, high)]
    assert said == [clock.range_words([ldp.mechanism(n, k=10, eps=BASE.eps) for n in ldp.ONE_TIME], BASE.max_iter)]
    assert all(end in said[0] for end in ends)


@pytest.mark.usefixtures("few_runs")
def test_ibu_as_iterated_can_be_asked_for(monkeypatch):
    monkeypatch.setattr(runs, "steady", lambda t: 400)
    assert needs._often(BASE) == 50
    monkeypatch.setattr(needs, "_ITERATED_RUNS", 5)
    frame = ranking(opened(solve="which ε", iterated=True, points="10"))
    assert (frame["Estimator"] == "IBU").sum() == 7
    row = frame[(frame["Mechanism"] == "GRR") & (frame["Estimator"] == "IBU")].iloc[0]
    expected = core.smallest_eps(replace(BASE, runs=1), "ibu", Accuracy("every bin", 0.1), runs=5).value
    assert row["Needed"] == pytest.approx(core.round_up(expected))


@pytest.mark.usefixtures("few_runs")
@pytest.mark.parametrize("solve", controls.SOLVE[1:])
@pytest.mark.parametrize("reports", ["once", "repeatedly"])
def test_what_can_not_be_reached_is_a_sentence(solve, reports):
    state = {"solve": solve, "reports": reports, "points": "0.1"}
    state |= {"n": "100", "k": "50"} if solve == "which ε" else {"eps": "0.1", "eps_inf": "0.2", "k": "50"}
    at = opened(**state)
    assert said(at)[1].startswith("**No mechanism here reaches every bin within ±0.1 percentage points")
    assert not charts(at)
    assert ranking(at)["Needed"].isna().all()


@pytest.mark.usefixtures("few_runs")
def test_what_is_easy_needs_the_least_that_is_looked_at():
    at = opened(solve="how many users", goal="total variation", tv="0.2", k="2", eps="10")
    assert said(at)[1].startswith("**100 users, the least that is looked at, are enough")
    at = opened(solve="which ε", goal="total variation", tv="0.2", k="2", n="100M")
    assert said(at)[1].startswith("**ε = 0.05, the least that is looked at, is enough")


@pytest.mark.usefixtures("few_runs")
def test_privacy_that_a_chain_can_not_have_is_named():
    at = opened(reports="repeatedly", share="95%")
    left_out = [c.value for c in at.main.caption if "is left out" in c.value]
    assert [text.split(" ")[0] for text in left_out] == ["L-OUE", "L-SOUE"]
    assert set(ranking(at)["Mechanism"]) == set(ldp.LONGITUDINAL) - {"L-OUE", "L-SOUE"}
    # Where ε is looked for, L-OUE can take part: at large ε it is possible.
    at = opened(reports="repeatedly", share="95%", solve="which ε", goal="total variation", tv="0.2", k="4")
    assert "L-OUE" in set(ranking(at)["Mechanism"])
    # L-SOUE can't at any ε, and nobody asked for one.
    (left_out,) = (c.value for c in at.main.caption if "is left out" in c.value)
    assert left_out == "L-SOUE is left out: its first report can't cost 95% of ε∞, whatever ε∞ is."


@pytest.mark.usefixtures("few_runs")
def test_a_mechanism_that_is_the_same_as_another_is_left_out_and_named():
    at = opened(k="2", eps="0.2")
    left_out = [c.value for c in at.main.caption if "is left out" in c.value]
    assert [re.match(r"(\w+) .*is the same as (\w+)\.$", text).groups() for text in left_out] == [
        ("SS", "GRR"),
        ("OLH", "BLH"),
    ]
    assert not {"OLH", "SS"} & set(ranking(at)["Mechanism"])
    # It really is the same: what one report tells, and the noise.
    for name, other, more in [("SS", "GRR", {}), ("OLH", "BLH", {}), ("L-OLH", "L-BLH", {"eps_inf": 0.4})]:
        m, same = (ldp.mechanism(which, k=2, eps=0.2, **more) for which in (name, other))
        assert participants.twin_of(m) == participants.Twin(name, other)
        assert participants.twin_of(same) is None
        assert (m.p, m.q, m.report_bits) == pytest.approx((same.p, same.q, same.report_bits))
    assert participants.twin_of(ldp.mechanism("SS", k=100, eps=2.0)) is None
    assert participants.twin_of(ldp.mechanism("OLH", k=100, eps=2.0)) is None


# ---- what if ------------------------------------------------------------------------


def test_lines_of_equal_error_end_in_simulated_corners(monkeypatch):
    for place, name in ((runs, "N_GRID"), (errors, "EPS_GRID")):
        grid = getattr(place, name)
        monkeypatch.setattr(place, name, (grid[0], *grid[2:-1:3], grid[-1]))  # its ends, and some between them
    at = opened(eps="1")
    first = ranking(at).iloc[0]
    key = KEYS[first["Estimator"]]
    drawn = charts(at)["contours"]["data"]
    z = numbers(next(t["z"] for t in drawn if t["type"] == "contour"))
    s = privacy.same_privacy(replace(BASE, eps=1.0), first["Mechanism"])
    s = s if key == "ibu" else replace(s, runs=40 if s.mechanism == "SS" else 100, max_iter=1)
    corners = [(0, 0, 0.1, 10**2), (0, -1, 10.0, 10**2), (-1, 0, 0.1, 10**9)]
    for i, j, eps, n in corners:
        there = replace(s, eps=eps, n=n)
        data = core.scaled(BASE.make_histogram(), n)
        found = core.achieved(ldp.run(there, data), key, ACCURACY["every bin"])
        assert z[i, j] == pytest.approx(100 * found.value, rel=1e-9)
    you = next(t for t in drawn if t.get("name") == "your setting")
    assert (you["x"], you["y"]) == ([0.0], [3.0])
    # Shaded is what is accurate enough: many users and a large ε, not few and a small one.
    shade = numbers(next(t["z"] for t in drawn if t["type"] == "heatmap"))
    assert (shade[0, 0], shade[-1, -1]) == (0, 1)
    assert ((z <= 1.0) == (shade == 1)).all()


def test_a_finer_grid_follows_powers_exactly():
    x, y = np.array([0.1, 1.0, 10.0]), np.array([100.0, 1e4])
    fine = fine_grid.finer(x, y, 3 / x / np.sqrt(y)[:, None])
    np.testing.assert_allclose(fine.errors, 3 / 10**fine.log_eps / np.sqrt(10 ** fine.log_users[:, None]))


@pytest.mark.usefixtures("few_runs")
def test_an_error_of_0_makes_nothing_accurate_that_was_not_simulated():
    eps, users = np.array([1.0, 5.0, 7.0]), np.array([100.0, 1e6])
    errors = fine_grid.without_zeros(users, np.array([[9.0, 2.0, 0.0], [0.09, 0.02, 1e-15]]), 100.0)
    np.testing.assert_allclose(errors, [[9, 2, 1], [0.09, 0.02, 1e-4]])
    fine = fine_grid.finer(eps, users, errors)
    between = (10**fine.log_eps > 5.1) & (10**fine.log_eps < 6.8)
    assert (fine.errors[0, between] > 1).all()
    # What can't be stays so, and what is smaller than one user's error is not made larger.
    kept = fine_grid.without_zeros(users, np.array([[np.nan, 0.5, 0.0], [np.nan, np.nan, 0.0]]), 100.0)
    np.testing.assert_allclose(kept, [[np.nan, 0.5, 0.5], [np.nan, np.nan, 1e-4]])


def test_the_map_of_the_best_says_where_noise_decides(monkeypatch):
    monkeypatch.setattr(runs, "MAP_RUNS", 5)
    monkeypatch.setitem(grids._MAP_GRIDS, "k", (2, 5, 20))
    at = opened(what_if="other k", k="5")
    (heat,) = charts(at)["best"]["data"]
    # With two values SS is GRR.
    assert not any("SS" in name for name in heat["text"][0])
    assert any("where SS is the same as GRR it is called GRR" in caption.value for caption in at.main.caption)
    for line, told in zip(heat["text"], heat["customdata"], strict=True):
        for name, text in zip(line, told, strict=True):
            assert name.removeprefix("≈ ") in ldp.ONE_TIME
            assert name.startswith("≈") == text.startswith("too close to call")


@pytest.mark.parametrize("solve", controls.SOLVE)
def test_the_six_distributions_are_ranked(few_runs, solve):
    at = opened(what_if="other data", solve=solve, points="10")
    (heat,) = charts(at)["ranks"]["data"]
    places = np.array([[int(text.removeprefix("≈ ")) for text in line] for line in heat["text"]])
    assert (np.sort(places, axis=0) == np.arange(1, len(places) + 1)[:, None]).all()
    assert set(kind(at)) <= set(heat["y"])
    assert heat["x"] == [ldp.distribution(name).label for name in ldp.DATASETS]
    table = at.main.dataframe[1].value
    assert len(table) == 6
    first = ranking(at).iloc[0]["Mechanism"]
    assert table["place"].tolist() == places[heat["y"].index(first)].tolist()
    assert all((cost == "nothing") == (place == 1) for cost, place in zip(table["cost"], table["place"], strict=True))
    best = table.iloc[0]
    m, _, estimator = best["best"].partition(" with ")
    if solve == "how accurate":
        s = replace(privacy.same_privacy(replace(BASE, data="gaussian"), m), runs=few_runs, max_iter=1)
        found = core.achieved(ldp.run(s), KEYS[estimator], Accuracy("every bin", 0.1))
        assert best["error"] == pytest.approx(100 * found.value)
