"""Explanations are true of everything that they explain."""

from ldpui import glossary


def test_the_glossary_is_true_of_all_bins_and_of_one_collection():
    assert "equal width" not in glossary.K
    assert "everything" not in glossary.RUNS
