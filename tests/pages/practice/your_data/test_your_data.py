"""Data of one's own: brought on its page, used on all others, and never seen by anybody else."""

import json

import numpy as np
import pytest
from app_steps import (
    ADVISOR,
    COMPARE,
    ESTIMATE,
    TRADEOFF,
    YOUR_DATA,
    assert_calm,
    assert_logged,
    charts,
    go_to,
    numbers,
    open_page,
    sentences,
    session_of,
)  # fmt: skip
from streamlit.testing.v1 import AppTest

import ldpcore as ldp
from ldpui.address import links, vocabulary
from pages.explore.estimate.controls import CLOSER
from pages.practice.your_data import survey, upload

QUICK = {"runs": "2", "iterations": "30", "k": "10"}
NUMBERS = "x\n" + "\n".join(str(i % 37) for i in range(500)) + "\n"
DETAIL = "zip() argument 2 is shorter than argument 1 (4711)"
WORDS = "colour\n" + "red\n" * 250 + "green\n" * 150 + "blue\n" * 90 + "puce\n" * 10


def bring(text: str = NUMBERS, name: str = "mine.csv", **state: str) -> AppTest:
    """Open the page and upload a file."""
    at = open_page(YOUR_DATA, QUICK | state)
    at.file_uploader(key="own_file").upload(name, text.encode() if isinstance(text, str) else text).run()
    return at


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in at.main.markdown)


def test_a_file_is_read_and_used_on_all_pages():
    at = bring()
    assert_calm(at)
    assert at.session_state["data"] == vocabulary.OWN
    assert "500 used" in said(at)
    expected, _ = np.histogram(np.arange(500) % 37, 10)
    drawn = charts(at)["own_chart"]["data"][0]
    np.testing.assert_allclose(numbers(drawn["y"]), 100 * expected / 500)
    go_to(at, ESTIMATE)
    assert_calm(at)
    setting = session_of(at).setting
    assert (setting.data, setting.n, setting.k) == ("own", 500, 10)
    truth = charts(at)["estimate_chart"]["data"][0]
    np.testing.assert_allclose(numbers(truth["y"]), 100 * expected / 500)


@pytest.mark.parametrize("page", [ESTIMATE, COMPARE, TRADEOFF, ADVISOR])
@pytest.mark.parametrize("text", [NUMBERS, WORDS], ids=["numbers", "categories"])
def test_every_page_works_on_own_data(page, text):
    at = bring(text)
    go_to(at, page)
    assert_calm(at)
    assert not at.warning
    assert charts(at)


@pytest.mark.parametrize("against", ["ε", "n", "k"])
def test_trade_off_of_categories_has_no_more_bins_than_there_are(against):
    at = bring(WORDS)
    at.session_state["against"] = against
    go_to(at, TRADEOFF)
    assert_calm(at)
    x = numbers(charts(at)["curves"]["data"][1]["x"])
    assert len(x) > 2
    if against == "k":
        assert x.max() == 4


@pytest.mark.parametrize("closer", CLOSER)
def test_a_closer_look_at_categories(closer):
    at = bring(WORDS)
    at.session_state["closer"] = closer
    at.session_state["limit"] = at.session_state["full"] = True
    go_to(at, ESTIMATE)
    assert_calm(at)
    axis = charts(at)["estimate_chart"]["layout"]["xaxis"]
    assert axis["ticktext"] == ["red", "green", "blue", "puce"]


def test_the_script_of_own_data_carries_it():
    at = bring(WORDS)
    at.session_state["closer"] = CLOSER[3]
    go_to(at, ESTIMATE)
    program = at.main.code[0].value
    printed = []
    exec(program, {"print": printed.append})  # noqa: S102 - our own program
    setting = session_of(at).setting
    mine = ldp.Histogram(np.array([250, 150, 90, 10]), np.arange(5) - 0.5, ("red", "green", "blue", "puce"))
    assert json.loads(printed[0]) == pytest.approx(ldp.run(setting, mine).summary(), nan_ok=True)


def test_categories_are_pooled_to_k_bins_and_by_share():
    at = bring(WORDS, k="3")
    go_to(at, ESTIMATE)
    assert charts(at)["estimate_chart"]["layout"]["xaxis"]["ticktext"] == ["red", "green", "2 other categories"]
    at = bring(WORDS)
    at.selectbox(key="own_rare").set_value("5%").run()
    assert_calm(at)
    assert charts(at)["own_chart"]["layout"]["xaxis"]["ticktext"] == ["red", "green", "blue", "1 other category"]


def test_categories_are_points_however_many_and_numbers_are_lines():
    words = "town\n" + "".join(f"town {i}\n" * (3 + i) for i in range(30))
    at = bring(words, k="30")
    go_to(at, ESTIMATE)
    assert_calm(at)
    modes = {trace["mode"] for trace in charts(at)["estimate_chart"]["data"] if trace["type"] == "scatter"}
    assert modes == {"markers"}
    assert any("Points: mean estimate" in caption.value for caption in at.caption)
    at = bring(k="30")
    go_to(at, ESTIMATE)
    modes = {trace["mode"] for trace in charts(at)["estimate_chart"]["data"] if trace["type"] == "scatter"}
    assert "lines+markers" in modes


DAYS = "visit\n" + "".join(f"2024-{1 + i % 3:02d}-{1 + i % 28:02d}T10:{i % 60:02d}:00\n" for i in range(600)) + "soon\n"


def test_dates_are_binned_by_day_week_or_month():
    at = bring(DAYS, k="100")
    assert_calm(at)
    assert "**600 used**, 1 dropped (1 not a date such as 2024" in said(at).replace("\\", "")
    assert len(numbers(charts(at)["own_chart"]["data"][0]["y"])) == 88  # days from 1 January to 28 March
    at.segmented_control(key="own_unit").set_value("month").run()
    assert_calm(at)
    drawn = charts(at)["own_chart"]
    assert drawn["layout"]["xaxis"]["ticktext"] == ["2024-01", "2024-02", "2024-03"]
    np.testing.assert_allclose(numbers(drawn["data"][0]["y"]), [100 / 3] * 3)
    at.segmented_control(key="own_unit").set_value("week").run()
    assert "<b>week of 2024-01-01</b>" in charts(at)["own_chart"]["data"][0]["text"][0]
    go_to(at, ESTIMATE)
    assert_calm(at)
    assert session_of(at).setting.k == 13
    go_to(at, YOUR_DATA)
    assert at.segmented_control(key="own_unit").value == "week"
    # Dates have an order: weeks are joined by lines.
    at.segmented_control(key="own_unit").set_value("day").run()
    go_to(at, ESTIMATE)
    assert any(trace.get("mode") == "lines" for trace in charts(at)["estimate_chart"]["data"])


@pytest.mark.parametrize("page", [COMPARE, TRADEOFF, ADVISOR])
def test_every_page_works_on_dates(page):
    at = bring(DAYS)
    at.session_state["against"] = "k"
    go_to(at, page)
    assert_calm(at)
    assert charts(at)


AGES = "age\n" + "".join(f"{20 + (i * i) % 61}\n" for i in range(500))


@pytest.mark.slow
def test_ages_have_a_bin_for_each_year_where_k_bins_would_leave_gaps():
    years, rows = np.unique([20 + (i * i) % 61 for i in range(500)], return_counts=True)
    at = bring(AGES, k="100")
    assert_calm(at)
    drawn = charts(at)["own_chart"]["data"][0]
    span = int(years[-1] - years[0]) + 1
    assert drawn["text"][0].startswith("<b>20</b>")
    shares = dict(zip(years.tolist(), (rows / 5).tolist(), strict=True))
    assert numbers(drawn["y"]).tolist() == pytest.approx([shares.get(years[0] + i, 0) for i in range(span)])
    # A year that nobody has gets a bin as well.
    assert span > years.size
    assert any(f"k = {span} bins: one bin for each whole number" in caption.value for caption in at.caption)
    go_to(at, ESTIMATE)
    assert_calm(at)
    assert session_of(at).setting.k == span
    go_to(at, YOUR_DATA)
    at.segmented_control(key="own_scale").set_value("linear").run()
    assert_calm(at)
    assert len(numbers(charts(at)["own_chart"]["data"][0]["y"])) == 100
    empty = span - years.size
    assert empty > 0
    assert any(f"or *values*, with which {empty} of {span} are." in caption.value for caption in at.caption)
    # With fewer bins than years nothing is chosen for the reader, but can be.
    at = bring(AGES, k="10")
    assert at.segmented_control(key="own_scale").value == "linear"
    at.segmented_control(key="own_scale").set_value("values").run()
    assert len(numbers(charts(at)["own_chart"]["data"][0]["y"])) == span


def test_numbers_that_are_not_whole_have_no_bin_each():
    at = bring("x\n" + "".join(f"{i / 4}\n" for i in range(60)), k="100", own_scale="values")
    assert_calm(at)
    assert at.segmented_control(key="own_scale").options == ["linear", "log"]
    assert at.segmented_control(key="own_scale").value == "linear"


@pytest.mark.parametrize("page", [COMPARE, TRADEOFF, ADVISOR])
def test_every_page_works_with_a_bin_for_each_value(page):
    at = bring(AGES, k="100")
    at.session_state["against"] = "k"
    go_to(at, page)
    assert_calm(at)
    assert charts(at)


@pytest.mark.slow
def test_another_number_of_users_is_drawn_from_the_data():
    at = bring(WORDS)
    go_to(at, ESTIMATE)
    at.sidebar.toggle(key="resample").set_value(True).run()
    at.main.select_slider(key="n").set_value("10k").run()
    assert_calm(at)
    assert session_of(at).setting.n == 10_000
    truth = numbers(charts(at)["estimate_chart"]["data"][0]["y"])
    # Six standard deviations of a share of 50 % among 10 000.
    assert abs(truth[0] - 50) < 3
    assert truth[0] != 50


def test_rows_that_can_not_be_used_are_counted_by_reason():
    at = bring("x\n1\n2\n\nthree\n4\n5\n6\n7\n8\n9\n10\n11\n12\n")
    at.main.get("segmented_control")
    assert "row" in said(at)
    assert "dropped" in said(at)


def test_the_binning_is_chosen_and_survives_a_look_at_another_page():
    at = bring("x\n" + "\n".join(str(2**i) for i in range(30)) + "\n")
    at.selectbox(key="own_clip").set_value("5%")
    at.segmented_control(key="own_scale").set_value("log").run()
    assert_calm(at)
    go_to(at, ESTIMATE)
    assert_calm(at)
    go_to(at, YOUR_DATA)
    assert_calm(at)
    assert at.segmented_control(key="own_scale").value == "log"
    assert at.selectbox(key="own_clip").value == "5%"


def test_a_binning_that_does_not_fit_is_refused_and_the_old_one_stays():
    at = bring("x\n" + "\n".join(str(-i) for i in range(1, 60)) + "\n")
    before = charts(at)["own_chart"]
    at.segmented_control(key="own_scale").set_value("log").run()
    assert not at.exception
    assert len(at.error) == 1
    assert charts(at)["own_chart"]["data"] == before["data"]


def test_pasted_values_and_the_example():
    at = open_page(YOUR_DATA, QUICK)
    at.text_area(key="own_text").set_value("1, 2, 2, 5, 7, 7, 7").run()
    next(b for b in at.main.button if "these values" in b.label).click().run()
    assert_calm(at)
    assert "7 used" in said(at)
    next(b for b in at.main.button if "survey" in b.label).click().run()
    assert_calm(at)
    assert "3,000 rows" in said(at)
    assert "dropped" in said(at)


def test_forgotten_data_is_gone():
    at = bring()
    next(b for b in at.main.button if "Forget" in b.label).click().run()
    assert_calm(at)
    assert session_of(at).own.upload is None
    assert at.session_state["data"] == links.CONTROLS["data"].default
    go_to(at, ESTIMATE)
    assert_calm(at)


@pytest.mark.parametrize("page", [ESTIMATE, COMPARE, TRADEOFF, ADVISOR])
def test_a_link_to_own_data_says_that_the_reader_must_bring_it(page):
    at = open_page(page, query={"data": vocabulary.OWN, "mechanism": "SS"})
    assert_calm(at)
    assert "Your data" in sentences(at)[0]
    assert not charts(at)
    assert at.session_state["mechanism"] == "SS"


def test_a_link_brings_the_binning_for_when_the_data_comes():
    at = open_page(ESTIMATE, query={"data": vocabulary.OWN, "own_scale": "log", "own_low": "2"})
    go_to(at, YOUR_DATA)
    at.file_uploader(key="own_file").upload("mine.csv", NUMBERS.encode()).run()
    assert_calm(at)
    assert at.segmented_control(key="own_scale").value == "log"
    assert at.number_input(key="own_low").value == 2
    assert "log" in charts(at)["own_chart"]["layout"]["xaxis"]["title"]["text"]


def test_nothing_of_own_data_is_in_a_cache_for_all():
    first = bring(WORDS)
    go_to(first, ESTIMATE)
    second = bring(WORDS.replace("red", "green"))
    go_to(second, ESTIMATE)
    # The settings of the two sessions are equal; their data is not.
    assert session_of(first).setting.n == session_of(second).setting.n
    one, two = (numbers(charts(at)["estimate_chart"]["data"][0]["y"])[0] for at in (first, second))
    assert (one, two) == (50, 80)


def test_what_was_computed_from_an_upload_is_not_used_for_another_of_the_same_session():
    at = bring(WORDS)
    go_to(at, ESTIMATE)
    go_to(at, YOUR_DATA)
    at.file_uploader(key="own_file").upload("other.csv", WORDS.replace("red", "green").encode()).run()
    go_to(at, ESTIMATE)
    assert numbers(charts(at)["estimate_chart"]["data"][0]["y"])[0] == 80


def test_every_upload_and_every_way_to_bin_it_has_a_version_of_its_own():
    at = bring(WORDS)
    first = session_of(at).own.upload
    at.selectbox(key="own_rare").set_value("5%").run()
    second = session_of(at).own.upload
    assert first.column == second.column
    assert len({first.version, second.version, session_of(bring(WORDS)).own.upload.version}) == 3


def test_signs_in_names_are_shown_as_they_are():
    at = bring("<b>x</b>*\n" + "\n".join(["<i>a</i>", "[b](http://c)"] * 30) + "\n", name="a_*b*.csv")
    assert_calm(at)
    assert r"\<b\>x" in said(at)
    assert charts(at)["own_chart"]["layout"]["xaxis"]["ticktext"][0].startswith(("&lt;i", "[b]"))


@pytest.mark.parametrize("bug", [ValueError(DETAIL), KeyError(DETAIL)], ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("name", ["uploads.ask", "reading.kind_of"])
def test_a_bug_is_a_calm_sentence_and_the_data_before_stays(monkeypatch, caplog, name, bug):
    def broken(*_, **__):
        raise bug

    at = bring()
    monkeypatch.setattr(f"{upload.__name__}.{name}", broken)
    at.file_uploader(key="own_file").upload("other.csv", WORDS.encode()).run()
    assert not at.exception
    assert [box.value.replace("\\", "") for box in at.error] == [
        "This can't be used: something went wrong while it was read. Still in use: x from mine.csv."
    ]
    assert "500 used" in said(at)
    assert_logged(caplog, DETAIL)


def test_a_file_that_was_forgotten_does_not_come_back_and_is_not_kept_in_its_box():
    """It was said to be forgotten, and stayed in its box and so in the server's memory, and pasted text in its own."""
    at = bring()
    at.text_area(key="own_text").set_value("1, 2, 2, 5").run()
    next(b for b in at.main.button if "Forget" in b.label).click().run()
    at.run()
    assert "Nothing here yet" in sentences(at)[0]
    (box,) = at.file_uploader
    assert box.value is None
    assert at.text_area(key="own_text").value == ""
    # Whoever wants it back brings it again.
    box.upload("mine.csv", NUMBERS.encode()).run()
    assert_calm(at)
    assert session_of(at).own.upload is not None


def test_pasted_values_are_not_replaced_by_the_file_that_is_still_in_its_box():
    at = bring()
    at.text_area(key="own_text").set_value("1, 2, 2, 5, 7, 7, 7").run()
    next(b for b in at.main.button if "these values" in b.label).click().run()
    at.run()
    assert "7 used" in said(at)


def test_the_example_is_the_same_every_time():
    assert survey.as_csv() == survey.as_csv()


def test_an_index_is_not_taken_first_and_decimal_commas_are_numbers():
    """What `to_csv` writes in Germany."""
    at = bring(";price\n" + "".join(f"{i};{i % 50},5\n" for i in range(200)))
    assert_calm(at)
    assert "column price: **200 used**, none dropped" in said(at)
    assert at.selectbox(key="own_column").value == "price"
    assert at.segmented_control[0].value == "numbers"


def test_a_column_with_one_value_is_refused_for_that_reason():
    at = bring("x\n" + "5\n" * 30)
    assert [box.value.replace("\\", "") for box in at.error] == [
        "This can't be used: there must be at least 2 different values; every row has the same, '5'."
    ]
