"""Reports in tables in memory: every format, a column of ε, support counts, and what is said of wrong ones."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from collected_reports import collect_reports, frame_of
from mechanism_cases import FOURTEEN

import ldpcore as ldp
from ldpcore.cli.main import main
from ldpcore.collected import parts as _parts
from ldpcore.collected.fit import Fit
from ldpcore.collected.report_tables import (
    FIT_ALARM,
    counts_of_table,
    estimate_counts,
    estimate_table,
    header_seems_a_report,
    other_columns,
    takes,
    worst_fit,
)

N, K = 600, 8


def table(columns, name="mine.csv", words=False):
    arrays = {c: pa.array([str(v) for v in cells] if words else cells) for c, cells in columns.items()}
    data = pa.table(arrays)
    return SimpleNamespace(name=name, columns=tuple(columns), rows=data.num_rows, data=data)


def collect(name, n=N, k=K, eps=1.0, **more):
    return collect_reports(name, n=n, k=k, eps=eps, seed=3, **more)


def columns_of(reports):
    return {name: column.to_numpy() for name, column in frame_of(reports).items()}


def assert_same(found, expected):
    for name in ("n", "counts", "raw", "mi", "ibu", "limit", "full", "noise", "population"):
        a, b = getattr(found, name), getattr(expected, name)
        assert (a is None) == (b is None), name
        if a is not None:
            # Full-report IBU stops where steps are small; where exactly hangs on the order of the users.
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-7 if name == "full" else 1e-12, err_msg=name)
    assert [fit.sentence for fit in found.fit] == [fit.sentence for fit in expected.fit]


@pytest.mark.slow
@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize("name", FOURTEEN)
def test_reports_are_those_of_memory(name, words):
    m, reports = collect(name)
    assert_same(estimate_table(table(columns_of(reports), words=words), m), ldp.estimate_reports(reports, m))


WAYS = {
    "lists": lambda row: row.tolist(),
    "lists of reals": lambda row: [float(x) for x in row],
    "NumPy's own text": str,
    "reals in NumPy's own text": lambda row: str(row.astype(float)),
    "JSON": lambda row: str(row.tolist()),
    "semicolons": lambda row: ";".join(map(str, row)),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["OUE", "SS", "THE", "L-SUE"])
def test_a_whole_report_in_one_cell(name, way):
    m, reports = collect(name, eps=0.5)
    cells = [WAYS[way](row.astype(int)) for row in reports]
    assert_same(estimate_table(table({"report": cells}), m), ldp.estimate_reports(reports, m))


def test_noisy_histograms_in_one_cell():
    rng = np.random.default_rng(0)
    m = ldp.mechanism("THE", k=K, eps=2.0)
    reals = np.eye(K)[rng.integers(0, K, N)] + rng.laplace(0, 1, (N, K))
    expected = ldp.estimate_reports(reals > m.theta, m)
    for cells in ([row.tolist() for row in reals], [" ".join(map(repr, row.tolist())) for row in reals]):
        assert_same(estimate_table(table({"report": cells}), m), expected)


@pytest.mark.parametrize(
    ("name", "cell", "says"),
    [
        ("OUE", [0, 1, 1], "8 times 0 or 1; got \\[0, 1, 1\\]"),
        ("OUE", [0, 1, 2, 0, 0, 0, 0, 0], "8 times 0 or 1"),
        ("OUE", [0, 1, None, 0, 0, 0, 0, 0], "8 times 0 or 1"),
        ("OUE", [0, 1, 0.5, 0, 0, 0, 0, 0], "8 times 0 or 1"),
        ("OUE", "[0 1 ... 0 0]", "8 times 0 or 1"),
        ("OUE", "0 1 1 0 x 0 0 0", "8 times 0 or 1"),
        ("THE", [0.5, float("nan"), 0, 0, 0, 0, 0, 0], "8 numbers"),
        ("SS", [1.5, 2, 3], "3 different values from 0 to 7"),
        ("SS", [1, 2, 8], "3 different values from 0 to 7"),
        ("SS", [1, 2, None], "3 different values from 0 to 7"),
        ("SS", [1, 2, 2], "twice"),
    ],
)
def test_a_wrong_report_in_one_cell_is_named(name, cell, says):
    m = ldp.mechanism(name, k=K, eps=0.5)
    good = [0, 1, 2] if name == "SS" else [0, 1] * 4
    cells = [good, good, cell] if isinstance(cell, list) else [" ".join(map(str, good))] * 2 + [cell]
    with pytest.raises(ValueError, match=f"mine.csv, row 3, column 'report': .*{says}"):
        estimate_table(table({"report": cells}), m)


def test_large_tables_are_counted_in_batches(monkeypatch):
    monkeypatch.setattr(_parts, "CELLS", 1_000)
    m, reports = collect("OLH")
    seen = []
    found = estimate_table(table(columns_of(reports)), m, full_entries=0, progress=seen.append)
    assert_same(found, ldp.estimate(m.support_counts(reports), N, m))
    assert seen == [125, 250, 375, 500, 600]


def test_text_as_a_dictionary():
    m, reports = collect("SUE")
    strings = pa.array(["".join("01"[bit] for bit in row) for row in reports.astype(int)]).dictionary_encode()
    assert_same(estimate_table(table({"bits": strings}), m), ldp.estimate_reports(reports, m))
    m, reports = collect("GRR")
    values = pa.array([str(v) for v in reports]).dictionary_encode()
    assert_same(estimate_table(table({"v": values}), m), ldp.estimate_reports(reports, m))


def test_whole_numbers_may_be_written_as_reals():
    m, reports = collect("OUE")
    words = {name: [f"{cell}.0" for cell in cells] for name, cells in columns_of(reports).items()}
    assert_same(estimate_table(table(words), m), ldp.estimate_reports(reports, m))
    words["c1"][4] = "0.5"
    with pytest.raises(ValueError, match=r"mine.csv, row 5, column 'c1': must be a whole number .* got '0.5'"):
        estimate_table(table(words), m)
    words["c1"][4] = "1.0x"
    with pytest.raises(ValueError, match=r"row 5, column 'c1': .* got '1.0x'"):
        estimate_table(table(words), m)


PAIRS = {
    "tuples as text": lambda value, seed: f"({value}, {seed})",
    "blanks": lambda value, seed: f"{value} {seed}",
    "lists": lambda value, seed: [value, seed],
    "the seed first": lambda value, seed: f"[{seed}, {value}]",
}


@pytest.mark.parametrize("way", PAIRS)
def test_a_hashed_pair_in_one_cell(way):
    """Seeds of the peers have 63 bits, which no float64 can hold."""
    m, reports = collect("OLH", hash_family="xxh32")
    seeds = reports.seed + (np.random.default_rng(0).integers(0, 2**31, N) << 32)
    cells = [PAIRS[way](int(v), int(s)) for v, s in zip(reports.value, seeds, strict=True)]
    assert_same(estimate_table(table({"report": cells}), m), ldp.estimate_reports(reports, m))


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("(1, 2, 3)", "column 'report': must be a pair"),
        ("7 4318", r"column 'report, 1st': .* from 0 to 3 \(OLH at ε = 1 has 4 cells\); got '7'"),
        ("1 x", "column 'report, 2nd': must be a whole number"),
        ("1 4.3180138e+17", "column 'report, 2nd': .* with all its digits"),
    ],
)
def test_a_wrong_pair_in_one_cell_is_named(cell, says):
    m = ldp.mechanism("OLH", k=K, eps=1.0, hash_family="xxh32")
    with pytest.raises(ValueError, match=f"mine.csv, row 3, {says}"):
        estimate_table(table({"report": ["1 4318", "2 4319", cell]}), m)


@pytest.mark.parametrize("seed", ["9.223372036854775e18", 9.223372036854775e18])
def test_seeds_that_lost_their_last_digits_are_refused(seed):
    m = ldp.mechanism("OLH", k=K, eps=1.0, hash_family="xxh32")
    with pytest.raises(ValueError, match=r"row 1, column 'seed': .* with all its digits"):
        estimate_table(table({"value": [1], "seed": [seed]}), m)


def test_what_may_be_wrong_beyond_a_cell_is_said():
    m = ldp.mechanism("OLH", k=K, eps=1.0)
    with pytest.raises(ValueError, match="the other way round; got 4318"):
        estimate_table(table({"seed": [1, 2] * 5, "value": range(4318, 4328)}), m)
    with pytest.raises(ValueError, match="pure-ldp are larger and belong to xxh32"):
        estimate_table(table({"seed": [2**40], "value": [1]}), m)
    with pytest.raises(ValueError, match=r"row 2, .* values count from 0 to k - 1; got 8"):
        estimate_table(table({"v": [1, 8]}), ldp.mechanism("GRR", k=K, eps=1.0))
    with pytest.raises(ValueError, match=r"got 12 columns \(is k right"):
        estimate_table(table({f"b{i}": [0] for i in range(12)}), ldp.mechanism("OUE", k=20, eps=1.0))


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [(["0,5", "-1,25", "3"], [0.5, -1.25, 3.0]), (["1,000", "0,5"], [1.0, 0.5])],
)
def test_decimal_commas_are_read(cells, numbers):
    m = ldp.mechanism("THE", k=2, eps=1.0)
    found = estimate_table(table({"a": cells, "b": cells}), m)
    np.testing.assert_array_equal(found.counts, [(np.array(numbers) > m.theta).sum()] * 2)


@pytest.mark.parametrize("cells", [["1,000", "2,000"], ["1,234.5", "0,5"], ["0,5", "1.5"], ["0,5,5"]])
def test_commas_that_may_be_thousands_are_refused(cells):
    with pytest.raises(ValueError, match="row 1, column 'a': must be a finite number"):
        estimate_table(table({"a": cells, "b": cells}), ldp.mechanism("THE", k=2, eps=1.0))


def test_columns_that_are_no_reports_are_known():
    columns = {"column 1": [5, 3, 9], "n": ["1", "2", "3"], "User_ID": ["x", "y", "z"], "v": [1, 0, 2], "w": [2, 3, 4]}
    assert other_columns(table(columns)) == ("column 1", "n", "User_ID")
    # Columns without names are called by their numbers, and are no index for that.
    assert other_columns(table({"column 1": [5, 3, 9], "column 2": [1, 1, 1]})) == ()
    m = ldp.mechanism("OUE", k=K, eps=1.0)
    assert [takes(m, ["b"] * n) for n in (1, 7, 8, 9)] == [True, False, True, False]
    assert takes(ldp.mechanism("OLH", k=K, eps=1.0), ["id", "Seed", "value"])


@pytest.mark.parametrize(
    ("columns", "seems"),
    [
        (["2", "4318013899"], True),
        (["[0 1 1 0]"], True),
        (["3.4e+01"], True),
        (["0", "1", "2"], False),
        (["column 1", "0", "1"], False),
        (["value", "seed"], False),
        (["bit_0", "1"], False),
    ],
)
def test_a_header_that_is_a_report_is_known(columns, seems):
    assert header_seems_a_report(columns) == seems


def test_messages_of_a_table_know_no_command_line():
    m = ldp.mechanism("OLH", k=K, eps=1.0)
    with pytest.raises(ValueError, match="needs the columns seed and value, or two columns") as told:
        estimate_table(table({"a": [1], "b": [2]}), m)
    assert "--" not in str(told.value)
    with pytest.raises(
        ValueError, match=r"got 2 columns \(choose the columns .* an index or the number of a user is none"
    ) as told:
        estimate_table(table({"a": [1], "b": [2]}), ldp.mechanism("GRR", k=K, eps=1.0))
    assert "--" not in str(told.value)


def test_an_empty_table_is_refused():
    with pytest.raises(ValueError, match="there are no reports"):
        estimate_table(table({"v": []}), ldp.mechanism("GRR", k=K, eps=1.0))


def test_a_column_twice_is_refused():
    twice = table({"v": [1]})
    twice.data = pa.table([pa.array([1]), pa.array([1])], names=["v", "v"])
    twice.columns = ("v", "v")
    with pytest.raises(ValueError, match="the column 'v' is there more than once"):
        estimate_table(twice, ldp.mechanism("GRR", k=K, eps=1.0), columns=["v"])


# ---- a column of ε ----------------------------------------------------------------


def mixed(name, budgets=(0.5, 1.0, 3.0), **more):
    """Reports of users with different ε, in no order: what a table holds, and the reports by ε."""
    rng = np.random.default_rng(5)
    cells, eps, by_eps = [], [], []
    for one in budgets:
        m = ldp.mechanism(name, k=K, eps=one, **more)
        reports = m.privatize(rng.integers(0, 4, 200), rng)
        by_eps.append((reports, m))
        cells += list(zip(*reports, strict=True)) if isinstance(reports, tuple) else [list(r) for r in np.c_[reports]]
        eps += [one] * 200
    order = rng.permutation(len(eps))
    return [[int(x) for x in cells[i]] for i in order], [eps[i] for i in order], by_eps


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("name", ["GRR", "OUE", "SS", "OLH", "THE", "L-OLH", "L-GRR"])
def test_one_eps_for_each_report(name, full):
    more = {"eps_inf": 6.0} if name.startswith("L-") else {}
    rows, eps, by_eps = mixed(name, **more)
    columns = {"ε": eps}
    if name == "SS":
        columns["set"] = [" ".join(map(str, row)) for row in rows]
    else:
        names = ["seed", "value"] if "LH" in name else [f"c{i}" for i in range(len(rows[0]))]
        columns |= {c: [row[i] for row in rows] for i, c in enumerate(names)}
    m = ldp.mechanism(name, k=K, eps=0.7, **more)
    found = estimate_table(table(columns), m, eps_column="ε", full_entries=10**6 if full else 0)
    expected = ldp.estimate_mixed(by_eps)
    if not full:
        expected = ldp.estimate_groups([(m.support_counts(r), 200, m) for r, m in by_eps])
        assert found.full is None
    assert_same(found, expected)


def test_hashed_values_are_checked_against_the_cells_of_their_own_eps():
    m = ldp.mechanism("OLH", k=K, eps=1.0)
    columns = {"seed": [1, 2], "value": [5, 5], "eps": [3.0, 1.0]}
    with pytest.raises(ValueError, match=r"row 2, column 'value': .* from 0 to 3 \(OLH at ε = 1 has 4 cells\); got 5"):
        estimate_table(table(columns), m, eps_column="eps")


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ([1.0, -1.0], r"row 2, column 'eps': eps must be a number from 0.0001 to 50; got -1.0"),
        ([1.0, None], r"row 2, column 'eps': no cell may be empty"),
        (["1", "much"], r"row 2, column 'eps': must be a finite number; got 'much'"),
    ],
)
def test_a_wrong_eps_is_named(cells, says):
    with pytest.raises(ValueError, match=says):
        estimate_table(table({"v": [1, 2], "eps": cells}), ldp.mechanism("GRR", k=K, eps=1.0), eps_column="eps")


def test_too_many_different_eps_are_refused():
    columns = {"v": [1] * 1001, "eps": np.linspace(1, 2, 1001)}
    with pytest.raises(ValueError, match="at most 1,000 different ε"):
        estimate_table(table(columns), ldp.mechanism("GRR", k=K, eps=1.0), eps_column="eps")


def test_the_command_line_takes_a_column_of_eps(tmp_path, capsys):
    rows, eps, by_eps = mixed("GRR")
    path = tmp_path / "reports.csv"
    path.write_text("v,eps\n" + "\n".join(f"{row[0]},{one}" for row, one in zip(rows, eps, strict=True)))
    arguments = ["count", str(path), "--mechanism", "GRR", "--k", str(K), "--workers", "1"]
    assert main([*arguments, "--eps-column", "eps"]) == 0
    told = capsys.readouterr().out
    assert "600 reports of GRR in 1 file: 3 different ε from 0.5 to 3, k = 8\n" in told
    assert "Nothing speaks against the reports of 3 different ε, but 3 of them can't be checked." in told
    expected = ldp.estimate_mixed(by_eps)
    assert [line.split()[2] for line in told.splitlines()[4:]] == [f"{raw:.5f}" for raw in expected.raw]
    with pytest.raises(SystemExit):
        main([*arguments, "--eps-column", "eps", "--eps", "1"])
    capsys.readouterr()
    assert main([*arguments[:3], "L-GRR", *arguments[4:], "--eps-column", "eps"]) == 2
    assert "needs its eps_inf" in capsys.readouterr().err


# ---- support counts ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["GRR", "OUE", "SS", "OLH", "L-GRR"])
def test_support_counts(name):
    m, reports = collect(name)
    counts = m.support_counts(reports)
    expected = ldp.estimate(counts, N, m)
    order = np.random.default_rng(1).permutation(K)
    assert_same(estimate_counts(table({"n_v": counts}), m, N), expected)
    assert_same(
        estimate_counts(table({"Value": order, "share": order, "Count": counts[order]}, words=True), m, N), expected
    )
    if name in ("GRR", "SS", "L-GRR"):
        assert_same(estimate_counts(table({"count": counts}), m), expected)


@pytest.mark.parametrize(
    ("name", "columns", "n", "says"),
    [
        ("OUE", {"count": [1] * 7}, 9, "there must be a row for each of the k = 8 values; got 7"),
        ("OUE", {"a": [1] * 8, "b": [1] * 8}, 9, "support counts need a column named count"),
        ("OUE", {"count": [1] * 8}, None, "so n must be given"),
        ("OUE", {"count": [1] * 7 + [10]}, 9, "row 8, column 'count': .* from 0 to 9, the number of reports; got 10"),
        ("OUE", {"count": [1] * 8, "value": [0, 1, 2, 3, 3, 5, 6, 7]}, 9, "row 5, column 'value': every value must be"),
        ("OUE", {"count": [1] * 8, "value": [0, 1, 2, 3, 8, 5, 6, 7]}, 9, "row 5, column 'value': .* got 8"),
        ("SS", {"count": [1] * 7 + [2]}, None, "must sum to a multiple of 2"),
        ("GRR", {"count": [1] * 8}, 9, "the counts are those of n = 8 reports of GRR; got n = 9"),
    ],
)
def test_wrong_support_counts_are_named(name, columns, n, says):
    with pytest.raises(ValueError, match=says):
        counts_of_table(table(columns), ldp.mechanism(name, k=K, eps=1.0), n)


@pytest.mark.parametrize(("p_value", "fits"), [(0.0009, True), (0.0006, True), (0.0004, False)])
def test_among_several_eps_the_worst_has_had_several_tries(p_value, fits):
    some = [Fit("total support", 1.0, 1.0, 1.0, p, 2.0, p >= FIT_ALARM, "One.", "fits") for p in (0.5, p_value)]
    sentence, whole = worst_fit(some)
    assert whole == pytest.approx(2 * p_value)
    assert (whole >= FIT_ALARM) == fits
    assert sentence.startswith("The reports of all 2 different ε fit" if fits else "Of 2 different ε 1 do not fit")
