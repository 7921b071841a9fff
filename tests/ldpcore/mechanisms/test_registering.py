"""A new mechanism is one file and one line: a copy of the library gets one, and everything works with it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ldpcore as ldp
from ldpcore.mechanisms import check_class, mechanism_class
from ldpcore.mechanisms.base import Mechanism
from ldpcore.mechanisms.grr import GRR
from ldpcore.mechanisms.reports import PAIRS, SETS
from ldpcore.mechanisms.unary import OUE

ROOT = Path(__file__).parents[3]

NEW_FILE = '''
from ldpcore.mechanisms.unary import UnaryEncoding


class Coins(UnaryEncoding):
    """Every bit is flipped with a chance of one in four, whatever ε is: e^ε is 9."""

    name = "Coins"
    full_name = "Two coins a bit"
    summary = "Flips two coins for each bit."

    def __init__(self, *, k, eps):
        super().__init__(k=k, eps=eps)
        self.p, self.q = 0.75, 0.25

    @property
    def likelihood_ratio(self):
        return 9.0
'''

SCRIPT = """
import math
import numpy as np
import pandas as pd
import ldpcore as ldp

assert ldp.ONE_TIME[-1] == "Coins", ldp.ONE_TIME
m = ldp.mechanism("Coins", k=5, eps=2.2)
rng = np.random.default_rng(1)
values = rng.integers(0, 5, 20_000)
reports = m.privatize(values, rng)
truth = np.bincount(values, minlength=5) / 20_000
assert np.abs(ldp.estimate_reports(reports, m).mi - truth).max() < 0.03
assert ldp.check_fit(m.support_counts(reports), 20_000, m).fits
assert 0.2 < ldp.theory.attack_success(m) < ldp.theory.attack_success_after(m, 10).chance < 1
assert ldp.theory.cramer_rao(m, truth, 20_000).method == "quadrature"
result = ldp.run(ldp.Setting(mechanism="Coins", eps=2.2, k=5, n=1000, runs=2))
assert result.mi.shape == (2, 5)
assert len(ldp.sweep([result.setting])) > 0
table = ldp.read_table(pd.DataFrame(reports.astype(int)).to_csv(index=False).encode(), "reports.csv")
assert (ldp.estimate_table(table, m).counts == m.support_counts(reports)).all()
print("works")
"""


@pytest.mark.slow
def test_one_file_and_one_line(tmp_path):
    shutil.copytree(ROOT / "ldpcore", tmp_path / "ldpcore", ignore=shutil.ignore_patterns("__pycache__"))
    package = tmp_path / "ldpcore" / "mechanisms"
    (package / "coins.py").write_text(NEW_FILE, encoding="utf-8")
    init = (package / "__init__.py").read_text(encoding="utf-8")
    # The one line, and the import that Python wants for it.
    registered = init.replace("\n)\n_CLASSES", "\n    Coins,\n)\n_CLASSES")
    assert registered != init
    line = "from ldpcore.mechanisms.base import"
    registered = registered.replace(line, f"from ldpcore.mechanisms.coins import Coins\n{line}", 1)
    (package / "__init__.py").write_text(registered, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "works\n", done.stderr


# ---- what a class must say ----------------------------------------------------------


class Unsized(GRR):
    support_size = None


class UnsizedSets(OUE):
    report_kind = SETS


class Unhashed(OUE):
    report_kind = PAIRS


class Demanding(OUE):
    options = ("strength",)

    def __init__(self, *, k, eps, strength):
        super().__init__(k=k, eps=eps)
        self.strength = strength


class Forgetful(OUE):
    options = ("strength",)

    def __init__(self, *, k, eps, strength=1):
        super().__init__(k=k, eps=eps)


class Shapeless(OUE):
    shape_options = ("strength",)


class Reversed(OUE):
    def __init__(self, *, k, eps):
        super().__init__(k=k, eps=eps)
        self.p, self.q = self.q, self.p


class Lawless(OUE):
    support_law = "any"


class Nameless(OUE):
    name = None


class Kindless(OUE):
    report_kind = "bits"


class Thresholdless(OUE):
    takes_reals = True


@pytest.mark.parametrize(
    ("cls", "sentence"),
    [
        (Unsized, "Unsized must have a support_size, because its support_law is 'fixed size'; got None"),
        (UnsizedSets, "UnsizedSets must have a support_size, because its reports are sets; got None"),
        (Unhashed, "Unhashed must have g and hash_family, because its reports are pairs; got None and None"),
        (Demanding, "Demanding must have a default for its option strength"),
        (Forgetful, "Forgetful must have the attribute strength, because its options name it"),
        (Shapeless, "shape_options of Shapeless must be among its options; got 'strength'"),
        (Reversed, "Reversed must have 0 ≤ q < p ≤ 1; got p = 0.268"),
        (Lawless, "support_law of Lawless must be one of independent, fixed size, unknown; got 'any'"),
        (Nameless, "Nameless must have name, a text"),
        (Kindless, "Kindless must have report_kind, one of ldpcore.mechanisms.REPORT_KINDS"),
        (Thresholdless, "Thresholdless must have threshold, because takes_reals says"),
    ],
)
def test_a_class_that_does_not_say_enough_is_not_registered(cls: type[Mechanism], sentence: str) -> None:
    with pytest.raises(ldp.Refused, match=sentence):
        check_class(cls)


def test_every_registered_class_says_enough():
    assert [check_class(mechanism_class(name)).name for name in ldp.ONE_TIME] == list(ldp.ONE_TIME)


def test_nothing_is_computed_for_a_mechanism_that_does_not_say_enough():
    """A clone of GRR without its size gave an attacker 0.311 in place of 0.405."""
    with pytest.raises(ldp.Refused, match="must have a support_size"):
        ldp.theory.attack_success(Unsized(k=5, eps=1.0))
    table = ldp.read_table(b"a,b\n0,1\n", "reports.csv")
    for cls in (UnsizedSets, Unhashed):
        with pytest.raises(ldp.Refused, match=f"{cls.__name__} must have"):
            ldp.estimate_table(table, cls(k=3, eps=1.0))
