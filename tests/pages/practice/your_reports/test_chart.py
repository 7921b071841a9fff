"""The chart of Your reports: intervals around every estimate, and auto among them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from app_steps import assert_calm, charts, names, numbers, session_of
from collected_reports import collect_reports, frame_of
from report_uploads import K, as_file, opened, upload

import ldpcore as ldp
from ldpui.computing import work
from pages.practice.your_reports import chart, downloads, state, texts


def collected(k):
    m = ldp.mechanism("OUE", k=k, eps=1.0)
    people = np.zeros(k, dtype=np.int64)
    people[:2] = 600, 400  # the others have nobody: raw MI is negative for about half of them
    return ldp.estimate(m.sample_counts(people, 1, np.random.default_rng(3))[0], 1_000, m)


def test_few_values_have_the_intervals_around_every_estimate_cut_to_what_is_possible():
    here = collected(8)
    assert here.noise.min() < 0  # else nothing would be cut
    lines = chart.lines_of(here, ["ibu", "limit"])
    drawn = {trace.name: trace for trace in chart.figure(here, lines, dark=False).data}
    for line in lines:
        name = line.look.name
        for kind, words in (("noise", "noise only, 95%"), ("population", "noise with sampling, 95%")):
            bar = drawn[f"{name}, {words}"]
            ends = np.array(bar.y, dtype=float).reshape(-1, 3)[:, :2].T
            np.testing.assert_allclose(ends, 100 * np.clip(getattr(here, kind), 0, 1), atol=1e-9)
            np.testing.assert_allclose(np.array(bar.x, dtype=float)[::3], drawn[name].x)
            assert bar.showlegend is False
            assert bar.legendgroup == drawn[name].legendgroup
    assert np.nanmin(np.array(drawn["noise only, 95%"].y, dtype=float)) < 0  # raw MI's own are whole


@pytest.mark.parametrize(("k", "inner"), [(8, "Thick"), (80, "Dark band")])
def test_intervals_are_said_to_belong_to_the_truth(k, inner):
    here = collected(k)
    drawn = chart.figure(here, chart.lines_of(here, ["ibu"]), dark=True).data
    assert len(drawn) == (6 if k == 8 else 4)
    words = chart.how_drawn(here)
    assert words.startswith(inner)
    assert "not to an estimator" in words
    assert "misses what the estimate" in texts.OTHERS


def test_with_many_values_the_bands_are_cut_where_other_estimates_share_them():
    here = collected(80)
    assert here.noise.min() < 0
    for keys, low in ((["ibu"], 0.0), ([], 100 * here.noise.min())):
        lines = chart.lines_of(here, keys)
        band = {t.name: t for t in chart.figure(here, lines, dark=False).data}["noise only, 95%"]
        assert np.min(np.array(band.y, dtype=float)) == pytest.approx(low, abs=1e-9)
        assert ("cut to 0 to 100%" in chart.how_drawn(here, bool(lines))) == bool(lines)
    assert "has them whole" in chart.how_drawn(here, others=False)


def test_auto_is_drawn_told_and_taken_away_and_says_why_where_it_is_not(monkeypatch):
    m, reports = collect_reports("OUE", n=400, k=K, eps=1.0, seed=4)
    at = upload(opened("OUE", lines=["IBU", "auto"], ordered=True), as_file(frame_of(reports)))
    assert_calm(at)
    counted = ldp.estimate_reports(reports, m)
    expected = counted.chosen(ordered=True)
    drawn = {trace["name"]: numbers(trace["y"]) for trace in charts(at)["reports_chart"]["data"] if "name" in trace}
    np.testing.assert_allclose(drawn["auto"], 100 * expected.auto)
    np.testing.assert_allclose(
        np.array(drawn["auto, noise only, 95%"]).reshape(-1, 3)[:, :2].T, 100 * expected.within("noise")
    )
    assert any(expected.choice.sentence in text.value for text in at.main.markdown)
    (scores, table) = (frame.value for frame in at.main.dataframe)
    assert scores["error"].tolist() == expected.choice.table()["error"].tolist()
    np.testing.assert_allclose(table["auto"], 100 * expected.auto)
    assert "--estimator auto" in at.main.code[-1].value
    assert "--ordered" in at.main.code[-1].value
    # The other way needs a new choice, which fails here; all else stays, and the next try has it.
    monkeypatch.setattr(work, "choice", lambda *_: (_ for _ in ()).throw(ldp.Refused("it takes too long")))
    at.toggle(key="r_ordered").set_value(False).run()
    assert "auto is left out: it takes too long." in at.warning[0].value
    assert "auto" not in names(charts(at)["reports_chart"])
    assert "--estimator" not in at.main.code[-1].value
    monkeypatch.undo()
    next(button for button in at.main.button if button.label == "Try auto again").click().run()
    assert_calm(at)
    here = session_of(at).part(state.Reports)
    np.testing.assert_allclose(here.choice[1].estimate, counted.chosen().auto)
    assert ".chosen(ordered=True)" in downloads.script(replace(here.outcome, collected=expected, ordered=True))
