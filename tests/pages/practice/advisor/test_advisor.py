"""Advisor: its numbers are those of `ldpcore`, its sentences speak of them, and what is out of reach is said."""

import doctest
import math
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from advisor_page import ACCURACY, BASE, CHAIN, KEYS, PAGE, kind, opened, ranking, said
from app_steps import QUICK, assert_calm, charts, open_page, sentences, session_of

import ldpcore as ldp
from ldpcore import advisor as core
from ldpui import glossary, privacy
from ldpui.address import links, opening
from pages.practice.advisor import (
    attacker,
    errors,
    other_data,
    participants,
    phrases,
    question,
    runs,
    tables,
)
from pages.practice.advisor import (
    opened as opened_rows,
)
from pages.practice.advisor import (
    sentences as advisor_sentences,
)
from pages.practice.advisor.needs import Need

DEFAULT = ldp.Setting()


@pytest.fixture(scope="module")
def default(few_simulations):
    # Fewer runs and iterations than by default: the numbers are not what is tested.
    with pytest.MonkeyPatch.context() as patch:
        few_simulations(patch)
        return open_page(PAGE, {"iterations": "10"})


# ---- how accurate -------------------------------------------------------------------


def test_the_defaults_are_calm_and_described(default):
    assert_calm(default)
    assert not sentences(default)
    assert len(default.title) == 1
    assert "?" in said(default)[0]
    assert said(default)[1].startswith("**For 20,000 users and 100 bins at ε = 2, ")
    assert glossary.CANT_KNOW.strip() in said(default)[-1]
    assert set(charts(default)) == {"contours"}
    for element in ("plotly_chart", "arrow_data_frame"):
        assert all(len(e.proto.alt) > 20 for e in default.main.get(element))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("goal", "reports", "base"), [("every bin", "once", BASE), ("total variation", "repeatedly", CHAIN)]
)
def test_the_ranking_has_the_errors_of_run(goal, reports, base):
    at = opened(goal=goal, reports=reports)
    frame = ranking(at)
    accuracy = ACCURACY[goal]
    scale = 100 if accuracy.kind == "every bin" else 1
    assert sorted(zip(frame["Mechanism"], frame["Estimator"], strict=True)) == sorted(
        (name, estimator) for name in kind(at) for estimator in KEYS
    )
    # Equal errors differ in their last digits, and share a rank.
    assert (np.diff(frame["Error"]) >= -1e-6 * frame["Error"][1:]).all()
    assert frame["No."].is_monotonic_increasing
    prior = base.make_histogram().frequencies
    for name in kind(at)[::3]:
        s = privacy.same_privacy(base, name)
        quick = {often: ldp.run(replace(s, runs=often, max_iter=1)) for often in (400, 2_000)}
        slow = ldp.run(replace(s, runs=400))
        for _, row in frame[frame["Mechanism"] == name].iterrows():
            key = KEYS[row["Estimator"]]
            found = core.achieved(slow if key == "ibu" else quick[row["Runs"]], key, accuracy)
            assert (row["Error"], row["±"]) == pytest.approx((scale * found.value, scale * found.se), rel=1e-6)
            m = s.make_mechanism()
            assert row["Bits"] == m.report_bits
            assert row["Guessed once"] == pytest.approx(100 * ldp.theory.attack_success(m))
            assert row["Knowing the shares"] == pytest.approx(100 * ldp.theory.attack_success(m, prior))
            if m.longitudinal:
                after = [ldp.theory.attack_success_after(m, r) for r in (100, math.inf)]
                assert (row["After 100"], row["Ever"]) == pytest.approx([100 * a.chance for a in after])
                assert row["± of that"] == pytest.approx(100 * after[0].se)


@pytest.mark.slow
def test_the_sentences_speak_of_the_first():
    at = opened(points="10")
    first = ranking(at).iloc[0]
    headline = said(at)[1]
    assert f"{first['Mechanism']} with {first['Estimator']}" in headline
    value, spread = re.search(r"±([\d.]+) percentage points, .* \(± ([\d.]+)\)", headline).groups()
    assert float(value) == pytest.approx(first["Error"], abs=first["±"])
    assert float(spread) == pytest.approx(first["±"], rel=0.5)
    assert "That is enough" in headline
    # The first, with an estimator that takes no steps, is simulated until 95 % is good to half a point.
    quick = ranking(at)[ranking(at)["Estimator"] != "IBU"]
    assert quick.iloc[0]["Runs"] == runs.fine(BASE) == 2_000
    assert first["Enough"] == "yes"
    assert any(text.startswith("**Why?** ") for text in said(at))
    assert "That is not enough" in said(opened(points="0.1"))[1]


def test_ibu_is_simulated_less_often_where_it_would_take_long():
    many = [replace(BASE, k=1_000, max_iter=10_000, runs=20)] * 7
    assert runs.iterated(many) == 20
    assert runs.iterated([replace(BASE, max_iter=10)] * 7) == runs.steady(BASE) == 400


def test_auto_is_ranked_if_it_is_asked_for():
    at = opened(with_auto=True)
    frame = ranking(at)
    of_auto = frame[frame["Estimator"] == "auto"]
    assert set(of_auto["Mechanism"]) == set(frame["Mechanism"])
    assert set(of_auto["Runs"]) == {runs.choosing(BASE)} == {20}
    assert list(frame["Error"]) == sorted(frame["Error"])
    assert any("20 for auto" in caption.value for caption in at.main.caption)
    assert not any("auto" in caption.value for caption in at.main.caption if "Lines" in caption.value)
    # By hand, with the same noise.
    row = of_auto[of_auto["Mechanism"] == "GRR"].iloc[0]
    result = ldp.run(replace(BASE, runs=20, max_iter=1))
    by_hand = core.achieved(result, "auto", ACCURACY["every bin"])
    kinds = [choice.candidate.kind for choice in result.choices]
    assert by_hand.chosen == tuple(kinds)
    # What it chose is beside it, and beside nobody else.
    assert all(kind in row["Chose"] for kind in kinds)
    assert frame[frame["Estimator"] != "auto"]["Chose"].isna().all()
    assert row["Error"] == pytest.approx(100 * by_hand.value)
    assert runs.choosing(replace(BASE, k=1_000)) == 4
    not_asked = question.Question(BASE, ACCURACY["every bin"], None, True, (BASE,), ())
    assert "auto only if it is switched on" in advisor_sentences.how_counted(not_asked)
    assert "auto only if it is switched on" in advisor_sentences.how_counted(replace(not_asked, sought="n"))


def test_only_sets_of_several_values_take_their_time():
    """As measured: drawing the counts of SS takes a hundred times as long as those of any other."""
    assert [name for name in ldp.ONE_TIME + ldp.LONGITUDINAL if runs.is_slow(name)] == ["SS"]
    many = replace(BASE, mechanism="SS", k=1_000)
    assert (runs.steady(many), runs.search(many)) == (100, 40)
    assert (runs.steady(replace(many, mechanism="GRR")), runs.search(replace(many, mechanism="GRR"))) == (400, 200)


def test_a_mechanism_that_must_be_simulated_user_by_user_is_left_out_where_users_are_many(monkeypatch):
    class Unknown(ldp.mechanism_class("OUE")):
        support_law = "unknown"

    real = ldp.mechanism_class
    monkeypatch.setattr(ldp, "mechanism_class", lambda name: Unknown if name == "OUE" else real(name))
    few, many = (participants.participants(replace(BASE, n=n)) for n in (1_000, 10**6))
    assert "OUE" in [t.mechanism for t in few.settings]
    assert "OUE" not in [t.mechanism for t in many.settings]
    assert "OUE is left out: it can only be simulated user by user, and there are too many." in many.notes
    # Where the number of users is sought, it may be any.
    assert "OUE" not in [t.mechanism for t in participants.participants(BASE, "n").settings]
    first = core.Candidate(ldp.mechanism("OUE", k=100, eps=1.0), "mi", core.Measured(0.1, 0.0))
    assert runs.users(first) == (100, 1_000, 10_000)


# ---- links --------------------------------------------------------------------------


@pytest.mark.usefixtures("few_runs")
@pytest.mark.parametrize("key", ["solve", "goal", "points", "tv", "iterated", "what_if"])
def test_a_bad_word_is_named_and_the_default_used(key):
    at = open_page(PAGE, query=QUICK | {key: "nonsense"})
    assert_calm(at)
    assert [key in w.value and "nonsense" in w.value for w in at.warning] == [True]
    assert (
        at.session_state[key] == links.CONTROLS[key].default if key in at.session_state else key in ("iterated", "tv")
    )


@pytest.mark.usefixtures("few_runs")
def test_a_whole_link_is_taken():
    query = {"solve": "how many users", "goal": "total variation", "tv": "0.2", "points": "5", "what_if": "other data"}
    at = open_page(PAGE, query=QUICK | query | {"reports": "repeatedly", "eps_inf": "3"})
    assert_calm(at)
    assert not at.warning
    assert {key: at.session_state[key] for key in query} == query
    assert "ε₁ = 1.5 (ε∞ = 3)" in said(at)[1]


# ---- words --------------------------------------------------------------------------


@pytest.mark.parametrize("module", [attacker, participants, phrases])
def test_examples_in_the_docstrings(module):
    tried = doctest.testmod(module)
    assert tried.attempted > 0
    assert tried.failed == 0


def test_who_is_simulated_less_often_is_named():
    few = tuple(replace(BASE, mechanism=name, k=400) for name in ("GRR", "SS", "OUE"))
    asked = question.Question(few[0], ACCURACY["every bin"], "n", False, few, ())
    assert "200 simulated collections each (40 for SS);" in advisor_sentences.how_counted(asked)
    asked = replace(asked, settings=few[:1])
    assert "200 simulated collections each;" in advisor_sentences.how_counted(asked)


def test_an_attacker_without_a_memo_learns_more_every_time():
    text = attacker.sentence(ldp.mechanism("OUE", k=100, eps=2.0), DEFAULT)
    again = 100 * ldp.theory.attack_success_after(ldp.mechanism("OUE", k=100, eps=2.0), 10).chance
    assert f"with fresh noise, {again:.1f}%" in text
    assert "4.19% of the time (1% without any report" in text


def test_certainty_is_not_claimed_by_rounding():
    assert "over 99.9% of the time" in attacker.sentence(ldp.mechanism("GRR", k=2, eps=10.0), replace(BASE, k=2))


def test_ten_reports_make_nobody_certain():
    # A number of 64 bits says 1 here; no finite ε does.
    m = ldp.mechanism("GRR", k=2, eps=10.0)
    assert attacker.guessed(m, attacker.AGAIN).chance == 1
    assert "100%" not in attacker.sentence(m, replace(BASE, k=2, eps=10.0))


def test_who_knows_that_all_users_are_in_one_bin_is_certain():
    text = attacker.sentence(ldp.mechanism("GRR", k=2, eps=1.0), replace(BASE, k=2, n=1))
    assert "no report to be right 100% of the time" in text
    assert text.endswith("with fresh noise, 100%.")


def test_an_attacker_who_knows_the_shares_needs_no_report():
    m, shares = ldp.mechanism("OUE", k=100, eps=2.0), DEFAULT.make_histogram().frequencies
    common = f"{100 * shares.max():.3g}%"
    text = attacker.sentence(m, DEFAULT)
    assert f"no report to be right {common} of the time, by always naming the commonest" in text
    once, again = (100 * ldp.theory.attack_success_after(m, r, shares).chance for r in (1, attacker.AGAIN))
    assert f"With one report it is {once:.3g}%; asked 10 times with fresh noise, {again:.3g}%." in text
    # At a small ε no report makes another value likelier than the commonest.
    text = attacker.sentence(ldp.mechanism("OUE", k=20, eps=0.1), replace(BASE, data="exponential", k=20))
    assert "One report changes nothing: the commonest stays the best guess" in text
    chain = attacker.sentence(ldp.mechanism("L-GRR", k=10, eps=1.0, eps_inf=2.0), BASE).split("\n\n")[1]
    ever = (
        100
        * ldp.theory.attack_success_after(
            ldp.mechanism("L-GRR", k=10, eps=1.0, eps_inf=2.0), math.inf, BASE.make_histogram().frequencies
        ).chance
    )
    assert f"{ever:.3g}"[:3] in chain.split("after 100 reports")[1]


def test_what_an_attacker_can_ever_learn_is_said_once():
    # After 100 reports L-GRR's memo is known; that of L-OSUE with a small first report is not yet.
    text = attacker.sentence(ldp.mechanism("L-GRR", k=10, eps=1.0, eps_inf=2.0), BASE)
    assert text.split("\n\n")[0].endswith("%, and never more.")
    m = ldp.mechanism("L-OSUE", k=33, eps=0.2, eps_inf=2.0)
    after, ever = (100 * ldp.theory.attack_success_after(m, r).chance for r in (100, math.inf))
    assert f"after 100 reports {after:.1f}%, and never more than {ever:.1f}%." in attacker.sentence(
        m, replace(BASE, k=33)
    )


def test_what_noise_decides_costs_nothing():
    def elsewhere(label, own, se):
        found = [
            core.Candidate(ldp.mechanism(name, k=9, eps=1.0), "mi", core.Measured(value, se))
            for name, value in (("GRR", own), ("OUE", 1.0))
        ]
        return other_data.OtherData(label, tuple(found))

    noisy, clear = elsewhere("Uniform", 1.07, 0.05), elsewhere("Poisson", 1.03, 0.001)
    assert other_data.sentence([noisy], "GRR", BASE).endswith("**1 of 1** distributions.")
    text = other_data.sentence([noisy, clear], "GRR", BASE)
    assert text.endswith("**1 of 2** distributions; at worst (Poisson) staying with it costs 3% more error.")


def test_who_is_first_is_introduced(default):
    first = ranking(default).iloc[0]
    introduced = [c.value for c in default.main.caption if ldp.mechanism_class(first["Mechanism"]).summary in c.value]
    assert len(introduced) == 1


def test_what_is_needed_is_never_rounded_down():
    answer = core.Answer(1.2301, 1.2301, 1.2301, "closed form")
    need = Need(ldp.mechanism("OUE", k=10, eps=1.2301), "raw", answer)
    assert advisor_sentences._amount(need, True) == "ε = 1.24"
    asked = question.Question(replace(BASE, k=10), ACCURACY["every bin"], "eps", False, (BASE,), ())
    assert tables.needed_table([need], asked)["Needed"].tolist() == [1.24]
    # The same for users, and what noise leaves open encloses what is said.
    need = Need(need.mechanism, "mi", core.Answer(74_219, 74_180, 74_290, "simulation"))
    assert advisor_sentences._amount(need, False) == "74,300 users"
    row = tables.needed_table([need], replace(asked, sought="n")).iloc[0]
    assert (row["Needed"], row["from"], row["to"]) == (74_300, 74_100, 74_300)
    text = advisor_sentences.needed_sentence([need], replace(asked, sought="n"))
    assert text.startswith("**74,300 users are enough** (between 74,100 and 74,300) ")
    # ε∞ is in proportion to the ε₁ that is written, not to the one before rounding.
    chain = Need(ldp.mechanism("L-OSUE", k=10, eps=1.2301, eps_inf=2.4602), "raw", answer)
    assert advisor_sentences._amount(chain, True) == "ε₁ = 1.24 (ε∞ = 2.48)"


# ---- in Estimate -----------------------------------------------------------------------


@pytest.mark.usefixtures("few_runs")
def test_the_first_opens_in_estimate():
    at = opened(points="10")
    first = ranking(at).iloc[0]["Mechanism"]
    (button,) = (b for b in at.main.button if b.key == "open_first")
    assert button.label == f"Open {first} in Estimate"
    button.click().run()
    assert_calm(at)
    assert session_of(at).setting == privacy.same_privacy(BASE, first)
    assert at.title[0].value != "Advisor"


def test_a_ticked_row_opens_what_it_needs(monkeypatch):
    shown = []
    monkeypatch.setattr(opening, "in_estimate", shown.append)
    chain = tuple(privacy.same_privacy(CHAIN, name) for name in ("L-OSUE", "L-SOUE"))
    asked = question.Question(chain[0], ACCURACY["every bin"], "eps", False, chain, ())

    def need(name, value):
        return Need(
            ldp.mechanism(name, k=10, eps=2.0, eps_inf=4.0), "mi", core.Answer(value, value, value, "simulation")
        )

    settings = [opened_rows.setting_at(asked, need("L-OSUE", value)) for value in (1.2301, math.inf)]
    assert (settings[0].eps, settings[0].eps_inf, settings[1]) == (1.24, 2.48, None)
    users = replace(asked, sought="n")
    assert opened_rows.setting_at(users, need("L-SOUE", 12_341)).n == 12_400
    # The last ε that a chain can have is not rounded up to one that it can't.
    wide = replace(chain[1], eps=1.2, eps_inf=2.0)
    most = core.possible_eps(wide)[1]
    edge = replace(asked, settings=(wide,))
    assert opened_rows.setting_at(edge, need("L-SOUE", most)).eps == most
    for ticked, expected in (([0], [settings[0]]), ([1], []), ([], [])):
        state = {"ranking": SimpleNamespace(selection=SimpleNamespace(rows=ticked))}
        monkeypatch.setattr(opened_rows.st, "session_state", state)
        opened_rows.open_ticked("ranking", settings)
        assert shown == expected
        shown.clear()


# ---- equals ----------------------------------------------------------------------------


def of(name, estimator, value, se=0.001):
    return core.Candidate(ldp.mechanism(name, k=10, eps=2.0), estimator, core.Measured(value, se, 400))


def test_no_winner_among_equals():
    equals = [of("SS", key, 0.02 * (1 + 1e-9 * i)) for i, key in enumerate(errors.QUICK + errors.ITERATED)]
    clear = [of("OUE", key, 0.04) for key in errors.QUICK]
    text = advisor_sentences.accuracy_sentence(equals + clear, BASE, ACCURACY["every bin"])
    assert "SS with any estimator of the table comes nearest to the truth" in text
    assert phrases.introduction(equals[0], equals + clear).endswith(equals[0].mechanism.summary)
    asked = question.Question(BASE, ACCURACY["every bin"], None, True, (BASE,), ())
    assert tables.error_table(equals + clear, asked)["No."].tolist() == [1] * 5 + [6] * 4


def test_float_noise_is_written_in_words_and_names_no_winner():
    dust = [of("GRR", "ibu", 9e-13, 1e-14), of("GRR", "mi", 2e-12, 1e-14), of("OUE", "mi", 3e-12, 1e-14)]
    for goal, bound in (("every bin", "every bin within less than"), ("total variation", "total variation less than")):
        text = advisor_sentences.accuracy_sentence(dust, BASE, ACCURACY[goal])
        assert f"GRR with any estimator of the table is among the nearest to the truth: {bound} 0.000001" in text
        assert "; OUE does equally well. That is enough" in text
        assert "0.0000000" not in text
    asked = question.Question(BASE, ACCURACY["every bin"], None, True, (BASE,), ())
    table = tables.error_table(dust, asked)
    assert table[["No.", "Error", "±"]].to_numpy().tolist() == [[1, 0, 0]] * 3


def test_what_noise_can_not_tell_is_no_winner():
    first = [of("SS", "limit", 0.0200), of("SS", "mi", 0.0205), of("SS", "raw", 0.03), of("GRR", "mi", 0.04)]
    text = advisor_sentences.accuracy_sentence(first, BASE, ACCURACY["every bin"])
    assert "SS with IBU limit is among the nearest to the truth" in text
    assert "; too close to call: MI with the same reports may be as good. " in text
    text = advisor_sentences.accuracy_sentence([*first, of("OUE", "mi", 0.0201)], BASE, ACCURACY["every bin"])
    assert "; too close to call: MI with the same reports may be as good, and so may OUE. " in text
    text = advisor_sentences.accuracy_sentence([first[0], of("OUE", "mi", 0.0201)], BASE, ACCURACY["every bin"])
    assert "; too close to call: OUE may be as good. " in text
    text = advisor_sentences.accuracy_sentence([first[0], first[-1]], BASE, ACCURACY["every bin"])
    assert "comes nearest to the truth" in text
    assert "too close" not in text
