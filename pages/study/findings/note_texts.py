"""What stands on top of Estimate when a finding is opened there: its title, and what to look at."""

from __future__ import annotations

from ldpui.address import notes

BACK = notes.Way("What we found", "findings")
# By the key of the finding. Written down, because a link may name a note before any finding is computed.
_NOTES = {
    "channel": (
        "One channel is not the mechanism's",
        "With the published channel IBU is flatter than the truth. Choose the exact one under Advanced and look again.",
    ),
    "shrinkage": (
        "Stopping early is shrinkage",
        "IBU after 10,000 iterations and IBU's limit: the first is pulled towards uniform. Try Uniform data too.",
    ),
    "tails": (
        "Long tails hang on one user",
        "Draw a new seed under Advanced, press *Show all bins*, and watch the end of the horizontal axis.",
    ),
    "clipping": (
        "Clipping every run makes gains of noise",
        "MI and IBU are nearly the same here; Γ is not 0 all the same, because it counts only the runs that IBU wins.",
    ),
    "calibration": (
        "L-GRR pays for privacy that it does not use",
        "Choose the tight calibration under Advanced: the same stated ε, and less noise.",
    ),
    "baseline": (
        "Another baseline, and much of the gain is gone",
        "Compare IBU with Norm-Sub and PowerNS in the table of all estimators, under *Look closer*.",
    ),
    "choice": (
        "No estimator wins everywhere",
        "auto's error beside all others is in the table of all estimators, under *Look closer*; what it chose, and "
        "what it expected of the others, stands below the table.",
    ),
    "auto-loses": (
        "Where auto loses",
        "auto loses here: compare it in the table of all estimators, under *Look closer*, and see below the table what "
        "it chose.",
    ),
    "clock": (
        "IBU has a clock",
        "IBU after 10,000 steps lies between uniform and its limit. Give it more iterations under Advanced.",
    ),
    "order": (
        "An order among the bins is worth using",
        "Compare “smoothed” and auto with all others, in the table of all estimators, under *Look closer*.",
    ),
}


# Where Estimate cannot show it: the page that has more, and what to look at there.
_ELSEWHERE = {
    "reproduced": (
        "paper",
        "The published tables reproduce",
        "The table shows reproduced minus printed, in points of Γ. *Show* and *minus* compare any other two.",
    ),
    "auto-loses": (
        "which_estimator",
        "Where auto loses",
        "*How far from the best in hindsight* has auto's worst ratio beside all others; point at it for its setting.",
    ),
    "several": (
        "which_estimator",
        "Different ε: the weights win most of it",
        "The last of *The paper's open questions* has the curves, for three mechanisms and two distributions.",
    ),
}


def note_key(finding: str) -> str:
    """Return what links call the note of a finding.

    >>> note_key("tails")
    'finding-tails'
    """
    return f"finding-{finding}"


def elsewhere_key(finding: str) -> str:
    """Return what links call the note of a finding on another page than Estimate.

    >>> elsewhere_key("several")
    'finding-several-more'
    """
    return f"{note_key(finding)}-more"


notes.declare(*(notes.Note(note_key(key), f"**{title}.** {look}", BACK) for key, (title, look) in _NOTES.items()))
notes.declare(
    *(
        notes.Note(elsewhere_key(key), f"**{title}.** {look}", BACK, page=page)
        for key, (page, title, look) in _ELSEWHERE.items()
    )
)
