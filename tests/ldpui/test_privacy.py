"""The same privacy for every mechanism, in words of the sliders."""

import pytest

import ldpcore as ldp
from ldpui import privacy
from ldpui.address import links

NAMES = ldp.ONE_TIME + ldp.LONGITUDINAL


@pytest.mark.parametrize("name", NAMES)
def test_the_sliders_can_show_the_privacy_of_a_comparison(name):
    found = privacy.privacy_words(1.0, 2.0, name)
    expected = {"eps": "1"} if name in ldp.ONE_TIME else {"eps_inf": "2", "share": "50%"}
    assert found == expected
    assert all(links.CONTROLS[key].allows(word) for key, word in found.items())
