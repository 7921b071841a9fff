"""Anything at all as an argument of a public function: an answer, or a sentence that names an argument of it."""

import importlib
import inspect
import math
import random
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import ldpcore as ldp
from ldpcore import advisor, datasets, estimators, experiment, mechanisms, metrics, paper, tables, theory, tournament
from ldpcore.sweep import Measures, measure

GRR, OUE, L_OSUE = (ldp.mechanism(name, k=3, eps=1.0) for name in ("GRR", "OUE", "L-OSUE"))
OLH, L_GRR, SS = (ldp.mechanism(name, k=3, eps=1.0) for name in ("OLH", "L-GRR", "SS"))
SEED = 20_240_531
COUNTS, REPORTS, THIRDS = [500, 300, 200], [0, 1, 2], [0.5, 0.3, 0.2]
OF_COUNTS = {"counts": COUNTS, "n": 1_000, "m": GRR}
SMALL = ldp.Setting(n=100, k=3, runs=2, max_iter=5)
RESULT = ldp.run(SMALL)
HISTOGRAM = ldp.Histogram(np.array([50, 30, 20]), np.arange(4.0))
TABLE = ldp.read_table(b"report\n0\n1\n2\n", "reports.csv")
DAYS = ldp.read_table(b"day,n\n2024-05-31,1\n2024-06-01,2\n", "days.csv")
WIDE, ERROR = advisor.Accuracy("tv", bound=0.4), advisor.Measured(0.1, 0.01)
CANDIDATES = [advisor.Candidate(m, "mi", advisor.Measured(x, 0.01)) for m, x in ((GRR, 0.1), (OUE, 0.2))]
MATCH = tournament.Match("GRR", 1.0, 100, 3, ("uniform",))
DETAILS = pd.DataFrame(
    [
        paper.Detail(table, "poisson", name, 20_000, 50, 1.0, 0, "mse", variant, 2e-5, 1e-5, 50.0)
        for table, name in ((1, "OUE"), (2, "L-OUE"))
        for variant in paper.VARIANTS
    ]
)
CELLS = tournament.Cells.of(pd.DataFrame(map(dict, tournament.contest(MATCH))))
PAPER = pd.DataFrame(
    [tournament.PaperRecord(1, "GRR", 1.0, 20, 2, 0, "uniform", "mse", key, 0.1, 5.0, 4.0, 0.0, 0.0).asdict()
     for key in ("mi", "ibu")]
)  # fmt: skip
RNG = np.random.default_rng(SEED)
HALF = [[0.75, 0.25], [0.25, 0.75]]
CHUNK = next(ldp.sweep_iter([ldp.Setting(data="poisson", n=100, k=3, runs=1, max_iter=2)], **paper.MEASURED))
COLUMN, OWN, DATES = ldp.numbers_from(DAYS, "n"), ldp.categories_from(DAYS, "day"), ldp.dates_from(DAYS, "day")
WAVE, MEMO = ldp.SquareWave(k=3, eps=1.0), L_OSUE.memoize([0, 1], RNG)

# What each function takes that is right; one argument after the other is replaced.
OF_LDP = {
    ldp.acs_records: {"root": "nowhere", "states": ["AL"], "year": 2018, "horizon": "5-Year"},
    ldp.auto: OF_COUNTS | {"splits": 2, "seed": 0},
    ldp.bin_edges: {"x_min": 0, "x_max": 1, "k": 3, "binning": "paper"},
    ldp.categories_from: {"table": DAYS, "column": "day"},
    ldp.channel_eps: {"channel": HALF},
    ldp.check_fit: OF_COUNTS | {"budget": 10},
    ldp.choices: OF_COUNTS | {"splits": 2, "seed": 0, "only": ["mi"]},
    ldp.choose: OF_COUNTS | {"splits": 2, "seed": 0},
    ldp.choose_groups: {"groups": [(COUNTS, 1_000, GRR)], "splits": 2, "seed": 0},
    ldp.choose_reports: {"collections": [(REPORTS, GRR)], "splits": 2, "seed": 0},
    ldp.counts_of_table: {"table": TABLE, "m": GRR, "n": 3},
    ldp.cross: {"grid": {"eps": [1.0], "params": {}}},
    ldp.dates_from: {"table": DAYS, "column": "day"},
    ldp.distribution: {"data": "poisson", "params": (("rate", 5),)},
    ldp.estimate: OF_COUNTS | {"level": 0.9, "channel": "exact", "max_iter": 2, "tol": 0.1},
    ldp.estimate_counts: {"table": TABLE, "m": GRR, "n": 3},
    ldp.estimate_groups: {"groups": [(COUNTS, 1_000, GRR)], "level": 0.9},
    ldp.estimate_mixed: {"collections": [(REPORTS, GRR)], "level": 0.9},
    ldp.estimate_reports: {"reports": REPORTS, "m": GRR, "eps": [1, 1, 2], "level": 0.9},
    ldp.estimate_table: {
        "table": TABLE, "m": GRR, "columns": ["report"], "eps_column": None, "leave_out": (), "words": (),
        "full_entries": 5, "progress": None,
    },
    ldp.estimator: {"key": "mi", "needs": "counts"},
    ldp.gain: {"metric_mi": [1.0], "metric_ibu": [0.5]},
    ldp.histogram: {"x": [1, 2, 3], "k": 3, "binning": "values"},
    ldp.ibu: {"counts": COUNTS, "m": GRR, "max_iter": 2, "tol": 0.1, "stop": "max_abs", "start": THIRDS,
              "channel": "exact", "n": 1_000, "seed": 0},
    ldp.ibu_channel: {"observed": [7, 3], "channel": HALF, "max_iter": 2, "tol": 0.1, "start": [0.5, 0.5]},
    ldp.ibu_full: {"reports": REPORTS, "m": GRR, "likelihood_ratio": 2.0, "max_iter": 2, "tol": 0.1, "start": THIRDS},
    ldp.ibu_full_run: {"reports": REPORTS, "m": GRR, "likelihood_ratio": [2, 2, 3], "max_iter": 2, "start": THIRDS},
    ldp.ibu_limit: {"counts": COUNTS, "m": GRR, "channel": "exact"},
    ldp.ibu_run: {"counts": COUNTS, "m": GRR, "max_iter": 2, "record": [1], "n": 1_000, "stop": "cv", "seed": 0},
    ldp.ibu_supports: {"supports": [[True, False]], "likelihood_ratio": 2.0, "max_iter": 2, "tol": 0.1, "start": None},
    ldp.ibu_trace: {"counts": COUNTS, "m": GRR, "iterations": [1, 2], "start": THIRDS, "channel": "exact",
                    "stop": "max_abs", "own_steps": 5},
    ldp.intervals: OF_COUNTS | {"kind": "noise", "level": 0.9},
    ldp.likelihood_gap: {"estimates": THIRDS, "counts": COUNTS, "m": GRR, "channel": "exact"},
    ldp.max_eps: {"name": "L-OUE", "eps_inf": 2.0},
    ldp.mechanism: {"name": "L-OLH", "k": 3, "eps": 1.0, "eps_inf": 2.0, "calibration": "tight", "g": 3},
    ldp.mechanism_class: {"name": "GRR"},
    ldp.mi: OF_COUNTS | {"post": "norm"},
    ldp.numbers_from: {"table": DAYS, "column": "n"},
    ldp.postprocess: {"raw": THIRDS, "method": "norm", "n": 10, "m": GRR},
    ldp.read_table: {"data": b"a\n1\n", "name": "a.csv", "header": True},
    ldp.run: {"setting": SMALL, "data": None},
    ldp.run_full: {"setting": SMALL, "runs": 1, "data": None},
    ldp.run_together: {"settings": [SMALL], "data": None},
    ldp.sample: {"data": "poisson", "n": 3, "seed": 0, "params": {"rate": 5}},
    ldp.sample_histogram: {"data": "poisson", "n": 3, "k": 3, "binning": "paper", "seed": 0, "params": {"rate": 5}},
    ldp.smooth: OF_COUNTS | {"bandwidth": 1.0, "splits": 2, "seed": 0},
    ldp.split_by_eps: {"reports": REPORTS, "eps": [1, 1, 2], "m": GRR},
    ldp.sweep: {"settings": [SMALL], "estimators": ["mi"], "metrics": ["mse"], "workers": 1, "executor": None,
                "on_progress": None, "histogram_of": None, "out": None},
    ldp.sweep_frame: {"rows": CHUNK.rows},
    ldp.sweep_iter: {"settings": [SMALL], "estimators": ["mi"], "metrics": ["mse"], "workers": 1, "skip": []},
    ldp.Histogram: {"counts": [1, 2], "edges": [0, 1, 2], "labels": ("a", "b")},
    ldp.OwnBinning: {"low": 0.0, "high": 1.0, "clip": 0.1, "rare": 0.1, "unit": "month"},
    ldp.Setting: {"data": "poisson", "mechanism": "L-OUE", "eps": 1.0, "n": 10, "k": 3, "runs": 1, "seed": 0,
                  "eps_inf": 2.0, "calibration": "tight", "channel": "exact", "binning": "paper", "max_iter": 2,
                  "tol": 0.1, "stop": "max_abs", "start": "uniform", "params": {"rate": 5}},
    ldp.SquareWave: {"k": 3, "eps": 1.0, "b": 1},
    ldp.Summary: {"values": [1.0]},
}  # fmt: skip
OF_ROOMS = {
    datasets.data_rng: {"seed": 0},
    datasets.kind_of: {"table": DAYS, "column": "day"},
    datasets.sample_records: {"values": [1.0, 2.0], "n": 3, "seed": 0},
    estimators.ibu_supports_run: {"supports": [[True, False]], "likelihood_ratio": 2.0, "max_iter": 2, "tol": 0.1},
    experiment.check_setting: {"name": "setting", "setting": SMALL},
    experiment.collect: {"setting": SMALL, "data": None},
    measure: {"settings": [SMALL], "measures": Measures(), "store": None, "workers": 1, "histogram_of": None},
    mechanisms.check_class: {"cls": type(GRR)},
    mechanisms.hash_cells: {"seeds": [7, 8, 9], "values": [0, 1, 2], "g": 3, "family": "xxh32"},
    tables.open_table_file: {"path": "a.csv"},
    tables.paste_table: {"text": "1 2 3"},
} | {metric.function: {"estimate": THIRDS, "true": THIRDS} for metric in metrics.RECORDS.values()}
OF_METHODS = {
    COLUMN.value_edges: {"binning": ldp.OwnBinning()},
    COLUMN.whole_edges: {"binning": ldp.OwnBinning()},
    RESULT.error: {"estimator": "mi", "metric": "mse"},
    RESULT.gain: {"metric": "mse", "estimator": "ibu"},
    RESULT.table: {"estimators": ["mi"], "names": ["mse"]},
    RESULT.estimate: {"estimator": "mi"},
    RESULT.decomposition: {"estimator": "mi"},
    RESULT.remember: {"estimator": "mi", "metric": "mse", "error": ldp.Summary([0.1])},
    SMALL.noise_rng: {"stream": 1},
    ldp.estimator("ibu").__call__: {"data": COUNTS, "n": 1_000, "m": GRR, "options": None},
    ldp.estimator("full").__call__: {"data": REPORTS, "n": 3, "m": GRR, "options": None},
    RESULT.loss: {"estimator": "mi", "metric": "mse"},
    ldp.Summary([1.0]).quantile: {"share": 0.5},
    ldp.estimate(COUNTS, 1_000, GRR).named: {"names": ["a", "b", "c"]},
    ldp.estimate(COUNTS, 1_000, GRR).within: {"kind": "noise"},
    WAVE.privatize: {"values": [0, 1], "rng": RNG},
    WAVE.output_counts: {"reports": [0, 1]},
    WAVE.sample_counts: {"histogram": COUNTS, "runs": 1, "rng": RNG},
    L_OSUE.memoize: {"values": [0, 1], "rng": RNG},
    L_OSUE.update: {"memo": MEMO, "values": [1, 1], "rng": RNG},
    L_OSUE.report: {"memo": MEMO, "rng": RNG},
    L_GRR.follow: {"value": 1, "kept_rng": RNG, "rng": RNG},
    L_GRR.device: {"value": 1, "rng": RNG},
    L_GRR.device(0, RNG).hold: {"value": 1, "rng": RNG},
    ldp.mechanism("THE", k=3, eps=1.0).noisy_histograms: {"values": [0, 1], "rng": RNG},
    ldp.estimate(COUNTS, 1_000, GRR).chosen: {},
}
for law in map(ldp.distribution, paper.table_of(1).data):
    OF_METHODS |= {way: {"x": [1.0, 5000.0]} for way in (law.cdf, law.survival)}
    OF_METHODS |= {law.quantile: {"u": 0.5}, law.upper_quantile: {"s": 0.5}, law.draw: {"n": 5, "rng": RNG}}
for own in (COLUMN, OWN, DATES):
    OF_METHODS |= {
        own.bins: {"wanted": 2, "binning": ldp.OwnBinning()},
        own.k_max: {"binning": ldp.OwnBinning()},
        own.unit: {"binning": ldp.OwnBinning()},
        own.usable: {"binning": ldp.OwnBinning()},
        own.histogram: {"k": 2, "n": 5, "seed": 0, "binning": ldp.OwnBinning()},
    }
for m in (GRR, OUE, OLH, SS):
    OF_METHODS |= {
        m.channel: {"which": "exact"},
        m.noise_variance: {"frequencies": THIRDS, "n": 10},
        m.total_variance: {"frequencies": THIRDS, "n": 10},
        m.share_of_the_way: {"steps": 5, "channel": "exact"},
        m.privatize: {"values": [0, 1], "rng": RNG},
        m.support_counts: {"reports": m.privatize([0, 1], RNG)},
        m.supports: {"reports": m.privatize([0, 1], RNG)},
        m.repeated_supports: {"values": [0], "reports": 2, "rng": RNG},
        m.sample_counts: {"histogram": COUNTS, "runs": 1, "rng": RNG},
        m.follow: {"value": 1, "kept_rng": RNG, "rng": RNG},
        m.with_eps: {"eps": 2.0},
        m.device: {"value": 1, "rng": RNG},
        m.device(0, RNG).hold: {"value": 1, "rng": RNG},
        m.device(0, RNG, memo=True).hold: {"value": 1, "rng": RNG},
    }
OF_THE_ADVISOR = {
    advisor.Accuracy: {"kind": "tv", "bound": 0.1, "level": 0.9},
    advisor.achieved: {"result": RESULT, "estimator": "mi", "accuracy": WIDE},
    advisor.are_equal: {"candidates": CANDIDATES},
    advisor.as_good: {"candidates": CANDIDATES},
    advisor.as_good_estimators: {"candidates": CANDIDATES},
    advisor.at: {"setting": SMALL, "sought": "n", "x": 50},
    advisor.best_of_each: {"candidates": CANDIDATES},
    advisor.close: {"first": ERROR, "second": ERROR},
    advisor.equal: {"first": ERROR, "second": ERROR},
    advisor.listed: {"names": ["a", "b"], "word": "or"},
    advisor.name_with_ties: {"candidate": CANDIDATES[0], "candidates": CANDIDATES},
    advisor.needed: {"setting": SMALL, "accuracy": WIDE, "sought": "n", "estimators": ["raw"], "data": None, "runs": 2},
    advisor.needed_users: {"setting": SMALL, "estimator": "raw", "accuracy": WIDE, "data": None, "runs": 2},
    advisor.possible_eps: {"setting": SMALL},
    advisor.quantile: {"values": [0.1, 0.2], "level": 0.5},
    advisor.ranked: {"candidates": CANDIDATES},
    advisor.raw_error: {"m": GRR, "frequencies": THIRDS, "n": 100, "accuracy": WIDE},
    advisor.raw_is_enough: {"m": GRR, "frequencies": THIRDS, "n": 100, "accuracy": WIDE},
    advisor.round_down: {"x": 1.2345, "digits": 2},
    advisor.round_up: {"x": 1.2345, "digits": 2},
    advisor.scaled: {"data": HISTOGRAM, "n": 10},
    advisor.smallest_eps: {"setting": SMALL, "estimator": "raw", "accuracy": WIDE, "data": None, "runs": 2},
    advisor.why: {"candidates": CANDIDATES, "accuracy": WIDE, "frequencies": THIRDS, "n": 100, "measured": "error"},
}
OF_THE_STUDY = {
    paper.AcsRecords: {"root": "nowhere"},
    paper.averages: {"details": DETAILS},
    paper.bars: {"details": DETAILS, "data": "poisson", "n": 20_000, "k": 50},
    paper.cells: {"details": DETAILS},
    paper.details: {"table": 1, "seed": 0, "settings_rows": CHUNK.by_setting()},
    paper.lines: {"details": DETAILS, "by": "k"},
    paper.published: {"table": 1},
    paper.reproduce_part: {"table": 1, "data": [], "mechanisms": ["GRR"], "runs": 1, "seed": 0},
    paper.settings: {"table": 1, "runs": 1, "seed": 0},
    paper.table_of: {"table": 1},
    tournament.answer: {"part": tournament.QuestionPart("several", "nothing", 0, 0)},
    tournament.auto_again: {"match": MATCH, "data": "uniform", "others": ["mi"], "runs": 1},
    tournament.auto_over_best: {"setting": SMALL, "others": ["mi"]},
    tournament.contest: {"match": MATCH},
    tournament.load: {"part": "questions"},
    tournament.matches: {"draw": 0, "seed": 0, "levels": tournament.LEVELS},
    tournament.over_best: {"cells": CELLS, "key": "mi"},
    tournament.paper_contest: {"match": tournament.PaperMatch(1, (SMALL,))},
    tournament.paper_matches: {"draw": -1, "seed": 0},
    tournament.paper_summary: {"frame": PAPER},
    tournament.question_parts: {"draw": 0, "seed": 0},
    tournament.rerun: {"loss": tournament.Loss("GRR", 1.0, 100, 3, "uniform", "nothing")},
    tournament.shuffled: {"frame": PAPER},
    tournament.users: {"data": "spike", "n": 10, "k": 3, "seed": 0},
    tournament.winner: {"cells": CELLS},
    tournament.worst_losses: {"draw": -1, "seed": 0},
}
OF_THEORY = {
    theory.attack_curve: {"m": GRR, "reports": [1, 2], "prior": THIRDS, "seed": 0},
    theory.attack_is_exact: {"m": GRR},
    theory.attack_success: {"m": GRR, "prior": THIRDS, "seed": 0},
    theory.attack_success_after: {"m": GRR, "reports": 2, "prior": THIRDS, "seed": 0},
    theory.averaged_variance: {"m": L_OSUE, "frequencies": THIRDS, "n": 10, "collections": 2},
    theory.best_unbiased_mse: {"k": 3, "eps": 1.0, "n": 10},
    theory.central_mse: {"eps": 1.0, "n": 10},
    theory.change_noticed: {"m": GRR, "reports": 1, "prior": THIRDS, "seed": 0},
    theory.changing_eps: {"m": L_OSUE, "reports": 5, "every": 2},
    theory.cramer_rao: {"m": GRR, "frequencies": THIRDS, "n": 10, "against": "users", "reports": 100, "seed": 0},
    theory.effective_eps_after: {"m": L_OSUE, "reports": 2},
    theory.linkability: {"m": GRR, "reports": 1, "prior": THIRDS, "seed": 0},
    theory.live: {"m": L_OSUE, "values": [0, 1], "rng": RNG, "prior": THIRDS},
    theory.observer_beliefs: {"m": L_GRR, "reports": [[0], [1]], "prior": THIRDS},
    theory.sampling_mse: {"frequencies": THIRDS, "n": 10},
    metrics.decompose: {"estimates": [THIRDS, THIRDS], "true": THIRDS},
    metrics.reduction: {"metric_mi": [1.0], "metric_ibu": [0.5]},
} | {metric: {"estimate": THIRDS, "true": THIRDS} for metric in metrics.METRICS.values()}
EVERY = OF_LDP | OF_ROOMS | OF_METHODS | OF_THE_ADVISOR | OF_THE_STUDY | OF_THEORY
# Run for minutes if all is right, load from a network, take nothing, or only keep what they are told.
NOT_HERE = {
    paper.reproduce, tournament.play, ldp.download_acs, ldp.secure_rng, paper.load_results, ldp.InfeasibleError,
    ldp.Refused, ldp.Estimator, ldp.Table, metrics.Metric, metrics.Decomposition, tournament.Cells,
    ldp.Device, ldp.Mechanism, ldp.LongitudinalMechanism,
}  # fmt: skip
# A path to nowhere is no wrong argument.
NO_FILE = {ldp.acs_records, paper.AcsRecords}

# What the parts of an argument are called where one of them is wrong.
PARTS = {
    "collections": "reports|m", "groups": "counts|n|m", "grid": "eps", "columns": "column", "eps_column": "column",
    "leave_out": "column", "words": "name", "names": "name|metric", "data": "a.csv|counts|reports",
    "out": "results", "estimators": "estimator",
}  # fmt: skip

WRONG = [
    None, "", "abc", b"x", 5, -1, 0, 1.5, math.nan, math.inf, -math.inf, 10**400, -(10**400), 2**70, 1e300, [], [[]],
    [[1, 2], [3]], ["a"], [None], [math.nan], [-1], [10**400], [1, 2, 3, 4], [[0.5, 0.3], [0.2, 0.1]], (1, 2), {},
    {"a": 1}, {"eps": "x"}, {1: 2}, object(), np.array(3), np.array([1j]), np.zeros((2, 0)), np.array(["a", None]),
    np.datetime64("2024-01-01"), Fraction(1, 3), Decimal("0.5"), pd.DataFrame(), pd.DataFrame({"a": [1]}), print,
    GRR, ldp.SquareWave(k=3, eps=1.0), SMALL, HISTOGRAM, {1, 2}, "\0", "a" * 200,
]  # fmt: skip


def named(function):
    """Return the name of a function, or of the one that a metric's record calls."""
    return getattr(function, "function", function).__qualname__


def wrong_calls(function, right, number):
    """Yield calls with one argument replaced, by so many wrong values each; the same ones every time."""
    draw = random.Random(f"{SEED} {named(function)}")  # noqa: S311 - no secret
    for name in right:
        for value in draw.sample(WRONG, min(number, len(WRONG))):
            yield name, value, right | {name: value}


def said_of(function, arguments):
    """Return what a call is refused with; None if it is not."""
    try:
        answer = function(**arguments)
        if inspect.isgenerator(answer):
            list(answer)
    except ldp.Refused as refused:
        return str(refused)
    except FileNotFoundError:
        if function not in NO_FILE:
            raise
    return None


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("function", EVERY, ids=named)
def test_a_wrong_argument_gets_a_sentence_that_names_one(function, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    names = "|".join((*inspect.signature(function).parameters, *EVERY[function]))
    for name, value, arguments in wrong_calls(function, EVERY[function], 6):
        try:
            said = said_of(function, arguments)
        except Exception as problem:
            pytest.fail(f"{name} = {value!r:.60}: {type(problem).__name__}: {problem}")
        if said is not None:
            assert re.search(rf"\b({names}|{PARTS.get(name, name)})\b", said), f"{name} = {value!r:.60}: {said}"


def switches(function):
    """Return the arguments that are True or False."""
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if str(p.annotation).removesuffix(" | None") in ("bool", "<class 'bool'>")]


@pytest.mark.parametrize("function", [f for f in EVERY if switches(f)], ids=named)
def test_a_word_is_neither_true_nor_false(function):
    right = EVERY[function]
    for name in switches(function):
        for word in ("no", 0, [True]):
            assert said_of(function, right | {name: word}) == f"{name} must be True or False; got {word!r}"
        assert said_of(function, right | {name: np.True_}) == said_of(function, right | {name: True})


def test_every_public_function_is_tried():
    # By name, because ldpcore.sweep is a function as well.
    rooms = "advisor collected datasets estimators experiment mechanisms paper sweep tables theory tournament".split()
    modules = [ldp, *(importlib.import_module(f"ldpcore.{room}") for room in rooms)]
    public = [getattr(module, name) for module in modules for name in module.__all__]
    # This module lists no names: public is what it defines.
    public += [each for each in vars(metrics).values() if getattr(each, "__module__", "") == metrics.__name__]
    functions = {each for each in public if inspect.isfunction(each) and not each.__name__.startswith("_")}
    assert functions <= set(EVERY) | NOT_HERE
