"""What the page The paper asks, and the words to choose from."""

from __future__ import annotations

from ldpui.address import links, vocabulary
from pages.study.results import TABLES

VALUES = {
    "printed in the paper": "published",
    "reproduced": "as published",
    "exact channel": "exact channel",
    "at convergence": "at convergence",
}
FIGURES = ("Figure 1", "Figure 2", "Figure 3", "Figure 4")

links.declare(
    links.one_of("table", TABLES[0], TABLES, page=True),
    links.one_of("value", "reproduced", VALUES, page=True),
    links.one_of("minus", "nothing", ("nothing", *VALUES), page=True),
    links.number("paper_seed", 0, 0, vocabulary.SEED_MAX, page=True),
    links.one_of("gain_metric", "MSE", ("MSE", "MAE"), page=True),
)
links.declare(links.one_of("figure", FIGURES[0], FIGURES, page=True), live=True)
