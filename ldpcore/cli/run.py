"""`python -m ldpcore run`: one setting, and what its estimators got wrong."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import fields
from typing import Any

from ldpcore.cli.console import OK, say
from ldpcore.datasets import BINNINGS, DATASETS
from ldpcore.errors import Refused
from ldpcore.estimators import STOPS
from ldpcore.experiment import STARTS, Result, Setting, run
from ldpcore.mechanisms import CALIBRATIONS, LONGITUDINAL, ONE_TIME
from ldpcore.metrics import METRICS

_ALLOWED = {
    "data": DATASETS,
    "mechanism": (*ONE_TIME, *LONGITUDINAL),
    "calibration": CALIBRATIONS,
    "channel": ("exact", "published"),
    "binning": BINNINGS,
    "stop": tuple(STOPS),
    "start": STARTS,
}
_HELP = {
    "eps": "ε of one report; ε₁ of a longitudinal mechanism",
    "eps_inf": "ε∞ of a longitudinal mechanism (default: 2ε₁)",
    "n": "number of users",
    "k": "number of bins",
    "runs": "repetitions of the noise on one data set",
    "seed": "decides all randomness",
    "max_iter": "most iterations of IBU",
    "tol": "IBU stops when a step is smaller",
}


def add_command(commands: Any) -> argparse.ArgumentParser:
    """Add `run` to the command line."""
    command: argparse.ArgumentParser = commands.add_parser(
        "run", help="run one setting and print what MI and IBU got wrong"
    )
    for field in fields(Setting):
        if field.name != "params":
            _add_field(command, field.name, str(field.type), field.default)
    command.add_argument(
        "--param", action="append", default=[], metavar="NAME=VALUE", help="of the data; can be repeated"
    )
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(do=_run)
    return command


def _add_field(command: argparse.ArgumentParser, name: str, kind: str, default: Any) -> None:
    allowed = _ALLOWED.get(name)
    words = f"{', '.join(allowed)}" if allowed else _HELP[name]
    shown = "" if default is None else f" (default {default})"
    read: Any = {"int": _whole, "str": str}.get(kind, float)
    metavar = name.upper() if allowed else None
    command.add_argument(f"--{name.replace('_', '-')}", type=read, default=default, metavar=metavar, help=words + shown)


def _whole(text: str) -> float:
    """Read 20000, 20_000 and 2e4; whether it is a whole number is checked with the setting."""
    try:
        return int(text)
    except ValueError:
        return float(text)


_whole.__name__ = "number"


def _run(options: argparse.Namespace) -> int:
    point = {f.name: getattr(options, f.name) for f in fields(Setting) if f.name != "params"}
    result = run(Setting(**point, params=tuple(_param(text) for text in options.param)))
    say(_as_json(result) if options.json else repr(result))
    return OK


def _param(text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    try:
        if equals:
            return name, float(value)
    except ValueError:
        pass
    raise Refused(f"--param must be NAME=VALUE with a number; got {text!r}")


def _or_none(x: float) -> float | None:
    """Return a number that JSON has a word for."""
    return x if math.isfinite(x) else None


def _way(r: Result) -> list[float] | None:
    """Return how much of the way IBU went in every run by its clock, which is known near a uniform start."""
    if r.setting.start != "uniform":
        return None
    return [r.mechanism.share_of_the_way(int(steps), r.setting.channel) for steps in r.iterations]


def _as_json(r: Result) -> str:
    table: list[dict[Any, Any]] = r.table(names=tuple(METRICS)).to_dict("records")
    for estimator in ("ibu", "limit"):
        for metric in ("mse", "mae"):
            g = r.gain(metric, estimator=estimator)
            spread = {"mean": g.mean, "se": g.se, "q05": g.quantile(0.05), "q95": g.quantile(0.95)}
            table.append({"estimator": estimator, "metric": f"gain_{metric}", **spread})
    # JSON has no word for nan and infinity.
    finite = [
        {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()} for row in table
    ]
    whole = {
        "setting": r.setting.as_dict(),
        "p": r.mechanism.p,
        "q": r.mechanism.q,
        "iterations": r.iterations.tolist(),
        "converged": r.converged.tolist(),
        "ibu_time": _or_none(r.mechanism.ibu_time_of(r.setting.channel)),
        "share_of_the_way": _way(r),
        "results": finite,
    }
    return json.dumps(whole, indent=2, ensure_ascii=False)
