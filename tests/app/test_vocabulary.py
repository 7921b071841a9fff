"""Controls and words: every default is legal, and everything that there is has words."""

import pytest

import ldpcore as ldp
from ldpui import links, privacy, vocabulary

NAMES = ldp.ONE_TIME + ldp.LONGITUDINAL


@pytest.mark.parametrize("key", links.CONTROLS)
def test_every_default_is_allowed(key):
    default = links.CONTROLS[key].default
    for part in default if isinstance(default, tuple) else [default]:
        if part is None:
            continue  # nothing is said, and nothing is what is meant
        word = str(part).lower() if isinstance(part, bool) else str(part)
        assert links.CONTROLS[key].allows(word)
    assert not links.CONTROLS[key].allows("no such word")


@pytest.mark.parametrize("name", NAMES)
def test_the_sliders_can_show_the_privacy_of_a_comparison(name):
    found = privacy.privacy_words(1.0, 2.0, name)
    expected = {"eps": "1"} if name in ldp.ONE_TIME else {"eps_inf": "2", "share": "50%"}
    assert found == expected
    assert all(links.CONTROLS[key].allows(word) for key, word in found.items())


def test_every_mechanism_metric_and_estimator_has_words():
    for name in NAMES:
        assert ldp.mechanism_class(name).summary.endswith(".")
    assert {record.key for record in vocabulary.METRICS.values()} == set(ldp.METRICS)
    assert all(record.name and record.summary.endswith(".") for record in ldp.ESTIMATORS.values())
