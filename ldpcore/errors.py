"""What the library says to people. A refusal is about what was asked for; anything else that is raised is a bug."""

from __future__ import annotations


class Refused(ValueError):  # noqa: N818 - it is no error of the program's
    """Something that was asked for can't be done, and the sentence says why: a page may show it as it is.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> try:
    ...     ldp.mechanism("GRR", k=1, eps=1.0)
    ... except ldp.Refused as refused:
    ...     print(refused)
    k must be a whole number from 2 to 1,000,000; got 1
    """


class UnsuitedError(Refused):
    """All parts of a setting are right, but its mechanism can't be made of them: it refuses this k or this ε.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore.errors import UnsuitedError
    >>> try:
    ...     ldp.Setting(mechanism="L-SUE", eps=2.0, eps_inf=1.0)
    ... except UnsuitedError as refused:
    ...     print(refused)
    eps (ε₁, one report) must be below eps_inf (ε∞, all reports) = 1; got 2
    """


class InfeasibleError(UnsuitedError):
    """No second round makes the first report cost the ε₁ that was asked for; `max_eps` is the largest it can.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> try:
    ...     ldp.mechanism("L-OUE", k=10, eps=1.9, eps_inf=2.0)
    ... except ldp.InfeasibleError as refused:
    ...     print(f"{refused.max_eps:.2f}")
    1.66
    """

    def __init__(self, message: str, max_eps: float) -> None:
        super().__init__(message)
        self.max_eps = max_eps

    def __reduce__(self) -> tuple[type[InfeasibleError], tuple[str, float]]:
        # Exceptions are rebuilt from their message alone, if not told otherwise: that would lose max_eps.
        return type(self), (str(self), self.max_eps)
