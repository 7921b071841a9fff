"""The maximum of the counts' true likelihood, which `python -m benchmarks.left_out` compares with the estimators."""

import numpy as np
import pytest

import ldpcore as ldp
from benchmarks import left_out


@pytest.mark.parametrize(
    ("name", "counts"),
    [("OUE", [50, 40, 20, 0]), ("SUE", [60, 55, 50, 45]), ("BLH", [70, 10, 10, 90]), ("THE", [9] * 4)],
)
def test_no_other_frequencies_are_likelier(name, counts):
    m, n = ldp.mechanism(name, k=4, eps=1.0), 100
    found = left_out.count_mle(np.array([counts], dtype=float), n, m)[0]
    assert found.sum() == pytest.approx(1)
    assert found.min() >= 0

    def likelihood(theta):
        chance = m.q + (m.p - m.q) * theta
        return (counts * np.log(chance) + (n - np.array(counts)) * np.log1p(-chance)).sum(axis=-1)

    rng = np.random.default_rng(1)
    others = rng.dirichlet(np.full(4, 0.4), 100_000)
    near = np.maximum(found + 0.02 * rng.standard_normal((100_000, 4)), 0)
    best = max(likelihood(others).max(), likelihood(near / near.sum(axis=1, keepdims=True)).max())
    assert best <= likelihood(found) + 1e-9
    assert best == pytest.approx(likelihood(found), abs=0.02)


@pytest.mark.slow
def test_the_benchmark_prints_its_ratios(capsys):
    assert left_out.main(["--n", "2000", "--k", "5", "--runs", "2"]) == 0
    said = capsys.readouterr().out
    # Four ε for each data set and each mechanism whose values are supported on their own: 120 with the paper's.
    assert f"{4 * len(ldp.DATASETS) * len(left_out.independent())} settings, 2 runs each" in said
    assert set(left_out.independent()) >= {"SUE", "OUE", "THE", "BLH", "OLH"}
    assert said.count("|") > 20
