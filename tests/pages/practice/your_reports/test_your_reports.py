"""Your reports: every format gives what the library gives, wrong files leave what was there, peers' files are read."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from app_steps import ROOT, assert_calm, charts, names, open_page
from collected_reports import frame_of
from report_uploads import REASON, K, as_file, bare_pairs, opened, outcome, pure_ldp_reports, upload
from your_reports_page import PAGE, N, assert_estimates, collect, errors

import ldpcore as ldp
from ldpui.address import links
from pages.practice.your_reports import controls, downloads, examples, outcomes, results
from pages.practice.your_reports.description import Description

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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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
    without_a_file = subprocess.run(
        script[:2], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert without_a_file.returncode == 1
    assert without_a_file.stderr == "say the name of the file of reports, and nothing else\n"


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
