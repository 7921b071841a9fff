"""Your reports says of reports what is so: which ε they look like, which value leaks, what can't be checked, and whose
shares the intervals hold.

Every random test has a fixed seed; each says how often a correct library would fail it.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from app_steps import assert_calm
from collected_reports import frame_of
from report_uploads import as_file, bare_pairs, opened, outcome, pure_ldp_reports, upload

import ldpcore as ldp
from pages.practice.your_reports import controls, examples, texts, writers


def box(at):
    """Return the one verdict: the kind of its box, and its sentence."""
    boxes = [(kind, box.value) for kind in ("success", "warning", "info") for box in getattr(at, kind)]
    assert len(boxes) == 1, boxes
    return boxes[0]


def eps_in(sentence):
    return float(re.search(r"look like ε [≈≥] ([0-9.]+), not", sentence)[1])


# ---- hashed reports -----------------------------------------------------------------


@pytest.fixture(scope="module")
def pairs():
    """Reports as pure-ldp makes them at ε = 1."""
    return bare_pairs(pure_ldp_reports(6_000, 20, 1.0, np.random.default_rng(1))[0])


def hashed(**settings):
    return opened("OLH", k=20, family=controls.PEERS_HASH, bare=True, **settings)


@pytest.mark.parametrize("stated", [1.5, 2.0])
def test_hashed_reports_at_another_eps_are_told_theirs(pairs, stated):
    # With the cells of the stated ε they were said to fit none (1.5), or one that was an error then (2: 0.78).
    at = upload(hashed(eps=stated), pairs)
    assert_calm(at)
    kind, sentence = box(at)
    assert kind == "warning"
    assert eps_in(sentence) == pytest.approx(1, abs=0.2)
    assert "made with 4 cells" in sentence
    # What is suggested is no mistake: with it the page goes on, and has no alarm.
    at.number_input(key="r_eps").set_value(eps_in(sentence)).run()
    assert_calm(at)
    assert box(at)[0] != "warning"


def test_hashed_reports_with_too_many_cells_name_the_eps_that_has_them(pairs):
    at = upload(hashed(eps=0.3), pairs)
    assert "these reports look like ε ≈ " in at.error[0].value.replace("\\", "")


@pytest.mark.slow
def test_a_wrong_k_of_hashed_reports_gets_no_tick(pairs):
    at = upload(hashed(eps=1.0), pairs)
    for k in (20.0, 40.0):
        at.number_input(key="r_k").set_value(k).run()
        assert_calm(at)
        kind, sentence = box(at)
        assert kind == "info"
        assert "can't be checked" in sentence


# ---- reports that support equally many values ---------------------------------------


def grouped(m, n, rng, values=10):
    """Reports of users who hold only some of the values."""
    return m.privatize(rng.integers(0, values, n), rng)


def test_grr_made_at_1_and_stated_3_gets_no_tick():
    m = ldp.mechanism("GRR", k=20, eps=1.0)
    reports = grouped(m, 5_000, np.random.default_rng(2), 20)
    at = upload(opened("GRR", k=20, eps=3.0), as_file(frame_of(reports)))
    assert_calm(at)
    kind, sentence = box(at)
    assert kind == "info"
    assert sentence.startswith("These reports can't be checked")
    assert not at.success


@pytest.mark.parametrize(
    ("name", "n", "more"), [("GRR", 5_000, {}), ("SS", 20_000, {}), ("L-GRR", 50_000, {"eps_inf": 5.0})]
)
def test_the_bound_on_eps_is_one(name, n, more):
    # Made at 2, stated 1. The bound was 2.19 in every collection; a right one is above 2 once in 1,000.
    rng = np.random.default_rng(3)
    calibration = {"calibration": "tight"} if more else {}
    stated = ldp.mechanism(name, k=50, eps=1.0, **more, **calibration)
    m = stated.with_eps(2.0, same_shape=True)
    counts = pd.DataFrame({"value": range(50), "count": m.support_counts(grouped(m, n, rng))})
    at = upload(opened(name, k=50, eps=1.0, holds=controls.COUNTS, **more, **calibration), as_file(counts))
    assert_calm(at)
    kind, sentence = box(at)
    assert kind == "warning"
    assert "ε ≥ " in sentence
    assert 1 < eps_in(sentence) <= 2


# ---- a value that leaks --------------------------------------------------------------


def test_a_bit_that_is_not_randomized_is_named_by_its_value():
    # It was found, but named "ε ≈ 1.21". Bits as multi-freq-ldpy has them: 0.0 and 1.0.
    m, rng = ldp.mechanism("OUE", k=16, eps=1.0), np.random.default_rng(4)
    users = rng.integers(0, 16, 6_000)
    frame = writers.peer_bits(m, users, rng)
    frame["15"] = (users == 15).astype(float)
    at = upload(opened("OUE", k=16), as_file(frame))
    assert_calm(at)
    kind, sentence = box(at)
    assert kind == "warning"
    least = 6_000 * m.q
    assert sentence.startswith(f"Value 15 has {int((users == 15).sum())} reports where OUE at ε = 1 gives every value")
    assert f"at least {least:,.0f} ±" in sentence
    assert "ε ≈" not in sentence


@pytest.mark.slow
def test_a_tick_only_where_another_eps_would_have_been_seen():
    m, rng = ldp.mechanism("OUE", k=16, eps=1.0), np.random.default_rng(5)
    reports = m.privatize(rng.integers(0, 16, 6_000), rng)
    at = upload(opened("OUE", k=16), as_file(frame_of(reports)))
    assert box(at)[0] == "success"
    upload(at, as_file(frame_of(reports[:20])))
    kind, sentence = box(at)
    assert kind == "info"
    assert "20 reports of quite another ε would look no different" in sentence


# ---- intervals -----------------------------------------------------------------------


def test_intervals_of_small_counts_hold_a_value_that_nobody_has():
    # n·q = 0.17: the score interval of one report did not hold 0, and so a value nobody has was held 84 % of the time.
    m, n = ldp.mechanism("OUE", k=4, eps=5.0), 25
    assert n * m.q == pytest.approx(0.17, abs=0.005)
    score = _score_interval(1 / n, n, m)
    assert score[0] > 0
    counts = pd.DataFrame({"value": range(4), "count": [13, 1, 0, 0]})
    at = upload(opened("OUE", k=4, eps=5.0, holds=controls.COUNTS, n=float(n)), as_file(counts))
    assert_calm(at)
    table = at.main.dataframe[0].value
    assert table["noise_low"][1] <= 0 < table["noise_high"][1]


def _score_interval(share, n, m, z=1.959964):
    """All f from 0 to 1 that are not rejected: |f̃ - f| ≤ z·sd(f), the noise's."""
    f = np.linspace(-0.05, 1, 200_001)
    raw = (share - m.q) / (m.p - m.q)
    inside = np.clip(f, 0, 1)
    sd = np.sqrt((inside * m.p * (1 - m.p) + (1 - inside) * m.q * (1 - m.q)) / n) / (m.p - m.q)
    held = f[np.abs(raw - f) <= z * sd]
    return held.min(), held.max()


def test_with_several_eps_the_page_says_whose_shares_the_intervals_hold():
    said = "Each user counts once, whatever their ε; nobody's ε may depend on their value."
    example = examples.EXAMPLES["users with different ε"]
    m = ldp.mechanism("OUE", k=20, eps=1.0)
    frame = examples.example_frame(example.name, m)
    at = upload(opened("OUE", k=20, each=controls.COLUMN), as_file(frame))
    assert_calm(at)
    assert any(said in caption.value for caption in at.caption)
    assert "each counted once" in " ".join(texts.NOISE.split())
    # The numbers are those of that sentence: wider than what noise alone does to the groups' own shares.
    noise = outcome(at).collected.noise
    groups = [(budget, int(size)) for budget, size in frame["eps"].value_counts().items()]
    ms = [m.with_eps(budget) for budget, _ in groups]
    precision = np.array([1 / one.noise_variance(0.0, size) for one, (_, size) in zip(ms, groups, strict=True)])
    weights = precision / precision.sum()
    shares = np.clip(outcome(at).collected.raw, 0, 1)
    variances = [one.noise_variance(shares, size) for one, (_, size) in zip(ms, groups, strict=True)]
    alone = 1.96 * np.sqrt(sum(w**2 * v for w, v in zip(weights, variances, strict=True)))
    common = shares > 0.05
    assert ((noise[1] - noise[0])[common] > 2 * alone[common] * 1.005).all()
    # With one ε for all there is nothing to say.
    upload(at, as_file(frame[frame["eps"] == 1.0]))
    assert not any(said in caption.value for caption in at.caption)


# ---- copies -------------------------------------------------------------------------


def test_bits_that_are_there_twice_are_told_so():
    # Written by pandas as True and False. Chance makes no two of 600 such reports alike but with 10⁻⁹.
    m, rng = ldp.mechanism("OUE", k=60, eps=1.0), np.random.default_rng(48)
    once = pd.DataFrame(m.privatize(rng.integers(0, 60, 600), rng))
    for frame, kind in ((once, "success"), (pd.concat([once, once]), "warning")):
        at = upload(opened("OUE", k=60, eps=1.0), as_file(frame))
        assert_calm(at)
        assert box(at)[0] == kind
        assert ("Some are there more than once" in box(at)[1]) == (kind == "warning")
