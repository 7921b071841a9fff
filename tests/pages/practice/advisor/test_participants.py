"""Who takes part: a mechanism that refuses is left out with its sentence, and stops nobody else."""

from dataclasses import replace

import pytest
from advisor_page import BASE, CHAIN
from app_steps import ADVISOR, QUICK, assert_calm, open_page, sentences

import ldpcore as ldp
from ldpcore import advisor as core
from ldpcore import mechanisms
from ldpcore.mechanisms.longitudinal_unary import LSUE
from ldpcore.mechanisms.unary import OUE
from pages.practice.advisor import errors, participants

TABLE = ldp.read_table(b"day,n\n2024-05-31,1\n2024-06-01,2\n2024-06-01,2\n", "days.csv")


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


@pytest.mark.parametrize(
    "own",
    [
        ldp.numbers_from(TABLE, "n"),
        ldp.dates_from(TABLE, "day"),
        ldp.categories_from(TABLE, "day"),
    ],
    ids=lambda own: own.kind,
)
def test_estimators_that_use_the_order_have_data_of_which_results_say_that_there_is_one(own):
    every = ("mi", "smooth", "auto")
    result = ldp.run(ldp.Setting(data="own", n=3, k=2, runs=1, max_iter=1), own.histogram(2))
    assert participants.suited(every, own) == (every if result.ordered else ("mi", "auto"))
    assert participants.suited(every, None) == every


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
