"""The panels of Compare, made once for what decides them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import ldpcore as ldp
from ldpcore.metrics import RECORDS
from ldpui import auto_choices, cache, export, privacy, sweeps
from ldpui.charts import finished
from ldpui.charts.common import error_axis
from ldpui.charts.drawing import Drawing
from ldpui.computing import work
from ldpui.computing.work import Losses
from ldpui.format import times
from ldpui.own import Upload
from ldpui.progress import Bar
from pages.explore.compare import chart, rows


@dataclass(frozen=True)
class Look:
    """What is compared, and how it is looked at: all that decides the figures."""

    settings: tuple[ldp.Setting, ...]
    metric: str
    order: str
    dark: bool
    large: bool
    auto: bool = False


ESTIMATORS = ("mi", "ibu", "limit")
# What takes about a second on two cores, as so many numbers of IBU.
_MOMENT = 4 * work.PART_WORK


@cache.by_setting(200, 20, apart=True)
def losses(settings: tuple[ldp.Setting, ...], data: Upload | None) -> list[Losses]:
    """Return what MI, IBU and its limit miss with each mechanism, with progress; by every metric."""
    with Bar("Simulating") as bar:
        losses_of = dict(sweeps.simulated(settings, data, ESTIMATORS, bar.tell))
    return [losses_of[setting] for setting in settings]


def begin(settings: tuple[ldp.Setting, ...]) -> None:
    """Have the losses begun, if they are not known and take a moment only: what takes long can wait for its bar."""
    if sum(work.amount(s) + work.drawing(s) for s in settings) <= _MOMENT and losses.known(settings, None) is None:
        sweeps.begin(settings, ESTIMATORS)


@cache.by_setting(200, 20, apart=True)
def auto_losses(settings: tuple[ldp.Setting, ...], data: Upload | None) -> list[Losses]:
    """Return what auto misses with each mechanism, with progress: it takes far longer than all the others."""
    with Bar("Choosing by the counts") as bar:
        losses_of = dict(sweeps.simulated(settings, data, ("auto",), bar.tell))
    return [losses_of[setting] for setting in settings]


def errors(settings: tuple[ldp.Setting, ...], data: Upload | None, metric: str, auto: bool = False) -> list[rows.Row]:
    """Return what is shown of each mechanism."""
    table = [rows.row(setting, lost, metric) for setting, lost in zip(settings, losses(settings, data), strict=True)]
    if not auto:
        return table
    chosen = auto_losses(settings, data)
    return [
        replace(
            row,
            auto=ldp.Summary(lost.of("auto", metric)),
            chosen=auto_choices.tally(lost.chosen),
        )
        for row, lost in zip(table, chosen, strict=True)
    ]


@finished.by_setting(200, 10)
def figure(s: ldp.Setting, data: Upload | None, names: tuple[str, ...], look: Look) -> Drawing:
    """Return the chart of some of the mechanisms, on the axis of all."""
    compared = rows.ordered(errors(look.settings, data, look.metric, look.auto), look.order)
    part = [row for row in compared if row.mechanism in names]
    y_range, title = rows.log_range(compared), error_axis(RECORDS[look.metric])
    drawn = chart.compare(part, metric_title=title, dark=look.dark, y_range=y_range or [])
    lines = export.described(privacy.same_privacy(s, part[0].mechanism), times(len(part), "mechanism"))
    return drawn.sourced(lines).enlarged() if look.large else drawn.sourced(lines)
