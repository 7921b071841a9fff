"""IBU's clock: the share of the way that its steps go near uniform, against IBU itself."""

import numpy as np
import pytest
from mechanism_cases import MECHANISMS

import ldpcore as ldp


@pytest.mark.parametrize("channel", ["exact", "published"])
@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize(("k", "eps"), [(5, 1.0), (40, 2.0)])
def test_the_share_of_the_way_is_that_of_ibu(name, k, eps, channel):
    m = ldp.mechanism(name, k=k, eps=eps)
    p, q = m.channel(channel)
    # Counts whose limit is a little off uniform, so that the way is nearly straight.
    off = 1e-4 * np.cos(np.arange(k))
    theta = (1 + off - off.mean()) / k
    shares = p * theta + q * (1 - theta)
    counts = np.round(shares * 1e13).astype(np.int64)
    for steps in (1, 20, 400):
        place = ldp.ibu(counts, m, max_iter=steps, tol=0.0, channel=channel)
        gone = (place - 1 / k) @ (theta - 1 / k) / ((theta - 1 / k) @ (theta - 1 / k))
        assert m.share_of_the_way(steps, channel) == pytest.approx(gone, abs=1e-3)
    assert m.share_of_the_way(0) == 0


def test_the_time_is_the_known_one():
    # At ε = 1 and k = 200, 10,000 steps are 5 % of the way for BLH, 10 % for SUE, 17 % for OUE and 52 % for GRR.
    for name, share in (("BLH", 0.05), ("SUE", 0.10), ("OUE", 0.17), ("GRR", 0.52)):
        m = ldp.mechanism(name, k=200, eps=1.0)
        assert m.share_of_the_way(10_000) == pytest.approx(share, abs=0.006)
        assert m.ibu_time == pytest.approx(((m.p + 199 * m.q) / (m.p - m.q)) ** 2)
    assert ldp.mechanism("GRR", k=10, eps=50.0).share_of_the_way(1) == pytest.approx(1)
    with pytest.raises(ValueError, match="steps must be a whole number"):
        m.share_of_the_way(-1)
