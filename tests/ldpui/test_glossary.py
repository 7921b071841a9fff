"""Explanations are true of everything that they explain."""

import pytest

import ldpcore as ldp
from ldpcore import mechanisms
from ldpcore.mechanisms.longitudinal_unary import LSUE
from ldpui import glossary


def test_the_glossary_is_true_of_all_bins_and_of_one_collection():
    assert "equal width" not in glossary.K
    assert "everything" not in glossary.RUNS


def test_explanations_name_the_mechanisms_that_say_so_themselves(monkeypatch):
    assert "How the second round of L-GRR and L-OLH is set" in glossary.calibration()
    assert "it differs for L-GRR, L-BLH and L-OLH, where" in glossary.channel()

    class Two(LSUE):
        calibration_matters = True

        @property
        def published_channel(self):
            return self.p, self.q / 2

    monkeypatch.setitem(mechanisms._CLASSES, "L-SUE", Two)
    assert "How the second round of L-GRR, L-SUE and L-OLH is set" in glossary.calibration()
    assert "it differs for L-GRR, L-SUE, L-BLH and L-OLH, where" in glossary.channel()


@pytest.mark.parametrize("name", ldp.LONGITUDINAL)
def test_the_published_calibration_spends_less_where_it_is_said_to(name):
    """L-BLH was among them, whose two cells leave nothing unspent."""
    published, tight = (ldp.mechanism(name, k=20, eps=1.0, calibration=c) for c in ldp.CALIBRATIONS)
    assert tight.effective_eps == pytest.approx(1)
    assert (published.effective_eps < 0.99) == (
        name in glossary.with_two_calibrations().replace(" and", ",").split(", ")
    )


def test_of_the_published_channel_nothing_is_said_that_hashing_does_not_do():
    """It leaves out a term of L-GRR's; L-BLH's q, and at ε₁ = ε∞/2 L-OLH's, is larger than the mechanism's."""
    assert "leaves out" not in glossary.channel()
    larger = {"L-GRR": False, "L-BLH": True, "L-OLH": True}
    for name, expected in larger.items():
        for eps in (0.5, 1.0, 2.0, 4.0):
            m = ldp.mechanism(name, k=50, eps=eps, eps_inf=2 * eps)
            # By hand: after both rounds, (1-q₁)q₂ + q₁p₂ with the chance q₁ of the first round to speak for the value.
            q1 = 1 / m.g if m.g else m.q1
            assert m.q == pytest.approx((1 - q1) * m.q2 + q1 * m.p2)
            assert (m.channel("published")[1] > m.q) == expected
