"""Sentences of Estimate and Trade-off that once taught the wrong lesson, against what is true."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

import numpy as np
import pytest
from app_steps import ESTIMATE, QUICK, ROOT, TRADEOFF, charts, numbers, open_page, session_of

import ldpcore as ldp
from ldpcore.metrics import RECORDS
from ldpui import cache, glossary
from pages.explore.estimate import closer
from pages.explore.tradeoff import sweep
from pages.study.findings import texts


def captions(at):
    return " ".join(caption.value for caption in at.main.caption)


def test_the_heading_counts_all_estimators():
    words = " ".join(m.value for m in open_page(ESTIMATE, QUICK).main.markdown)
    assert "two ways" not in words
    assert f"{len(ldp.ESTIMATORS)} ways" in words


def test_what_the_server_saw_are_shares_of_the_reports():
    at = open_page(ESTIMATE, QUICK | {"observed": True})
    (trace,) = [t for t in charts(at)["estimate_chart"]["data"] if t.get("name") == "Observed"]
    result = cache.run(session_of(at).setting, None)
    assert numbers(trace["y"]) == pytest.approx(100 * result.counts.mean(axis=0) / result.setting.n)
    # Every report supports some of the k values by chance alone: in all far more than 100 %.
    assert numbers(trace["y"]).sum() > 110


def test_the_square_root_of_mse_is_in_points_of_the_chart():
    estimate, true = np.array([0.52, 0.48]), np.array([0.5, 0.5])
    assert 100 * ldp.METRICS["mse"](estimate, true) ** 0.5 == pytest.approx(2.0)  # each bin is off by 2 points
    assert "times 100" in glossary.MSE


def test_words_on_estimators_say_what_they_do():
    assert "negative" in glossary.RAW
    assert "sets those to 0" in glossary.RAW.replace("\n", " ")
    assert "can't go below 0" not in glossary.IBU.replace("\n", " ")
    assert "one value" in glossary.LIMIT  # the most likely histogram only there
    assert "likelihood" not in ldp.ESTIMATORS["limit"].summary


def test_a_link_does_not_promise_the_zoom_that_it_does_not_hold():
    state = QUICK | {"data": "ACS income", "k": "200", "axis": "log"}
    at = open_page(ESTIMATE, state)
    first = charts(at)["estimate_chart"]
    next(button for button in at.main.button if button.label == "Show all bins").click().run()
    zoomed = charts(at)["estimate_chart"]
    assert zoomed["layout"]["xaxis"]["range"] != first["layout"]["xaxis"]["range"]
    query = at.sidebar.code[0].value.partition("?")[2]
    other = charts(open_page(ESTIMATE, query={k: v[0] for k, v in parse_qs(query).items()}))["estimate_chart"]
    assert other == first
    promised = " ".join(caption.value for caption in at.sidebar.caption) + (ROOT / "README.md").read_text("utf-8")
    assert "exactly what you see" not in promised
    assert "a page exactly" not in promised
    assert promised.count("zoom is not in it") == 2


def test_no_estimator_is_called_the_best_without_saying_where():
    folders = [ROOT / name for name in ("docs", "ldpcore", "ldpui", "pages")]
    files = [ROOT / "README.md", *(f for folder in folders for f in folder.rglob("*") if f.suffix in (".md", ".py"))]
    assert len(files) > 100
    named = [f.name for f in files if re.search(r"best\s*=\s*(ldp\.)?ibu_full", f.read_text("utf-8"))]
    assert named == []


@pytest.mark.parametrize(("name", "whole"), [("OUE", True), ("GRR", True), ("THE", False)])
def test_the_promise_is_eps_and_what_is_spent_may_be_less(name, whole):
    m = ldp.mechanism(name, k=20, eps=2.0)
    sentence = closer._promise(m)
    assert "ε = 2" in sentence
    assert (f"{m.effective_eps:.2f}" in sentence) is not whole


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"against": "k", "metric_k": "MSE"}, "falls with k by itself"),
        ({"against": "k", "metric_k": "Max"}, "falls with k by itself"),
        ({"against": "k", "metric_k": "Wasserstein"}, "rises with k by itself"),
        ({"against": "k"}, "win back accuracy"),
        ({"against": "k", "draw": "gain Γ"}, None),
        ({"against": "ε"}, None),
    ],
    ids=str,
)
def test_what_an_error_against_k_counts_is_explained(state, said):
    at = open_page(TRADEOFF, QUICK | state)
    sentences = ("falls with k by itself", "rises with k by itself", "win back accuracy")
    assert [text for text in sentences if text in captions(at)] == ([] if said is None else [said])


def test_what_is_said_of_errors_against_k_is_so():
    errors = {}
    for k in (10, 200):
        result = ldp.run(ldp.Setting(data="gaussian", mechanism="OUE", eps=2.0, n=2000, k=k, runs=10, max_iter=300))
        for key in RECORDS:
            errors[key, k] = float(result.error("mi", key))
    for key, record in RECORDS.items():
        said = sweep.about_k(record)
        # A score that falls with k says that fewer bins are better, as is said of it.
        assert ("falls with k" in said) == (errors[key, 200] < errors[key, 10] and not record.higher_is_better)


def test_the_end_of_the_axis_is_shown_by_a_button_that_is_named():
    (tails,) = [f for f in texts.findings() if "one user" in f.title]
    assert "Show all bins" in tails.text


def test_more_users_take_away_noise_and_not_what_stopping_early_misses():
    """With a hundred times as many users MI is off by a tenth, and the paper's IBU at k = 500 by as much as before."""
    off = {}
    for n in (10**7, 10**9):
        r = ldp.run(ldp.Setting(data="acs-income", mechanism="OUE", eps=1.0, n=n, k=500, runs=2))
        off[n] = {key: r.error(key).mean ** 0.5 for key in ("mi", "ibu")}
    assert off[10**9]["mi"] == pytest.approx(off[10**7]["mi"] / 10, rel=0.25)
    assert off[10**9]["ibu"] > 0.9 * off[10**7]["ibu"]
    words = " ".join(glossary.N.split())
    assert "noise of an estimate shrinks" in words
    assert "what IBU misses by stopping early does not" in words
    # Users who report repeatedly send more than one.
    assert "one report" not in words
