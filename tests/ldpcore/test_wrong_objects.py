"""What is no mechanism, no setting, no number: a sentence that names the argument, and not an error of Python's."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import ldpcore as ldp
from ldpcore import advisor, paper, theory, tournament
from ldpcore.experiment import collect

GRR = ldp.mechanism("GRR", k=3, eps=1.0)
COUNTS, REPORTS, THIRDS = [500, 300, 200], [0, 1, 2], [0.5, 0.3, 0.2]
SMALL = ldp.Setting(n=100, k=3, runs=1)
RESULT = ldp.run(SMALL)
TABLE = ldp.read_table(b"report\n0\n1\n2\n", "reports.csv")
RNG = np.random.default_rng(1)
L_GRR = ldp.mechanism("L-GRR", k=3, eps=1.0)
WIDE = advisor.Accuracy(bound=0.2)
HISTOGRAM = ldp.Histogram(np.array([50, 30, 20]), np.arange(4.0))
CANDIDATE = advisor.Candidate(GRR, "mi", advisor.Measured(0.1, 0.01))

OF_A_MECHANISM = {
    "mi": lambda m: ldp.mi(COUNTS, 1_000, m),
    "ibu": lambda m: ldp.ibu(COUNTS, m),
    "ibu_run": lambda m: ldp.ibu_run(COUNTS, m),
    "ibu_trace": lambda m: ldp.ibu_trace(COUNTS, m, [1]),
    "ibu_limit": lambda m: ldp.ibu_limit(COUNTS, m),
    "ibu_full": lambda m: ldp.ibu_full(REPORTS, m),
    "likelihood_gap": lambda m: ldp.likelihood_gap(THIRDS, COUNTS, m),
    "auto": lambda m: ldp.auto(COUNTS, 1_000, m),
    "choose": lambda m: ldp.choose(COUNTS, 1_000, m),
    "choices": lambda m: ldp.choices(COUNTS, 1_000, m),
    "choose_groups": lambda m: ldp.choose_groups([(COUNTS, 1_000, m)]),
    "choose_reports": lambda m: ldp.choose_reports([(REPORTS, m)]),
    "smooth": lambda m: ldp.smooth(COUNTS, 1_000, m),
    "postprocess": lambda m: ldp.postprocess(THIRDS, "norm-sub", n=1_000, m=m),
    "estimator": lambda m: ldp.estimator("ibu")(COUNTS, 1_000, m),
    "estimator of reports": lambda m: ldp.estimator("full")(REPORTS, 3, m),
    "estimate": lambda m: ldp.estimate(COUNTS, 1_000, m),
    "estimate_groups": lambda m: ldp.estimate_groups([(COUNTS, 1_000, m)]),
    "estimate_reports": lambda m: ldp.estimate_reports(REPORTS, m),
    "estimate_mixed": lambda m: ldp.estimate_mixed([(REPORTS, m)]),
    "estimate_table": lambda m: ldp.estimate_table(TABLE, m),
    "estimate_counts": lambda m: ldp.estimate_counts(TABLE, m),
    "split_by_eps": lambda m: ldp.split_by_eps(REPORTS, [1.0, 1.0, 2.0], m),
    "intervals": lambda m: ldp.intervals(COUNTS, 1_000, m),
    "check_fit": lambda m: ldp.check_fit(COUNTS, 1_000, m),
    "attack_success": lambda m: ldp.theory.attack_success(m),
    "attack_success_after": lambda m: ldp.theory.attack_success_after(m, 2),
    "attack_curve": lambda m: ldp.theory.attack_curve(m, [1, 2]),
    "attack_is_exact": lambda m: ldp.theory.attack_is_exact(m),
    "effective_eps_after": lambda m: ldp.theory.effective_eps_after(m, 2),
    "changing_eps": lambda m: ldp.theory.changing_eps(m, 2, 1),
    "averaged_variance": lambda m: ldp.theory.averaged_variance(m, 0.5, 100, 2),
    "linkability": lambda m: ldp.theory.linkability(m, 2),
    "change_noticed": lambda m: ldp.theory.change_noticed(m, 2),
    "live": lambda m: ldp.theory.live(m, [0, 1], RNG),
    "observer_beliefs": lambda m: ldp.theory.observer_beliefs(m, [[0]]),
    "cramer_rao": lambda m: ldp.theory.cramer_rao(m, THIRDS, 100),
    "raw_error": lambda m: advisor.raw_error(m, THIRDS, 100, WIDE),
    "raw_is_enough": lambda m: advisor.raw_is_enough(m, THIRDS, 100, WIDE),
}


@pytest.mark.parametrize("call", OF_A_MECHANISM.values(), ids=OF_A_MECHANISM)
def test_what_is_no_mechanism(call):
    # Square Wave has p and q, but no set of values that a report supports.
    for wrong in ("GRR", None, type(GRR), ldp.SquareWave(k=3, eps=1.0)):
        with pytest.raises(ldp.Refused, match=r"^m must be a mechanism, as ldpcore.mechanism\(…\) makes it; got "):
            call(wrong)


WRONG = {
    "run": (lambda: ldp.run("x"), "setting must be an ldpcore.Setting; got 'x'"),
    "collect": (lambda: collect(None), "setting must be an ldpcore.Setting; got None"),
    "run with data": (lambda: ldp.run(SMALL, data=5), "data must be an ldpcore.Histogram; got 5"),
    "run_full": (lambda: ldp.run_full(SMALL.make_mechanism()), "setting must be an ldpcore.Setting; got GRR"),
    "sweep of one setting": (lambda: ldp.sweep(SMALL), "settings must be a sequence of ldpcore.Setting; got Setting"),
    "sweep of words": (lambda: ldp.sweep([SMALL, "x"]), r"settings\[1\] must be an ldpcore.Setting; got 'x'"),
    "sweep of one metric": (
        lambda: ldp.sweep([SMALL], metrics="mse"),
        "metrics must be a sequence of names; got 'mse'",
    ),
    "sweep of one estimator": (
        lambda: ldp.sweep([SMALL], estimators=5),
        "estimators must be a sequence of keys; got 5",
    ),
    "run_together": (lambda: ldp.run_together([5]), r"settings\[0\] must be an ldpcore.Setting; got 5"),
    "record": (lambda: ldp.ibu_run(COUNTS, GRR, record=None), "record must be a sequence of numbers; got None"),
    "iterations": (lambda: ldp.ibu_trace(COUNTS, GRR, None), "iterations must be a sequence of numbers; got None"),
    "reports of a curve": (lambda: ldp.theory.attack_curve(GRR, 5), "reports must be a sequence of numbers; got 5"),
    "choose_groups": (
        lambda: ldp.choose_groups([(COUNTS, GRR)]),
        r"groups must hold \(counts, n, mechanism\) for each",
    ),
    "choose_reports": (lambda: ldp.choose_reports([REPORTS]), r"collections must hold \(reports, mechanism\) for each"),
    "estimate_groups": (
        lambda: ldp.estimate_groups([5]),
        r"groups must hold \(counts, n, mechanism\) for each ε; got 5",
    ),
    "estimate_groups of none": (
        lambda: ldp.estimate_groups(5),
        r"groups must be a sequence of \(counts, n, mechanism\)",
    ),
    "estimate_mixed": (
        lambda: ldp.estimate_mixed([5]),
        r"collections must hold \(reports, mechanism\) for each ε; got 5",
    ),
    "reports": (lambda: ldp.ibu_full(5, GRR), "reports must be those of many users, as privatize returns them; got 5"),
    "table": (
        lambda: ldp.estimate_table("x", GRR),
        "table must be an ldpcore.Table, as read_table returns it; got 'x'",
    ),
    "table of counts": (lambda: ldp.counts_of_table(None, GRR), "table must be an ldpcore.Table"),
    "columns": (lambda: ldp.estimate_table(TABLE, GRR, columns=5), "columns must be a sequence of names; got 5"),
    "column": (lambda: ldp.estimate_table(TABLE, GRR, columns=[5]), "there is no column 5; there are report"),
    "name of a file": (lambda: ldp.read_table(b"", None), "name must be the name of a file; got None"),
    "noise_variance": (lambda: GRR.noise_variance("abc", 5), "frequencies must hold numbers; got 'abc'"),
    "total_variance": (lambda: GRR.total_variance(["a"], 5), r"frequencies must hold numbers; got \['a'\]"),
    "a metric": (lambda: ldp.METRICS["mse"](["a", "b"], THIRDS), "estimate must hold numbers; got"),
    "gain": (lambda: ldp.gain("a", 1), "metric_mi must hold numbers; got 'a'"),
    "no runs": (lambda: ldp.Summary([]), "values must hold the number of at least one run; got none"),
    "runs of words": (lambda: ldp.Summary("abc"), "values must hold numbers; got 'abc'"),
    "quantile": (lambda: ldp.Summary([1.0]).quantile(2), "share must be a number from 0 to 1; got 2"),
    "data": (lambda: ldp.Setting(data=np.array([])), r"data must be one of .*; got array\(\[\]"),
    "gain in a metric": (lambda: RESULT.gain("x"), "metric must be one of mse, .*; got 'x'"),
    "loss in a metric": (lambda: RESULT.loss("ibu", None), "metric must be one of mse, .*; got None"),
    "error of an estimator": (lambda: RESULT.error([]), r"estimator must be one of raw, .*; got \[\]"),
    "n of counts": (lambda: ldp.estimator("limit")(COUNTS, "abc", GRR), "n must be a whole number .* got 'abc'"),
    "n of IBU": (lambda: ldp.ibu(COUNTS, GRR, n="abc"), "n must be a whole number .* got 'abc'"),
    "seed of IBU": (lambda: ldp.ibu(COUNTS, GRR, seed="x"), "seed must be a whole number .* got 'x'"),
    "seed of groups": (lambda: ldp.choose_groups([(COUNTS, 1_000, GRR)], seed="x"), "seed must be .* got 'x'"),
}


@pytest.mark.parametrize(("call", "sentence"), WRONG.values(), ids=WRONG)
def test_what_is_no_number_no_setting_no_table(call, sentence):
    with pytest.raises(ldp.Refused, match=sentence):
        call()


# By the function that is called, and what it is given.
WRONG_BY_FUNCTION = {
    "numbers_from": (
        lambda: ldp.numbers_from(None, "x"),
        "table must be an ldpcore.Table, as read_table returns it; g",
    ),
    "categories_from": (lambda: ldp.categories_from(None, "x"), "table must be an ldpcore.Table"),
    "dates_from": (lambda: ldp.dates_from("x", "x"), "table must be an ldpcore.Table.* got 'x'"),
    "cross None": (lambda: ldp.cross(None), "grid must be a mapping of names to values or lists; got None"),
    "cross ''": (lambda: ldp.cross(""), "grid must be a mapping of names to values or lists; got ''"),
    "header": (lambda: ldp.read_table(b"a\n1\n", "a.csv", header="no"), "header must be True or False; got 'no'"),
    "words": (lambda: ldp.estimate_table(TABLE, GRR, words=5), "words must be a sequence of names; got 5"),
    "a word": (
        lambda: ldp.estimate_table(TABLE, GRR, words=[1, 2, 3]),
        "words must be a sequence of names; got 1 in it",
    ),
    "entries": (
        lambda: ldp.estimate_table(TABLE, GRR, full_entries=None),
        "full_entries must be a whole number .* None",
    ),
    "progress": (lambda: ldp.estimate_table(TABLE, GRR, progress=5), "progress must be a function; got 5"),
    "only": (lambda: ldp.choices(COUNTS, 1_000, GRR, only=None), "only must be a sequence of keys; got None"),
    "executor": (
        lambda: ldp.sweep([SMALL], executor="abc"),
        "executor must be a concurrent.futures.Executor; got 'abc'",
    ),
    "on_progress": (lambda: ldp.sweep([SMALL], on_progress=5), "on_progress must be a function; got 5"),
    "histogram_of": (lambda: ldp.sweep([SMALL], histogram_of=5), "histogram_of must be a function; got 5"),
    "out": (lambda: ldp.sweep([SMALL], out=5), "out must be a path; got 5"),
    "skip": (lambda: ldp.sweep_iter([SMALL], skip=None), "skip must be a sequence of ldpcore.Setting; got None"),
    "sweep_frame": (lambda: ldp.sweep_frame("abc"), "rows must be a sequence of rows; got 'abc'"),
    "sweep_frame of words": (lambda: ldp.sweep_frame(["abc"]), r"rows must be a sequence of rows; got 'abc' in it"),
    "acs_records": (lambda: ldp.acs_records(5), "root must be a path; got 5"),
    "download_acs": (lambda: ldp.download_acs(5, "AL"), "root must be a path; got 5"),
    "sample_counts": (
        lambda: GRR.sample_counts(COUNTS, 10**15, RNG),
        "runs must be a whole number .* got 1000000000000000",
    ),
    "repeated": (
        lambda: GRR.repeated_supports([0], 10**400, RNG),
        "reports must be a whole number from 1 to 1,000,000; g",
    ),
    "follow": (lambda: GRR.follow([[1, 2], [3]], RNG, RNG), r"value must be a whole number .* got \[\[1, 2\], \[3\]\]"),
    "device": (lambda: GRR.device("a", RNG), "value must be a whole number from 0 to 2; got 'a'"),
    "kept_rng": (lambda: L_GRR.follow(1, 5, RNG), "kept_rng must be a numpy.random.Generator"),
    "observer_beliefs": (lambda: theory.observer_beliefs(GRR, -1), "reports must be a sequence of reports; got -1"),
    "reports of two": (
        lambda: theory.observer_beliefs(L_GRR, [[0, 1]]),
        "reports must each be of one user; got one of 2",
    ),
    "output_counts": (lambda: ldp.SquareWave(k=3, eps=1.0).output_counts(0), "reports must be one-dimensional"),
    "noise of inf": (lambda: GRR.noise_variance(math.inf, 5), "frequencies must hold finite numbers; got inf"),
    "which": (lambda: GRR.channel("x"), "^which must be one of exact, published; got 'x'"),
    "channel": (lambda: GRR.ibu_time_of("x"), "^channel must be one of exact, published; got 'x'"),
    "method": (lambda: ldp.postprocess(THIRDS, "x", n=5, m=GRR), "^method must be one of none, .* got 'x'"),
    "post": (lambda: ldp.mi(COUNTS, 1_000, GRR, post="x"), "^post must be one of none, .* got 'x'"),
    "no collections": (lambda: ldp.estimate_mixed([]), r"^collections must hold at least one \(reports, mechanism\)"),
    "no reports": (lambda: ldp.choose_reports([]), r"^collections must hold at least one \(reports, mechanism\)"),
    "name": (lambda: ldp.mechanism("x", k=3, eps=1.0), "^name must be one of GRR, .* got 'x'"),
    "name of a class": (lambda: ldp.mechanism_class(None), "^name must be one of GRR, .* got None"),
    "name of max_eps": (lambda: ldp.max_eps("x", 1.0), "^name must be one of GRR, .* got 'x'"),
    "mechanism": (lambda: ldp.Setting(mechanism="x"), "^mechanism must be one of GRR, .* got 'x'"),
    "needs": (lambda: ldp.estimator("mi", needs="abc"), "^needs must be one of counts, reports; got 'abc'"),
    "Histogram of words": (lambda: ldp.Histogram("a", "b"), "counts must .* got"),
    "negative counts": (
        lambda: ldp.Histogram([1, -1], [0, 1, 2]),
        "counts must hold whole numbers .* got -1 at position 1",
    ),
    "edges": (
        lambda: ldp.Histogram([1, 1], [0, 1]),
        r"edges must be the k \+ 1 = 3 ends of the bins.* got shape \(2,\)",
    ),
    "falling edges": (lambda: ldp.Histogram([1, 1], [0, 2, 1]), "edges must rise; got 1 after 2"),
    "labels": (
        lambda: ldp.Histogram([1, 1], [0, 1, 2], ("a",)),
        "labels must be a name for each of the k = 2 bins; got 1",
    ),
    "Summary of a date": (lambda: ldp.Summary(np.datetime64("2024-01-01")), "values must hold numbers"),
}

WRONG_OF_THE_ADVISOR = {
    "setting": (lambda: advisor.needed("x", WIDE, "n"), "setting must be an ldpcore.Setting; got 'x'"),
    "accuracy": (lambda: advisor.needed(SMALL, None, "n"), "accuracy must be an ldpcore.advisor.Accuracy; got None"),
    "data": (lambda: advisor.needed(SMALL, WIDE, "n", ["raw"], "x"), "data must be an ldpcore.Histogram; got 'x'"),
    "estimators": (lambda: advisor.needed(SMALL, WIDE, "n", 5), "estimators must be a sequence of keys; got 5"),
    "estimator": (lambda: advisor.smallest_eps(SMALL, "x", WIDE), "^estimator must be one of raw, .* got 'x'"),
    "raw_error": (lambda: advisor.raw_error(GRR, THIRDS, 0, WIDE), "n must be a number from 1 to 1e.12; got 0"),
    "raw_is_enough": (lambda: advisor.raw_is_enough(GRR, THIRDS, 100, 5), "accuracy must be an ldpcore.advisor.Acc"),
    "scaled": (lambda: advisor.scaled(HISTOGRAM, 1.5), "n must be a whole number .* got 1.5"),
    "scaled of words": (lambda: advisor.scaled("x", 5), "data must be an ldpcore.Histogram; got 'x'"),
    "quantile": (lambda: advisor.quantile("abc", 0.5), "values must hold numbers; got 'abc'"),
    "quantile of none": (lambda: advisor.quantile([], 0.5), "values must hold the number of at least one run"),
    "level": (lambda: advisor.quantile([1.0], 2), "level must be a number from 0 to 1; got 2"),
    "ranked": (lambda: advisor.ranked(5), "candidates must be a sequence of ldpcore.advisor.Candidate; got 5"),
    "ranked words": (lambda: advisor.ranked(["a"]), "candidates must be a sequence of .*Candidate; got 'a' in it"),
    "why": (lambda: advisor.why([], WIDE, THIRDS, 100), "candidates must hold at least one; got none"),
    "as_good": (lambda: advisor.as_good([]), "candidates must hold at least one; got none"),
    "are_equal": (lambda: advisor.are_equal([]), "candidates must hold at least one; got none"),
    "as_good_estimators": (lambda: advisor.as_good_estimators([]), "candidates must hold at least one; got none"),
    "name_with_ties": (
        lambda: advisor.name_with_ties(5, [CANDIDATE]),
        "candidate must be an ldpcore.advisor.Candidate",
    ),
    "close": (lambda: advisor.close(CANDIDATE.error, 5), "second must be an ldpcore.advisor.Measured; got 5"),
    "listed": (lambda: advisor.listed([]), "names must hold at least one; got none"),
    "listed numbers": (lambda: advisor.listed([1, 2]), "names must be a sequence of names; got 1 in it"),
    "round_up": (lambda: advisor.round_up("a"), "x must be a finite number; got 'a'"),
    "digits": (lambda: advisor.round_down(1.5, "a"), "digits must be a whole number .* got 'a'"),
    "at": (lambda: advisor.at(SMALL, "x", 1.0), "sought must be one of eps, n; got 'x'"),
    "users at": (lambda: advisor.at(SMALL, "n", -1), "x must be a number from 1 to .* got -1"),
    "possible_eps": (lambda: advisor.possible_eps(None), "setting must be an ldpcore.Setting; got None"),
    "achieved": (lambda: advisor.achieved(5, "mi", WIDE), "result must be an ldpcore.Result, as run returns it; got 5"),
}

DETAILS = pd.DataFrame({"table": [1], "data": ["uniform"]})
WHOLE = pd.DataFrame([paper.Detail(1, "poisson", "OUE", 20_000, 50, 1.0, 0, "mse", "as published", 2e-5, 1e-5, 50.0)])
WRONG_OF_THE_STUDY = {
    "draw": (lambda: tournament.matches(draw=None), "draw must be a whole number .* got None"),
    "levels": (lambda: tournament.matches(levels=5), "levels must be a sequence of ldpcore.tournament.Level; got 5"),
    "draw of the paper": (lambda: tournament.paper_matches(draw=-1), "^draw must be a whole number .* got -1"),
    "draw of losses": (lambda: tournament.worst_losses(draw=-1), "^draw must be a whole number .* got -1"),
    "draw of questions": (lambda: tournament.question_parts(draw=-1), "^draw must be a whole number .* got -1"),
    "users": (lambda: tournament.users("spike", 10, -1, 0), "k must be a whole number .* got -1"),
    "contest": (lambda: tournament.contest(None), "match must be an ldpcore.tournament.Match; got None"),
    "paper_contest": (lambda: tournament.paper_contest(5), "match must be an ldpcore.tournament.PaperMatch; got 5"),
    "answer": (lambda: tournament.answer(5), "part must be an ldpcore.tournament.QuestionPart; got 5"),
    "rerun": (lambda: tournament.rerun(5), "loss must be an ldpcore.tournament.Loss; got 5"),
    "winner": (lambda: tournament.winner(5), "cells must be an ldpcore.tournament.Cells; got 5"),
    "over_best": (lambda: tournament.over_best(5, "mi"), "cells must be an ldpcore.tournament.Cells; got 5"),
    "shuffled": (lambda: tournament.shuffled(5), "frame must be a pandas.DataFrame with .* got 5"),
    "paper_summary": (lambda: tournament.paper_summary(None), "frame must be a pandas.DataFrame with .* got None"),
    "others": (lambda: tournament.auto_over_best(SMALL, ()), "others must hold at least one; got none"),
    "out": (lambda: tournament.play("matches", 5), "out must be a path; got 5"),
    "cells": (lambda: paper.cells(None), "details must be a pandas.DataFrame with table, .* got None"),
    "cells of others": (
        lambda: paper.cells(DETAILS),
        "details must be a pandas.DataFrame with .* got one without mech",
    ),
    "averages": (lambda: paper.averages("x"), "details must be a pandas.DataFrame"),
    "lines": (lambda: paper.lines(None, "k"), "details must be a pandas.DataFrame"),
    "bars": (
        lambda: paper.bars(WHOLE, data="nope"),
        "data must be one of gaussian.* got 'nope'",
    ),
    "bars of n": (lambda: paper.bars(WHOLE, n=5), "n must be one of 20000, 100000; got 5"),
    "bars of k": (lambda: paper.bars(WHOLE, k="a"), "k must be one of 2, 50, 100, 200; got 'a'"),
    "part of data": (lambda: paper.reproduce_part(1, None, ["GRR"]), "data must be a sequence of names; got None"),
    "part of mechanisms": (
        lambda: paper.reproduce_part(1, ["uniform"], 5),
        "mechanisms must be a sequence of names; g",
    ),
    "rows of data": (lambda: paper.reproduce(1, data=5), "data must be a sequence of names; got 5"),
    "settings_rows": (lambda: paper.details(1, 0, 5), "settings_rows must be a sequence of rows; got 5"),
}
EVERY = {
    f"{part}: {what}": case
    for part, cases in (("ldp", WRONG_BY_FUNCTION), ("advisor", WRONG_OF_THE_ADVISOR), ("study", WRONG_OF_THE_STUDY))
    for what, case in cases.items()
}


@pytest.mark.parametrize(("call", "sentence"), EVERY.values(), ids=EVERY)
def test_the_sentence_names_the_callers_own_argument(call, sentence):
    with pytest.raises(ldp.Refused, match=sentence):
        call()


def test_what_has_an_answer_gets_it():
    # Far more steps than there are in a float: all of the way.
    assert ldp.mechanism("OUE", k=9, eps=1.0).share_of_the_way(10**400) == 1.0
    assert ldp.Summary([Fraction(1, 2), Fraction(3, 2)]) == 1.0
    # As lists and with whole floats, a histogram is what it is as arrays.
    listed = ldp.Histogram([50.0, 30.0, 20.0], [0, 1, 2, 3], ["a", "b", "c"])
    assert (listed.n, listed.counts.dtype, listed.edges.dtype, listed.labels) == (
        100,
        np.int64,
        np.float64,
        tuple("abc"),
    )
    assert advisor.round_up(math.inf) == math.inf


def test_a_folder_of_results_is_no_file(tmp_path):
    (tmp_path / "h.csv").write_text("a\n")
    for call in (
        lambda: paper.reproduce(1, out=tmp_path / "h.csv"),
        lambda: tournament.play("matches", tmp_path / "h.csv"),
        lambda: tournament.play("matches", tmp_path / "h.csv" / "in it"),
    ):
        with pytest.raises(
            ldp.Refused, match=r"out must be a folder, or one that can be made; got the file '.*h\.csv'"
        ):
            call()


def test_results_go_into_a_file_and_not_into_a_directory(tmp_path):
    (tmp_path / "results.csv").mkdir()
    with pytest.raises(ldp.Refused, match=r"the results must be a file; got the directory '.*results\.csv'"):
        ldp.sweep([SMALL], out=tmp_path / "results.csv")


# ---- numbers that nothing could keep ------------------------------------------------


@pytest.mark.parametrize("seed", [2**63, 2**70, 10**5000], ids=["2⁶³", "2⁷⁰", "10⁵⁰⁰⁰"])
def test_a_seed_is_one_that_a_file_can_keep(seed, tmp_path):
    says = "seed must be a whole number from 0 to 9,223,372,036,854,775,807; got "
    for call in (
        lambda: ldp.Setting(seed=seed),
        lambda: ldp.ibu(COUNTS, GRR, seed=seed),
        lambda: ldp.auto(COUNTS, 1_000, GRR, seed=seed),
        lambda: ldp.sample("uniform", 5, seed=seed),
        lambda: ldp.theory.attack_success(GRR, seed=seed),
    ):
        with pytest.raises(ldp.Refused, match=says):
            call()
    last = ldp.Setting(n=100, k=3, runs=1, seed=2**63 - 1)
    for suffix in (".parquet", ".csv"):
        out = tmp_path / f"results{suffix}"
        ldp.sweep([last], metrics=["mse"], out=out)
        assert ldp.sweep([last], metrics=["mse"], out=out)["seed"].tolist() == [2**63 - 1] * 2


def test_steps_are_bounded():
    says = "max_iter must be a whole number from 1 to 1,000,000,000,000; got "
    for most in (10**12 + 1, 10**400):
        for call in (
            lambda most=most: ldp.Setting(max_iter=most),
            lambda most=most: ldp.ibu(COUNTS, GRR, max_iter=most),
            lambda most=most: ldp.ibu_full(REPORTS, GRR, max_iter=most),
            lambda most=most: ldp.ibu_channel([7, 3], [[0.75, 0.25], [0.25, 0.75]], max_iter=most),
        ):
            with pytest.raises(ldp.Refused, match=says):
                call()
    # What the counts may choose by themselves is not bounded so: the clock of many values is slow.
    slow = ldp.mechanism("OUE", k=3_000, eps=1e-4)
    assert slow.ibu_time > 10**12
    assert ldp.ibu(np.full(3_000, 500), slow, stop="cv").shape == (3_000,)


def test_what_has_no_room_is_refused_before_it_is_made():
    says = r"full-report IBU takes at most n·k = 200,000,000 entries; got n = 1,000,000,000,000 reports of k = 5 values"
    with pytest.raises(ldp.Refused, match=says):
        ldp.run_full(ldp.Setting(n=10**12, k=5))


class _Uncounted(ldp.mechanism_class("OUE")):
    def supports(self, reports):
        raise AssertionError("supports were made before their number was asked")


def test_supports_are_not_made_if_there_are_too_many():
    # A view of one row: it takes no memory itself.
    reports = np.broadcast_to(np.zeros(1_000, dtype=np.bool_), (200_001, 1_000))
    with pytest.raises(ldp.Refused, match="takes at most n·k = 200,000,000 entries; got n = 200,001"):
        ldp.ibu_full(reports, _Uncounted(k=1_000, eps=1.0))
