"""Every format of reports: read as the mechanism takes them, and wrong cells named."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from collected_reports import assert_same, collect_reports, columns_of, table
from mechanism_cases import MECHANISMS

import ldpcore as ldp
from ldpcore import mechanisms
from ldpcore.cli.count import count_pieces
from ldpcore.cli.main import main
from ldpcore.collected import formats
from ldpcore.collected.files import pieces
from ldpcore.collected.formats import FORMATS, Format, formats_of
from ldpcore.collected.parts import joined
from ldpcore.collected.report_tables import estimate_table, table_parts
from ldpcore.mechanisms import ReportKind, check_class
from ldpcore.mechanisms.reports import BITS
from ldpcore.mechanisms.unary import OUE

N, K = 600, 8


def collect(name, n=N, k=K, eps=1.0, **more):
    return collect_reports(name, n=n, k=k, eps=eps, seed=3, **more)


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_has_a_format(name):
    m = ldp.mechanism(name, k=K, eps=1.0)
    assert formats_of(m)
    for each in formats_of(m):
        assert each.kind is m.report_kind
        assert min(each.columns(m, False)) >= 1
        assert each.wanted(m)


def _hexadecimal(cells, m):
    """Read bits that are written as a number to the base 16, the first bit last."""
    numbers = np.array([int(cell.removeprefix("0x"), 16) for cell in cells.column(cells.columns[0]).to_pylist()])
    return (numbers[:, None] >> np.arange(m.k)) % 2 == 1


def test_a_new_format_is_one_record(tmp_path, monkeypatch):
    """The library and the command line read it as soon as it is in the list."""
    new = Format(
        "hexadecimal bits",
        BITS,
        lambda m, own: {1},
        lambda m: "one of numbers to the base 16",
        _hexadecimal,
        suits=lambda cells, m: cells.column(cells.columns[0])[0].as_py().startswith("0x"),
    )
    monkeypatch.setattr(formats, "FORMATS", [new, *FORMATS])
    m, reports = collect("OUE")
    assert formats.wanted(m).startswith("one of numbers to the base 16, or k = 8 columns")
    cells = [hex(int((row << np.arange(K)).sum())) for row in reports.astype(int)]
    assert_same(estimate_table(table({"report": cells}), m), ldp.estimate_reports(reports, m))
    path = tmp_path / "reports.csv"
    path.write_text("report\n" + "\n".join(cells))
    out = ["--workers", "1", "--out", str(tmp_path / "out.csv")]
    assert main(["count", str(path), "--mechanism", "OUE", "--k", str(K), "--eps", "1", *out]) == 0
    assert pd.read_csv(tmp_path / "out.csv")["count"].tolist() == m.support_counts(reports).tolist()


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
    """The reports themselves come back, each in its row; estimates from them are those of any other format."""
    m, reports = collect(name, eps=0.5)
    cells = [WAYS[way](row.astype(int)) for row in reports]
    (whole,) = joined(table_parts(table({"report": cells}), m))
    assert whole.m == m
    np.testing.assert_array_equal(whole.reports, reports)


@pytest.mark.parametrize("way", ["{%s}", "[%s]", "(%s)", "%s"])
def test_a_set_of_one_value_in_one_cell(way):
    """SS at a large ε: the text of a set, a list or an array, and the plain value."""
    m = ldp.mechanism("SS", k=3, eps=6.0)
    assert m.support_size == 1
    cells = [way.replace("%s", str(value)) for value in (2, 0, 2, 1, 2)]
    assert estimate_table(table({"report": cells}), m).counts.tolist() == [1, 1, 3]
    own = table({"report": [*cells, "{0, 1}"], "eps": [6.0] * 5 + [0.1]})
    few = ldp.mechanism("SS", k=4, eps=0.1)
    assert few.support_size == 2
    result = estimate_table(own, ldp.mechanism("SS", k=4, eps=1.0), eps_column="eps")
    assert result.counts.tolist() == [2, 2, 3, 0]


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


def test_blanks_around_strings_of_bits_are_none_of_them():
    m = ldp.mechanism("OUE", k=4, eps=1.0)
    counts = estimate_table(table({"bits": [" 0110", "1000 ", "\t0010", "0001"]}), m).counts
    assert counts.tolist() == [1, 1, 2, 1]
    with pytest.raises(ldp.Refused, match=r"row 2, column 'bits': must be a string of 4 times 0 or 1; got ' 011 '"):
        estimate_table(table({"bits": ["0110", " 011 "]}), m)


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


@pytest.mark.parametrize("seed", ["9223372036854775808", " 18446744073709551615", "-9223372036854775809", 2**64 - 1])
def test_seeds_that_are_too_large_have_lost_no_digits(seed):
    m = ldp.mechanism("OLH", k=K, eps=1.0, hash_family="xxh32")
    seeds = np.array([2**53, seed], dtype=np.uint64) if isinstance(seed, int) else [str(2**53), seed]
    with pytest.raises(
        ValueError, match=r"row 2, column .seed.: must be a whole number from 0 to 9,223,372,036,854,775,807;"
    ):
        estimate_table(table({"value": [1, 1], "seed": seeds}), m)


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


@pytest.mark.parametrize("end", [",)", ", ] ", " , )"])
def test_a_comma_before_the_last_bracket_ends_a_set(end):
    """Python writes the tuple of one value as (2,); an empty place in the middle or without a bracket stays one."""
    one, two = ldp.mechanism("SS", k=3, eps=3.0), ldp.mechanism("SS", k=9, eps=1.0)
    assert estimate_table(table({"s": [f"(2{end}", f"(0{end}"]}), one).counts.tolist() == [1, 0, 1]
    assert estimate_table(table({"s": [f"(2, 3{end}", "[3, 8]"]}), two).counts.tolist() == [0, 0, 1, 2, 0, 0, 0, 0, 1]
    for wrong in ("(,2)", "3,", "(2,3,,)"):
        with pytest.raises(ValueError, match="must be 2 different values"):
            estimate_table(table({"s": ["(2, 3)", wrong]}), two)


@pytest.mark.parametrize("index", [False, True], ids=["", "index"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("cell", ["columns", list, tuple, np.asarray])
@pytest.mark.parametrize("name", ["OUE", "THE", "SS", "OLH"])
def test_what_pandas_writes_of_reports_is_read(name, cell, separator, index):
    """NumPy's numbers and truth values stand in a text as they are in its arrays, its tuples and its lists."""
    m, rng = ldp.mechanism(name, k=9, eps=1.0), np.random.default_rng(47)
    reports = m.privatize(rng.integers(0, 9, 60), rng)
    rows = np.stack([reports.value, reports.seed], axis=1) if name == "OLH" else reports
    if cell == "columns":
        frame = pd.DataFrame(reports._asdict() if name == "OLH" else rows)
    else:
        frame = pd.DataFrame({"report": [cell(row) for row in rows]})
    text = frame.to_csv(index=index, sep=separator)
    found = estimate_table(ldp.read_table(text.encode(), "a.csv"), m)
    np.testing.assert_array_equal(found.counts, m.support_counts(reports))


def test_truth_values_are_bits_and_nothing_else():
    upper = table({"a": ["TRUE", "FALSE"], "b": [" true", "1"]})
    assert estimate_table(upper, ldp.mechanism("OUE", k=2, eps=1.0)).counts.tolist() == [1, 2]
    for wrong in ("yes", "T", ""):
        with pytest.raises(ValueError, match=r"row 2, column 'a'"):
            estimate_table(table({"a": ["1", wrong], "b": ["0", "1"]}), ldp.mechanism("OUE", k=2, eps=1.0))
    with pytest.raises(ValueError, match=r"must be a whole number from 0 to 3, .* got 'True'"):
        estimate_table(table({"v": ["True", "2"]}), ldp.mechanism("GRR", k=4, eps=1.0))
    with pytest.raises(ValueError, match="must be 2 different values"):
        estimate_table(table({"v": ["[True, 2]"]}), ldp.mechanism("SS", k=9, eps=1.0))


def test_sets_in_a_cell_without_a_name_above_are_no_json():
    m = ldp.mechanism("SS", k=9, eps=1.0)
    lists = ldp.read_table(b"[3 5]\n[2 7]\n", "a.csv", header=False)
    assert estimate_table(lists, m).counts.tolist() == [0, 0, 1, 1, 0, 1, 0, 1, 0]
    for json in (b"[[3, 5],\n[2, 7]]\n", b"[3,\n5]\n", b"[3, 5]\n"):
        with pytest.raises(ldp.Refused, match="it seems to be JSON"):
            ldp.read_table(json, "a.csv", header=False)


@pytest.mark.parametrize("cell", ["inf", "-inf"])
def test_an_endless_number_is_no_value(cell):
    with pytest.raises(ValueError, match=f"row 2, column 'v': must be a whole number from 0 to 3, .* got '{cell}'"):
        estimate_table(table({"v": ["1.0", cell]}), ldp.mechanism("GRR", k=4, eps=1.0))


# ---- a kind without a format ----------------------------------------------------------


class _Words(ReportKind):
    def text(self, reports, row=0):
        return str(reports[row])


class Worded(OUE):
    """Reports of a kind of its own, for which nobody has written a format."""

    report_kind = _Words("words", "a word")


def test_a_kind_of_its_own_is_refused_where_a_file_would_hold_it(monkeypatch, tmp_path, capsys):
    assert check_class(Worded) is Worded
    sentence = "there is no format for reports of OUE yet (a word): no file can hold them"
    with pytest.raises(ldp.Refused, match=re.escape(sentence)):
        estimate_table(ldp.read_table(b"report\n011\n", "words.csv"), Worded(k=3, eps=1.0))
    monkeypatch.setitem(mechanisms._CLASSES, "OUE", Worded)
    path = tmp_path / "words.csv"
    path.write_text("report\n011\n")
    assert main(["count", str(path), "--mechanism", "OUE", "--k", "3", "--eps", "1", "--workers", "1"]) == 2
    assert sentence in capsys.readouterr().err


def test_a_kind_must_have_words_for_its_reports():
    class Mute(OUE):
        report_kind = ReportKind("words", "a word")

    with pytest.raises(ldp.Refused, match=r"Mute must have a report_kind with a text, .* 'words' has none"):
        check_class(Mute)


@pytest.mark.parametrize("kind", [pa.list_(pa.bool_()), pa.large_list(pa.bool_()), pa.list_(pa.bool_(), 9)])
@pytest.mark.parametrize("name", ["OUE", "THE", "L-SUE"])
def test_truth_values_in_lists_of_parquet_are_read(name, kind, tmp_path):
    """`privatize` gives truth values, and pandas writes an array in each cell as such a list; they were not read."""
    m, rng = ldp.mechanism(name, k=9, eps=1.0), np.random.default_rng(59)
    reports = m.privatize(rng.integers(0, 9, 500), rng)
    path = tmp_path / "reports.parquet"
    pq.write_table(pa.table({"user": range(500), "report": pa.array(reports.tolist(), kind)}), path, row_group_size=170)
    found = estimate_table(ldp.read_table(path.read_bytes(), path.name), m)
    np.testing.assert_array_equal(found.counts, m.support_counts(reports))
    (group,) = count_pieces(pieces(path, m), m, None, 1).groups()
    np.testing.assert_array_equal(group.counts, found.counts)


def test_a_missing_truth_value_in_a_list_is_named():
    m = ldp.mechanism("OUE", k=3, eps=1.0)
    with pytest.raises(ValueError, match=r"row 2, column 'r': must be 3 times 0 or 1; got \[True, None, False\]"):
        estimate_table(table({"r": pa.array([[True, False, True], [True, None, False]])}), m)
