"""What the paper's grid says of every contestant, against numbers worked out by hand."""

import pandas as pd
import pytest

from ldpcore import tournament


def row(mechanism, k, estimator, error, **numbers):
    head = {"table": 1, "metric": "mse", "mechanism": mechanism, "data": "uniform", "eps": 1.0, "n": 100, "k": k}
    none = dict.fromkeys(("gain", "reduction", "ibu_gain", "ibu_reduction"), 0.0)
    return head | none | {"draw": 0, "estimator": estimator, "error": error} | numbers


FRAME = pd.DataFrame(
    [row(*at, "mi", 4.0) for at in (("GRR", 2), ("GRR", 50), ("OUE", 2), ("OUE", 50))]
    + [row(*at, "ibu", 2.0, gain=50.0, reduction=50.0) for at in (("GRR", 2), ("GRR", 50), ("OUE", 2), ("OUE", 50))]
    + [
        row("GRR", 2, "norm-sub", 2.0, gain=50.0, reduction=50.0),
        row("GRR", 50, "norm-sub", 64.0, gain=0.0, reduction=-1500.0, ibu_gain=96.875, ibu_reduction=96.875),
        row("OUE", 2, "norm-sub", 1.0, gain=75.0, reduction=75.0, ibu_reduction=-100.0),
        row("OUE", 50, "norm-sub", 2.0, gain=50.0, reduction=50.0),
        # Of auto there are fewer runs, whose MI is not the one that is kept: its ratio comes from the reduction.
        row("GRR", 2, "auto", 9.0, reduction=-25.0, ibu_reduction=60.0),
    ]
)


def test_a_summary_by_hand():
    rows = tournament.paper_summary(FRAME).set_index("estimator")
    sub = rows.loc["norm-sub"]
    assert (sub["gain"], sub["reduction"]) == (43.75, (50 - 1500 + 75 + 50) / 4)
    # Ratios 1/2, 16, 1/4 and 1/2: their geometric mean is 1; those of IBU to it are 1, 1/32, 2 and 1.
    assert sub["geometric"] == pytest.approx(0)
    assert sub["ibu_geometric"] == pytest.approx(100 * (1 - (1 / 16) ** 0.25))
    assert (sub["worse"], sub["worst"], sub["worst_mechanism"], sub["worst_k"]) == (0.25, 16.0, "GRR", 50)
    # Without GRR the others have 75 and 50.
    assert (sub["cause"], sub["without"]) == ("GRR", 62.5)
    assert (sub["few_bins"], sub["many_bins"]) == (62.5, -725.0)
    auto = rows.loc["auto"]
    assert (auto["worst"], auto["geometric"]) == pytest.approx((1.25, -25.0))
    assert auto["ibu_geometric"] == pytest.approx(60.0)
    assert rows.loc["mi", "worse"] == 0
