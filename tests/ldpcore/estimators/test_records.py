"""The list of estimators: one record each, and everything that goes over them."""

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest

import ldpcore as ldp
from ldpcore import advisor
from ldpcore.estimators import DISTRIBUTIONS
from ldpcore.sweep import Measures, Store
from ldpcore.sweep.store import write_frame

COUNTS = [e for e in ldp.ESTIMATORS.values() if e.needs == "counts"]
REPORTS = [e for e in ldp.ESTIMATORS.values() if e.needs == "reports"]
SETTING = ldp.Setting(data="poisson", mechanism="OUE", n=2_000, k=8, runs=3, max_iter=100, start="mi")


@pytest.fixture(scope="module")
def result():
    return ldp.run(SETTING)


@pytest.fixture
def dummy(monkeypatch):
    """An estimator that nobody knows: uniform, whatever was counted."""
    record = ldp.Estimator(
        "flat", "Flat", "All bins alike.", lambda counts, n, m, options: np.full_like(counts, 1 / m.k, dtype=float)
    )
    monkeypatch.setitem(ldp.ESTIMATORS, "flat", record)
    return record


def test_keys_and_names_are_unique():
    assert list(ldp.ESTIMATORS) == [e.key for e in ldp.ESTIMATORS.values()]
    assert len({e.name for e in ldp.ESTIMATORS.values()}) == len(ldp.ESTIMATORS)
    words = [word for e in ldp.ESTIMATORS.values() for word in (e.key, *e.aliases)]
    assert len(words) == len(set(words))
    assert all(e.summary.endswith(".") for e in ldp.ESTIMATORS.values())


def test_every_post_processing_is_an_estimator(result):
    for post in ldp.POSTPROCESSINGS:
        record = ldp.estimator(post)
        assert record.distribution == (post in DISTRIBUTIONS)
        expected = ldp.mi(result.counts, SETTING.n, result.mechanism, post=post)
        np.testing.assert_array_equal(result.estimate(post), expected)


@pytest.mark.parametrize("record", COUNTS, ids=lambda e: e.key)
def test_a_record_says_whether_it_gives_distributions(record):
    # Few users and little privacy budget: raw estimates well below 0, whose sum is far from 1.
    m = ldp.mechanism("OUE", k=30, eps=0.3)
    counts = m.sample_counts(np.full(30, 10), 5, np.random.default_rng(1))
    estimates = record(counts, 300, m)
    assert estimates.shape == (5, 30)
    is_one = bool((estimates >= 0).all() and np.allclose(estimates.sum(axis=1), 1))
    assert is_one == record.distribution


@pytest.mark.parametrize("record", REPORTS, ids=lambda e: e.key)
def test_a_record_that_needs_reports_is_given_them(record):
    m = ldp.mechanism("SUE", k=5, eps=0.5)
    reports = m.privatize(np.arange(200) % 5, np.random.default_rng(2))
    estimate = record(reports, 200, m)
    assert estimate.shape == (5,)
    if record.distribution:
        assert estimate.min() >= 0
        assert estimate.sum() == pytest.approx(1)
    with pytest.raises(ldp.Refused, match=r"^n must be"):
        record(reports, 0, m)


def test_ibu_is_told_its_options(result):
    record, options = (
        ldp.ESTIMATORS["ibu"],
        ldp.estimators.Options(max_iter=100, start=SETTING.ibu_start(result.counts, result.mi)),
    )
    np.testing.assert_array_equal(record(result.counts, SETTING.n, result.mechanism, options), result.ibu)
    plain = record(result.counts, SETTING.n, result.mechanism)
    np.testing.assert_array_equal(plain, ldp.ibu(result.counts, result.mechanism))


def test_full_reports_are_an_estimator():
    m = ldp.mechanism("OUE", k=4, eps=1.0)
    reports = m.privatize(np.arange(200) % 4, np.random.default_rng(0))
    np.testing.assert_array_equal(ldp.estimator("full")(reports, 200, m), ldp.ibu_full(reports, m))
    with pytest.raises(ldp.Refused, match=r"estimator must be one of raw, mi, .* auto\b.*; got 'full'"):
        ldp.run(SETTING).estimate("full")


@pytest.mark.parametrize("key", ["median", "", "MI", 3, None, ["mi"]])
def test_an_unknown_estimator_is_said_in_a_sentence(key):
    with pytest.raises(ldp.Refused, match=r"key must be one of raw, mi, .*, limit, smooth, auto, full\b.*; got "):
        ldp.estimator(key)


def test_aliases_are_taken_everywhere(result, tmp_path):
    np.testing.assert_array_equal(result.estimate("none"), result.raw)
    np.testing.assert_array_equal(result.estimate("norm-mul"), result.mi)
    assert list(result.table(["none", "norm-mul"], ["mse"])["estimator"]) == ["raw", "mi"]
    frame = ldp.sweep([SETTING], estimators=["none", "norm-mul", "mi"], metrics=["mse"])
    pd.testing.assert_frame_equal(frame, ldp.sweep([SETTING], estimators=["raw", "mi"], metrics=["mse"]))
    wide = advisor.Accuracy(bound=0.1)
    answers = advisor.needed(SETTING, wide, "n", ("none",))
    assert answers == {"none": advisor.needed_users(SETTING, "raw", wide)}
    assert advisor.Candidate(result.mechanism, "none", advisor.Measured(0.1, 0.0)).name == "OUE with raw MI"


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_a_file_of_before_goes_on(tmp_path, suffix):
    now = ldp.sweep([SETTING], estimators=["raw", "mi"], metrics=["mse"])
    path = tmp_path / f"results{suffix}"
    write_frame(now.replace({"estimator": {"raw": "none", "mi": "norm-mul"}}), path)
    store = Store(path)
    assert store.complete(Measures.of(["raw", "mi"], ["mse"])) == {SETTING}
    assert store.complete(Measures.of(["none"], ["mse"])) == {SETTING}
    assert store.complete(Measures.of(["raw", "limit"], ["mse"])) == set()


def test_a_new_estimator_is_one_record(dummy, result):
    np.testing.assert_array_equal(result.estimate("flat"), np.full((3, 8), 1 / 8))
    frame = ldp.sweep([SETTING], estimators=["mi", "flat"], metrics=["tv", "gain_tv"])
    assert list(frame["estimator"]) == ["mi", "flat", "flat"]
    wide = advisor.Accuracy("tv", bound=0.9)
    assert "flat" not in advisor.needed(SETTING, wide, "n", runs=5)
    assert advisor.needed(SETTING, wide, "n", ["flat"], runs=5)["flat"].value == 100
    ldp.ESTIMATORS["flat"] = dataclasses.replace(dummy, advised=True)
    assert "flat" in advisor.needed(SETTING, wide, "n", runs=5)


def test_whose_error_is_known_in_closed_form_is_said_by_the_record(dummy):
    assert [e.key for e in ldp.ESTIMATORS.values() if e.closed_form] == ["raw"]
    wide = advisor.Accuracy("tv", bound=0.9)
    methods = {
        key: answer.method for key, answer in advisor.needed(SETTING, wide, "n", ["raw", "flat"], runs=5).items()
    }
    assert methods == {"raw": "closed form", "flat": "simulation"}
    ldp.ESTIMATORS["flat"] = dataclasses.replace(dummy, closed_form=True)
    assert advisor.needed(SETTING, wide, "n", ["flat"], runs=5)["flat"].method == "closed form"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"key": 1}, "key of an estimator must be a text; got 1"),
        ({"name": ""}, "name of an estimator must be a text; got ''"),
        ({"summary": None}, "summary of an estimator must be a text; got None"),
        ({"function": 4}, "function of the estimator 'flat' must be one; got 4"),
        ({"needs": "both"}, "needs of the estimator 'flat' must be one of counts, reports; got 'both'"),
        ({"iterated": 1}, "iterated of the estimator 'flat' must be True or False; got 1"),
        ({"aliases": "level"}, "aliases of the estimator 'flat' must be a tuple of texts; got 'level'"),
        # The Advisor and the tables have counts alone.
        ({"needs": "reports", "advised": True}, "advised of the estimator 'flat' must be False, because it needs"),
        ({"needs": "reports", "tabled": True}, "tabled of the estimator 'flat' must be False, because it needs"),
    ],
)
def test_what_a_record_must_say(dummy, fields, sentence):
    with pytest.raises(ldp.Refused, match=re.escape(sentence)):
        dataclasses.replace(dummy, **fields)


@pytest.mark.parametrize("labels", [(), ("ant", "bee", "cat", "dog")])
def test_an_estimator_that_uses_the_order_is_left_out_where_there_is_none(monkeypatch, labels):
    record = dataclasses.replace(ldp.ESTIMATORS["smooth"], tabled=True, advised=True)
    monkeypatch.setitem(ldp.ESTIMATORS, "smooth", record)
    data = ldp.Histogram(np.array([400, 300, 200, 100]), np.arange(5.0), labels=labels)
    setting = ldp.Setting(data="own", mechanism="GRR", eps=4.0, n=1_000, k=4)
    answers = advisor.needed(setting, advisor.Accuracy("tv", 0.5), "n", data=data, runs=2)
    assert ("smooth" in answers) == (not labels)
    # Reports do not say whether values have an order.
    assert "smooth" not in ldp.estimate([400, 300, 200, 100], 1_000, setting.make_mechanism()).table()


def test_an_added_estimator_takes_the_steps_of_the_setting_in_a_sweep_without_ibu(monkeypatch):
    steps = []

    def function(counts, n, m, options):
        steps.append(options.max_iter)
        return ldp.mi(counts, n, m)

    monkeypatch.setitem(ldp.ESTIMATORS, "slow", ldp.Estimator("slow", "Slow", "Slow.", function, iterated=True))
    ldp.sweep([dataclasses.replace(SETTING, max_iter=77)], estimators=("mi", "slow"), metrics=("mse",), workers=1)
    assert steps == [77]


def test_n_is_the_number_of_reports_where_these_are_given():
    m, reports = ldp.mechanism("GRR", k=3, eps=1.0), [0, 1, 2, 2]
    assert ldp.estimator("full")(reports, 4, m).shape == (3,)
    with pytest.raises(ldp.Refused, match=r"^n must be 4, the number of reports; got 999"):
        ldp.estimator("full")(reports, 999, m)


def test_what_are_no_options_is_said(dummy):
    m = ldp.mechanism("GRR", k=3, eps=1.0)
    for key in ("ibu", "flat", "limit"):
        with pytest.raises(ldp.Refused, match=r"^options must be ldpcore.estimators.Options; got 5"):
            ldp.estimator(key)([2, 1, 1], 4, m, 5)
