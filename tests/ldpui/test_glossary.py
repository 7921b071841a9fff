"""Explanations are true of everything that they explain."""

from ldpcore import mechanisms
from ldpcore.mechanisms.longitudinal_unary import LSUE
from ldpui import glossary


def test_the_glossary_is_true_of_all_bins_and_of_one_collection():
    assert "equal width" not in glossary.K
    assert "everything" not in glossary.RUNS


def test_explanations_name_the_mechanisms_that_say_so_themselves(monkeypatch):
    assert "How the second round of L-GRR, L-BLH and L-OLH is set" in glossary.calibration()
    assert "it differs for L-GRR, L-BLH and L-OLH, where" in glossary.channel()

    class Two(LSUE):
        calibration_matters = True

        @property
        def published_channel(self):
            return self.p, self.q / 2

    monkeypatch.setitem(mechanisms._CLASSES, "L-SUE", Two)
    assert "How the second round of L-GRR, L-SUE, L-BLH and L-OLH is set" in glossary.calibration()
    assert "it differs for L-GRR, L-SUE, L-BLH and L-OLH, where" in glossary.channel()
