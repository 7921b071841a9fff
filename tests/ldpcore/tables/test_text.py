"""Text as spreadsheets write it: blank lines, and a first line that names the separator."""

import pytest

from ldpcore.errors import Refused
from ldpcore.tables import read_table


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
