"""What is said of one's own data is true of their histogram."""

import re
from dataclasses import replace

import pytest
from own_uploads import uploaded

import ldpcore as ldp
from pages.practice.your_data.account import advice


@pytest.mark.parametrize(
    ("numbers", "k", "says"),
    [
        (range(31), 50, "19 bins are empty: take fewer, or *values*, with which none of 31 is."),
        ([0, 10, 20], 4, "1 bin is empty: take fewer, or *values*, with which 18 of 21 are."),
        ([0, 2], 10, "8 bins are empty: take fewer, or *values*, with which 1 of 3 is."),
        ([0, 5_000], 10, "8 bins are empty: take fewer."),
        ([0.5, 1.5, 9], 10, "7 bins are empty: take fewer."),
    ],
)
def test_empty_bins_are_counted(numbers, k, says):
    """With *values* there were said to be no gaps, whatever the numbers."""
    upload = uploaded(("x\n" + "".join(f"{x}\n" for x in numbers)).encode(), "a.csv")
    text = advice(upload, k)
    assert text == f"There are only {len(numbers)} different numbers, so at least {says}"
    assert (upload.histogram(k).counts == 0).sum() >= k - len(numbers)
    if "*values*" in text:
        by_value = replace(upload, binning=ldp.OwnBinning(values=True))
        each = by_value.histogram(by_value.bins(1)).counts
        empty, of = re.search(r"which (\w+) of (\d+)", text).groups()
        assert (int((each == 0).sum()), each.size) == (0 if empty == "none" else int(empty), int(of))


def test_there_is_no_advice_where_it_may_be_wrong():
    upload = uploaded(b"x\n1\n2\n4\n", "a.csv")
    assert advice(upload, 3) == ""
    assert advice(replace(upload, binning=ldp.OwnBinning(values=True)), 4) == ""
    for binning in (ldp.OwnBinning(low=-5), ldp.OwnBinning(high=9), ldp.OwnBinning(clip=0.1)):
        assert advice(replace(upload, binning=binning), 10).endswith("7 bins are empty: take fewer.")
    assert "*values*" in advice(replace(upload, binning=ldp.OwnBinning(log=True)), 10)
    assert advice(uploaded(b"x\na\nb\n", "a.csv", ldp.categories_from), 10) == ""
