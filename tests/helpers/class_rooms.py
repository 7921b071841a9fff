"""A room of a live class with its teacher and a clock, and what phones send to it."""

from pages.study.live_class.limits import Limits
from pages.study.live_class.question import Question
from pages.study.live_class.store import Rooms

QUESTION = Question.of("Tea or coffee?", "tea\ncoffee\nneither")


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def token(number):
    return f"{number:032x}"


def message(number=1, report=0, round_=1):
    return {"round": round_, "token": token(number), "report": report}


class Class:
    """A room with its teacher, and a clock."""

    def __init__(self, mechanism="GRR", students=100, question=QUESTION, **limits):
        self.clock = Clock()
        self.rooms = Rooms(Limits(**limits), self.clock)
        self.code, self.key = self.rooms.open(question, mechanism, 1.0, students, "teacher")

    def view(self):
        return self.rooms.watch(self.code, self.key)

    def another(self, owner=None):
        """Open a room as somebody else."""
        self.owners = getattr(self, "owners", 0) + 1
        return self.rooms.open(QUESTION, "GRR", 1.0, 10, owner or f"owner {self.owners}")
