"""Sweeps on a page: results appear as they are computed, and a change of the controls stops the old sweep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import ldpcore as ldp
from ldpui import cache, session
from ldpui.own import Upload
from ldpui.progress import with_progress


@cache.by_setting(20_000, 5_000)
def errors(
    setting: ldp.Setting, data: Upload | None, estimators: tuple[str, ...]
) -> dict[str, dict[str, tuple[float, float]]]:
    """Return for each metric the estimators' losses at a setting, as mean and standard error, and the gains over MI."""
    result = run_for(setting, data, estimators)
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for metric in ldp.METRICS:
        here = found.setdefault(metric, {})
        losses = {name: result.loss(name, metric) for name in ("mi", *estimators)}
        for name in estimators:
            loss = losses[name]
            here[name] = (loss.mean, loss.se)
            if name != "mi":
                gain = ldp.Summary(ldp.gain(losses["mi"].values, loss.values))
                here[f"gain_{name}"] = (gain.mean, gain.se)
    return found


def limits(settings: Sequence[ldp.Setting]) -> list[tuple[ldp.Setting, dict[str, float]]]:
    """Ask theory about many settings, with progress."""
    jobs = with_progress(settings, "What theory allows")
    return [(setting, cache.limits(setting, session.data_of(setting))) for setting in jobs]


def run_for(setting: ldp.Setting, data: Upload | None, estimators: tuple[str, ...]) -> ldp.Result:
    """Run an experiment; IBU's iterations are left out where nobody asks for them."""
    short = setting if "ibu" in estimators else replace(setting, max_iter=1)
    return ldp.run(short, cache.own_histogram(setting, data))


@dataclass(frozen=True)
class Measure:
    """An error, or a gain over MI, at a setting: an estimator's key, or that after "gain_"; mean and standard error."""

    setting: ldp.Setting
    quantity: str
    mean: float
    se: float

    @property
    def estimator(self) -> ldp.Estimator:
        """Whose error or gain it is."""
        return ldp.estimator(self.quantity.removeprefix("gain_"))


def progressive(
    settings: Sequence[ldp.Setting],
    metric: str,
    estimators: tuple[str, ...],
    draw: Callable[[list[Measure]], None],
) -> list[Measure]:
    """Compute the errors of many settings; call `draw` with what there is a few times a second."""
    rows: list[Measure] = []
    for setting in with_progress(settings, "Simulating", partial(draw, rows)):
        here = errors(setting, session.data_of(setting), estimators)[metric]
        rows.extend(Measure(setting, quantity, mean, se) for quantity, (mean, se) in here.items())
    return rows
