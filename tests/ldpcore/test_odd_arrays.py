"""Arrays with masks, of half precision, of rows that differ in length: the right answer, or a sentence on one line."""

import numpy as np
import pandas as pd
import pytest

import ldpcore as ldp

GRR = ldp.mechanism("GRR", k=3, eps=1.0)
COUNTS, REPORTS = [500, 300, 200], [0, 1, 2]
RNG = np.random.default_rng(1)
MASKED = np.ma.array([500, 300, 200], mask=[False, True, False])
OF_ARRAYS = {
    "mi": lambda a: ldp.mi(a, 1_000, GRR),
    "ibu": lambda a: ldp.ibu(a, GRR),
    "estimate": lambda a: ldp.estimate(a, 1_000, GRR),
    "intervals": lambda a: ldp.intervals(a, 1_000, GRR),
    "check_fit": lambda a: ldp.check_fit(a, 1_000, GRR),
    "auto": lambda a: ldp.auto(a, 1_000, GRR),
    "sample_counts": lambda a: GRR.sample_counts(a, 1, RNG),
    "estimate_reports": lambda a: ldp.estimate_reports(a // 200, GRR),
    "split_by_eps": lambda a: ldp.split_by_eps(REPORTS, a / 1_000, GRR),
    "split_by_eps, reports": lambda a: ldp.split_by_eps(a // 200, [1.0, 1.0, 2.0], GRR),
    "histogram": lambda a: ldp.histogram(a, 2),
}


@pytest.mark.parametrize("name", OF_ARRAYS)
def test_what_a_mask_hides_is_not_taken_all_the_same(name):
    """NumPy gives the numbers under a mask back, and an estimate would be made of what somebody has taken out."""
    with pytest.raises(ldp.Refused, match="must have no masked entries; got 1 of them in masked_array") as refused:
        OF_ARRAYS[name](MASKED)
    assert "\n" not in str(refused.value)
    OF_ARRAYS[name](np.ma.array(MASKED.data))  # a mask that hides nothing


def test_values_in_messages_stand_on_one_line():
    for odd in (pd.Series(COUNTS), np.zeros((3, 4)), pd.DataFrame({"a": COUNTS})):
        with pytest.raises(ldp.Refused, match="n must be a whole number") as refused:
            ldp.mi(COUNTS, odd, GRR)
        assert "\n" not in str(refused.value)
    with pytest.raises(ldp.Refused, match=r"at most n = 1,000, the number of reports; got 1e\+300$"):
        ldp.mi([1e300, 0, 0], 1_000, ldp.mechanism("OUE", k=3, eps=1.0))


def test_half_precision_holds_its_numbers():
    """Reals of 16 bits end at 65,504, below the bounds that they are compared with."""
    np.testing.assert_array_equal(
        GRR.sample_counts(np.array([50, 30, 20], np.float16), 2, np.random.default_rng(2)),
        GRR.sample_counts([50, 30, 20], 2, np.random.default_rng(2)),
    )
    with pytest.raises(ldp.Refused, match="got inf at position 1"):
        GRR.sample_counts(np.array([50, np.inf, 20], np.float16), 2, RNG)


def test_reports_of_different_lengths_are_refused():
    with pytest.raises(ldp.Refused, match="reports must be an array, with rows of equal length"):
        ldp.split_by_eps([1, [2], 0], [1.0, 1.0, 2.0], GRR)


def test_the_widest_kernel_leaves_the_mean():
    np.testing.assert_allclose(ldp.smooth(COUNTS, 1_000, GRR, bandwidth=1e308), 1 / 3)
