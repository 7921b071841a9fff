"""Which estimator? All of them against each other, on a grid that is written down, and the results that ship.

The matches are run on six distributions of the paper and three more, with all fourteen mechanisms, ε from 0.25 to 8,
10³ to 10⁷ users and 10 to 5 000 bins. The paper's own grid is run with all of them too, and so is what its four open
questions need. Where `auto` lost most in the matches, it is run again.
"""

from ldpcore.tournament.contestants import (
    CONTESTANTS,
    NAMES,
    ORDER_BLIND,
    ORDERED,
    auto_again,
    auto_over_best,
    contest,
)
from ldpcore.tournament.gains import paper_summary
from ldpcore.tournament.grid import EPS, LEVELS, MECHANISMS, REPEATS, Level, Match, N, matches
from ldpcore.tournament.losses import FIXED, Loss, over_best, rerun, worst_losses
from ldpcore.tournament.paper_grid import PAPER_RUNS, PaperMatch, paper_contest, paper_matches
from ldpcore.tournament.questions import MANY_BINS, ORDER, SEVERAL, STOPPING, QuestionPart, answer, question_parts
from ldpcore.tournament.records import AnswerRecord, LossRecord, MatchRecord, PaperRecord
from ldpcore.tournament.run import PARTS, play
from ldpcore.tournament.shapes import DATA, SHAPES, users
from ldpcore.tournament.shipped import load
from ldpcore.tournament.standings import Cells, Standing, Winner, shuffled, winner

__all__ = [
    "CONTESTANTS",
    "DATA",
    "EPS",
    "FIXED",
    "LEVELS",
    "MANY_BINS",
    "MECHANISMS",
    "NAMES",
    "ORDER",
    "ORDERED",
    "ORDER_BLIND",
    "PAPER_RUNS",
    "PARTS",
    "REPEATS",
    "SEVERAL",
    "SHAPES",
    "STOPPING",
    "AnswerRecord",
    "Cells",
    "Level",
    "Loss",
    "LossRecord",
    "Match",
    "MatchRecord",
    "N",
    "PaperMatch",
    "PaperRecord",
    "QuestionPart",
    "Standing",
    "Winner",
    "answer",
    "auto_again",
    "auto_over_best",
    "contest",
    "load",
    "matches",
    "over_best",
    "paper_contest",
    "paper_matches",
    "paper_summary",
    "play",
    "question_parts",
    "rerun",
    "shuffled",
    "users",
    "winner",
    "worst_losses",
]
