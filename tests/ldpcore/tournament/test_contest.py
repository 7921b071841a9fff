"""What contestants get wrong: each on the same counts, and told what it should be told."""

import numpy as np
import pandas as pd
import pytest

import ldpcore as ldp
from ldpcore import tournament
from ldpcore.estimators.auto import choose_both
from ldpcore.tournament import questions
from ldpcore.tournament.contestants import CONTESTANTS, ORDER_BLIND, SHUFFLED, _counts, estimates
from ldpcore.tournament.paper_grid import CHOOSING, PLAIN, paper_contest, paper_matches

MATCH = tournament.Match("OUE", 1.0, 20_000, 12, ("gaussian", "spike"), shuffled=True)


@pytest.fixture(scope="module")
def records():
    return tournament.contest(MATCH)


def test_choosing_both_ways_at_once_is_choosing_twice():
    s = ldp.Setting(mechanism="OLH", n=5_000, k=30, runs=3)
    counts, m = ldp.run(s).counts, s.make_mechanism()
    for ordered, chosen in zip((False, True), choose_both(counts, s.n, m), strict=True):
        alone = ldp.choices(counts, s.n, m, ordered=ordered)
        assert [c.candidate for c in chosen] == [c.candidate for c in alone]
        assert all(np.array_equal(a.estimate, b.estimate) for a, b in zip(chosen, alone, strict=True))
    # One user can't be halved.
    blind, ordered = choose_both([1, 0, 0], 1, ldp.mechanism("GRR", k=3, eps=1.0))
    assert blind[0].candidate == ordered[0].candidate


def test_the_errors_are_those_of_the_estimators_on_the_same_counts(records):
    m, row = MATCH.make_mechanism(), 3  # the second repeat of the second data set
    seed = MATCH.seed_of("spike", 1)
    people = tournament.users("spike", MATCH.n, MATCH.k, seed)
    counts, true = _counts(m, people[None], [seed]), people / MATCH.n
    expected = {
        "norm-sub": ldp.mi(counts, MATCH.n, m, post="norm-sub"),
        "ibu": ldp.ibu(counts, m),
        "auto": ldp.auto(counts, MATCH.n, m),
        "auto-ordered": ldp.auto(counts, MATCH.n, m, ordered=True),
        "smooth": ldp.smooth(counts, MATCH.n, m),
    }
    assert (records[row]["data"], records[row]["repeat"]) == ("spike", 1)
    for key, estimate in expected.items():
        # In a batch the path of IBU takes other steps, to a few thousandths of the way.
        assert records[row][key] == pytest.approx(float(((estimate - true) ** 2).mean()), rel=0.05)
    assert set(CONTESTANTS) | set(SHUFFLED) == set(records[row].errors)


def test_the_order_of_the_bins_matters_to_nobody_who_is_blind_to_it():
    m = MATCH.make_mechanism()
    counts = m.sample_counts(tournament.users("gaussian", MATCH.n, MATCH.k, 1), 4, np.random.default_rng(1))
    order = np.random.default_rng(2).permutation(MATCH.k)
    # auto splits counts at random, by a generator that the counts themselves decide.
    keys = tuple(key for key in ORDER_BLIND if key not in ("auto", "ibu-cv"))
    straight, mixed = (estimates(c, MATCH.n, m, keys) for c in (counts, counts[:, order]))
    for key in keys:
        np.testing.assert_allclose(straight[key][:, order], mixed[key], atol=1e-9, err_msg=key)


def test_a_collection_in_which_nothing_is_supported_is_flat():
    m = ldp.mechanism("OUE", k=3, eps=50.0)

    class Silent(type(m)):
        def sample_counts(self, histogram, runs, rng):
            return np.zeros((runs, 3), dtype=np.int64)

    assert _counts(Silent(k=3, eps=50.0), np.array([[1, 0, 0]]), [0]).tolist() == [[1, 1, 1]]


def test_gains_on_the_paper_s_grid_are_those_of_a_sweep():
    match = next(m for m in paper_matches() if m.settings[0].k == 50 and m.settings[0].mechanism == "OUE")
    rows = pd.DataFrame(paper_contest(match)).set_index(["data", "metric", "estimator"])
    assert len(rows) == 6 * 2 * len((*PLAIN, *CHOOSING))
    result = ldp.run(next(s for s in match.settings if s.data == "poisson"))
    ours = rows.loc[("poisson", "mse", "ibu")]
    assert ours["gain"] == pytest.approx(float(result.gain("mse")), abs=1e-6)
    mi, ibu, sub = (result.error(key, "mse").mean for key in ("mi", "ibu", "norm-sub"))
    assert ours["reduction"] == pytest.approx(100 * (1 - ibu / mi), abs=1e-6)
    assert rows.loc[("poisson", "mse", "norm-sub")]["ibu_reduction"] == pytest.approx(100 * (1 - ibu / sub), abs=1e-6)


@pytest.mark.parametrize("question", ["stopping", "many bins", "ordered", "several"])
def test_every_question_has_its_series_with_mi_as_the_measure(question, monkeypatch):
    monkeypatch.setattr(questions, "RUNS", 2)
    monkeypatch.setattr(questions, "_K", (10, 20))
    monkeypatch.setattr(questions, "_SHARES", (0.5,))
    monkeypatch.setattr(questions, "STOPPING", questions.Panel(eps=(1.0,), n=2_000, k=20))
    monkeypatch.setattr(questions, "ORDER", questions.Panel(eps=(1.0,), n=2_000, k=20))
    some = [part for part in tournament.question_parts() if part.question == question]
    part = next((part for part in some if "OUE" in part.part), some[0])
    frame = pd.DataFrame(tournament.answer(part))
    assert (frame["y"] > 0).all()
    measure = {"many bins": "MI", "ordered": "MSE: OUE, MI", "several": "MI, every user alike"}.get(question)
    if measure:
        assert (frame[frame["series"] == measure]["y"] == 1).all()
    else:
        by_series = frame.set_index("series")["y"]
        # The best step in hindsight is on the path, whose end is the limit.
        assert by_series["best in hindsight"] <= frame[frame["series"] == "path"]["y"].min() + 1e-12
        assert frame[frame["series"] == "path"]["y"].iloc[-1] == pytest.approx(by_series["limit"], rel=0.02)


def test_a_ratio_has_the_standard_error_of_repeated_ratios():
    rng = np.random.default_rng(5)
    before = rng.gamma(20, size=(4_000, 10))
    errors = 0.5 * before * rng.gamma(50, 1 / 50, size=before.shape)
    pairs = [questions._ratio(a, b) for a, b in zip(errors, before, strict=True)]
    ratios, ses = np.array(pairs).T
    assert ratios.mean() == pytest.approx(0.5, abs=0.005)
    # Ten runs: the mean of estimated variances is off by 1/10 at the most, and its noise is below 1 %.
    assert np.mean(ses**2) == pytest.approx(ratios.var(), rel=0.12)
