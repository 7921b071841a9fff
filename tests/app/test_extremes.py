"""The ends of every control, mixed: a page shows a chart or says in a sentence why not, and never breaks."""

from itertools import combinations, product

import numpy as np
import pytest
from app_steps import COMPARE, ESTIMATE, charts, open_page, sentences, session_of

import ldpcore as ldp
from ldpui import cache
from ldpui.address import vocabulary
from pages.explore.compare.controls import SORTS
from pages.explore.estimate.controls import CLOSER

ENDS = {
    "eps": ("0.1", "10"),
    "eps_inf": ("0.2", "20"),
    "share": ("10%", "95%"),
    "n": ("100", "1B"),
    "k": ("2", "1000"),
    "runs": ("1", "2"),
    "iterations": ("1", "30"),
    "seed": (0, vocabulary.SEED_MAX),
    "start": ldp.STARTS,
    "channel": ("exact", "published"),
    "calibration": ldp.CALIBRATIONS,
    "binning": ldp.BINNINGS,
}
ON_ESTIMATE = {
    "raw": (False, True),
    "limit": (False, True),
    "full": (False, True),
    "observed": (False, True),
    "axis": ("linear", "log"),
    "closer": CLOSER,
    "metric": tuple(vocabulary.METRICS),
    "show": ("many", "one"),
    "intervals": (False, True),
    "collection": (1.0, 10_000.0),
}
ON_COMPARE = {"metric": tuple(vocabulary.METRICS), "sort": SORTS}
NAMES = ldp.ONE_TIME + ldp.LONGITUDINAL
# Full-report IBU has tests of its own; here it may not take longer than all the rest.
FULL_ENTRIES, FULL_RUNS = 200_000, 2


def with_mechanism(name: str) -> dict[str, str]:
    if name in ldp.ONE_TIME:
        return {"reports": "once", "mechanism": name}
    return {"reports": "repeatedly", "chain": name}


def mixed(ends: dict, pairs: list, number: int) -> list[dict]:
    """Give each pair of mechanism and data a mix of ends. Each column is a shuffled round, so all ends come equally."""
    shuffle = np.random.default_rng(number).permutation
    columns = {}
    for key, values in ends.items():
        columns[key] = [values[i % len(values)] for i in shuffle(len(pairs))]
    return [
        with_mechanism(name) | {"data": data} | {key: column[i] for key, column in columns.items()}
        for i, (name, data) in enumerate(pairs)
    ]


EVERY_PAIR = list(product(NAMES, vocabulary.DATA))
ESTIMATE_GRID = mixed(ENDS | ON_ESTIMATE, EVERY_PAIR, 1)
COMPARE_GRID = mixed(ENDS | ON_COMPARE, EVERY_PAIR[::2], 2)
HEAVY = [
    {"data": "ACS income", "mechanism": "OUE", "k": "1000", "runs": "100", "iterations": "300", "n": "1B"},
    {"data": "Poisson", "mechanism": "SS", "k": "1000", "runs": "5", "iterations": "30k", "eps": "10"},
    {"data": "Gaussian", "mechanism": "GRR", "k": "1000", "runs": "2", "eps": "0.1", "iterations": "30k"},
    {"data": "Exponential", "mechanism": "OLH", "k": "150", "runs": "2", "full": True, "n": "1k"},
]


def words_of(state: dict) -> str:
    return "-".join(str(value) for value in state.values())


def check(at) -> set[str]:
    """Look at what a page says; the names of its charts."""
    assert not at.exception, [e.value for e in at.exception]
    said, drawn = sentences(at), set(charts(at))
    assert "estimate_chart" in drawn or any(key.startswith("compare_") for key in drawn) or said
    for text in said:
        assert "Traceback" not in text
        assert "went wrong" not in text
        assert text.strip().endswith((".", "!", "?")), text
        assert ".." not in text, text
    return drawn


@pytest.mark.parametrize("state", ESTIMATE_GRID, ids=words_of)
def test_estimate_at_the_ends(state, monkeypatch):
    monkeypatch.setattr(cache, "FULL_ENTRIES", FULL_ENTRIES)
    monkeypatch.setattr(cache, "FULL_RUNS", FULL_RUNS)
    at = open_page(ESTIMATE, state)
    assert "estimate_chart" in check(at)
    assert not at.error


@pytest.mark.parametrize("state", COMPARE_GRID, ids=words_of)
def test_compare_at_the_ends(state):
    check(open_page(COMPARE, state))


@pytest.mark.parametrize("state", HEAVY, ids=words_of)
def test_estimate_with_much_to_do(state):
    check(open_page(ESTIMATE, state))


def test_the_grid_holds_every_end():
    for grid, ends in ((ESTIMATE_GRID, ENDS | ON_ESTIMATE), (COMPARE_GRID, ENDS | ON_COMPARE)):
        for key, values in ends.items():
            assert {state[key] for state in grid} == set(values), key
    assert {(s.get("mechanism", s.get("chain")), s["data"]) for s in ESTIMATE_GRID} == set(EVERY_PAIR)
    # Any two ends of two controls meet on some page: most of what breaks, breaks by two.
    for (one, its), (other, others) in combinations({k: v for k, v in ENDS.items() if len(v) == 2}.items(), 2):
        met = {(state[one], state[other]) for state in ESTIMATE_GRID}
        assert met == set(product(its, others)), (one, other)


@pytest.mark.parametrize("key", ["eps", "eps_inf", "share", "n", "k"])
def test_the_ends_are_those_of_the_sliders(key):
    at = open_page(state={"reports": "repeatedly" if key in ("eps_inf", "share") else "once", "runs": "2"})
    options = at.select_slider(key=key).options
    assert (options[0], options[-1]) == ENDS[key]


@pytest.mark.parametrize("name", ["L-OUE", "L-SUE", "L-SOUE", "L-OSUE", "L-GRR"])
@pytest.mark.parametrize("eps_inf", ["0.2", "4", "20"])
def test_a_share_that_cannot_be_is_capped_with_a_reason(name, eps_inf):
    state = with_mechanism(name) | {"eps_inf": eps_inf, "share": "95%", "k": "10", "runs": "2"}
    at = open_page(state=state)
    check(at)
    setting = session_of(at).setting
    wanted = 0.95 * float(eps_inf)
    assert setting.eps < ldp.max_eps(name, float(eps_inf))
    reasons = [caption.value for caption in at.sidebar.caption if "because" in caption.value]
    assert bool(reasons) == (setting.eps < wanted)


def test_the_share_of_l_oue_is_capped():
    at = open_page(state=with_mechanism("L-OUE") | {"share": "95%", "k": "10", "runs": "2"})
    assert session_of(at).setting.eps < 0.95 * 4
    assert any("L-OUE" in caption.value for caption in at.sidebar.caption)


EXTREME_PARAMETERS = [
    ("Gaussian", {"gaussian_mean": -1e9, "gaussian_sd": 1e-9}),
    ("Gaussian", {"gaussian_mean": 0.0, "gaussian_sd": 1e9}),
    ("Exponential", {"exponential_rate": 1e9}),
    ("Exponential", {"exponential_rate": 1e-6}),
    ("Uniform", {"uniform_low": -1e9, "uniform_high": 1e9}),
    ("Uniform", {"uniform_low": 10_000.0, "uniform_high": 10_000.0}),
    ("Poisson", {"poisson_rate": 1e6}),
    ("Poisson", {"poisson_rate": 1e-3}),
    ("Triangular", {"triangular_left": 4500.0, "triangular_mode": 4500.0, "triangular_right": 4500.0}),
    ("Triangular", {"triangular_left": 4500.0, "triangular_mode": 4500.0, "triangular_right": 4501.0}),
]


@pytest.mark.parametrize(("data", "values"), EXTREME_PARAMETERS, ids=str)
@pytest.mark.parametrize("log", ["linear", "log"])
def test_odd_parameters_of_a_distribution(data, values, log):
    check(open_page(ESTIMATE, {"data": data, "n": "1k", "k": "10", "runs": "2", "axis": log} | values))
