"""What tests of the Advisor share: how it is opened, and what it says."""

from dataclasses import replace

from app_steps import ADVISOR, QUICK, assert_calm, open_page

import ldpcore as ldp
from ldpcore import advisor as core
from ldpcore.advisor import Accuracy
from pages.practice.advisor import errors, runs

PAGE = ADVISOR


BASE = ldp.Setting(data="gaussian", mechanism="GRR", eps=2.0, n=1_000, k=10, runs=2, max_iter=30)


CHAIN = replace(BASE, mechanism="L-GRR", eps_inf=4.0)


ACCURACY = {"every bin": Accuracy("every bin", 0.01), "total variation": Accuracy("tv", 0.05)}


KEYS = {name: key for key, name in core.ADVISED.items()}


FEW = 20


def simulate_little(patch):
    """Let the Advisor simulate a few times only, as long as a patch lasts; return how often.

    For tests that ask what is on the page, and not how often: that is asked in `test_advisor.py`.
    """
    for name in ("steady", "search", "fine"):
        patch.setattr(runs, name, lambda t: FEW)
    # The lines of equal error lie between few places then.
    patch.setattr(runs, "grid", lambda s, first: 2)
    patch.setattr(runs, "N_GRID", runs.N_GRID[::7])
    patch.setattr(errors, "EPS_GRID", errors.EPS_GRID[::9])
    return FEW


def opened(**state):
    """Open the page at a small setting; it must be calm."""
    at = open_page(PAGE, QUICK | state)
    assert_calm(at)
    assert not at.warning
    return at


def ranking(at):
    return at.main.dataframe[0].value


def said(at):
    return [m.value for m in at.main.markdown]


def kind(at):
    """Return the mechanisms of the table at the small setting: there SS sends a single value, and is GRR."""
    if at.session_state["reports"] == "repeatedly":
        return ldp.LONGITUDINAL
    return tuple(name for name in ldp.ONE_TIME if name != "SS")
