"""Names for values on Your reports: typed, or the words of a column, through chart, table and downloads."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from app_steps import COMPARE, YOUR_REPORTS, assert_calm, charts, go_to
from collected_reports import collect_reports, frame_of
from report_uploads import as_file, opened, outcome, upload

import ldpcore as ldp
from ldpui import export
from pages.practice.your_reports import downloads, names, texts

BROWSERS = ("Chrome", "Edge", "=1+1", "<b>Opera</b>", "Safari", "Vivaldi")


@pytest.fixture(scope="module")
def collected():
    return collect_reports("GRR", n=400, k=6, eps=1.0, seed=4)


def worded(reports):
    return pd.DataFrame({"user": range(len(reports)), "browser": [sorted(BROWSERS)[v] for v in reports]})


def type_names(at, text):
    return at.text_area(key="reports_names").set_value(text).run()


def named(at):
    return names.named(outcome(at), tuple(at.text_area(key="reports_names").value.split("\n")))


def test_typed_names_go_through_chart_table_and_downloads(collected):
    _, reports = collected
    at = type_names(upload(opened("GRR"), as_file(frame_of(reports))), "\n".join(BROWSERS))
    assert_calm(at)
    figure = charts(at)["reports_chart"]
    assert figure["layout"]["xaxis"]["ticktext"] == [
        "Chrome",
        "Edge",
        "=1+1",
        "&lt;b&gt;Opera&lt;/b&gt;",
        "Safari",
        "Vivaldi",
    ]
    assert any("<b>&lt;b&gt;Opera" in text for trace in figure["data"] for text in trace.get("text", []))
    table = at.main.dataframe[0].value
    assert table["name"].tolist() == list(BROWSERS)
    result = named(at)
    written = export.csv(result.collected.table()).decode("utf-8-sig")
    assert "2,'=1+1," in written  # no formula
    assert json.loads(downloads.as_json(result))["values"]["name"] == list(BROWSERS)
    # Names alone count nothing anew.
    before = outcome(at)
    type_names(at, "a,b,c,d,e,f")
    assert outcome(at) is before
    assert charts(at)["reports_chart"]["layout"]["xaxis"]["ticktext"] == list("abcdef")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b", "a name for each of the k = 6 values; got 2"),
        ("a,b,c,d,e,a", "must differ"),
        ("\n".join([*"abcde", "x" * 61]), "at most 60 characters"),
    ],
)
def test_names_that_can_not_be_used_are_named_and_nothing_is_lost(collected, text, said):
    at = type_names(upload(opened("GRR"), as_file(frame_of(collected[1]))), text)
    assert not at.error
    assert said in at.warning[0].value.replace("\\", "")
    assert "ticktext" not in charts(at)["reports_chart"]["layout"]["xaxis"]
    assert at.text_area(key="reports_names").value == text


def test_words_of_a_grr_column_are_taken_as_they_are(collected):
    _, reports = collected
    at = upload(opened("GRR"), as_file(worded(reports)))
    assert_calm(at)
    result = outcome(at)
    np.testing.assert_array_equal(result.collected.counts, np.bincount(reports, minlength=6))
    assert result.collected.names == tuple(sorted(BROWSERS))
    # In another order, if somebody types one; and by the command line too.
    type_names(at, "\n".join(BROWSERS))
    assert outcome(at).collected.names == BROWSERS
    assert dict(zip(outcome(at).collected.names, outcome(at).collected.counts.tolist(), strict=True)) == dict(
        zip(result.collected.names, result.collected.counts.tolist(), strict=True)
    )
    command = downloads.command(outcome(at))
    assert "--words" in command
    assert "--names" in command


def test_too_many_words_are_said_and_the_switch_can_be_turned(collected):
    at = upload(opened("GRR", k=5), as_file(worded(collected[1])))
    assert "at most k = 5 different words; got 6" in at.error[0].value.replace("\\", "")
    at.toggle(key="reports_words_1").set_value(False).run()
    assert "must be a whole number from 0 to 4" in at.error[0].value.replace("\\", "")
    at.toggle(key="reports_words_1").set_value(True)
    at.number_input(key="r_k").set_value(6.0).run()
    assert_calm(at)
    assert outcome(at).collected.n == 400


def test_numbers_that_are_names_are_taken_if_asked(collected):
    codes = pd.DataFrame({"code": 10 * collected[1] + 10})
    at = upload(opened("GRR"), as_file(codes))
    assert at.error
    at.toggle(key="reports_words_1").set_value(True).run()
    assert_calm(at)
    assert outcome(at).collected.names == ("10", "20", "30", "40", "50", "60")


@pytest.mark.slow
def test_chosen_columns_and_names_survive_a_visit_elsewhere(collected):
    _, reports = collected
    at = upload(opened("GRR"), as_file(frame_of(reports).assign(hour=7)))
    at.multiselect(key="reports_columns_1").set_value(["c0"]).run()
    type_names(at, "a,b,c,d,e,f")
    before = outcome(at)
    go_to(at, COMPARE)
    go_to(at, YOUR_REPORTS)
    assert_calm(at)
    assert at.multiselect(key="reports_columns_1").value == ["c0"]
    assert at.text_area(key="reports_names").value == "a,b,c,d,e,f"
    assert outcome(at) is before
    # Another ε is computed with the same columns.
    at.number_input(key="r_eps").set_value(2.0).run()
    assert_calm(at)
    # Columns to leave out, too.
    _, bits = collect_reports("OUE", n=400, k=6, eps=1.0, seed=4)
    at = upload(opened("OUE"), as_file(frame_of(bits).assign(hour=7)))
    at.multiselect(key="reports_out_1").set_value(["hour"]).run()
    go_to(at, COMPARE)
    go_to(at, YOUR_REPORTS)
    assert at.multiselect(key="reports_out_1").value == ["hour"]


def test_what_was_typed_is_forgotten_with_the_file(collected):
    at = type_names(upload(opened("GRR"), as_file(frame_of(collected[1]))), "a,b,c,d,e,f")
    assert not any("a,b" in str(value) for value in dict(at.query_params).values())
    next(button for button in at.main.button if button.label == "Forget the file").click().run()
    assert not at.text_area(key="reports_names").value


def test_a_value_that_leaks_is_called_by_its_name():
    m, rng = ldp.mechanism("OUE", k=6, eps=1.0), np.random.default_rng(4)
    users = rng.integers(0, 6, 4_000)
    frame = frame_of(m.privatize(users, rng))
    frame["c3"] = (users == 3).astype(int)
    at = type_names(upload(opened("OUE"), as_file(frame)), "\n".join(BROWSERS))
    assert "Value 3 has" in at.warning[0].value
    assert "Value 3 is <b>Opera</b>." in at.warning[0].value.replace("\\", "")


@pytest.mark.parametrize("header", [True, False])
def test_a_name_of_a_value_in_the_first_line_is_asked_about(collected, header):
    """Of words without a header above them the first report was lost, and nobody was told."""
    _, reports = collected
    frame = worded(reports)[["browser"]]
    at = upload(opened("GRR"), as_file(frame, header=header))
    assert_calm(at)
    asked = [box.value for box in at.warning if box.value == texts.FIRST_LINE]
    assert len(asked) == (0 if header else 1)
    assert outcome(at).collected.n == len(reports) - (not header)
    if not header:
        at.toggle(key="r_bare").set_value(True).run()
        assert outcome(at).collected.n == len(reports)
        assert not [box for box in at.warning if box.value == texts.FIRST_LINE]
