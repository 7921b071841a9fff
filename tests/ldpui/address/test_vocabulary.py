"""Controls and words: every default is legal, and everything that there is has words."""

import pytest

import ldpcore as ldp
from ldpui.address import links, vocabulary

NAMES = ldp.ONE_TIME + ldp.LONGITUDINAL


@pytest.mark.parametrize("key", links.CONTROLS)
def test_every_default_is_allowed(key):
    default = links.CONTROLS[key].default
    for part in default if isinstance(default, tuple) else [default]:
        if part is None:
            continue  # nothing is said, and nothing is what is meant
        word = str(part).lower() if isinstance(part, bool) else str(part)
        assert links.CONTROLS[key].allows(word)
    # What a teacher may write freely is only bounded.
    assert not links.CONTROLS[key].allows("x" * 10_000 if key in ("c_question", "c_answers") else "no such word")


def test_every_mechanism_metric_and_estimator_has_words():
    for name in NAMES:
        assert ldp.mechanism_class(name).summary.endswith(".")
    assert {record.key for record in vocabulary.METRICS.values()} == set(ldp.METRICS)
    assert all(record.name and record.summary.endswith(".") for record in ldp.ESTIMATORS.values())
