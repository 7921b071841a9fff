"""What is no mechanism, no setting, no number: a sentence that names the argument, and not an error of Python's."""

import numpy as np
import pytest

import ldpcore as ldp
from ldpcore.experiment import collect

GRR = ldp.mechanism("GRR", k=3, eps=1.0)
COUNTS, REPORTS, THIRDS = [500, 300, 200], [0, 1, 2], [0.5, 0.3, 0.2]
SMALL = ldp.Setting(n=100, k=3, runs=1)
RESULT = ldp.run(SMALL)
TABLE = ldp.read_table(b"report\n0\n1\n2\n", "reports.csv")
RNG = np.random.default_rng(1)

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
