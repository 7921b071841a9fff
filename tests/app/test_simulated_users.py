"""A mechanism of which nothing is known but how a user reports: so many users as a page can simulate, and no more."""

from dataclasses import replace

import pytest
from app_steps import COMPARE, ESTIMATE, IBU_LAB, QUICK, TRADEOFF, assert_calm, charts, open_page, sentences

import ldpcore as ldp
from ldpcore import mechanisms
from ldpcore.mechanisms.subset import SS
from ldpui import grids
from ldpui.computing import work

BASE = ldp.Setting(data="gaussian", mechanism="SS", n=1_000, k=10, runs=2, max_iter=10)


class ByUsers(SS):
    """Says neither its law nor how to draw counts at once."""

    support_law = "unknown"
    _sample_counts = ldp.Mechanism._sample_counts


@pytest.fixture(autouse=True)
def by_users(monkeypatch):
    monkeypatch.setitem(mechanisms._CLASSES, "SS", ByUsers)


def test_what_they_cost_grows_with_their_number():
    assert work.drawing(replace(BASE, n=10**9)) == 1_000 * work.drawing(replace(BASE, n=10**6))
    work.check_users(replace(BASE, n=10**6))
    work.check_users(replace(BASE, mechanism="OUE", n=10**9))
    with pytest.raises(ldp.Refused, match="SS is simulated user by user, and 2 runs of 1,000,000,000 users"):
        work.check_users(replace(BASE, n=10**9))


@pytest.mark.parametrize("page", [ESTIMATE, IBU_LAB])
def test_too_many_are_refused_in_a_sentence(page):
    """A worker went through a billion users one by one, for hours."""
    at = open_page(page, QUICK | {"mechanism": "SS", "n": "1B", "seed": 815.0})
    assert not at.exception
    assert any("SS is simulated user by user" in sentence for sentence in sentences(at))


def test_tradeoff_leaves_out_where_there_are_too_many():
    settings, notes = grids.along(BASE, "n", ("OUE", "SS"))
    most = max(s.n for s in settings if s.mechanism == "SS")
    assert 10_000 <= most < 10**9 == max(s.n for s in settings if s.mechanism == "OUE")
    (note,) = notes
    assert note.startswith("SS is left out at n = ")
    at = open_page(TRADEOFF, QUICK | {"mechanism": "SS", "against": "n", "n": "100", "k": "4", "runs": "1"})
    assert_calm(at)
    assert charts(at)


def test_compare_leaves_it_out():
    at = open_page(COMPARE, QUICK | {"n": "1B", "mechanisms": ["GRR", "SS"]})
    assert_calm(at)
    (warning,) = at.warning
    assert warning.value.startswith("**SS** is left out: SS is simulated user by user")
