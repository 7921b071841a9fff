"""Every setting by its key in the URL: what it may be, what it is if nothing is said, and links made of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus, urlsplit

import streamlit as st

import ldpcore as ldp
from ldpui import own, words
from ldpui.readable import short

DATA = {ldp.distribution(name).label: name for name in ldp.DATASETS}
OWN = "Your data"
ONE_TIME, REPEATED = "once", "repeatedly"
EPS = ("0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 1.25 1.5 1.75 2 2.5 3 3.5 4 4.5 5 6 7 8 9 10").split()
EPS_INF = ("0.2 0.4 0.6 0.8 1 1.2 1.4 1.6 1.8 2 2.5 3 3.5 4 5 6 7 8 9 10 12 14 16 18 20").split()
SHARES = [f"{share}%" for share in range(10, 100, 5)]
USERS = [short(digit * 10**power) for power in range(2, 9) for digit in (1, 2, 5)] + ["1B"]
BINS = ("2 3 4 5 6 8 10 12 15 20 25 30 40 50 60 70 80 90 100 120 150 200 250 300 400 500 600 700 800 900 1000").split()
RUNS = "1 2 5 10 20 50 100".split()
ITERATIONS = "1 3 10 30 100 300 1k 3k 10k 30k".split()
SEED_MAX = 2**31 - 1
REPORTS_MAX = 10**6
CLOSER = ("Where the error is", "All estimators", "One user's report", "Take it away")
VIEWS = ("curves", "gain map", "best mechanism")
SHARES_CUT = ("0%", "0.1%", "0.5%", "1%", "2%", "5%")
SOLVE = ("how accurate", "which ε", "how many users")
GOALS = ("every bin", "total variation")
POINTS = "0.1 0.2 0.3 0.5 1 2 3 5 10".split()
TV_BOUNDS = "0.01 0.02 0.03 0.05 0.1 0.2".split()
WHAT_IF = ("other ε or n", "other k", "other data")
AGAINST = {"ε": "eps", "n": "n", "k": "k"}
DRAW = ("error", "gain Γ")
ESTIMATORS = {"MI": "mi", "IBU": "ibu", "IBU limit": "limit"}
TABLES = ("Table 1, reporting once", "Table 2, reporting repeatedly")
VALUES = {
    "printed in the paper": "published",
    "reproduced": "as published",
    "exact channel": "exact channel",
    "at convergence": "at convergence",
}
FIGURES = ("Figure 1", "Figure 2", "Figure 3", "Figure 4")
# Your reports
REPORTS, COUNTS = "reports", "support counts"
SAME, COLUMN = "the same for all", "in a column"
OWN_HASH, PEERS_HASH = "splitmix64 (this project)", "xxh32 (multi-freq-ldpy, pure-ldp)"
SEED_VALUE, VALUE_SEED = "seed, value", "value, seed"
REPORT_BINS_MAX, REPORT_USERS_MAX = 10_000, 10**12
REPORT_LINES = ("MI", "IBU", "IBU limit", "Full-report IBU")
REPORT_EXAMPLES = (
    "chosen mechanism",
    "support counts",
    "GRR values",
    "bits in columns",
    "bits as strings",
    "subsets",
    "hashed pairs",
    "noisy histograms",
    "multi-freq-ldpy, hashed pairs",
    "multi-freq-ldpy, bits",
    "pure-ldp, hashed pairs",
    "users with different ε",
    "a wrong ε",
)
SORTS = ("the paper's order", "error of MI", "error of IBU", "gain Γ")


@dataclass(frozen=True)
class Control:
    """A setting in the URL: its key there, its default, and which words are allowed."""

    key: str
    default: Any
    allows: Callable[[str], bool]
    page: bool = False  # belongs to single pages: presets and reset leave it alone


def _one_of(key: str, default: Any, options: Any, page: bool = False) -> Control:
    """Return a control for one word of a list, or for several (then the default is a tuple)."""
    allowed = frozenset(options)
    return Control(key, default, lambda word: word in allowed, page)


def _number(
    key: str, default: float | None, low: float = -math.inf, high: float = math.inf, page: bool = False
) -> Control:
    """Return a control for a finite number; a whole one if the default is."""

    def allows(word: str) -> bool:
        try:
            number = float(word)
        except ValueError:
            return False
        return low <= number <= high and math.isfinite(number) and (not isinstance(default, int) or number.is_integer())

    return Control(key, default, allows, page)


def _switch(key: str, page: bool = True) -> Control:
    return Control(key, False, lambda word: word in ("true", "false"), page)


def parameter_key(data: str, name: str) -> str:
    return f"{data}_{name}"


# The shared controls, then those of single pages. The order is that of a link.
CONTROLS: dict[str, Control] = {
    control.key: control
    for control in (
        _one_of("data", "ACS income", (*DATA, OWN)),
        _switch("resample", page=False),
        *(
            _number(parameter_key(name, p.name), p.default, p.low, p.high)
            for name in ldp.DATASETS
            for p in ldp.distribution(name).parameters()
        ),
        _one_of("reports", ONE_TIME, (ONE_TIME, REPEATED)),
        _one_of("mechanism", "OUE", ldp.ONE_TIME),
        _one_of("chain", "L-OSUE", ldp.LONGITUDINAL),
        _one_of("eps", "2", EPS),
        _one_of("eps_inf", "4", EPS_INF),
        _one_of("share", "50%", SHARES),
        _one_of("n", "20k", USERS),
        _one_of("k", "100", BINS),
        _one_of("runs", "20", RUNS),
        _number("seed", 0, 0, SEED_MAX),
        _one_of("iterations", "10k", ITERATIONS),
        _one_of("start", "uniform", ldp.STARTS),
        _one_of("channel", "exact", ("exact", "published")),
        _one_of("calibration", "published", ldp.CALIBRATIONS),
        _one_of("binning", "equal-width", ldp.BINNINGS),
        # Estimate
        _switch("raw"),
        _switch("limit"),
        _switch("full"),
        _switch("observed"),
        _one_of("axis", "linear", ("linear", "log"), page=True),
        _one_of("closer", CLOSER[0], CLOSER, page=True),
        _one_of("image", "PNG", ("PNG", "SVG"), page=True),
        _number("own", 0, 0, 999, page=True),
        _number("report", 1, 1, REPORTS_MAX, page=True),
        # Compare
        _one_of("metric", "MSE", words.METRICS, page=True),
        _one_of("sort", SORTS[0], SORTS, page=True),
        _one_of("mechanisms", ldp.ONE_TIME + ldp.LONGITUDINAL, ldp.ONE_TIME + ldp.LONGITUDINAL, page=True),
        # Trade-off
        _one_of("view", VIEWS[0], VIEWS, page=True),
        _one_of("against", "ε", AGAINST, page=True),
        _one_of("draw", DRAW[0], DRAW, page=True),
        _one_of("estimators", ("MI", "IBU"), ESTIMATORS, page=True),
        _one_of("beside", (), ldp.ONE_TIME + ldp.LONGITUDINAL, page=True),
        _one_of("over", "k", ("n", "k"), page=True),
        # Your data
        _switch("own_bare"),
        _one_of("own_scale", "linear", ("linear", "log"), page=True),
        _one_of("own_clip", "0%", SHARES_CUT, page=True),
        _number("own_low", None, page=True),
        _number("own_high", None, page=True),
        _one_of("own_rare", "0%", SHARES_CUT, page=True),
        # Your reports
        _one_of("r_mechanism", "OUE", ldp.ONE_TIME + ldp.LONGITUDINAL, page=True),
        _number("r_k", 20, 2, REPORT_BINS_MAX, page=True),
        _number("r_eps", 1.0, 1e-4, 50, page=True),
        _number("r_eps_inf", 2.0, 1e-4, 100, page=True),
        _one_of("r_calibration", "published", ldp.CALIBRATIONS, page=True),
        _one_of("r_family", OWN_HASH, (OWN_HASH, PEERS_HASH), page=True),
        _one_of("r_holds", REPORTS, (REPORTS, COUNTS), page=True),
        _number("r_n", 0, 0, REPORT_USERS_MAX, page=True),
        _one_of("r_each", SAME, (SAME, COLUMN), page=True),
        _one_of("r_pair", VALUE_SEED, (SEED_VALUE, VALUE_SEED), page=True),
        _switch("r_bare"),
        _one_of("r_lines", ("IBU", "Full-report IBU"), REPORT_LINES, page=True),
        _one_of("r_example", REPORT_EXAMPLES[0], REPORT_EXAMPLES, page=True),
        # Advisor
        _one_of("solve", SOLVE[0], SOLVE, page=True),
        _one_of("goal", GOALS[0], GOALS, page=True),
        _one_of("points", "1", POINTS, page=True),
        _one_of("tv", "0.05", TV_BOUNDS, page=True),
        _switch("iterated"),
        _one_of("what_if", WHAT_IF[0], WHAT_IF, page=True),
        # The paper
        _one_of("table", TABLES[0], TABLES, page=True),
        _one_of("value", "reproduced", VALUES, page=True),
        _one_of("minus", "nothing", ("nothing", *VALUES), page=True),
        _one_of("figure", FIGURES[0], FIGURES, page=True),
        _number("paper_seed", 0, 0, SEED_MAX, page=True),
        _one_of("gain_metric", "MSE", ("MSE", "MAE"), page=True),
    )
}

PRESETS: dict[str, tuple[str, dict[str, Any]]] = {
    "The paper's example": (
        "ACS income, OUE, ε = 2, 20 000 users, 100 bins: Figure 1 of the paper.",
        {"data": "ACS income", "mechanism": "OUE", "eps": "2", "n": "20k", "k": "100"},
    ),
    "High privacy": (
        "ε = 0.3: what is left when reports say almost nothing.",
        {"data": "Gaussian", "mechanism": "SS", "eps": "0.3", "n": "100k", "k": "50"},
    ),
    "Small survey": (
        "1 000 people, 10 answers, the sensitive question on paper.",
        {"data": "Poisson", "mechanism": "GRR", "eps": "2", "n": "1k", "k": "10"},
    ),
    "Browser telemetry": (
        "A hundred million browsers report again and again, as in RAPPOR.",
        {"data": "Exponential", "reports": REPEATED, "chain": "L-SUE", "eps_inf": "4", "n": "100M", "k": "1000"},
    ),
    "A poor choice worth seeing": (
        "GRR with 500 bins at ε = 1: the noise buries everything. Then try OLH.",
        {"data": "Triangular", "mechanism": "GRR", "eps": "1", "n": "20k", "k": "500"},
    ),
}


def apply(values: dict[str, Any]) -> None:
    """Set the shared controls to the given values, and to their defaults where none is given."""
    for key, control in CONTROLS.items():
        if not control.page:
            st.session_state[key] = values.get(key, control.default)


def privacy_words(eps: float, eps_inf: float, name: str) -> dict[str, str]:
    """Return the positions of the privacy sliders that come nearest to ε, or to ε₁ and ε∞."""

    def nearest(options: list[str], wanted: float) -> str:
        return min(options, key=lambda word: abs(float(word.rstrip("%")) - wanted))

    if name in ldp.ONE_TIME:
        return {"eps": nearest(EPS, eps)}
    return {"eps_inf": nearest(EPS_INF, eps_inf), "share": nearest(SHARES, 100 * eps / eps_inf)}


def notes_on_link() -> list[str]:
    """Return a sentence for each value in the URL that no control can take; the widgets fall back to their defaults."""
    notes = []
    for key in list(st.query_params):
        control = CONTROLS.get(key)
        if control is None:
            continue
        several = isinstance(control.default, tuple)
        # Nothing chosen is a choice too, where several can be.
        bad = [w for w in st.query_params.get_all(key) if not control.allows(w) and (w or not several)]
        if not bad:
            continue
        instead = "it is left out" if several or control.default is None else f"{_said(control.default)} is used"
        notes.append(f"The link asks for {key} = “{bad[0][:40]}”, which is not possible here; {instead}.")
    return notes


def _said(value: Any) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def own_words_of_link() -> dict[str, Any]:
    """Return how the link wants the reader's own data to be binned; the controls for it are on a page of their own."""
    found: dict[str, Any] = {}
    for key in ("own_scale", "own_clip", "own_low", "own_high", "own_rare"):
        control, word = CONTROLS[key], st.query_params.get(key, "")
        if word and control.allows(word):
            found[key] = float(word) if control.default is None else word
    return found


def link(changes: dict[str, Any] | None = None) -> str:
    """Return the query of the address that reproduces what is on screen, with other values where given."""
    # How own data is binned is chosen on a page of its own, and holds on all others.
    mine = own.words() if st.session_state.get("data") == OWN else {}
    shown = {key: st.session_state.get(key, mine.get(key, control.default)) for key, control in CONTROLS.items()}
    return query(shown | (changes or {}))


def query(values: dict[str, Any]) -> str:
    """Return the query that asks for these values; those that are the default need not be said."""
    pairs = []
    for key, control in CONTROLS.items():
        several = isinstance(control.default, tuple)
        value = values.get(key, control.default)
        whole = isinstance(control.default, int) and not isinstance(control.default, bool)
        if value is None or (tuple(value) if several else value) == control.default:
            continue
        for part in value if several else [value]:
            word = str(part).lower() if isinstance(part, bool) else f"{part:.0f}" if whole else str(part)
            pairs.append(f"{key}={quote_plus(word)}")
    return "?" + "&".join(pairs) if pairs else ""


def address() -> str:
    """Return the address of the page on screen, without its query."""
    base = urlsplit(st.context.url or "")
    return f"{base.scheme}://{base.netloc}{base.path}" if base.netloc else ""
