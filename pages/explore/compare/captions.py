"""What Compare says below its charts: how they are read, and whose errors they can't show."""

from __future__ import annotations

from collections.abc import Sequence

import ldpcore as ldp
from ldpcore.metrics import Metric
from ldpui.charts.common import NO_ZERO
from ldpui.format import times
from pages.explore.compare.rows import Row, infinite, log_range


def captions(s: ldp.Setting, compared: Sequence[Row], metric: Metric) -> list[str]:
    """Return the sentences, in order."""
    lines = [how_read(s)] if log_range(compared) else []
    return [*lines, *filter(None, [zero(compared, metric), infinite(compared, metric)])]


def how_read(s: ldp.Setting) -> str:
    """Say what the charts show."""
    bars = "; error bars: 95% confidence" if s.runs > 1 else ""
    return (
        "Lower is better; the bold figure is Γ, what IBU gains over MI. A run with a loss counts as 0: how much "
        f"IBU loses, the points show. Mean over {times(s.runs, 'run')}{bars}. All mechanisms see the same users. "
        "**Click a point** to open that mechanism in Estimate."
    )


def zero(compared: Sequence[Row], metric: Metric) -> str | None:
    """Say whose error is 0, and so not drawn."""
    drawn = [(r.mechanism, look.name, error.mean == 0) for r in compared for look, error in r.drawn.items()]
    names = [f"{mechanism} ({name})" for mechanism, name, is_zero in drawn if is_zero]
    if not names:
        return None
    whose = "all of them" if len(names) == len(drawn) else ", ".join(names)
    return f"{metric.loss_name} is 0, the best there is, for {whose}: {NO_ZERO}."
