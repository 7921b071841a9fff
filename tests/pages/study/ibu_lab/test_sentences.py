"""What the IBU lab says of IBU's way is true at the edges too."""

from dataclasses import replace

import numpy as np
import pytest
from lab_paths import BASE, still, way

from pages.study.ibu_lab import markers, paths, sentences, starts, ways


@pytest.mark.slow
def test_the_story_says_which_step_was_best():
    found = way(eps=0.5)
    text = sentences.story(found)
    assert f"**{markers.best(found).words} steps**" in text
    assert "shrinkage" in text
    assert "shrinkage" not in sentences.story(way(eps=0.5, start="mi"))
    zeros = int((found.limit == 0).sum())
    assert f"At the limit {zeros} bins are 0" in text


def test_the_story_is_honest_at_the_edges():
    assert "no step moves it" in sentences.story(still())
    flat = replace(way(eps=0.5), truth=np.full(30, 1 / 30))
    assert "no step brings it nearer" in sentences.story(flat)
    assert "outweighs what it learns" in sentences.story(flat)
    for start in ("mi", "observed"):
        # Such a start has learned already: why no step is nearer, the path does not say.
        there = way(eps=0.5, start=start)
        text = sentences.story(replace(there, truth=there.start))
        assert "no step brings it nearer" in text
        assert "noise" not in text
    end = way(eps=0.5)
    assert "nothing is won by stopping early" in sentences.story(replace(end, truth=end.limit))
    two = way(k=2, eps=4.0)
    assert "At the limit" not in sentences.story(two)
    assert "T = " in sentences.clock_words(two)
    assert "a guide at best" in sentences.clock_words(way(start="observed"))


@pytest.mark.slow
def test_one_step_is_not_said_to_be_several():
    found = way(eps=0.5)
    assert found.steps[1] == 1
    one = replace(found, truth=found.trace.estimates[1])
    assert "after **1 step**, off by" in sentences.story(one)
    assert starts.words(found, ways.ways.__wrapped__(found.setting, None, 1), 1).startswith("After 1 step a bin")
    assert starts.words(found, ways.ways.__wrapped__(found.setting, None, 1), 2).startswith("After 2 steps a bin")
    assert markers.Marker("x", 1.0, about=True).count == "about 1 step"
    assert markers.rule_stop(way(max_iter=1)).note == "the cap of 1 step comes first"


def test_what_is_known_about_has_two_digits():
    """ "about 433,751 steps" was more than the trace, a few hundred places on a log scale, can know."""
    assert markers.Marker("x", 433_751.2, about=True).count == "about 430,000 steps"
    assert markers.Marker("x", 3_969.0, about=True).words == "about 4,000"
    assert markers.Marker("x", 3_969.0).count == "3,969 steps"


def test_where_reports_say_nothing_the_page_says_so(monkeypatch):
    s = replace(BASE, mechanism="L-GRR", eps_inf=2.0, channel="published", k=5)
    monkeypatch.setattr(type(s.make_mechanism()), "published_channel", (0.3, 0.3))
    found = paths.path.__wrapped__(s, None, 1)
    assert "no step moves" in sentences.clock_words(found)
    assert markers.markers(found, 1)[-1].steps is None
    assert "stays wherever it starts" in starts.words(found, ways.ways.__wrapped__(s, None, 1), 3)
    assert markers.table(found, [markers.Marker("x", 10.0)]).loc["x", "t / T"] == "–"


@pytest.mark.parametrize(
    ("name", "channel", "word"),
    [
        ("GRR", "exact", "log-likelihood of the counts, per report"),
        ("L-GRR", "exact", "per report"),
        ("OUE", "exact", "composite"),
        ("L-GRR", "published", "likelihood of nothing"),
    ],
)
def test_what_ibu_climbs_is_called_what_it_is(name, channel, word):
    assert word in sentences.what_it_climbs(way(mechanism=name, channel=channel, k=6))


def test_the_clock_is_not_said_to_be_slow_where_it_is_quick():
    """With two bins the one that goes to 0 was said to go later than the clock, of whose 6% it had gone 99%."""
    two = way(mechanism="OUE", data="acs-income", k=2, eps=0.01, n=20, seed=0, runs=20)
    assert (two.limit == 0).any()
    by_clock, measured = two.mechanism.share_of_the_way(10_000), two.way[two.nearest(10_000)]
    assert by_clock < 0.1 < 0.9 < measured
    assert sentences.clock_words(two).endswith("farther away IBU is ahead of it here.")
    late = way(eps=1.0)
    assert late.way[late.nearest(10_000)] < late.mechanism.share_of_the_way(10_000) - markers.SAME
    assert sentences.clock_words(late).endswith("farther away IBU is behind it here.")


def test_no_number_of_steps_is_all_of_the_way():
    """One user: 10,000 steps were "100% of the way", and "no number of steps gets there"."""
    one = way(mechanism="OUE", data="acs-income", k=10, eps=2.0, n=1, seed=0, runs=20)
    assert one.trace.iterations[-1] >= 10_000
    told = [
        sentences.story(one),
        sentences.clock_words(one),
        *markers.table(one, markers.markers(one, 1))["Of the way"][:-1],
    ]
    assert "no number of steps gets there" in told[0]
    assert not [text for text in told if "100%" in text]
    assert still().way.tolist() == [1.0] * len(still().way)


def test_a_number_of_bins_is_not_read_as_a_range():
    """ "MI gives 0 to 3 of the bins" said of three bins could be none."""
    found = way(eps=0.5)
    empty = int((found.mi == 0).sum())
    text = starts.words(found, ways.ways.__wrapped__(found.setting, None, 1), 1)
    assert empty > 1
    assert f"MI has {empty} bins at 0, and IBU could never leave that" in text
