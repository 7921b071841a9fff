"""THE's reports come as bits or as reals; the threshold of reals is the server's, whatever ε has made them.

The seeds are fixed. A right library fails with a chance of 10⁻⁶ at the most: the ε that is named has a standard error
of 0.01 here, and may be off by 0.06.
"""

import numpy as np
import pandas as pd
import pytest

import ldpcore as ldp
from ldpcore.collected.cells import Cells
from ldpcore.collected.counted import Counted
from ldpcore.collected.tally import Tally

N, K, MADE_AT, STATED = 16_000, 20, 2.0, 1.0
RNG = np.random.default_rng(53)
MADE = ldp.mechanism("THE", k=K, eps=MADE_AT)
USERS = RNG.integers(0, K, N)
REALS = MADE.noisy_histograms(USERS, RNG, accept_leak=True).round(4)
BITS = MADE.privatize(USERS, RNG)


def _table(name, reports):
    if name == "columns":
        return pd.DataFrame(reports).to_csv(index=False)
    if name == "decimal commas":
        return pd.DataFrame(reports).to_csv(index=False, sep=";", decimal=",")
    return "report\n" + "".join(f'"{row.tolist()}"\n' for row in reports)


@pytest.mark.parametrize("name", ["columns", "decimal commas", "lists"])
@pytest.mark.parametrize("reports", [REALS, BITS.astype(int)], ids=["reals", "bits"])
def test_a_wrong_eps_is_named_in_files(name, reports):
    table = ldp.read_table(_table(name, reports).encode(), "a.csv")
    stated = MADE.with_eps(STATED)
    (fit,) = ldp.estimate_table(table, stated, full_entries=0).fit
    assert (fit.verdict, fit.statistic) == ("does not fit", "total support")
    assert abs(fit.eps - MADE_AT) < 0.06  # of reals it was 1.79
    assert fit.sentence.startswith(f"These reports look like ε ≈ {fit.eps:.2f}, not 1: ")
    assert ldp.estimate_table(table, MADE, full_entries=0).fit[0].verdict == "fits"


@pytest.mark.parametrize("reports", [REALS, BITS, BITS.astype(float)], ids=["reals", "bits", "bits as reals"])
def test_a_wrong_eps_is_named_in_arrays(reports):
    counted = Counted.of_reports(reports, MADE.with_eps(STATED))
    assert abs(counted.fit(1_000).eps - MADE_AT) < 0.06
    tally = Tally()
    for part in np.array_split(reports, 7):
        tally.add(MADE.with_eps(STATED), part)
    (group,) = tally.groups()
    assert group.fit(1_000).eps == counted.fit(1_000).eps
    np.testing.assert_array_equal(group.counts, counted.counts)


@pytest.mark.parametrize(
    ("cells", "real"),
    [
        (["0110"], False),
        (["[0, 1, 1, 0]"], False),
        (["[0.0, 1.0]"], False),
        (["[np.True_ np.False_]"], False),
        (["0", "1"], False),
        (["1.0", "0,0"], False),
        ([True, False], False),
        (["0", "0,5"], True),
        (["[np.float64(0.31), np.float64(-1.2)]"], True),
        (["1", "1.2e-3"], True),
        ([[0.5, 1.0]], True),
        ([1.0, -2.0], True),
    ],
)
def test_reals_are_told_from_bits(cells, real):
    import pyarrow as pa

    names = [f"v{i}" for i in range(len(cells))]
    batch = pa.RecordBatch.from_pydict({name: [cell] for name, cell in zip(names, cells, strict=True)})
    assert Cells("a.csv", names, batch, [1]).are_reals() == real
