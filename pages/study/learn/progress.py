"""What a pupil has guessed and done, and how it is asked and shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from ldpui import session

# The choice beside the guesses, for those who do not want to guess.
SHOW_ME = "Just show me"


@dataclass
class Progress:
    """The guesses by their keys, the tasks that were done, and the draws of each lesson that were thrown away."""

    guesses: dict[str, str] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)
    draws: dict[int, int] = field(default_factory=dict)


def current() -> Progress:
    return session.current().part(Progress)


def guess(key: str, question: str, options: Sequence[str], right: str, because: str) -> bool:
    """Ask for a guess; when there is one, say what is right, and why. Tell whether there is one."""
    guesses = current().guesses
    words = [*options, SHOW_ME]
    chosen = st.radio(
        f"**Guess first.** {question}",
        words,
        index=words.index(guesses[key]) if key in guesses else None,
        horizontal=True,
        key=f"guess_{key}",
    )
    if chosen is None:
        st.caption("Choose an answer, and you will see.")
        return False
    guesses[key] = chosen
    verdict = "" if chosen == SHOW_ME else "Right: " if chosen == right else "Not so: "
    st.markdown(f"**{verdict}{right}.** {because[0].upper()}{because[1:]}")
    return True


def task(number: int, words: str, done: bool) -> None:
    """Say what to do, and tick it off when it is done; what was done once is done."""
    finished = current().done
    if done:
        finished.add(number)
    box = ":green[:material/check_box:]" if number in finished else ":material/check_box_outline_blank:"
    with st.container(border=True, key=f"task_{number}"):
        st.markdown(f"{box} **Your task.** {words}{' **Done.**' if number in finished else ''}")


def draw_number(number: int) -> int:
    """Return which draw of chance a lesson shows, from 0."""
    return current().draws.get(number, 0)


def draw_again(number: int) -> None:
    """Let chance decide anew."""
    current().draws[number] = draw_number(number) + 1
