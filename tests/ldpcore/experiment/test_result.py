"""A result: its numbers, and how it is shown."""

import math

import numpy as np
import pytest

import ldpcore as ldp

SMALL = {"n": 2_000, "k": 10, "runs": 5, "max_iter": 200}


def test_result_is_what_its_parts_say():
    setting = ldp.Setting(data="poisson", mechanism="OLH", eps=2.0, **SMALL)
    r = ldp.run(setting)
    assert r.histogram.sum() == setting.n
    np.testing.assert_allclose(r.true, r.histogram / setting.n)
    np.testing.assert_array_equal(r.mi, ldp.mi(r.counts, setting.n, r.mechanism))
    np.testing.assert_array_equal(r.ibu, ldp.ibu(r.counts, r.mechanism, max_iter=200))
    np.testing.assert_array_equal(r.limit, ldp.ibu_limit(r.counts, r.mechanism))
    squared = ((r.mi - r.true) ** 2).mean(axis=1)
    np.testing.assert_allclose(r.error("mi", "mse").values, squared)
    after = ((r.ibu - r.true) ** 2).mean(axis=1)
    clipped = np.maximum(100 * (squared - after) / squared, 0)
    assert r.gain("mse") == pytest.approx(clipped.mean())
    assert r.gain("mse").se == pytest.approx(clipped.std(ddof=1) / math.sqrt(5))
    assert r.gain("mse", clip=False) <= r.gain("mse")
    table = r.table(("mi", "ibu", "norm-sub"), ("mse", "kl"))
    assert list(table["estimator"].unique()) == ["mi", "ibu", "norm-sub"]
    assert table.loc[0, "mean"] == pytest.approx(squared.mean())


def test_a_result_is_shown_at_the_console():
    r = ldp.run(ldp.Setting(data="poisson", mechanism="L-OUE", eps=1.0, **SMALL))
    text = repr(r)
    assert text.splitlines()[0] == "L-OUE on poisson: ε = 1, ε∞ = 2, n = 2,000, k = 10, 5 runs, seed 0"
    for name in ("MI", "IBU", "IBU limit", "gain of IBU", "MSE", "MAE"):
        assert name in text
    assert f"{r.error('limit', 'mae'):.3g}" in text
    assert max(map(len, text.splitlines())) <= 120


def test_a_result_is_shown_in_a_notebook():
    r = ldp.run(ldp.Setting(data="poisson", mechanism="OUE", eps=1.0, **SMALL))
    html = r._repr_html_()
    assert html.count("<tr>") == html.count("</tr>") == 4
    assert "<th>gain in MSE</th>" in html
    assert f"{r.gain('mse'):.1f} ± {r.gain('mse').se:.1f} %" in html
    assert "OUE on poisson" in html
