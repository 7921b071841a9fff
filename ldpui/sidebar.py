"""The shared controls: every part of a setting as a widget, in the sidebar or as questions on a page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import lru_cache
from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpcore.datasets.acs import AcsIncome
from ldpui import bin_choice, cache, clock, glossary, session, widgets
from ldpui import privacy as budgets
from ldpui.address import link_box, links, presets, vocabulary
from ldpui.format import budget, plain
from ldpui.own import NoDataError, Upload
from ldpui.theme import IBU, is_dark

# The key of the box with what seldom has to be changed, and what is in it.
ADVANCED = "advanced"
_ADVANCED = ("runs", "iterations", "stop", "tol", "start", "binning", "channel", "calibration")
# Data without parameters is described where their box would be. By name, what is said in place of a description that is
# too long for the sidebar.
_BRIEFLY = {AcsIncome.name: "ACS PUMS 2024, 1-Year: a stand-in for the paper's 2018 records."}


def sidebar() -> ldp.Setting:
    """Draw the shared controls and return the setting that they stand for.

    Privacy, users and bins stand in a row on the page, above what they change; all else is in the sidebar.
    """
    with st.sidebar:
        presets.menu()
        name = _mechanism_controls(_kind_control())
        if ldp.mechanism_class(name).longitudinal:
            _share_control(name, _at("eps_inf"))
        data = _data_controls()
        advanced, clock_place = _advanced_controls(_upload(data), name)
        link_box.draw()
    with _below_for_an_audience(), st.container(key="dials"):
        privacy_place, users_place, bins_place = st.columns(3, gap="medium")
        with privacy_place:
            privacy = _privacy_controls(name)
        with users_place:
            n = _users_control(data)
        with bins_place:
            bins = bin_choice.choose(data, n, _upload(data))
    bins.explain()
    presets.callout()
    s = _setting(name, advanced | data | privacy | {"n": n, "k": bins.k, "binning": bins.binning})
    if clock_place is not None:
        clock_place.caption(clock.words(s.make_mechanism(), s.max_iter, s.start, s.channel), help=glossary.CLOCK)
    return s


def foreseen() -> ldp.Setting | None:
    """Return the setting that the shared controls will stand for, before they are drawn; None where that is not known.

    Not known are own data, as many bins as there are values, and what does not go together.
    """
    data = vocabulary.DATA.get(links.value("data"))
    if data is None or links.value("binning") == bin_choice.VALUES:
        return None
    name = str(links.value("chain" if links.value("reports") == vocabulary.REPEATED else "mechanism"))
    with suppress(ldp.Refused):
        fields = _advanced() | _privacy_controls(name, asked=False) | {"data": data, "params": _params(data)}
        return ldp.Setting(mechanism=name, n=int(_at("n")), k=int(_at("k")), binning=links.value("binning"), **fields)
    return None


def questions(unasked: Collection[str] = ()) -> ldp.Setting:
    """Draw the shared controls as questions on the page, for one that looks at all mechanisms at once.

    Of the setting that is returned, the mechanism says only whether the users report once or repeatedly. `unasked` may
    hold "privacy" and "users", where they are what the page is to find out; the setting has what they stood at last.
    """
    what, how, many = st.columns(3, gap="medium")
    with what:
        data = _data_controls()
    with how:
        kind = _kind_control()
        name = budgets.stand_in(kind == vocabulary.REPEATED)
        privacy = _privacy_controls(name, asked="privacy" not in unasked)
        if kind == vocabulary.REPEATED:
            _share_control(name, privacy["eps_inf"] if "privacy" not in unasked else None)
    with many:
        n = _users_control(data, asked="users" not in unasked)
        bins = bin_choice.choose(data, n, _upload(data))
        bins.explain()
        # The page may go on to other numbers of users; as many bins of equal width hold one value each too.
        binning = bin_choice.EQUAL_WIDTH if bins.binning == bin_choice.VALUES else bins.binning
    with st.sidebar:
        advanced, clock_place = _advanced_controls(_upload(data))
        link_box.draw()
    s = _setting(name, advanced | data | privacy | {"n": n, "k": bins.k, "binning": binning})
    _clocks(s, ldp.LONGITUDINAL if s.eps_inf is not None else ldp.ONE_TIME, clock_place)
    return s


def repeated() -> ldp.Setting:
    """Draw the shared controls for a page on users who report repeatedly, whatever other pages are set to.

    Both budgets stand above the page. Of the setting that is returned the mechanism says nothing.
    """
    name = budgets.stand_in(longitudinal=True)
    with st.sidebar:
        data = _data_controls()
        advanced, clock_place = _advanced_controls(_upload(data))
        link_box.draw()
    with _below_for_an_audience(), st.container(key="dials"):
        budget, share, users, bins_place = st.columns(4, gap="medium")
        with budget:
            _dial("Privacy ε∞ of all reports", "eps_inf", glossary.EPS_INF)
        with share:
            _share_control(name, _at("eps_inf"))
        with users:
            n = _users_control(data)
        with bins_place:
            bins = bin_choice.choose(data, n, _upload(data))
    bins.explain()
    eps_inf = _at("eps_inf")
    privacy = {"eps": first_report(name, eps_inf, _at("share") / 100)[0], "eps_inf": eps_inf}
    s = _setting(name, advanced | data | privacy | {"n": n, "k": bins.k, "binning": bins.binning})
    _clocks(s, ldp.LONGITUDINAL, clock_place)
    return s


def _clocks(s: ldp.Setting, names: Sequence[str], place: Any) -> None:
    """Say what the steps are worth for the mechanisms of a page on many of them: each has a clock of its own."""
    if place is None:
        return
    possible = []
    for name in names:
        with suppress(ldp.Refused):
            possible.append(budgets.same_privacy(s, name).make_mechanism())
    place.caption(clock.range_words(possible, s.max_iter, s.start, s.channel), help=glossary.CLOCK)


def _below_for_an_audience() -> AbstractContextManager[Any]:
    """Put what follows under what is shown to an audience, and else where it stands."""
    return st.bottom if links.value("present") else nullcontext()


def _setting(name: str, fields: dict[str, Any]) -> ldp.Setting:
    # The page ends here if there is no data, and no sooner: a control that is not drawn loses its value.
    if fields["data"] == ldp.OWN_DATA and session.current().own.upload is None:
        raise NoDataError
    return ldp.Setting(mechanism=name, **fields)


def _data_controls() -> dict[str, Any]:
    names = (*vocabulary.DATA, vocabulary.OWN)
    label = widgets.choose("Data", "data", names, help=glossary.DATA, on_change=bin_choice.suit_data)
    if label == vocabulary.OWN:
        return _own_data()
    dist = ldp.distribution(vocabulary.DATA[label])
    params = _params(dist.name)
    try:
        st.html(_preview(cache.shape(dist.name, params)))
    except ldp.Refused:
        st.caption("These parameters do not make a distribution.")
    if params:
        with st.expander("Parameters of the distribution"):
            for p in dist.parameters():
                bound = widgets.bound(links.parameter_key(dist.name, p.name))
                st.number_input(p.name, p.low, p.high, float(p.default), format="%g", **bound)
    else:
        st.caption(_BRIEFLY.get(dist.name, dist.description), help=dist.description if dist.name in _BRIEFLY else None)
    return {"data": dist.name, "params": params}


def _params(data: str) -> tuple[tuple[str, float], ...]:
    """Return what the parameters of a distribution stand at."""
    names = [p.name for p in ldp.distribution(data).parameters()]
    return tuple((name, float(links.value(links.parameter_key(data, name)))) for name in names)


def _own_data() -> dict[str, Any]:
    """Say which data is meant, and ask whether other numbers of users are to be drawn from it."""
    upload = session.current().own.upload
    if upload is None:
        return {"data": ldp.OWN_DATA}
    counts = upload.histogram(upload.bins(60)).counts
    st.html(_preview([float(c) for c in counts / counts.max()]))
    st.caption(f"{plain(upload.column)}: {upload.users:,} rows, in this session only.")
    widgets.switch("Another number of users", "resample", help=glossary.RESAMPLE)
    return {"data": ldp.OWN_DATA}


def _preview(heights: Sequence[float]) -> str:
    """Return a small drawing of a distribution's shape, as bars."""
    return _bars(tuple(heights), IBU.color(is_dark()))


@lru_cache(maxsize=64)
def _bars(heights: tuple[float, ...], color: str) -> str:
    bars = "".join(f'<div style="flex:1;height:{max(2.0, 100 * h):.1f}%;background:{color}"></div>' for h in heights)
    style = "display:flex;align-items:flex-end;gap:1px;height:44px;opacity:0.7"
    return f'<div role="img" aria-label="Shape of the distribution" style="{style}">{bars}</div>'


def _kind_control() -> str:
    kind = widgets.pick(
        "Each user reports",
        "reports",
        (vocabulary.ONE_TIME, vocabulary.REPEATED),
        help="Once: a one-time mechanism. Repeatedly: a longitudinal one, which keeps its promise over many reports.",
    )
    return str(kind)


def _mechanism_controls(kind: str) -> str:
    key, names = ("chain", ldp.LONGITUDINAL) if kind == vocabulary.REPEATED else ("mechanism", ldp.ONE_TIME)
    name = str(widgets.choose("Mechanism", key, names, help=_mechanism_help(names)))
    chosen = ldp.mechanism_class(name)
    st.caption(f"**{chosen.full_name}.** {chosen.summary}")
    return name


@lru_cache(maxsize=8)
def _mechanism_help(names: tuple[str, ...]) -> str:
    head = "How the user blurs the value before sending it.\n\n"
    return head + "\n".join(f"- **{n}**, {ldp.mechanism_class(n).full_name}" for n in names)


def _privacy_controls(name: str, asked: bool = True) -> dict[str, Any]:
    if not ldp.mechanism_class(name).longitudinal:
        return {"eps": _dial("Privacy ε (small = private)", "eps", glossary.EPS, asked)}
    eps_inf = _dial("Privacy ε∞ of all reports", "eps_inf", glossary.EPS_INF, asked)
    return {"eps": first_report(name, eps_inf, _at("share") / 100)[0], "eps_inf": eps_inf}


def _share_control(name: str, eps_inf: float | None) -> None:
    """Offer the share of the first report; say what it comes to, if ε∞ is known."""
    share = _dial("First report ε₁, as a share of ε∞", "share", glossary.SHARE)
    if eps_inf is not None:
        st.caption(first_report(name, eps_inf, share / 100)[1])


def _dial(label: str, key: str, what: str, asked: bool = True) -> float:
    """Offer a number, or return where it stands if it is not asked for."""
    return vocabulary.SCALES[key].number(widgets.dial(label, key, help=what)) if asked else _at(key)


def _at(key: str) -> float:
    """Return where a number stands, whether it is drawn or not."""
    return vocabulary.SCALES[key].number(str(links.value(key)))


def first_report(name: str, eps_inf: float, share: float) -> tuple[float, str]:
    """Return the ε₁ that is possible nearest to the wanted share of ε∞, and a sentence on it."""
    wanted = eps_inf * share
    # Just below the bound: at the bound itself the second round would have nothing left to do.
    eps = min(wanted, 0.999 * ldp.max_eps(name, eps_inf))
    note = f"ε₁ = {budget(eps)}"
    if eps < wanted:
        note += f", not {budget(wanted)}: {name} can't come nearer to ε∞"
        halved = ", because its second round keeps a yes in only half of all cases"
        note += f"{halved if _halves(name, eps, eps_inf) else ''}."
    return eps, note


def _halves(name: str, eps: float, eps_inf: float) -> bool:
    """Tell whether the second round of a mechanism leaves half of all bits that are 1."""
    with suppress(ldp.Refused):
        rounds = ldp.mechanism(name, k=4, eps=eps, eps_inf=eps_inf).rounds
        return rounds is not None and rounds.cells is None and rounds.p2 == 0.5
    return False


def _users_control(data: dict[str, Any], asked: bool = True) -> int:
    upload = _upload(data)
    if upload is None or links.value("resample"):
        return int(_dial("Users n", "n", glossary.N, asked))
    st.caption(f"n = {upload.users:,}: the rows of your data.")
    return upload.users


def _upload(data: dict[str, Any]) -> Upload | None:
    return session.current().own.upload if data["data"] == ldp.OWN_DATA else None


def _advanced_controls(upload: Upload | None, name: str | None = None) -> tuple[dict[str, Any], Any]:
    """Offer what seldom has to be changed; return what it stands at, and the place for IBU's clock if there is one."""
    clock_place = None
    with st.expander("Advanced", key=ADVANCED, on_change="rerun") as box:
        # The seed is drawn even while the box is closed: tests and benchmarks/load.py change it, and open no box.
        widgets.whole_number("Seed", "seed", 0, vocabulary.SEED_MAX, help=glossary.SEED)
        # A closed box is left empty, to save time. But Streamlit takes a control that is not drawn out of the address,
        # so all of them are drawn where one is not at its default.
        if box.open or links.in_use(_ADVANCED):
            clock_place = _draw_advanced(upload, name)
    return _advanced(), clock_place


def _advanced() -> dict[str, Any]:
    """Return what the controls stand at that seldom have to be changed."""
    return {
        "runs": int(links.value("runs")),
        "seed": round(links.value("seed")),
        "max_iter": int(_at("iterations")),
        "stop": links.value("stop"),
        "tol": float(links.value("tol")),
        "start": links.value("start"),
        "channel": links.value("channel"),
        "calibration": links.value("calibration"),
    }


def _draw_advanced(upload: Upload | None, name: str | None) -> Any:
    """Draw the controls; say what has no effect on the data or on the mechanism, if there is one.

    Returned is the place below the number of steps, for what they are worth: that hangs on controls still to come.
    """
    mechanism = None if name is None else ldp.mechanism_class(name)
    decided = upload is not None and upload.decides_bins
    st.button("New seed", icon=":material/casino:", on_click=_next_seed, width="stretch")
    widgets.slide("Runs", "runs", vocabulary.RUNS, help=glossary.RUNS)
    _dial("IBU steps, at most", "iterations", glossary.ITERATIONS)
    clock_place = st.empty()
    widgets.choose("IBU rests by its", "stop", ldp.STOPS, help=_STOP_HELP)
    widgets.choose("at a tolerance of", "tol", vocabulary.TOLERANCES, help=_STOP_HELP)
    widgets.choose("IBU starts from", "start", ldp.STARTS, help=_START_HELP)
    binning_help = _OWN_BINNING_HELP if decided else _BINNING_HELP
    widgets.choose("Bins", "binning", ldp.BINNINGS, help=binning_help, disabled=decided)
    channel_help = glossary.channel() + _no_effect(name, mechanism is None or mechanism.channel_matters())
    widgets.choose("IBU's channel", "channel", ("exact", "published"), help=channel_help)
    calibration_help = glossary.calibration() + _no_effect(name, mechanism is None or mechanism.calibration_matters)
    widgets.choose("Calibration", "calibration", ldp.CALIBRATIONS, help=calibration_help)
    return clock_place


def _no_effect(name: str | None, matters: bool) -> str:
    """Say that a control does nothing for the mechanism that is chosen."""
    return "" if matters else f" **It has no effect for {name}.**"


def _next_seed() -> None:
    # Counting up gives fresh noise, and the way back is one step.
    st.session_state["seed"] = float((st.session_state["seed"] + 1) % vocabulary.SEED_MAX)


_STOP_HELP = """A step is what one iteration changes, bin by bin. IBU rests when its size is below the tolerance. The
size is the largest change (*max_abs*, the paper's, with 1e-12), the mean squared one (*mse*), the mean absolute one
(*mae*) or the largest squared one (*max_squared*). With 0 IBU goes on to the cap."""
_START_HELP = """Where IBU begins. *uniform*: all values equally likely, as in the paper. *observed*: the support
counts, one added to each. *mi*: the MI estimate, one user added to each bin. The limit is the same for all; after a
limited number of iterations the start still shows."""
_BINNING_HELP = """*equal-width*: k bins of equal width from the smallest to the largest value. *paper*: k + 1 such
bins, the last two merged, as the authors' code does it. *values*: one bin for each whole number, where the data are
whole numbers."""
_OWN_BINNING_HELP = "Your data have bins of their own, which are chosen on the page *Your data*: this has no effect."
