"""Your reports: every format gives what the library gives, wrong files leave what was there, peers' files are read."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings

import hostile_files
import numpy as np
import pandas as pd
import pytest
from app_steps import COMPARE, ROOT, YOUR_REPORTS, assert_calm, charts, go_to, names, open_page, sentences, session_of
from collected_reports import collect_reports, frame_of
from report_uploads import REASON, K, as_file, bare_pairs, opened, outcome, pure_ldp_reports, upload

import ldpcore as ldp
from ldpui import failures, links, reading
from pages.practice.your_reports import controls, counting, downloads, examples, outcomes, results, state
from pages.practice.your_reports.description import Description

PAGE = YOUR_REPORTS
N = 400
SERIES = ("raw", "mi", "ibu", "limit", "noise", "population")


def collect(name, n=N, k=K, eps=1.0, **more):
    return collect_reports(name, n=n, k=k, eps=eps, seed=4, **more)


def errors(at):
    # As they are read: without the signs that keep a text from being Markdown, or a link.
    return [box.value.replace("\\", "").replace("\u2060", "") for box in at.error]


def assert_estimates(at, expected, full=True):
    assert_calm(at)
    collected = outcome(at).collected
    assert collected.n == expected.n
    for name in SERIES:
        a, b = getattr(collected, name), getattr(expected, name)
        assert (a is None) == (b is None), name
        if a is not None:
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-12, err_msg=name)
    if full:
        np.testing.assert_allclose(collected.full, expected.full, rtol=0, atol=1e-3)
    else:
        assert collected.full is None
    assert "reports_chart" in charts(at)
    assert len(at.main.dataframe[0].value) == collected.counts.size


# ---- formats ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "suffix"),
    [("GRR", "csv"), ("OUE", "parquet"), ("THE", "csv"), ("SS", "parquet"), ("OLH", "csv"), ("L-GRR", "parquet")],
)
def test_uploaded_reports_give_what_the_library_gives(name, suffix):
    m, reports = collect(name)
    at = upload(opened(name), as_file(frame_of(reports), suffix))
    assert_estimates(at, ldp.estimate_reports(reports, m))
    # Reports that support equally many values can't be checked, and hashed ones do not show k: no tick for those.
    ticked = name in ("OUE", "THE")
    box = (at.success if ticked else at.info)[0].value
    assert ("These reports fit" if ticked else "can't be checked") in box
    assert "p-value" in box
    assert bool(at.success) == ticked
    for kind in ("plotly_chart", "arrow_data_frame"):
        assert all(len(element.proto.alt) > 20 for element in at.main.get(kind))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_bits_as_strings_and_sets_as_text_or_lists(suffix):
    m, reports = collect("L-OSUE", eps_inf=3.0)
    strings = pd.DataFrame({"bits": ["".join("01"[bit] for bit in row) for row in reports.astype(int)]})
    at = upload(opened("L-OSUE", eps_inf=3.0), as_file(strings, suffix))
    assert_estimates(at, ldp.estimate_reports(reports, m))
    m, reports = collect("SS")
    sets = pd.DataFrame(
        {"set": [" ".join(map(str, row)) if suffix == "csv" else [int(v) for v in row] for row in reports]}
    )
    at.selectbox(key="r_mechanism").set_value("SS")
    assert_estimates(upload(at, as_file(sets, suffix)), ldp.estimate_reports(reports, m))


@pytest.mark.parametrize(("name", "n"), [("OUE", float(N)), ("SS", 0.0)])
def test_support_counts(name, n):
    m, reports = collect(name)
    counts = m.support_counts(reports)
    frame = pd.DataFrame({"value": range(K), "count": counts}).iloc[::-1]
    at = upload(opened(name, holds=controls.COUNTS, n=n), as_file(frame))
    assert_estimates(at, ldp.estimate(counts, N, m), full=False)
    assert any("support counts are not enough" in caption.value for caption in at.caption)


def test_support_counts_without_n_ask_for_it():
    m, reports = collect("OUE")
    at = upload(opened("OUE", holds=controls.COUNTS), as_file(pd.DataFrame({"count": m.support_counts(reports)})))
    assert_calm(at)
    assert "How many reports" in at.info[0].value
    at.number_input(key="r_n").set_value(float(N)).run()
    assert_estimates(at, ldp.estimate(m.support_counts(reports), N, m), full=False)
    at.number_input(key="r_n").set_value(0.0)
    upload(at, as_file(pd.DataFrame({"count": [1] * K})))
    assert_calm(at)
    assert "How many reports" in at.info[0].value


def test_users_with_different_eps():
    rng = np.random.default_rng(8)
    eps = rng.choice([0.5, 1.0, 3.0], size=N)
    values = rng.integers(0, 3, N)
    seeds, cells = np.zeros(N, dtype=np.int64), np.zeros(N, dtype=np.int64)
    for one in (0.5, 1.0, 3.0):
        who = eps == one
        seeds[who], cells[who] = ldp.mechanism("OLH", k=K, eps=one).privatize(values[who], rng)
    frame = pd.DataFrame({"seed": seeds, "value": cells, "Epsilon": eps})
    at = upload(opened("OLH", each=controls.COLUMN), as_file(frame))
    m = ldp.mechanism("OLH", k=K, eps=1.0)
    expected = ldp.estimate_reports(ldp.HashedReports(seeds, cells), m, eps=eps)
    assert_estimates(at, expected)
    assert names(charts(at)["reports_chart"])[2:] == ["raw MI", "full-report IBU"]
    frame = frame.rename(columns={"Epsilon": "budget"})
    upload(at, as_file(frame))
    assert "Which column" in at.info[0].value
    assert outcome(at).collected.n == N  # of the file before
    at.selectbox(key="reports_eps_2").set_value("budget").run()
    assert_estimates(at, expected)


def test_columns_can_be_chosen():
    m, reports = collect("GRR")
    frame = frame_of(reports).assign(hour=7)
    at = upload(opened("GRR"), as_file(frame))
    assert "GRR needs one column of values; got 2 columns (choose the columns that hold the reports: " in errors(at)[0]
    at.multiselect(key="reports_columns_1").set_value(["c0"]).run()
    assert_estimates(at, ldp.estimate_reports(reports, m))


def test_columns_can_be_left_out():
    m, reports = collect("OUE")
    at = upload(opened("OUE"), as_file(frame_of(reports).assign(hour=7)))
    assert "OUE needs k = 6 columns" in errors(at)[0]
    at.multiselect(key="reports_out_1").set_value(["hour"]).run()
    assert_estimates(at, ldp.estimate_reports(reports, m))


@pytest.mark.parametrize("name", ["GRR", "OUE", "OLH"])
def test_an_index_beside_the_reports_is_left_out_and_named(name):
    m, reports = collect(name)
    # Of hashed pairs the value comes first; a frame's index has no name in a CSV file.
    frame = frame_of(reports)[["value", "seed"]].set_axis([0, 1], axis=1) if name == "OLH" else frame_of(reports)
    at = upload(opened(name), ("indexed.csv", frame.to_csv().encode()))
    assert_estimates(at, ldp.estimate_reports(reports, m))
    assert "Not used, for it seems to number the rows or to name the users: column 1." in [c.value for c in at.caption]


def test_a_first_line_that_seems_a_report_is_asked_about():
    _, reports = collect("GRR")
    file = ("bare.csv", "".join(f"{v}\n" for v in [5, *reports]).encode())
    at = upload(opened("GRR"), file)
    assert ["looks like a report" in warning.value for warning in at.warning] == [True]
    assert outcome(at).collected.n == N
    assert not upload(opened("GRR", bare=True), file).warning


def test_a_column_of_eps_that_is_not_asked_for_is_left_out():
    m, reports = collect("GRR")
    at = upload(opened("GRR"), as_file(frame_of(reports).assign(eps=1.0)))
    assert_estimates(at, ldp.estimate_reports(reports, m))
    assert any("is not used" in caption.value for caption in at.caption)


def test_large_files_are_counted_in_batches_without_full_reports(monkeypatch):
    monkeypatch.setattr(outcomes.cache, "FULL_ENTRIES", 100)
    m, reports = collect("OLH")
    at = upload(opened("OLH"), as_file(frame_of(reports)))
    assert_estimates(at, ldp.estimate(m.support_counts(reports), N, m), full=False)
    assert any("n·k = 2,400 entries" in caption.value for caption in at.caption)


def test_full_report_ibu_goes_on_below_the_first_results(monkeypatch):
    monkeypatch.setattr(outcomes, "AT_ONCE", -1.0)
    m, reports = collect("OUE")
    at = upload(opened("OUE"), as_file(frame_of(reports)))
    assert_estimates(at, ldp.estimate_reports(reports, m))


# ---- the check --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["SUE", "OLH"])
def test_a_wrong_eps_is_noticed(name):
    _, reports = collect(name, n=4_000, eps=2.0)
    at = upload(opened(name, eps=1.0 if name == "SUE" else 1.9), as_file(frame_of(reports)))
    assert_calm(at)
    if name == "SUE":
        assert at.warning[0].value.startswith("These reports look like ε ≈ 1.9")
        assert "not 1: the total support" in at.warning[0].value
        at.number_input(key="r_eps").set_value(2.0).run()
        assert not at.warning
        assert at.success[0].value.startswith("These reports fit")
    else:
        # As many cells, and so little noise that 4,000 reports do not tell 1.9 from 2.
        assert "can't be checked" in at.info[0].value
        assert not at.success


def test_the_wrong_hash_family_gives_noise_only():
    m, reports = collect("OLH", n=3_000, hash_family="xxh32")
    at = upload(opened("OLH", family=controls.PEERS_HASH), as_file(frame_of(reports)))
    assert_estimates(at, ldp.estimate_reports(reports, m))
    at.selectbox(key="r_family").set_value(controls.OWN_HASH).run()
    assert at.warning[0].value.startswith("These reports")
    assert "look like" in at.warning[0].value or "do not fit" in at.warning[0].value


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
        (ldp, "estimate_table", "something went wrong while the reports were counted."),
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
    assert any(record.exc_info for record in caplog.records if record.name == failures.__name__)


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
    assert any(record.exc_info for record in caplog.records if record.name == failures.__name__)


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


# ---- examples and downloads -------------------------------------------------------


@pytest.fixture(scope="module")
def fresh():
    return open_page(PAGE, {"r_mechanism": "BLH"})


@pytest.mark.parametrize("name", examples.EXAMPLES)
def test_every_example_works_with_one_click(name, fresh):
    at = fresh.selectbox(key="r_example").set_value(name).run()
    at.button(key="reports_try").click().run()
    assert_calm(at)
    assert outcome(at).collected.n == examples.USERS
    fit = results.FitVerdict.of(outcome(at).collected)
    assert fit.fits == (name != "a wrong ε")
    boxes = {"fits": at.success, "does not fit": at.warning, "can't be checked": at.info}
    assert [box.value for box in boxes[fit.verdict]] == [fit.sentence]
    # A tick, a warning or neither: never two of them.
    assert sum(len(some) for some in boxes.values()) == 1
    # Its humps are where they should be.
    if name != "a wrong ε":
        collected = outcome(at).collected
        best = collected.full if collected.full is not None else collected.limit
        assert np.abs(best - examples.shape(20)).sum() < 0.5


@pytest.mark.parametrize(
    "name", ["support counts", "bits in columns", "subsets", "pure-ldp, hashed pairs", "users with different ε"]
)
def test_the_parquet_file_of_an_example_says_the_same(name):
    example = examples.EXAMPLES[name]
    settings = {key.removeprefix("r_"): value for key, value in example.settings.items()} | {"bare": False}
    defaults = {key: control.default for key, control in links.CONTROLS.items()}
    frame = examples.example_frame(name, Description.of(defaults | example.settings).make_mechanism())
    at = opened(**settings)
    upload(at, ("example.parquet", examples.as_parquet(frame)))
    assert_calm(at)
    first = outcome(at).collected
    assert first.n == examples.USERS
    upload(at, ("example.csv", examples.as_csv(frame, header=True)))
    np.testing.assert_array_equal(outcome(at).collected.counts, first.counts)


def test_json_script_and_command_say_the_same(tmp_path):
    _, reports = collect("OUE")
    at = upload(opened("OUE"), as_file(frame_of(reports)))
    result = outcome(at)
    told = json.loads(downloads.as_json(result))
    assert told["values"]["raw"] == result.collected.raw.tolist()
    assert told["settings"]["mechanism"] == "OUE"
    (tmp_path / "mine.csv").write_bytes(as_file(frame_of(reports))[1])
    (tmp_path / "again.py").write_text(downloads.script(result))
    raw = f"{result.collected.raw[0]:.4f}"
    script = [sys.executable, "again.py", "mine.csv"]
    command = [sys.executable, *downloads.command(result).split()[1:], "--workers", "1"]
    for arguments in (script, command):
        done = subprocess.run(
            arguments, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
        )
        assert raw in done.stdout
        assert "These reports fit" in done.stdout


def test_words_of_progress():
    assert counting.progress_words(10, 100, 1.0) == "10 of 100 reports counted, about 9 s left"
    assert counting.progress_words(1, 1_000, 1.0).endswith("about 17 min left")


# ---- other packages ---------------------------------------------------------------


@pytest.fixture(scope="module")
def peer():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("multi_freq_ldpy", reason=REASON)
        from multi_freq_ldpy.long_freq_est import L_GRR, L_LH, L_OSUE, L_OUE, L_SOUE, L_SUE
        from multi_freq_ldpy.pure_frequency_oracles import GRR, HE, LH, SS, UE
    unary = {"L-SUE": L_SUE.L_SUE_Client, "L-OUE": L_OUE.L_OUE_Client, "L-SOUE": L_SOUE.L_SOUE_Client}
    unary_mi = {
        "L-SUE": L_SUE.L_SUE_Aggregator_MI,
        "L-OUE": L_OUE.L_OUE_Aggregator_MI,
        "L-SOUE": L_SOUE.L_SOUE_Aggregator_MI,
        "L-OSUE": L_OSUE.L_OSUE_Aggregator_MI,
    }
    clients = unary | {
        "L-OSUE": L_OSUE.L_OSUE_Client,
        "GRR": GRR.GRR_Client,
        "SUE": lambda v, k, e: UE.UE_Client(v, k, e, False),
        "OUE": lambda v, k, e: UE.UE_Client(v, k, e, True),
        "SS": SS.SS_Client,
        "THE": HE.HE_Client,
        "BLH": lambda v, k, e: LH.LH_Client(v, k, e, False),
        "OLH": lambda v, k, e: LH.LH_Client(v, k, e, True),
        "L-GRR": L_GRR.L_GRR_Client,
        "L-BLH": lambda v, k, *e: L_LH.L_LH_Client(v, k, *e, False),
        "L-OLH": lambda v, k, *e: L_LH.L_LH_Client(v, k, *e, True),
    }
    aggregators = {
        "GRR": GRR.GRR_Aggregator_MI,
        "SUE": lambda r, k, e: UE.UE_Aggregator_MI(r, e, optimal=False),
        "OUE": lambda r, k, e: UE.UE_Aggregator_MI(r, e, optimal=True),
        "SS": SS.SS_Aggregator_MI,
        "THE": HE.HE_Aggregator_MI,
        "BLH": lambda r, k, e: LH.LH_Aggregator_MI(r, k, e, optimal=False),
        "OLH": lambda r, k, e: LH.LH_Aggregator_MI(r, k, e, optimal=True),
        "L-GRR": L_GRR.L_GRR_Aggregator_MI,
        "L-BLH": lambda r, k, *e: L_LH.L_LH_Aggregator_MI(r, k, *e, optimal=False),
        "L-OLH": lambda r, k, *e: L_LH.L_LH_Aggregator_MI(r, k, *e, optimal=True),
    } | {name: (lambda r, k, *e, mi=mi: mi(r, *e)) for name, mi in unary_mi.items()}
    return clients, aggregators


# One of each way that its reports are written; tests/test_peer.py has them all.
@pytest.mark.parametrize("name", ["GRR", "OUE", "SS", "THE", "OLH", "L-GRR", "L-SUE", "L-BLH"])
def test_reports_of_multi_freq_ldpy_are_read_as_they_are(name, peer):
    clients, aggregators = peer
    budgets = (2.0, 1.0) if name in ldp.LONGITUDINAL else (1.0,)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the peer's compiler has to say is theirs to settle
        reports = [clients[name](v, K, *budgets) for v in ([0] * 3 + [1] * 2 + [4]) * 30]
        expected = aggregators[name](reports, K, *budgets)
    # What a frame made of them has: numbers for names, the value before the seed, and bits as 0.0 and 1.0.
    at = upload(opened(name, family=controls.PEERS_HASH), as_file(pd.DataFrame(np.array(reports))))
    assert_calm(at)
    # The peer searches for the threshold of THE, and stops near the minimum.
    np.testing.assert_allclose(outcome(at).collected.mi, expected, rtol=0, atol=1e-6 if name == "THE" else 1e-10)


def test_reports_of_pure_ldp_are_read_as_they_are():
    pairs, g, xxhash = pure_ldp_reports(N, K, 1.0, np.random.default_rng(2))
    support = [
        sum(xxhash.xxh32(str(v).encode(), seed=seed % 2**32).intdigest() % g == cell for cell, seed in pairs)
        for v in range(K)
    ]
    at = upload(opened("OLH", family=controls.PEERS_HASH, bare=True), bare_pairs(pairs))
    assert_calm(at)
    assert outcome(at).collected.counts.tolist() == support
    m = ldp.mechanism("OLH", k=K, eps=1.0, hash_family="xxh32")
    np.testing.assert_allclose(outcome(at).collected.raw, (np.array(support) / N - m.q) / (m.p - m.q), atol=1e-12)
