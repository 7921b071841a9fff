"""The sidebar: every setting as a widget, every widget in the URL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus, urlsplit

import streamlit as st

import ldpcore as ldp
from ldpui import cache, words
from ldpui.readable import long, short, significant
from ldpui.theme import IBU, is_dark

DATA = {ldp.distribution(name).label: name for name in ldp.DATASETS}
ONE_TIME, REPEATED = "once", "repeatedly"
_EPS = ("0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 1.25 1.5 1.75 2 2.5 3 3.5 4 4.5 5 6 7 8 9 10").split()
_EPS_INF = ("0.2 0.4 0.6 0.8 1 1.2 1.4 1.6 1.8 2 2.5 3 3.5 4 5 6 7 8 9 10 12 14 16 18 20").split()
_SHARES = [f"{share}%" for share in range(10, 100, 5)]
_USERS = [short(digit * 10**power) for power in range(2, 9) for digit in (1, 2, 5)] + ["1B"]
_BINS = ("2 3 4 5 6 8 10 12 15 20 25 30 40 50 60 70 80 90 100 120 150 200 250 300 400 500 600 700 800 900 1000").split()
_RUNS = "1 2 5 10 20 50 100".split()
_ITERATIONS = "1 3 10 30 100 300 1k 3k 10k 30k".split()
SEED_MAX = 2**31 - 1
CLOSER = ("Where the error is", "All estimators", "One user's report", "Take it away")
SORTS = ("the paper's order", "error of MI", "error of IBU", "gain Γ")


@dataclass(frozen=True)
class Control:
    """A setting in the URL: its key there, its default, and which words are allowed."""

    key: str
    default: Any
    allows: Callable[[str], bool]


def _one_of(key: str, default: str, options: Any) -> Control:
    allowed = frozenset(options)
    return Control(key, default, lambda word: word in allowed)


def _number(key: str, default: float, low: float, high: float) -> Control:
    def allows(word: str) -> bool:
        try:
            return low <= float(word) <= high
        except ValueError:
            return False

    return Control(key, default, allows)


def _switch(key: str, default: bool = False) -> Control:
    return Control(key, default, lambda word: word in ("true", "false"))


def parameter_key(data: str, name: str) -> str:
    return f"{data}_{name}"


# The shared controls, then those of single pages. The order is that of a link.
CONTROLS: dict[str, Control] = {
    control.key: control
    for control in (
        _one_of("data", "ACS income", DATA),
        *(
            _number(parameter_key(name, p.name), p.default, p.low, p.high)
            for name in ldp.DATASETS
            for p in ldp.distribution(name).parameters()
        ),
        _one_of("reports", ONE_TIME, (ONE_TIME, REPEATED)),
        _one_of("mechanism", "OUE", ldp.ONE_TIME),
        _one_of("chain", "L-OSUE", ldp.LONGITUDINAL),
        _one_of("eps", "2", _EPS),
        _one_of("eps_inf", "4", _EPS_INF),
        _one_of("share", "50%", _SHARES),
        _one_of("n", "20k", _USERS),
        _one_of("k", "100", _BINS),
        _one_of("runs", "20", _RUNS),
        _number("seed", 0, 0, SEED_MAX),
        _one_of("iterations", "10k", _ITERATIONS),
        _one_of("start", "uniform", ldp.STARTS),
        _one_of("channel", "exact", ("exact", "published")),
        _one_of("calibration", "published", ldp.CALIBRATIONS),
        _one_of("binning", "equal-width", ldp.BINNINGS),
        # Estimate
        _switch("raw"),
        _switch("limit"),
        _switch("full"),
        _switch("observed"),
        _one_of("axis", "linear", ("linear", "log")),
        _one_of("closer", CLOSER[0], CLOSER),
        # Compare
        _one_of("metric", "MSE", words.METRICS),
        _one_of("sort", SORTS[0], SORTS),
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


# What belongs to single pages stays as it is when a preset or a reset changes the setting.
_PAGES = ("raw", "limit", "full", "observed", "axis", "closer", "metric", "sort")


def apply(values: dict[str, Any]) -> None:
    """Set the shared controls to the given values, and to their defaults where none is given."""
    for key, control in CONTROLS.items():
        if key not in _PAGES:
            st.session_state[key] = values.get(key, control.default)


def privacy_words(eps: float, eps_inf: float, name: str) -> dict[str, str]:
    """Return the positions of the privacy sliders that come nearest to ε, or to ε₁ and ε∞."""

    def nearest(options: list[str], wanted: float) -> str:
        return min(options, key=lambda word: abs(float(word.rstrip("%")) - wanted))

    if name in ldp.ONE_TIME:
        return {"eps": nearest(_EPS, eps)}
    return {"eps_inf": nearest(_EPS_INF, eps_inf), "share": nearest(_SHARES, 100 * eps / eps_inf)}


def notes_on_link() -> list[str]:
    """Return a sentence for each value in the URL that no control can take; the widgets fall back to their defaults."""
    notes = []
    for key, word in st.query_params.items():
        control = CONTROLS.get(key)
        if control is not None and not control.allows(word):
            notes.append(
                f"The link asks for {key} = “{word[:40]}”, which is not possible here; {control.default} is used."
            )
    return notes


def link() -> str:
    """Return the address that reproduces what is on screen."""
    base = urlsplit(st.context.url or "")
    pairs = []
    for key, control in CONTROLS.items():
        value = st.session_state.get(key, control.default)
        if value is not None and value != control.default:
            word = str(value).lower() if isinstance(value, bool) else str(value)
            pairs.append(f"{key}={quote_plus(word)}")
    address = f"{base.scheme}://{base.netloc}{base.path}" if base.netloc else ""
    return address + ("?" + "&".join(pairs) if pairs else "")


# ---- widgets -----------------------------------------------------------------------


def _bound(key: str) -> dict[str, Any]:
    return {"key": key, "bind": "query-params"}


def choose(label: str, key: str, options: Any, **more: Any) -> Any:
    """Offer a list of words to choose from."""
    words_ = list(options)
    return st.selectbox(label, words_, index=words_.index(CONTROLS[key].default), **_bound(key), **more)


def slide(label: str, key: str, options: Any, **more: Any) -> Any:
    """Offer a scale to move on; the words are spaced evenly, whatever the numbers behind them."""
    return st.select_slider(label, list(options), value=CONTROLS[key].default, **_bound(key), **more)


def switch(label: str, key: str, **more: Any) -> bool:
    """Offer something to switch on."""
    return st.toggle(label, value=CONTROLS[key].default, **_bound(key), **more)


def pick(label: str, key: str, options: Any, **more: Any) -> Any:
    """Offer a few words side by side, one of which is always chosen."""
    default = CONTROLS[key].default
    return st.segmented_control(label, list(options), default=default, required=True, **_bound(key), **more)


def sidebar() -> ldp.Setting:
    """Draw the shared controls and return the setting that they stand for."""
    for key, value in st.session_state.pop("_open", {}).items():
        st.session_state[key] = value
    with st.sidebar:
        _preset_menu()
        data, params = _data_controls()
        name = _mechanism_controls()
        privacy = _privacy_controls(name)
        n, k = _size_controls()
        advanced = _advanced_controls()
        _link_controls()
    return ldp.Setting(data=data, params=params, mechanism=name, n=n, k=k, **privacy, **advanced)


def _preset_menu() -> None:
    with st.popover("Start from an example", icon=":material/auto_awesome:", width="stretch"):
        for name, (what, values) in PRESETS.items():
            st.button(name, key=f"preset_{name}", on_click=apply, args=(values,), width="stretch")
            st.caption(what)


def _data_controls() -> tuple[str, tuple[tuple[str, float], ...]]:
    label = choose("Data", "data", DATA, help="What the users hold: one number each, drawn from this distribution.")
    dist = ldp.distribution(DATA[label])
    with st.container(key="preview"):
        shown = st.empty()
    params = []
    if dist.parameters():
        with st.expander("Parameters of the distribution"):
            for p in dist.parameters():
                key = parameter_key(dist.name, p.name)
                value = st.number_input(p.name, p.low, p.high, float(p.default), format="%g", **_bound(key))
                params.append((p.name, float(value)))
    else:
        st.caption("ACS PUMS 2024, 1-Year: a stand-in for the paper's 2018 records.", help=dist.description)
    try:
        shown.html(_preview(cache.shape(dist.name, tuple(params))))
    except ValueError:
        shown.caption("These parameters do not make a distribution.")
    return dist.name, tuple(params)


def _preview(heights: list[float]) -> str:
    """Return a small drawing of a distribution's shape, as bars."""
    color = IBU.color(is_dark())
    bars = "".join(f'<div style="flex:1;height:{max(2.0, 100 * h):.1f}%;background:{color}"></div>' for h in heights)
    style = "display:flex;align-items:flex-end;gap:1px;height:44px;opacity:0.7"
    return f'<div role="img" aria-label="Shape of the distribution" style="{style}">{bars}</div>'


def _mechanism_controls() -> str:
    kind = pick(
        "Each user reports",
        "reports",
        (ONE_TIME, REPEATED),
        help="Once: a one-time mechanism. Repeatedly: a longitudinal one, which keeps its promise over many reports.",
    )
    if kind == REPEATED:
        name = choose("Mechanism", "chain", ldp.LONGITUDINAL, help=_mechanism_help(ldp.LONGITUDINAL))
    else:
        name = choose("Mechanism", "mechanism", ldp.ONE_TIME, help=_mechanism_help(ldp.ONE_TIME))
    st.caption(f"**{ldp.mechanism_class(name).full_name}.** {words.MECHANISMS[name]}")
    return str(name)


def _mechanism_help(names: tuple[str, ...]) -> str:
    head = "How the user blurs the value before sending it.\n\n"
    return head + "\n".join(f"- **{n}**, {ldp.mechanism_class(n).full_name}" for n in names)


def _privacy_controls(name: str) -> dict[str, Any]:
    if name in ldp.ONE_TIME:
        eps = slide("Privacy budget ε (small = private)", "eps", _EPS, help=words.EPS)
        return {"eps": float(eps)}
    eps_inf = float(slide("Budget of all reports, ε∞ (small = private)", "eps_inf", _EPS_INF, help=words.EPS_INF))
    share = slide("First report ε₁, as a share of ε∞", "share", _SHARES, help=words.SHARE)
    wanted = eps_inf * int(share[:-1]) / 100
    largest = ldp.max_eps(name, eps_inf)
    # Just below the bound: at the bound itself the second round would have nothing left to do.
    eps = min(wanted, 0.999 * largest)
    note = f"ε₁ = {significant(eps)}"
    if eps < wanted:
        note += (
            f", not {significant(wanted)}: {name} can't come nearer to ε∞, because its second round "
            "drops half of all true answers."
        )
    st.caption(note)
    return {"eps": eps, "eps_inf": eps_inf}


def _size_controls() -> tuple[int, int]:
    n = slide("Users n", "n", _USERS, help=words.N)
    k = slide("Bins k", "k", _BINS, help=words.K)
    return long(n), int(k)


def _advanced_controls() -> dict[str, Any]:
    with st.expander("Advanced"):
        runs = slide("Runs", "runs", _RUNS, help=words.RUNS)
        seed = st.number_input("Seed", 0, SEED_MAX, 0, help=words.SEED, **_bound("seed"))
        st.button("New seed", icon=":material/casino:", on_click=_next_seed, width="stretch")
        iterations = slide("IBU iterations, at most", "iterations", _ITERATIONS, help=words.ITERATIONS)
        start = choose("IBU starts from", "start", ldp.STARTS, help=_START_HELP)
        binning = choose("Bins", "binning", ldp.BINNINGS, help=_BINNING_HELP)
        channel = choose("IBU's channel", "channel", ("exact", "published"), help=_CHANNEL_HELP)
        calibration = choose("Calibration", "calibration", ldp.CALIBRATIONS, help=_CALIBRATION_HELP)
    return {
        "runs": int(runs),
        "seed": int(seed),
        "max_iter": long(iterations),
        "start": start,
        "binning": binning,
        "channel": channel,
        "calibration": calibration,
    }


def _next_seed() -> None:
    # Counting up gives fresh noise, and the way back is one step.
    st.session_state["seed"] = (int(st.session_state["seed"]) + 1) % SEED_MAX


def _link_controls() -> None:
    with st.container(horizontal=True):
        with st.popover("Copy link", icon=":material/link:"):
            st.caption("This address opens exactly what you see, for anybody.")
            st.code(link(), language=None, wrap_lines=True)
        st.button("Reset", icon=":material/restart_alt:", on_click=apply, args=({},))


_START_HELP = """Where IBU begins. *uniform*: all values equally likely, as in the paper. *observed*: the support
counts, one added to each. *mi*: the MI estimate, one user added to each bin. The limit is the same for all; after a
limited number of iterations the start still shows."""
_BINNING_HELP = """*equal-width*: k bins of equal width from the smallest to the largest value. *paper*: k + 1 such
bins, the last two merged, as the authors' code does it."""
_CHANNEL_HELP = """What IBU believes about the mechanism. *exact*: the true probabilities. *published*: what the
paper's code uses; it differs for L-GRR, L-BLH and L-OLH, where it leaves out a term."""
_CALIBRATION_HELP = """How the second round of L-GRR, L-BLH and L-OLH is set. *published*: as in the paper, which spends
less than ε₁. *tight*: so that the first report costs exactly ε₁. Of no effect for the other mechanisms."""
