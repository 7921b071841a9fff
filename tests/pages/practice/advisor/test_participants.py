"""Who takes part: a mechanism that refuses is left out with its sentence, and stops nobody else."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from advisor_page import BASE, CHAIN
from app_steps import ADVISOR, QUICK, assert_calm, open_page, sentences

import ldpcore as ldp
from ldpcore import advisor as core
from ldpcore import mechanisms
from ldpcore.mechanisms.longitudinal_unary import LSUE
from ldpcore.mechanisms.unary import OUE
from ldpui.own import CATEGORIES, DATES, NUMBERS
from pages.practice.advisor import errors, participants


class Picky(OUE):
    """One that wants at least three values, and no large ε."""

    def __init__(self, *, k, eps):
        super().__init__(k=k, eps=eps)
        if self.k < 3:
            raise ldp.Refused(f"k of OUE must be at least 3; got {self.k}")
        if self.eps > 6:
            raise ldp.Refused(f"eps of OUE must be at most 6; got {self.eps:g}")


class PickyChain(LSUE):
    """A chain that wants at least three values."""

    def __init__(self, *, k, eps, eps_inf=None, calibration="published"):
        super().__init__(k=k, eps=eps, eps_inf=eps_inf, calibration=calibration)
        if self.k < 3:
            raise ldp.Refused(f"k of L-SUE must be at least 3; got {self.k}")


@pytest.fixture
def picky(monkeypatch):
    monkeypatch.setitem(mechanisms._CLASSES, "OUE", Picky)
    monkeypatch.setitem(mechanisms._CLASSES, "L-SUE", PickyChain)


@pytest.mark.parametrize("sought", [None, "eps", "n"])
@pytest.mark.parametrize(("s", "name"), [(BASE, "OUE"), (CHAIN, "L-SUE")])
def test_a_mechanism_that_refuses_k_is_left_out(picky, s, name, sought):
    field = participants.participants(replace(s, k=2, seed=77), sought)
    assert f"{name} is left out: k of {name} must be at least 3; got 2." in field.notes
    names = [t.mechanism for t in field.settings]
    assert name not in names
    assert names


def test_estimators_that_use_the_order_do_not_have_categories():
    every = ("mi", "smooth", "auto")
    kinds = {kind: SimpleNamespace(kind=kind) for kind in (NUMBERS, DATES, CATEGORIES)}
    assert participants.suited(every, None) == every
    assert all(participants.suited(every, kinds[kind]) == every for kind in (NUMBERS, DATES))
    assert participants.suited(every, kinds[CATEGORIES]) == ("mi", "auto")


def test_an_epsilon_that_a_mechanism_refuses_is_not_searched(picky):
    s = replace(BASE, mechanism="OUE", seed=77)
    assert core.possible_eps(s)[1] == pytest.approx(6, rel=1e-6)
    assert [errors._possible(s, eps) for eps in (5.0, 7.0)] == [True, False]


def test_the_page_goes_on_without_it(picky, few_runs):
    at = open_page(ADVISOR, QUICK | {"k": "2", "seed": 77.0, "iterations": "10"})
    assert_calm(at)
    assert not sentences(at)
    assert not at.warning
    assert "OUE is left out: k of OUE must be at least 3; got 2." in [c.value for c in at.main.caption]
    assert "GRR" in at.main.dataframe[0].value.to_string()
