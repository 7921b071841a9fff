"""Which columns of a table hold the reports: one rule for the page and the command line."""

from __future__ import annotations

import pytest
from collected_reports import table

import ldpcore as ldp
from ldpcore.collected.columns import COMMAND_LINE, Columns, Head, choose_columns, eps_column_of
from ldpcore.collected.report_tables import estimate_table, header_seems_a_report, other_columns, takes
from ldpcore.errors import Refused

K = 8
GRR, OLH, OUE, SS = (ldp.mechanism(name, k=K, eps=1.0) for name in ("GRR", "OLH", "OUE", "SS"))


def rows(*names, numbering=()):
    """Return a table of these columns, of which some count the rows."""
    return table({name: [0, 1, 2] if name in numbering else [5, 5, 1] for name in names})


BITS = tuple(f"b{i}" for i in range(K))
# A table, what is said of it, and what is chosen.
CHOICES = {
    "all": (rows("v"), GRR, {}, Columns(("v",))),
    "an index is left out": (rows("n", "v", numbering="n"), GRR, {}, Columns(("v",), numbering=("n",))),
    "an index by its name": (rows("User", "v"), GRR, {}, Columns(("v",), numbering=("User",))),
    "an index that is needed": (rows("n", numbering="n"), GRR, {}, Columns(("n",))),
    "an index beside bits": (rows("id", *BITS), OUE, {}, Columns(BITS, numbering=("id",))),
    "a column of ε that nobody asked for": (rows("v", "Eps"), GRR, {}, Columns(("v",), unused_eps="Eps")),
    "a column of ε": (rows("v", "eps"), GRR, {"eps_column": "eps"}, Columns(("v",), "eps")),
    "another column of ε": (rows("v", "eps", "w"), GRR, {"eps_column": "w"}, Columns(("v",), "w")),
    "nothing but ε": (rows("eps"), GRR, {}, Columns(("eps",))),
    "left out": (rows("v", "w"), GRR, {"leave_out": ["w"]}, Columns(("v",))),
    "chosen": (rows("v", "w", "eps"), GRR, {"columns": ["w"]}, Columns(("w",))),
    "chosen with blanks": (rows("v", " w "), GRR, {"columns": ["w"]}, Columns((" w ",))),
    "a pair by its names": (rows("value", "x", "SEED"), OLH, {}, Columns(("SEED", "value"))),
    "a chosen pair by its names": (
        rows("value", "seed"),
        OLH,
        {"columns": ["value", "seed"]},
        Columns(("seed", "value")),
    ),
    "a chosen pair": (rows("a", "b"), OLH, {"columns": ["b", "a"]}, Columns(("b", "a"))),
    "a pair, first the seed": (rows("a", "b"), OLH, {"seed_first": True}, Columns(("a", "b"))),
    "a pair, first the value": (rows("a", "b"), OLH, {"seed_first": False}, Columns(("b", "a"))),
    "a pair beside an index": (
        rows("n", "a", "b", numbering="n"),
        OLH,
        {"seed_first": True},
        Columns(("a", "b"), numbering=("n",)),
    ),
    "an index beside pairs in a cell": (
        ldp.read_table(b',report\n0,"(1, 43)"\n1,"(0, 7)"\n2,"(1, 9)"\n', "a.csv"),
        OLH,
        {},
        Columns(("report",), numbering=("column 1",)),
    ),
    "an index by its name beside lists": (
        table({"User": ["u", "w"], "report": [[1, 43], [0, 7]]}),
        OLH,
        {"seed_first": True},
        Columns(("report",), numbering=("User",)),
    ),
    "seeds that count the rows": (
        rows("n", "b", numbering="n"),
        OLH,
        {"seed_first": True},
        Columns(("n", "b")),
    ),
    "a separator after every cell": (ldp.read_table(b"v;\n5;\n1;\n", "a.csv"), GRR, {}, Columns(("v",))),
    "a separator after every bit": (
        ldp.read_table(f"{','.join(BITS)},\n{'0,' * K}\n".encode(), "a.csv"),
        OUE,
        {},
        Columns(BITS),
    ),
    "sets of any size": (rows("a", "b", "c", "eps"), SS, {"eps_column": "eps"}, Columns(("a", "b", "c"), "eps")),
}


@pytest.mark.parametrize("case", CHOICES)
def test_columns_are_chosen(case):
    given, m, said, expected = CHOICES[case]
    assert choose_columns(given, m, **said) == expected
    # What is known of a table says the same when the table is gone.
    assert choose_columns(Head.of(given), m, **said) == expected


@pytest.mark.parametrize(
    ("given", "m", "said", "says"),
    [
        (rows("v", "w"), GRR, {}, "GRR needs one column of values; got 2 columns"),
        (ldp.read_table(b"v;\n5;1\n1;\n", "mine.csv"), GRR, {}, "GRR needs one column of values; got 2 columns"),
        (ldp.read_table(b"v;w\n5;\n1;\n", "mine.csv"), GRR, {}, "GRR needs one column of values; got 2 columns"),
        (rows("v"), GRR, {"columns": ["x"]}, "there is no column 'x'; there are v"),
        (rows("v"), GRR, {"leave_out": ["x"]}, "there is no column 'x'"),
        (rows("v"), GRR, {"eps_column": "x"}, "there is no column 'x'"),
        (rows("v"), GRR, {"columns": ["v", "v"]}, "the column 'v' is there more than once"),
        (rows("v"), GRR, {"columns": ["v"], "eps_column": "v"}, "the column 'v' is there more than once"),
        (rows("a", "b"), OLH, {}, "OLH needs the columns seed and value, or two columns that you choose"),
        (table({"a": ["(1, 2)"], "b": ["(3, 4)"]}), OLH, {}, "OLH needs the columns seed and value"),
        (rows("a", "b", "c"), OLH, {"seed_first": True}, "got 3 columns under other names"),
        (rows("a", "b"), OLH, {"hints": COMMAND_LINE}, "or --columns SEED,VALUE"),
        (rows(*BITS[1:]), OUE, {}, "OUE needs k = 8 columns, or one of strings"),
    ],
)
def test_what_is_not_clear_is_refused(given, m, said, says):
    with pytest.raises(Refused, match=f"mine.csv: .*{says}"):
        choose_columns(given, m, **said)


def test_columns_named_like_eps():
    assert [eps_column_of(names) for names in (["v"], ["v", " ε"], ["Epsilon", "eps"])] == [None, " ε", "Epsilon"]


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
        (["(3, np.int64(4318013899))"], True),
        (["column 1", "[True, False, False]"], True),
        (["False", "True"], False),
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
