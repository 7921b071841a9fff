"""Text as spreadsheets write it: blank lines, and a first line that names the separator."""

import pytest

from ldpcore.errors import Refused
from ldpcore.tables import open_table_file, read_table


def test_a_blank_line_is_no_row_in_one_column_either():
    table = read_table(b"v\n1\n\n0\r\n\r\n2\n", "a.csv")
    assert table.column("v").to_pylist() == ["1", "0", "2"]
    # An empty cell is still one where it is written.
    assert read_table(b'v\n1\n""\n2\n', "a.csv").column("v").to_pylist() == ["1", "", "2"]


@pytest.mark.parametrize("first", ["sep=;", "SEP=;", '"sep=;"', "\n\nsep=;\r"])
def test_a_first_line_may_name_the_separator(first):
    # Without it a comma would fit as well.
    table = read_table(f"{first}\na,b;c\n1,5;2\n3,5;4\n".encode(), "a.csv")
    assert table.columns == ("a,b", "c")
    assert table.column("a,b").to_pylist() == ["1,5", "3,5"]
    table = read_table(f"{first}\n1,5;2\n".encode(), "a.csv", header=False)
    assert (table.columns, table.rows) == (("column 1", "column 2"), 1)


def test_rows_count_from_below_the_line_that_names_the_separator():
    with pytest.raises(Refused, match=r"a.csv, row 2: a row must have 2 cells"):
        read_table(b"sep=,\na,b\n1,2\n3\n", "a.csv")
    with pytest.raises(Refused, match=r"must name a comma, a semicolon or a tab, .* got '\|'"):
        read_table(b"sep=|\na|b\n1|2\n", "a.csv")
    with pytest.raises(Refused, match=r"nothing below its first line"):
        read_table(b"sep=;\n", "a.csv")
    assert read_table(b"sep=ab\n1\n", "a.csv").columns == ("sep=ab",)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
@pytest.mark.parametrize(
    "cells",
    [["(1, 43)", "(0, 7)"], ["[3, 7, 9]", "[0, 1, 2]"], [" {5}", "{3,7} "], ["5", "[3,7]"], ["7", "8"]],
    ids=["pairs", "sets", "sets of several sizes", "sets and a value", "values"],
)
@pytest.mark.parametrize("separator", ",;\t", ids=["comma", "semicolon", "tab"])
def test_one_column_has_its_cells_in_every_dialect(separator, cells, end):
    """As spreadsheets write them: a cell is quoted where it holds the separator of the file."""
    lines = [f'"{cell}"' if separator in cell else cell for cell in ["report", *cells]]
    table = read_table(end.join([*lines, ""]).encode(), "a.csv")
    assert table.columns == ("report",)
    assert table.column("report").to_pylist() == cells


@pytest.mark.parametrize("lines", ['"1",5\n"2",7', "1,5\n2,5", "(1,2),3", "[1],[2]", "(1, 2);(3, 4)\t5"])
def test_commas_without_brackets_divide_a_line(lines):
    # R writes the numbers of rows without a name above them; as one cell, "1",5 would be read as 1.5.
    with pytest.raises(Refused, match=r"row 1: a row must have 1 cell, as the first line has; got [23] cells"):
        read_table(f"v\n{lines}\n".encode(), "a.csv")


def test_a_comma_in_quotes_is_none_between_cells():
    table = read_table(b'v\n"(1, 43)"\n"a;b"\n"c\td"\n', "a.csv")
    assert table.column("v").to_pylist() == ["(1, 43)", "a;b", "c\td"]
    # Where no line has a comma it still divides cells, and other separators further down do not.
    assert read_table(b"v\n" + 30 * b"a\n" + b"b;c\n", "a.csv").rows == 31


@pytest.mark.parametrize(
    ("text", "columns", "cells"),
    [
        ("city\nParis, France\nBern, CH\n", ("city",), ["Paris, France", "Bern, CH"]),
        ("Paris, France\n1\n2\n", ("Paris, France",), ["1", "2"]),
        ("city; country\nParis\nBern; CH\n", ("city; country",), ["Paris", "Bern; CH"]),
        ("income\n1,5\n2,25\n", ("income",), ["1,5", "2,25"]),
        ("a,b\tc\n1,5\t2\n", ("a,b", "c"), ["1,5"]),
        # What is as even as a CSV stays one.
        ("a,b\n1,2\n3,4\n", ("a", "b"), ["1", "3"]),
    ],
)
def test_commas_in_the_one_column_of_a_tsv_are_none_between_cells(tmp_path, text, columns, cells):
    (tmp_path / "a.TSV").write_text(text)
    _, head = open_table_file(tmp_path / "a.TSV")
    for table in (read_table(text.encode(), "a.TSV"), head):
        assert table.columns == columns
        assert table.column(columns[0]).to_pylist() == cells


@pytest.mark.parametrize("lines", ['"1",5\n"2",7', "1\t2,5\n3,5"])
def test_quotes_and_tabs_leave_a_tsv_as_it_was(lines):
    with pytest.raises(Refused, match=r"row [12]: a row must have 1 cell, as the first line has; got 2 cells"):
        read_table(f"v\n{lines}\n".encode(), "a.tsv")
