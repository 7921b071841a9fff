"""The paper's open questions: a figure and a few sentences each, from the shipped results."""

from __future__ import annotations

from pages.study.which_estimator.questions import many_bins, ordered, several, stopping

QUESTIONS = (stopping.QUESTION, many_bins.QUESTION, ordered.QUESTION, several.QUESTION)
