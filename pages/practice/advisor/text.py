"""What the page Advisor says: its tables and its sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore import advisor as core
from ldpcore.advisor import Accuracy, Candidate, Measured
from ldpcore.theory.attack import Chance
from ldpui import glossary
from ldpui.format import significant, times
from pages.practice.advisor.candidates import (
    AGAIN,
    EPS_GRID,
    MANY_REPORTS,
    NAMES,
    Elsewhere,
    Row,
    as_measured,
    grid_runs,
    guessed,
    ibu_runs,
    n_grid,
    search_runs,
    steady_runs,
)

# ---- tables -------------------------------------------------------------------------


def unit(accuracy: Accuracy) -> float:
    """Return what errors are shown in: percentage points, or total variation as it is."""
    return 100.0 if accuracy.kind == "every bin" else 1.0


def error_table(found: Sequence[Candidate], accuracy: Accuracy) -> pd.DataFrame:
    """Return the ranked table of what is reached."""
    rows = []
    for place, c in enumerate(core.ranked(found), start=1):
        rows.append(
            {
                "No.": place,
                "Mechanism": c.mechanism.name,
                "Estimator": NAMES[c.estimator],
                "Error": unit(accuracy) * c.error.value,
                "±": unit(accuracy) * c.error.se,
                "Enough": _enough(c.error, accuracy.bound),
                **_properties(c.mechanism),
                "Runs": c.error.runs,
            }
        )
    return pd.DataFrame(rows)


def _enough(error: Measured, bound: float) -> str:
    if core.close(error, Measured(bound, 0.0)):
        return "too close"
    return "yes" if error.value <= bound else "no"


def needed_table(rows: Sequence[Row]) -> pd.DataFrame:
    """Return the ranked table of what is needed; what is out of reach has no number."""
    return pd.DataFrame(
        {
            "No.": place,
            "Mechanism": r.mechanism.name,
            "Estimator": NAMES[r.estimator],
            "Needed": _finite(r.answer.value),
            "from": _finite(r.answer.low),
            "to": _finite(r.answer.high),
            **(_properties(r.mechanism) if r.answer.reached else {}),
            "Found by": r.answer.method if r.answer.reached else "out of reach",
        }
        for place, r in enumerate(rows, start=1)
    )


def _finite(x: float) -> float:
    return x if math.isfinite(x) else math.nan


def _properties(m: ldp.Mechanism) -> dict[str, float]:
    found = {"Bits": m.report_bits, "Guessed once": 100 * guessed(m, 1).chance}
    if m.longitudinal:
        many = guessed(m, MANY_REPORTS)
        spread = 100 * many.se if many.se > 1e-9 else 0.0  # else the last digits of equal numbers
        found |= {"After 100": 100 * many.chance, "± of that": spread, "Ever": 100 * guessed(m, math.inf).chance}
    return found


def columns(accuracy: Accuracy, sought: str | None, repeated: bool = False) -> dict[str, Any]:
    """Return how the columns are named, written and explained."""
    number = st.column_config.NumberColumn
    every = accuracy.kind == "every bin"
    error = "within ± (points)" if every else "total variation"
    users = sought == "n"
    eps = "ε₁" if repeated else "ε"
    return {
        "No.": number(width=40, help="Rank: the smallest error, or the least that is needed, comes first."),
        "Mechanism": st.column_config.TextColumn(help="How each user blurs the value before sending it."),
        "Estimator": st.column_config.TextColumn(help=_ESTIMATOR_HELP),
        "Error": number(error, format="%.3g", help=glossary.GOAL),
        "±": number(format="%.2g", help="Standard error of the simulation."),
        "Enough": st.column_config.TextColumn("enough?", help="Whether the accuracy asked for above is reached."),
        "Needed": number(
            "users needed" if users else f"{eps} needed", format="localized" if users else "%.3g", help=glossary.NEEDED
        ),
        "from": number(format="localized" if users else "%.3g", help=glossary.NEEDED),
        "to": number(format="localized" if users else "%.3g", help=glossary.NEEDED),
        "Found by": st.column_config.TextColumn("found by", help=glossary.NEEDED),
        "Bits": number("bits", format="%.3g", help=glossary.BITS),
        "Guessed once": number("guessed from 1 (%)", format="%.3g", help=glossary.GUESS_ONCE),
        "After 100": number("after 100 (%)", format="%.3g", help=glossary.GUESS_MANY),
        "± of that": number("±", format="%.1g", help="Standard error of the simulation; 0 where the chance is exact."),
        "Ever": number("ever (%)", format="%.3g", help=glossary.GUESS_EVER),
        "Runs": number("runs", help=glossary.RUNS),
    }


_ESTIMATOR_HELP = "How the server makes a histogram of the reports.\n\n" + "\n".join(
    f"- **{name}**: {glossary.ESTIMATORS_WHAT[key]}" for key, name in NAMES.items()
)


# ---- sentences ----------------------------------------------------------------------


def goal_words(accuracy: Accuracy, bound: str | None = None) -> str:
    """Say what accuracy means, with the wanted bound or with another one."""
    if accuracy.kind == "tv":
        return f"total variation {'at most ' if bound is None else ''}{bound or significant(accuracy.bound)} on average"
    shown = bound or significant(100 * accuracy.bound)
    return f"every bin within ±{shown} percentage point{'' if shown == '1' else 's'}, 95% of the time"


def _with_error(value: float, se: float) -> tuple[str, str]:
    """Write a number and its standard error, both to the digit that the error allows; no error that is too small.

    >>> _with_error(1.9361, 0.0598), _with_error(0.100556, 0.000903), _with_error(2.5, 0.0)
    (('1.94', '0.06'), ('0.1006', '0.0009'), ('2.5', ''))
    """
    if not (math.isfinite(se) and se > 3e-4 * value):
        return significant(value), ""
    places = max(0, -math.floor(math.log10(se)))
    return f"{value:.{places}f}", f"{se:.{places}f}"


def crowd(s: ldp.Setting, users: bool = True) -> str:
    """Say how many users and values there are."""
    return (f"{times(s.n, 'user')} and " if users else "") + times(s.k, "value")


def privacy(s: ldp.Setting) -> str:
    """Say what privacy there is."""
    if s.eps_inf is None:
        return f"ε = {significant(s.eps)}"
    return f"ε₁ = {significant(s.eps)} (ε∞ = {significant(s.eps_inf)})"


def accuracy_sentence(found: Sequence[Candidate], s: ldp.Setting, accuracy: Accuracy) -> str:
    """Say what the best reaches, and whether that is enough."""
    best = core.ranked(found)[0]
    reached, spread = _with_error(unit(accuracy) * best.error.value, unit(accuracy) * best.error.se)
    as_good = core.as_good(found)
    text = (
        f"**For {crowd(s)} at {privacy(s)}, {best.name} comes nearest to the truth: "
        f"{goal_words(accuracy, reached)}**"
        + (f" (± {spread})" if spread else "")
        + (f"; {core.listed(as_good)} may be as good." if as_good else ".")
    )
    asked = goal_words(accuracy).split(",")[0]
    verdict = {
        "yes": f"That is enough for what you asked: {asked}.",
        "no": f"That is not enough for what you asked, {asked}: ask *which ε* or *how many users* above.",
        "too close": f"Whether that is enough for {asked} is too close to call.",
    }
    return f"{text} {verdict[_enough(best.error, accuracy.bound)]}"


def who(c: Candidate) -> str:
    """Say what a mechanism and an estimator do, for somebody who meets them for the first time."""
    m = c.mechanism
    text = f"**{m.name}**, {m.full_name}: {glossary.MECHANISMS[m.name]} **{NAMES[c.estimator]}**: "
    return text + glossary.ESTIMATORS_WHAT[c.estimator]


def needed_sentence(rows: Sequence[Row], s: ldp.Setting, accuracy: Accuracy, sought: str) -> str:
    """Say the least that is enough, or that nothing is."""
    best = rows[0]
    low, high = core.RANGES[sought]
    given = f"with {crowd(s)}" if sought == "eps" else f"with {crowd(s, users=False)} at {privacy(s)}"
    if not best.answer.reached:
        end = f"even at ε = {high:g}" if sought == "eps" else f"even with {high:,.0f} users"
        way = "More users, fewer bins" if sought == "eps" else "A larger ε, fewer bins"
        return (
            f"**No mechanism here reaches {goal_words(accuracy)}, {given}, {end}.** {way} or a wider bound would help."
        )
    a = best.answer
    what, verb = _amount(best, sought), "is" if sought == "eps" else "are"
    if a.value == low:
        return (
            f"**{what}, the least that is looked at, {verb} enough {given}**: {goal_words(accuracy)}, for {best.name}."
        )
    spread = f" (between {_plain(a.low, sought)} and {_plain(a.high, sought)})" if a.high > a.low else ""
    as_good = core.as_good([Candidate(r.mechanism, r.estimator, as_measured(r.answer)) for r in rows])
    others = f"; {core.listed(as_good)} may do with as little" if as_good else ""
    return f"**{what} {verb} enough**{spread} {given}: {goal_words(accuracy)}, for {best.name}{others}."


def _amount(row: Row, sought: str) -> str:
    if sought == "n":
        return f"{_plain(row.answer.value, sought)} users"
    wide = getattr(row.mechanism, "eps_inf", None)
    eps = _plain(row.answer.value, sought)
    return f"ε = {eps}" if wide is None else f"ε₁ = {eps} (ε∞ = {significant(wide)})"


def _plain(x: float, sought: str) -> str:
    if sought == "eps":
        return significant(x)
    return f"{round(x, 2 - math.floor(math.log10(x))):,.0f}"  # three digits: the noise leaves no more


def how_counted(settings: Sequence[ldp.Setting], accuracy: Accuracy, sought: str | None) -> str:
    """Say where the numbers come from."""
    t = settings[0]
    runs = {u.mechanism: search_runs(u) if sought else steady_runs(u) for u in settings}
    fewer = [f"{runs['SS']} for SS"] if runs.get("SS", 0) < max(runs.values()) and "SS" in runs else []
    if sought is None and ibu_runs(settings) < max(runs.values()):
        fewer.append(f"{ibu_runs(settings)} for IBU as iterated")
    often = times(max(runs.values()), "simulated collection")
    but = f" ({', '.join(fewer)})" if fewer else ""
    if sought is None:
        text = f"Every error is from {often}{but}; ± is one standard error"
    else:
        text = f"Every answer is from several places with {often} each{but}; *from* and *to* enclose what the noise of "
        text += "the simulation leaves open"
    if accuracy.kind == "every bin":
        text += ". *95% of the time* is about the noise of the mechanism; the data are the same"
    if sought == "n":
        text += ". With more users the histogram keeps its shape"
    if sought == "eps" and t.eps_inf is not None:
        text += f". ε∞ is {significant(t.eps_inf / t.eps)} times ε₁, as chosen under *how accurate*"
    return text + ". Raw MI can be negative, and does not sum to 100%. Full-report IBU is not in the table."


def how_gridded(s: ldp.Setting, first: Candidate) -> str:
    """Say where the lines of equal error come from."""
    if first.estimator == "raw":
        return "In closed form"
    runs = times(grid_runs(s, first), "run")
    places = len(EPS_GRID) * len(n_grid(first))
    return f"Simulated at {places} places, {runs} each, with straight lines between, good to about a tenth"


TWINS = {
    "once": "Where SS would send a single value it is the same as GRR, and is called GRR; where OLH would hash to two "
    "cells it is the same as BLH, and is called BLH.",
    "repeatedly": "Where L-OLH would hash to two cells it is the same as L-BLH, and is called L-BLH.",
}


# ---- the attacker ---------------------------------------------------------------


def attack_sentence(m: ldp.Mechanism) -> str:
    """Say what an attacker makes of the reports of one user."""
    once, blind = guessed(m, 1), 1 / m.k
    text = (
        f"Somebody who sees one report of {m.name} and guesses the user's value is right {_share(once)} of the time "
        f"({_share(Chance(blind))} without any report, if all values are equally likely)"
    )
    if m.longitudinal:
        many, ever = guessed(m, MANY_REPORTS), guessed(m, math.inf)
        most = "" if _share(many) == _share(ever) else f" than {_share(ever)}"
        return f"{text}; after {MANY_REPORTS} reports {_share(many)}, and never more{most}."
    again = guessed(m, AGAIN)
    return (
        f"{text}. That holds for **one** report: asked {AGAIN} times with fresh noise, {_share(again)}. For repeated "
        "collections choose *repeatedly* above."
    )


def _share(chance: Chance) -> str:
    """Write a chance in percent, certainty only where it is certain.

    >>> _share(Chance(0.04182)), _share(Chance(0.53112, 2e-4)), _share(Chance(0.99999)), _share(Chance(1.0))
    ('4.18%', '53.11 ± 0.02%', 'over 99.9%', '100%')
    """
    if 0.9995 <= chance.chance < 1:
        return "over 99.9%"
    value, spread = _with_error(100 * chance.chance, 100 * chance.se)
    return f"{value}{f' ± {spread}' if spread else ''}%"


# ---- other data ------------------------------------------------------------------


def elsewhere_table(found: Sequence[Elsewhere], first: str, scale: float) -> pd.DataFrame:
    """Return for each distribution the best mechanism, and what staying with `first` would cost."""
    rows = []
    for e in found:
        best, mine = e.best[e.order[0]], e.best[first]
        more = f"+{significant(_extra(e, first), 2)}%"
        rows.append(
            {
                "If the data were": e.label,
                "best": best.name,
                "error": scale * best.error.value,
                "±": scale * best.error.se,
                "place": e.order.index(first) + 1,
                "own": scale * mine.error.value,
                "own ±": scale * mine.error.se,
                "cost": "nothing"
                if e.order[0] == first
                else f"{more}, too close to call"
                if core.close(best.error, mine.error)
                else more,
            }
        )
    return pd.DataFrame(rows)


def elsewhere_columns(accuracy: Accuracy, first: str) -> dict[str, Any]:
    """Return how the columns of `elsewhere_table` are written."""
    number = st.column_config.NumberColumn
    error = "error (points)" if accuracy.kind == "every bin" else "total variation"
    return {
        "error": number(error, format="%.3g", help=glossary.GOAL),
        "±": number(format="%.2g", help="Standard error of the simulation."),
        "place": number(f"{first} is no.", help="Each mechanism with its best estimator."),
        "own": number(f"{first}: {error}", format="%.3g", help=glossary.GOAL),
        "own ±": number("±", format="%.2g", help="Standard error of the simulation."),
        "cost": st.column_config.TextColumn(f"staying with {first} costs"),
    }


def rank_cells(
    found: Sequence[Elsewhere], accuracy: Accuracy
) -> tuple[list[str], list[str], list[list[int]], list[list[str]]]:
    """Return distributions, mechanisms, ranks and words for the map; the best mechanism overall on top."""
    names = sorted(found[0].best, key=lambda name: -sum(e.order.index(name) for e in found))
    places = [[e.order.index(name) + 1 for e in found] for name in names]
    told = [[_told(e.best[name], accuracy) for e in found] for name in names]
    return [e.label for e in found], names, places, told


def _told(c: Candidate, accuracy: Accuracy) -> str:
    scale = unit(accuracy)
    sign, word = ("±", " points") if accuracy.kind == "every bin" else ("TV ", "")
    value, spread = _with_error(scale * c.error.value, scale * c.error.se)
    return f"{c.name}: {sign}{value}{word}{f' (± {spread})' if spread else ''}"


def elsewhere_sentence(found: Sequence[Elsewhere], first: str, s: ldp.Setting) -> str:
    """Say how often the first stays first."""
    others = [e for e in found if e.order[0] != first and not core.close(e.best[e.order[0]].error, e.best[first].error)]
    text = f"At {privacy(s)}, with {crowd(s)}: {first} is first, or too close to the first to call, for "
    text += f"**{len(found) - len(others)} of {len(found)}** distributions"
    if not others:
        return f"{text}."
    worst = max(others, key=lambda e: _extra(e, first))
    return f"{text}; at worst ({worst.label}) staying with it costs {significant(_extra(worst, first), 2)}% more error."


def _extra(e: Elsewhere, first: str) -> float:
    """Return by how many percent the error of `first` is larger than that of the best."""
    return 100 * (e.best[first].error.value / e.best[e.order[0]].error.value - 1)
