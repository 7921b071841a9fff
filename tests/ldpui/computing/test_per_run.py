"""Numbers of every run, by metric and estimator."""

import numpy as np
import pytest

from ldpui.computing import per_run
from ldpui.computing.per_run import PerRun


def pieces():
    names = [(metric, key) for metric in ("mse", "tv") for key in ("mi", "ibu")]
    return [PerRun({name: np.arange(runs) + 10.0 * i for i, name in enumerate(names)}) for runs in (2, 3)]


def test_joined_pieces_have_every_run_in_order():
    whole = PerRun(per_run.joined(pieces()))
    assert whole.of("ibu", "tv").tolist() == [30, 31, 30, 31, 32]
    assert {key: numbers.tolist() for key, numbers in whole.by_estimator("mse").items()} == {
        "mi": [0, 1, 0, 1, 2],
        "ibu": [10, 11, 10, 11, 12],
    }


def test_what_was_not_measured_is_not_made_up():
    first, _ = pieces()
    assert not first.by_estimator("kl")
    with pytest.raises(KeyError):
        first.of("auto", "mse")
