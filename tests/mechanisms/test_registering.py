"""A new mechanism is one file and one line: a copy of the library gets one, and everything works with it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

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

assert ldp.ONE_TIME[-1] == "Coins" and len(ldp.ONE_TIME) == 8, ldp.ONE_TIME
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


def test_one_file_and_one_line(tmp_path):
    shutil.copytree(ROOT / "ldpcore", tmp_path / "ldpcore", ignore=shutil.ignore_patterns("__pycache__"))
    package = tmp_path / "ldpcore" / "mechanisms"
    (package / "coins.py").write_text(NEW_FILE, encoding="utf-8")
    init = (package / "__init__.py").read_text(encoding="utf-8")
    # The one line, and the import that Python wants for it.
    registered = init.replace("    LOLH,\n)", "    LOLH,\n    Coins,\n)")
    assert registered != init
    line = "from ldpcore.mechanisms.base import"
    registered = registered.replace(line, f"from ldpcore.mechanisms.coins import Coins\n{line}", 1)
    (package / "__init__.py").write_text(registered, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "works\n", done.stderr
