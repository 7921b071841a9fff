"""The same privacy for every mechanism, in words of the sliders."""

import pytest

import ldpcore as ldp
from ldpcore import mechanisms
from ldpcore.mechanisms.grr import GRR
from ldpui import privacy
from ldpui.address import links

NAMES = ldp.ONE_TIME + ldp.LONGITUDINAL


@pytest.mark.parametrize("name", NAMES)
def test_the_sliders_can_show_the_privacy_of_a_comparison(name):
    found = privacy.privacy_words(1.0, 2.0, name)
    expected = {"eps": "1"} if name in ldp.ONE_TIME else {"eps_inf": "2", "share": "50%"}
    assert found == expected
    assert all(links.CONTROLS[key].allows(word) for key, word in found.items())


def test_a_page_without_a_mechanism_names_one_that_takes_whatever_is_asked(monkeypatch):
    assert (privacy.stand_in(False), privacy.stand_in(True)) == ("GRR", "L-GRR")

    class Picky(GRR):
        def __init__(self, *, k, eps):
            super().__init__(k=k, eps=eps)
            if self.k > 500:
                raise ldp.Refused(f"k of GRR must be at most 500; got {self.k}")

    monkeypatch.setitem(mechanisms._CLASSES, "GRR", Picky)
    monkeypatch.setattr(ldp, "LONGITUDINAL", ("L-OUE", "L-SOUE", "L-OSUE"))  # the first two refuse large shares
    privacy.stand_in.cache_clear()
    try:
        assert (privacy.stand_in(False), privacy.stand_in(True)) == ("SUE", "L-OSUE")
    finally:
        privacy.stand_in.cache_clear()
