"""What the wall of a class says."""

import numpy as np
import pytest
from class_rounds import learned, room_of, round_of

import ldpcore as ldp
from pages.study.live_class import sentences as say


def test_nobody_one_and_five_say_nothing():
    assert learned([0, 0, 0], 0).startswith("Nobody has reported yet")
    for counts in ([0, 1, 0], [3, 1, 1]):
        text = learned(counts, sum(counts))
        assert "Nothing can be said yet" in text
        assert f"From {sum(counts)} report" in text
        assert "every one of the 3 answers reaches from 0% to 100%" in text
    # No bit of any report is 1: that is possible, and says as little.
    assert "Nothing can be said yet" in learned([0, 0, 0], 2, mechanism="OUE")


def test_a_leader_is_named_only_where_the_intervals_allow_it():
    clear = learned([900, 50, 50], 1000, eps=2.0)
    assert "**“never”** first" in clear
    assert "It is the commonest answer of those who reported" in clear
    two = learned([420, 400, 180], 1000, eps=2.0)
    assert "can't be said" in two
    assert "it may lie below “once”." in two
    assert "it may lie below every other" in learned([25, 18, 17], 60)
    # Five reports that all say the same: what is said of all answers at once is far less sure than of this one alone.
    alike = learned([5, 0, 0], 5)
    low = 100 * ldp.intervals([5, 0, 0], 5, ldp.mechanism("GRR", k=3, eps=1.0), level=1 - 0.05 / 3)[0, 0]
    assert "reported is 100% to 100%" in alike
    assert f"its own goes from {low:.0f}% to 100%, and it may lie below every other" in alike
    assert "it may lie below the other" in learned([33, 27], 60, answers=("yes", "no"))
    level = learned([400, 400, 200], 1000, eps=2.0)
    assert "IBU puts “never” and “once” level, at" in level
    assert "Which answer is the commonest can't be said." in level
    eight = learned([200, 190, 180, 170, 30, 30, 30, 30], 860, eps=2.0, answers=tuple("abcdefgh"))
    assert "it may lie below “b” or “c” or 1 more answer." in eight


@pytest.mark.slow
def test_the_leader_of_a_thousand_classes_is_wrong_in_fewer_than_one_in_twenty():
    """Two equally common answers: naming one of them as the commonest is wrong, and 5% of the classes may do so.

    No more than 20 of 200: at 5% a chance of 2·10⁻³; the intervals are careful, so that it is far less.
    """
    m, rng = ldp.mechanism("GRR", k=3, eps=2.0), np.random.default_rng(0)
    counts = m.sample_counts([28, 28, 4], runs=200, rng=rng)
    named = sum("It is the commonest" in learned(row.tolist(), 60, eps=2.0) for row in counts)
    assert named <= 20


def test_signs_of_markdown_in_answers_are_only_signs():
    text = learned([900, 50, 50], 1000, answers=("**x** <b>", "[a](b)", "$c$"), eps=2.0)
    assert r"“\*\*x\*\* \<b\>”" in text


def test_reports_and_phones_are_counted_in_words():
    now = round_of([0, 0, 0], 0)
    assert say.arrived(room_of(now)) == "**0 reports** in round 1. No phone is in the room."
    assert say.arrived(room_of(now, phones=1)).endswith("1 phone is in the room, and has still to report.")
    some = round_of([1, 0, 0], 1, number=2)
    assert say.arrived(room_of(some, phones=3)) == (
        "**1 report** in round 2. 3 phones are in the room, and at least 2 of them still to report."
    )
    # Some who reported have left.
    assert say.arrived(room_of(round_of([3, 1, 1], 5), phones=3)).endswith("3 phones are in the room.")
    assert "all of simulated students" in say.arrived(room_of(round_of([3, 1, 1], 5, simulated=5)))
    assert "3 of them of simulated students" in say.arrived(room_of(round_of([3, 1, 1], 5, simulated=3)))
    assert "still to report" not in say.arrived(room_of(round_of([0, 0, 0], 0, is_open=False), phones=2))


def test_one_of_you_is_the_attack_of_the_library():
    for mechanism, k, eps in (("GRR", 2, 0.1), ("GRR", 3, 1.0), ("OUE", 8, 4.0)):
        chance = ldp.theory.attack_success(ldp.mechanism(mechanism, k=k, eps=eps))
        text = say.one_of_you(mechanism, k, eps)
        assert f"**{100 * chance:.1f}%**" in text
        assert f"more than {np.exp(eps):.3g} times" in text
    assert "blindly in 33.3%" in say.one_of_you("GRR", 3, 1.0)
    # As many digits as it takes to see that it is more than blind, and less than certain.
    assert "**50.002" in say.one_of_you("GRR", 2, 1e-4)
    assert "**99.995%**" in say.one_of_you("GRR", 2, 10.0)
    # A bound is rounded upwards.
    assert "more than 22,100 times" in say.one_of_you("GRR", 2, 10.0)


def test_the_advice_on_the_mechanism_is_what_the_variances_say():
    """At most five answers: GRR at every ε; eight: GRR above ε = 0.7, as the page says (both to 0.01 in ε)."""

    def grr_knows_more(k, eps):
        grr, oue = (ldp.mechanism(name, k=k, eps=eps).noise_variance(0.0, 1) for name in ("GRR", "OUE"))
        return grr < oue

    assert all(grr_knows_more(k, eps) for k in range(2, 6) for eps in (0.01, 0.1, 1.0, 10.0))
    assert not grr_knows_more(8, 0.69)
    assert grr_knows_more(8, 0.70)


def test_the_dial_says_what_a_round_would_give():
    m = ldp.mechanism("GRR", k=3, eps=2.0)
    half = 196 * np.sqrt(float(m.noise_variance(1 / 3, 60)))
    assert f"about ±{half:.0f} points" in say.dial("GRR", 3, 2.0, 60)
    assert "wider than all that is possible" in say.dial("GRR", 3, 0.1, 20)
    # The shares of a few reports jump: what one in three gives is not among them.
    for n in (0, 1, 9):
        assert say.dial("GRR", 3, 1.0, n) == say.one_of_you("GRR", 3, 1.0)


def test_the_budget_adds_up():
    assert say.spent([round_of([0, 0], 0)]) == ""
    text = say.spent([round_of([0, 0], 0), round_of([0, 0], 0, eps=0.5)])
    assert "ε = 1 + 0.5 = **1.5**" in text
