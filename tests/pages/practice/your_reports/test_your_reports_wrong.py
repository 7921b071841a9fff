"""Your reports: what goes wrong, links and sessions."""

from __future__ import annotations

import hostile_files
import numpy as np
import pytest
from app_steps import COMPARE, assert_calm, assert_logged, charts, go_to, open_page, sentences, session_of
from collected_reports import frame_of
from report_uploads import K, as_file, opened, outcome, upload
from your_reports_page import PAGE, N, assert_estimates, collect, errors

import ldpcore as ldp
from ldpui.address import links
from ldpui.computing import reading
from pages.practice.your_reports import controls, outcomes, state

# ---- what goes wrong --------------------------------------------------------------

QUICK_HOSTILE = [
    name for name in hostile_files.HOSTILE if not any(word in name for word in ("50 MB", "million", "10 000", "large"))
]


@pytest.fixture(scope="module")
def with_result():
    _, reports = collect("GRR")
    at = upload(opened("GRR"), as_file(frame_of(reports)))
    assert outcome(at).collected.n == N
    return at


@pytest.mark.slow
def test_hostile_files_leave_the_last_result_in_place(with_result):
    at, before = with_result, outcome(with_result)
    for case in QUICK_HOSTILE[::7]:
        name, data = hostile_files.HOSTILE[case]()
        if len(data) > 10**6 or not name.lower().endswith((".csv", ".tsv", ".txt", ".parquet", ".pq")):
            continue
        upload(at, (name, data))
        assert not at.exception, case
        assert len(at.error) == 1, (case, errors(at))
        assert outcome(at) is before, case
        assert "reports_chart" in charts(at), case
    # The page goes on working with the file before: another ε is computed.
    at.number_input(key="r_eps").set_value(1.5).run()
    assert outcome(at).job.description.eps == 1.5
    assert outcome(at).name == "mine.csv"
    at.number_input(key="r_eps").set_value(1.0).run()


def test_settings_that_do_not_fit_the_file_keep_the_old_result(with_result):
    at = with_result
    at.number_input(key="r_k").set_value(3.0).run()
    assert not at.exception
    assert "column 'c0': must be a whole number from 0 to 2" in errors(at)[-1]
    assert any("the last result that could be computed" in box.value for box in at.warning)
    assert "k = 6" in at.warning[0].value
    assert outcome(at).job.description.k == K
    at.number_input(key="r_k").set_value(float(K)).run()
    assert not at.warning
    assert outcome(at).job.description.k == K


def test_a_file_with_a_wrong_cell_leaves_the_one_before_in_use():
    _, reports = collect("GRR")
    at = upload(opened("GRR"), as_file(frame_of(reports)))
    upload(at, ("wrong.csv", b"v\n1\n7\n"))
    assert errors(at) == [
        "wrong.csv, row 2, column 'v': must be a whole number from 0 to 5, for values count from 0 to k - 1; got '7'."
    ]
    assert any("the file before" in box.value for box in at.info)
    at.number_input(key="r_eps").set_value(2.0).run()
    assert outcome(at).name == "mine.csv"
    assert outcome(at).job.description.eps == 2.0
    assert errors(at)[0].startswith("wrong.csv, row 2")
    # With other settings the new file is the one that is read.
    at.number_input(key="r_k").set_value(8.0).run()
    assert_calm(at)
    assert outcome(at).name == "wrong.csv"


def test_names_and_cells_of_files_are_shown_as_they_are():
    at = upload(opened("GRR"), ("**bold** $x$ <b>.csv", b"v\n1\n![x](https://example.org/x.png)\n"))
    assert "\\!\\[x\\]" in at.error[0].value
    assert "\\*\\*bold" in at.error[0].value
    assert errors(at)[0].endswith("got '![x](https://example.org/x.png)'.")


def test_a_file_is_forgotten_by_its_button_alone():
    _, reports = collect("GRR")
    at = upload(opened("GRR"), as_file(frame_of(reports)))
    at.file_uploader[0].set_value(None).run()
    assert outcome(at).collected.n == N  # a browser empties the box before every other file
    next(button for button in at.main.button if button.label == "Forget the file").click().run()
    assert outcome(at) is None
    assert "reports_chart" not in charts(at)
    assert at.file_uploader[0].value is None
    assert session_of(at).part(state.Reports).upload is None


def test_counting_that_was_stopped_can_be_taken_up_again(monkeypatch):
    at = opened("GRR")
    _, reports = collect("GRR")
    upload(at, as_file(frame_of(reports)))
    job = outcome(at).job
    session_of(at).part(state.Reports).outcome = None
    session_of(at).part(state.Reports).failures[job.number] = state.Failure(job, "counting was stopped", again=True)
    at.run()
    assert errors(at) == ["counting was stopped."]
    next(button for button in at.main.button if button.label == "Try again").click().run()
    assert_calm(at)
    assert outcome(at).collected.n == N


DETAIL = "zip() argument 2 is shorter than argument 1 (4711)"


def everything(at):
    return " ".join(str(getattr(element, "value", "")) for element in at.main)


@pytest.mark.parametrize(
    "bug", [KeyError(DETAIL), ValueError(DETAIL), TypeError(DETAIL)], ids=lambda e: type(e).__name__
)
@pytest.mark.parametrize(
    ("owner", "name", "sentence"),
    [
        (ldp, "read_table", "something went wrong while it was read."),
        (reading, "count_table", "something went wrong while the reports were counted."),
    ],
)
def test_a_bug_is_a_calm_sentence_and_goes_to_the_log(monkeypatch, caplog, owner, name, sentence, bug):
    def broken(*_, **__):
        raise bug

    monkeypatch.setattr(owner, name, broken)
    _, reports = collect("GRR")
    at = upload(opened("GRR"), as_file(frame_of(reports)))
    assert not at.exception
    assert errors(at) == [sentence]
    assert DETAIL not in everything(at)
    assert_logged(caplog, DETAIL)


@pytest.mark.parametrize("at_once", [1.0, -1.0])
def test_a_bug_in_full_report_ibu_leaves_the_other_estimates(monkeypatch, caplog, at_once):
    def broken(*_, **__):
        yield np.full(K, 1 / K), False
        raise ValueError(DETAIL)

    monkeypatch.setattr(reading, "full_steps", broken)
    monkeypatch.setattr(outcomes, "AT_ONCE", at_once)
    m, reports = collect("OUE")
    at = upload(opened("OUE"), as_file(frame_of(reports)))
    assert_estimates(at, ldp.estimate(m.support_counts(reports), N, m), full=False)
    assert any("Full-report IBU was stopped." in caption.value for caption in at.caption)
    assert DETAIL not in everything(at)
    assert_logged(caplog, DETAIL)


# ---- links and sessions -----------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "word"),
    [
        ("r_mechanism", "XX"),
        ("r_k", "inf"),
        ("r_eps", "1e400"),
        ("r_eps_inf", "-1"),
        ("r_n", "-1"),
        ("r_example", "none"),
    ],
)
def test_bad_words_of_a_link_are_named(key, word):
    at = open_page(PAGE, query={key: word})
    assert_calm(at)
    assert [key in box.value and word in box.value for box in at.warning] == [True]
    if key in ("r_eps_inf", "r_n"):  # what does not concern the mechanism is not asked, and has no value
        assert key not in at.session_state
    else:
        assert at.session_state[key] == links.CONTROLS[key].default


def test_a_link_brings_the_settings_and_asks_for_the_file():
    query = {"r_mechanism": "L-OLH", "r_k": "12", "r_eps": "0.7", "r_eps_inf": "3", "r_family": controls.PEERS_HASH}
    at = open_page(PAGE, query=query)
    assert_calm(at)
    assert any("bring the file" in text for text in sentences(at))
    assert at.number_input(key="r_eps_inf").value == 3
    assert not sentences(open_page(PAGE))


@pytest.mark.slow
def test_settings_and_result_are_there_again_after_another_page():
    m, reports = collect("SS")
    at = upload(opened("SS"), as_file(frame_of(reports)))
    go_to(at, COMPARE)
    go_to(at, PAGE)
    assert at.selectbox(key="r_mechanism").value == "SS"
    assert_estimates(at, ldp.estimate_reports(reports, m))


def test_nothing_of_a_file_is_in_the_address_or_in_another_session():
    _, reports = collect("GRR")
    frame = frame_of(reports).rename(columns={"c0": "secret"}).assign(other=1)
    at = upload(opened("GRR"), ("private.csv", as_file(frame)[1]))
    at.multiselect(key="reports_columns_1").set_value(["secret"]).run()
    assert outcome(at).collected.n == N
    assert not any(word in str(dict(at.query_params)) for word in ("secret", "private"))
    other = opened("GRR")
    assert outcome(other) is None
    assert "reports_chart" not in charts(other)
