"""What the library says to people. A refusal is about what was asked for; anything else that is raised is a bug."""

from __future__ import annotations


class Refused(ValueError):  # noqa: N818 - it is no error of the program's
    """Something that was asked for can't be done, and the sentence says why: a page may show it as it is."""


class InfeasibleError(Refused):
    """No second round makes the first report cost the ε₁ that was asked for; `max_eps` is the largest it can."""

    def __init__(self, message: str, max_eps: float) -> None:
        super().__init__(message)
        self.max_eps = max_eps

    def __reduce__(self) -> tuple[type[InfeasibleError], tuple[str, float]]:
        # Exceptions are rebuilt from their message alone, if not told otherwise: that would lose max_eps.
        return type(self), (str(self), self.max_eps)
