"""Reports in tables in memory: every format, a column of ε, support counts, and what is said of wrong ones."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from collected_reports import assert_same, collect_reports, columns_of, table
from mechanism_cases import MECHANISMS

import ldpcore as ldp
from ldpcore.cli.main import main
from ldpcore.collected import parts as _parts
from ldpcore.collected.report_tables import (
    counts_of_table,
    estimate_counts,
    estimate_table,
)

N, K = 600, 8


def collect(name, n=N, k=K, eps=1.0, **more):
    return collect_reports(name, n=n, k=k, eps=eps, seed=3, **more)


@cache
def collected(name):
    """Return a mechanism, reports, and what they say where they are in memory: once for all their tables."""
    m, reports = collect(name)
    return m, reports, ldp.estimate_reports(reports, m)


@pytest.mark.slow
@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize("name", MECHANISMS)
def test_reports_are_those_of_memory(name, words):
    m, reports, expected = collected(name)
    assert_same(estimate_table(table(columns_of(reports), words=words), m), expected)


def test_large_tables_are_counted_in_batches(monkeypatch):
    monkeypatch.setattr(_parts, "CELLS", 1_000)
    m, reports = collect("OLH")
    seen = []
    found = estimate_table(table(columns_of(reports)), m, full_entries=0, progress=seen.append)
    assert_same(found, ldp.estimate(m.support_counts(reports), N, m))
    assert seen == [125, 250, 375, 500, 600]


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
    more = {"eps_inf": 6.0} if name in ldp.LONGITUDINAL else {}
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
        ("OUE", {"count": [1] * 8}, "abc", "n must be a whole number .* got 'abc'"),
        ("GRR", {"count": [1] * 8}, -5, "n must be a whole number .* got -5"),
        ("GRR", {"count": [1] * 8}, float("nan"), "n must be a whole number .* got nan"),
        ("GRR", {"count": [1] * 8}, 9, "the counts are those of n = 8 reports of GRR; got n = 9"),
    ],
)
def test_wrong_support_counts_are_named(name, columns, n, says):
    with pytest.raises(ValueError, match=says):
        counts_of_table(table(columns), ldp.mechanism(name, k=K, eps=1.0), n)
