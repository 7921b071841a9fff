"""A setting: checked, canonical, and one for one experiment."""

import dataclasses
import enum
import math
import pickle
import re

import numpy as np
import pytest
from mechanism_cases import PAPERS

import ldpcore as ldp

SMALL = {"n": 2_000, "k": 10, "runs": 5, "max_iter": 200}
OLD_NOISE = {"L-OSUE": 27413470, "L-GRR": 696716782, "OUE": 599989522}


def test_a_setting_is_frozen_hashable_and_canonical():
    one = ldp.Setting(data="poisson", eps=1, n=2e4, k=np.int64(100), params={"rate": 5})
    two = ldp.Setting(data="poisson", eps=1.0, n=20_000, k=100)
    assert one == two
    assert hash(one) == hash(two)
    assert one.params == ()
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.eps = 2
    assert ldp.Setting(**one.as_dict()) == one


class Word(str, enum.Enum):  # noqa: UP042 - its str is its name here, as it is not in a StrEnum
    """A word as programs of others may have it."""

    OUE = "OUE"


@pytest.mark.parametrize(
    ("one", "same"),
    [
        ({"mechanism": np.str_("OUE")}, {"mechanism": "OUE"}),
        ({"mechanism": Word.OUE}, {"mechanism": "OUE"}),
        ({"data": np.str_("poisson")}, {"data": "poisson"}),
        ({"binning": np.str_("paper")}, {"binning": "paper"}),
        ({"params": {"mean": -0.0}}, {"params": {"mean": 0.0}}),
        ({"params": {np.str_("mean"): np.float32(2)}}, {"params": {"mean": 2}}),
    ],
)
def test_equal_settings_draw_equal_noise(one, same):
    one, same = ldp.Setting(**one), ldp.Setting(**same)
    assert one == same
    assert repr(one) == repr(same)
    assert one.noise_rng().integers(10**9) == same.noise_rng().integers(10**9)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"eps": 0}, "eps .* got 0"),
        ({"eps": -1.0}, "eps .* got -1.0"),
        ({"eps": math.nan}, "eps .* got nan"),
        ({"eps": math.inf}, "eps .* got inf"),
        ({"k": 1}, "k .* got 1"),
        ({"n": 0}, "n .* got 0"),
        ({"n": 1.5}, "n .* got 1.5"),
        ({"runs": 0}, "runs .* got 0"),
        ({"seed": -1}, "seed .* got -1"),
        ({"data": "cauchy"}, "data .* got 'cauchy'"),
        ({"mechanism": "RR"}, "mechanism .* got 'RR'"),
        ({"mechanism": "L-GRR", "eps_inf": 1.0}, r"eps .* below eps_inf .* got 1"),
        ({"mechanism": "L-OUE", "eps": 1.9, "eps_inf": 2.0}, r"eps .* below 1\.66.* L-OUE .* got 1.9"),
        ({"eps_inf": 2.0}, "eps_inf .* longitudinal .* got 2.0"),
        ({"channel": "none"}, "channel .* got 'none'"),
        ({"binning": "log"}, "binning .* got 'log'"),
        ({"stop": "rmse"}, "stop .* got 'rmse'"),
        ({"start": "random"}, "start .* got 'random'"),
        ({"tol": -1}, "tol .* got -1"),
        ({"max_iter": 0}, "max_iter .* got 0"),
        ({"params": {"sd": -1}}, "sd .* got -1"),
        ({"params": {"width": 1}}, "params .* got 'width'"),
    ],
)
def test_a_bad_setting_says_what_is_wrong(change, says):
    with pytest.raises(ValueError, match=says):
        ldp.Setting(**change)


def test_a_calibration_without_effect_is_none():
    assert ldp.Setting(mechanism="OUE", calibration="tight") == ldp.Setting(mechanism="OUE")
    assert ldp.Setting(mechanism="L-SUE", calibration="tight") == ldp.Setting(mechanism="L-SUE")
    assert ldp.Setting(mechanism="L-GRR", calibration="tight") != ldp.Setting(mechanism="L-GRR")


@pytest.mark.parametrize("mechanism", ldp.ONE_TIME + ldp.LONGITUDINAL)
def test_a_channel_makes_another_setting_only_where_it_is_another(mechanism):
    exact, published = (ldp.Setting(mechanism=mechanism, channel=word, **SMALL) for word in ("exact", "published"))
    m = exact.make_mechanism()
    same = m.published_channel == (m.p, m.q)
    assert (exact == published) == same
    assert (len({exact, published}) == 1) == same
    assert same == (not ldp.mechanism_class(mechanism).channel_matters())
    if mechanism in PAPERS:
        assert same == (mechanism not in ("L-GRR", "L-BLH", "L-OLH"))
    # The wish is kept for mechanisms to which it matters.
    assert dataclasses.replace(published, mechanism="L-GRR", eps_inf=None).channel == "published"
    assert pickle.loads(pickle.dumps(published)) == published  # noqa: S301 - our own


def test_a_grid_over_channels_holds_every_experiment_once():
    settings, _ = ldp.cross({"mechanism": ["OUE", "L-GRR"], "channel": ["exact", "published"], **SMALL})
    expected = [("OUE", "exact"), ("L-GRR", "exact"), ("L-GRR", "published")]
    assert [(s.mechanism, s.channel) for s in settings] == expected


def test_a_setting_is_no_tuple():
    assert ldp.Setting() != tuple(ldp.Setting().as_dict().values())
    assert ldp.Setting() != "GRR"


def test_messages_name_no_machinery():
    with pytest.raises(ValueError, match="k must be") as error:
        ldp.Setting(k="many")
    assert not re.search(r"0x|object at|Traceback", str(error.value))


# ---- ε∞ ----------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", ldp.LONGITUDINAL)
def test_eps_inf_left_out_is_twice_eps(mechanism):
    short = ldp.Setting(mechanism=mechanism, eps=1, **SMALL)
    whole = ldp.Setting(mechanism=mechanism, eps=1, eps_inf=2, **SMALL)
    assert short == whole
    assert hash(short) == hash(whole)
    assert short.as_dict()["eps_inf"] == 2.0
    assert ldp.Setting(**short.as_dict()) == short
    np.testing.assert_array_equal(ldp.run(short).counts, ldp.run(whole).counts)
    assert short != ldp.Setting(mechanism=mechanism, eps=1, eps_inf=2.5, **SMALL)


def test_one_time_mechanisms_have_no_eps_inf():
    assert all(ldp.Setting(mechanism=name).eps_inf is None for name in ldp.ONE_TIME)


def test_noise_of_settings_that_named_eps_inf_is_what_it_was():
    # The first draws of the noise of three settings, from before ε∞ was filled in.
    def first(**point):
        return int(ldp.Setting(**point).noise_rng().integers(10**9))

    assert first(mechanism="L-OSUE", eps=1.0, eps_inf=2.0) == OLD_NOISE["L-OSUE"]
    assert first(mechanism="L-GRR", eps=1.5, eps_inf=4.0, calibration="tight") == OLD_NOISE["L-GRR"]
    assert first(mechanism="OUE", eps=2.0) == OLD_NOISE["OUE"]


BAD = [[2.0], 10**400, 10**5000, "abc", math.nan, math.inf, True, -1, 0, {}, 1e9]


@pytest.mark.parametrize("bad", BAD, ids=[str(i) for i in range(len(BAD))])
@pytest.mark.parametrize("mechanism", ["L-GRR", "L-OSUE", "L-OLH", "GRR"])
def test_a_bad_eps_inf_is_said_in_a_sentence(mechanism, bad):
    wrong = r"must be a number from 0\.0001 to 100|is for longitudinal mechanisms only, and GRR is not one"
    says = rf"eps_inf ({wrong}); got "
    with pytest.raises(ldp.Refused, match=says) as error:
        ldp.Setting(mechanism=mechanism, eps_inf=bad)
    assert len(str(error.value)) < 200
    with pytest.raises(ldp.Refused, match=says):
        ldp.mechanism(mechanism, k=10, eps=1.0, eps_inf=bad)
