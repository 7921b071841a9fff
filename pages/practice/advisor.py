"""Before a collection is shipped: which mechanism, which ε, how many users."""

from dataclasses import replace

import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore import advisor as core
from ldpui import (
    advisor,
    advisor_charts,
    advisor_text,
    cache,
    controls,
    curves,
    export,
    registry,
    show,
    sweeps,
    theme,
    tradeoff,
    words,
)
from ldpui.sentences import times
from ldpui.shell import heading

heading("Advisor", "Before you collect anything: which mechanism should you use, and how good will the answer be?")
dark = theme.is_dark()
solve = controls.pick("What do you want to know?", "solve", registry.SOLVE, help=words.SOLVE)
s = controls.questions(advisor.HIDDEN.get(solve, ()))
accuracy = advisor.ask_accuracy()
sought = advisor.SOUGHT.get(solve)
eps_title = "budget of the first report ε₁" if s.eps_inf else "privacy budget ε"
twins = advisor_text.TWINS["repeatedly" if s.eps_inf else "once"]
iterated = sought is None or controls.switch("Also IBU as the paper iterates it (slow)", "iterated", help=words.IBU)
settings, notes = advisor.mechanisms(s, any_eps=sought == "eps")
answer, names, place = st.empty(), st.empty(), st.empty()


def table(frame: pd.DataFrame, last: bool = False) -> None:
    """Draw the ranked table."""
    with place:
        st.dataframe(
            frame,
            hide_index=True,
            height=390,
            placeholder="–",
            # A key of its own for every picture: one script run may draw the growing table many times.
            key="ranking" if last else f"ranking_{len(frame)}",
            alt="Mechanisms with estimators, ranked: error or what is needed, bits, and the chance of an attacker.",
            column_config=advisor_text.columns(accuracy, sought, repeated=s.eps_inf is not None),
        )


def how_accurate() -> tuple[pd.DataFrame, list[core.Candidate]]:
    """Rank by the error at this ε and n."""
    found: list[core.Candidate] = []
    for slow in (False, True):
        with st.spinner("IBU, step by step…" if slow else "Simulating every mechanism…"):
            found = core.ranked(found + advisor.candidates(settings, accuracy.kind, iterated=slow))
        answer.markdown(advisor_text.accuracy_sentence(found, s, accuracy))
        table(frame := advisor_text.error_table(found, accuracy), last=slow)
    return frame, found


def what_is_needed(field: str) -> tuple[pd.DataFrame, list[core.Candidate]]:
    """Rank by the least ε or number of users that is enough."""

    def draw(rows: list[advisor.Row], last: bool = False) -> None:
        answer.markdown(advisor_text.needed_sentence(rows, s, accuracy, field))
        table(advisor_text.needed_table(rows), last)

    rows = advisor.needed_rows(settings, accuracy, field, iterated, draw)
    draw(rows, last=True)
    if field == "eps" and len(rows) < len(settings) * (len(advisor.QUICK) + iterated):
        notes.append(twins)
    return advisor_text.needed_table(rows), advisor.as_candidates(rows, settings, field)


def show_contours(there: ldp.Setting, first: core.Candidate) -> None:
    """Draw lines of equal error over ε and n, for the first."""
    st.markdown(f"Lines of equal error for **{first.name}**: what more users or a larger ε would buy.")
    z, every = advisor.error_grid(s, first, accuracy), accuracy.kind == "every bin"
    figure = advisor_charts.contours(
        advisor.EPS_GRID,
        advisor.n_grid(first),
        advisor_text.unit(accuracy) * z,
        bound=advisor_text.unit(accuracy) * accuracy.bound,
        here=(there.eps, there.n),
        points=every,
        title=eps_title,
        dark=dark,
    )
    show.chart(figure, "contours", f"Lines of equal error of {first.name} over ε and the number of users.")
    what = "all bins within ± so many percentage points, 95% of the time" if every else "total variation on average"
    st.caption(
        f"The figures on the lines: {what}. In the shaded part it is accurate enough for you. "
        f"{advisor_text.how_gridded(s, first)}. The histogram keeps its shape"
        + (", ε∞ its proportion to ε₁." if s.eps_inf else ".")
    )


def show_map(there: ldp.Setting) -> None:
    """Draw the best mechanism over ε and k."""
    st.markdown("Which mechanism would be first for other numbers of values k?")
    runs = max(s.runs, advisor.MAP_RUNS)
    # All of them: what is left out at this ε and k may be possible, or no longer the same as another, elsewhere.
    kind = ldp.LONGITUDINAL if s.eps_inf else ldp.ONE_TIME
    grid, left_out = tradeoff.grid(replace(there, runs=runs), "k", kind)
    here, chart = (there.eps, float(there.k)), st.empty()
    titles = (eps_title, "bins k", "")

    def draw(rows: list[dict], last: bool = False) -> None:
        x, y, names, told = tradeoff.best_cells(advisor.without_twins(rows), there, "k")
        figure = curves.best_map(x, y, names, told, titles=titles, here=here, dark=dark)
        with chart:
            figure = advisor_charts.undecided(figure, told)
            show.chart(figure, "best" if last else f"best_{len(rows)}", "Map of the best mechanism over ε and k.")

    draw(sweeps.progressive(grid, accuracy.metric, ("mi", "limit"), draw), last=True)
    error = "largest error of any bin" if accuracy.metric == "max" else "total variation"
    st.caption(
        f"The mechanism with the smallest {error} at IBU's limit, mean over {times(runs, 'run')}. ≈: too close to "
        "call, noise decides which one is named. Point at a cell for the runners-up."
    )
    st.caption(twins)
    for note in left_out:
        st.caption(note)


def show_elsewhere(there: ldp.Setting, first: str) -> None:
    """Draw how the ranking moves with the data."""
    found = advisor.elsewhere(there, accuracy.kind)
    st.markdown(advisor_text.elsewhere_sentence(found, first, there))
    figure = advisor_charts.ranks(*advisor_text.rank_cells(found, accuracy), dark=dark)
    show.chart(figure, "ranks", "Rank of every mechanism for every distribution.")
    st.dataframe(
        advisor_text.elsewhere_table(found, first, advisor_text.unit(accuracy)),
        hide_index=True,
        alt="For each distribution the best mechanism, and what staying with the first of the table would cost.",
        column_config=advisor_text.elsewhere_columns(accuracy, first),
    )
    st.caption("Each mechanism with its best estimator, IBU as iterated left out. 1 is the best.")


frame, found = what_is_needed(sought) if sought else how_accurate()
for note in notes:
    st.caption(note)
there = advisor.at_answer(s, found, sought)
if found:
    names.caption(advisor_text.who(found[0]))
    data = cache.histogram(s)
    st.markdown("**Why?** " + core.why(found, accuracy, data.counts / data.n, there.n, sought or "error"))
    st.markdown("**What does an attacker learn?** " + advisor_text.attack_sentence(found[0].mechanism))
st.caption(advisor_text.how_counted(settings, accuracy, sought))
st.download_button("Table (CSV)", lambda: export.csv(frame), "ldp-advisor.csv", "text/csv", on_click="ignore")

if found:
    st.subheader("What if it were otherwise?", anchor=False)
    what_if = controls.pick("Show", "what_if", registry.WHAT_IF, label_visibility="collapsed")
    if what_if == registry.WHAT_IF[0]:
        show_contours(there, found[0])
    elif what_if == registry.WHAT_IF[1]:
        show_map(there)
    else:
        show_elsewhere(there, found[0].mechanism.name)
st.subheader("What this page can't know", anchor=False)
st.markdown(words.CANT_KNOW)
