"""What is promised, simulated: `python -m benchmarks.guarantees [--quick] [section]`.

- advice: "all bins within ±x, 95 % of the time", raw MI's closed form, from 100 users on: 94 to 96.5 % of collections.
- intervals: the 95 % intervals hold 94 to 97 %, down to a mean count nq of 0.1.
- alarms: right reports raise a false alarm once in 1,000 at the most.
- stated: reports made at ε = 2 and stated as 1 raise an alarm, or can't be checked; they never fit.
- leaks: a value whose bit is not randomized is named.

All fourteen mechanisms, several k, ε, n and kinds of data; every seed is fixed. Counts are whole, and where that leaves
no share between the two ends, the next larger one is right. All sections take some eight minutes.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

import ldpcore as ldp
from benchmarks.table import markdown
from ldpcore.advisor import Accuracy, raw_error
from ldpcore.advisor.every_bin import BinErrors, users_in_bins
from ldpcore.collected.fit import DOES_NOT_FIT, FITS, VERDICTS
from ldpcore.collected.intervals import INTERVALS, Support, count_interval
from ldpcore.theory.count_law import sum_window

NAMES = ldp.ONE_TIME + ldp.LONGITUDINAL
SHAPES = ("flat", "zipf", "spike", "ten", "last")
UNARY = ("SUE", "OUE", "THE", "L-SUE", "L-OUE", "L-SOUE", "L-OSUE")


def shares(shape: str, k: int) -> np.ndarray:
    """Return the frequencies of a kind of data."""
    weights = np.zeros(k)
    if shape == "flat":
        weights[:] = 1
    elif shape == "zipf":
        weights = 1 / np.arange(1, k + 1)
    elif shape == "spike":
        weights[:] = 0.3 / k
        weights[0] += 0.7
    elif shape == "ten":
        weights[: min(10, max(1, k // 2))] = 1
    else:
        weights[-1] = 1
    return np.asarray(weights / weights.sum())


def made(name: str, k: int, eps: float) -> ldp.Mechanism:
    """Return a mechanism; the longitudinal ones have ε∞ = 2ε + 1, at which every one of them is possible."""
    return ldp.mechanism(name, k=k, eps=eps, eps_inf=2 * eps + 1 if name in ldp.LONGITUDINAL else None)


# ---- advice -------------------------------------------------------------------------


@dataclass(frozen=True)
class Share:
    """How many of so many trials held what was promised at one setting; `most` is what whole counts may force."""

    mechanism: str
    what: str
    held: int
    trials: int
    most: float

    @property
    def spread(self) -> float:
        """Five standard errors of a share of 95 %: for some thousand settings a false alarm in a thousand."""
        return 5 * math.sqrt(0.95 * 0.05 / self.trials)

    def below(self, least: float) -> bool:
        return self.held / self.trials < least - self.spread

    def above(self, most: float) -> bool:
        return self.held / self.trials > max(most, self.most) + self.spread


def pooled(shares_: Sequence[Share]) -> str:
    """Write the share of all trials together, and what its standard error would be if they were independent."""
    trials = sum(s.trials for s in shares_)
    share = sum(s.held for s in shares_) / trials
    return f"{100 * share:.2f} % (± {100 * math.sqrt(share * (1 - share) / trials):.2f})"


def advice(scale: float) -> Iterator[Share]:
    """Yield, for every setting, how often all bins are within the x of the closed form."""
    places = itertools.product((3, 20, 100, 500), (0.5, 2.0, 4.0), (100, 1_000, 20_000), ("zipf", "spike"))
    for (k, eps, n, shape), name in itertools.product(places, NAMES):
        runs = int(scale * (2_000 if k <= 20 else 500))
        m = made(name, k, eps)
        if m.support_size not in (None, 1):
            runs = runs if k <= 20 else runs // 10  # drawing its counts takes long
        users = users_in_bins(shares(shape, k), n)
        x = raw_error(m, users / n, n, Accuracy("every bin", 0.1))
        errors = BinErrors.of(users, m.p, m.q)
        # Where the share just below x is less than 94 %, nothing nearer to 95 % is possible.
        forced = errors.share_within(x * (1 - 1e-6)) < 0.94
        counts = m.sample_counts(users, runs, np.random.default_rng([k, n, NAMES.index(name)]))
        off = np.abs((counts / n - m.q) / (m.p - m.q) - users / n).max(axis=1)
        yield Share(name, "", int((off <= x).sum()), runs, errors.share_within(x) if forced else 0.0)


def advice_table(scale: float) -> str:
    found = list(advice(scale))
    rows = []
    for name in NAMES:
        own = [s for s in found if s.mechanism == name]
        forced = sum(s.most > 0.965 for s in own)
        outside = [str(sum(s.below(0.94) for s in own)), str(sum(s.above(0.965) for s in own))]
        rows.append([name, str(len(own)), pooled([s for s in own if s.most <= 0.965]), *outside, str(forced)])
    return markdown(
        ["mechanism", "settings", "held", "settings below 94 %", "above 96.5 %", "more, as counts are whole"], rows
    )


# ---- intervals ----------------------------------------------------------------------

BANDS = ((0.1, 1.0), (1.0, 10.0), (10.0, math.inf))


def intervals(scale: float) -> Iterator[tuple[float, Share]]:
    """Yield nq, and how often the intervals of bins with users hold (or "empty": of bins without)."""
    places = itertools.product((5, 50), (0.5, 1.0, 2.0, 4.0, 6.0, 8.0), (30, 300, 3_000), ("zipf", "ten"))
    for (k, eps, n, shape), name, kind in itertools.product(places, NAMES, INTERVALS):
        m, theta = made(name, k, eps), shares(shape, k)
        if n * m.q < 0.1:
            continue
        rng = np.random.default_rng([k, n, NAMES.index(name)])
        users, counts = _collections(m, n, theta, int(200 * scale), kind, rng)
        low, high = count_interval(kind, counts.ravel(), Support(n, m.p, m.q), 0.95).reshape(2, *counts.shape)
        truth = users / n if kind == "noise" else np.broadcast_to(theta, counts.shape)
        holds = (low <= truth + 1e-12) & (truth <= high + 1e-12)
        for what, part in ((kind, truth > 0), (f"{kind}, empty bins", truth == 0)):
            if part.any():
                most = _forced(kind, m, n, truth[part])
                yield n * m.q, Share(name, what, int(holds[part].sum()), int(part.sum()), most)


def _collections(
    m: ldp.Mechanism, n: int, theta: np.ndarray, runs: int, kind: str, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return who has what, and the counts; for the population new users come to every collection."""
    if kind == "noise":
        users = np.broadcast_to(users_in_bins(theta, n), (runs, m.k))
        return users, m.sample_counts(users[0], runs, rng)
    drawn = rng.multinomial(n, theta, size=runs)
    return drawn, np.concatenate([m.sample_counts(users, 1, rng) for users in drawn])


def _forced(kind: str, m: ldp.Mechanism, n: int, truth: np.ndarray) -> float:
    """Return 97 %, or more where whole counts have no chance between 94 and 97 %: the mean over the bins."""
    different, times = np.unique(truth, return_counts=True)
    own = np.round(different * n)
    chance = m.q + (m.p - m.q) * different
    law = sum_window(own, m.p, n - own, m.q) if kind == "noise" else sum_window(n, chance, 0, m.q)
    total = np.cumsum(-np.sort(-law[1], axis=1), axis=1)
    least = np.take_along_axis(total, np.argmax(total >= 0.94, axis=1)[:, None], axis=1)[:, 0]
    return float(np.average(np.maximum(least, 0.97), weights=times))


def intervals_table(scale: float) -> str:
    found = list(intervals(scale))
    rows = []
    for name, kind, (low, high) in itertools.product(NAMES, INTERVALS, BANDS):
        own = [s for small, s in found if s.mechanism == name and low <= small < high]
        filled = [s for s in own if s.what == kind]
        empty = [s for s in own if s.what != kind and s.what.startswith(kind)]
        if not filled:
            continue
        outside = [str(sum(s.below(0.94) for s in filled + empty)), str(sum(s.above(0.97) for s in filled + empty))]
        band = f"{low:g}–{high:g}" if high < math.inf else f"from {low:g}"
        cells = [name, kind, band, str(len(filled)), pooled(filled), pooled(empty) if empty else "–"]
        rows.append([*cells, *outside])
    header = ["mechanism", "interval", "nq", "settings", "bins with users", "empty bins", "below 94 %", "above 97 %"]
    return markdown(header, rows)


# ---- do the reports fit? ------------------------------------------------------------

PLACES = [(2, 1.0, 300), (5, 4.0, 60), (20, 0.5, 5_000), (50, 1.0, 50_000), (50, 7.0, 400), (200, 2.0, 2_000)]


def alarms_table(scale: float) -> str:
    rows, all_alarms, all_checked = [], 0, 0
    for name in NAMES:
        alarms = checked = 0
        for (k, eps, n), shape in itertools.product(PLACES, SHAPES):
            m, rng = made(name, k, eps), np.random.default_rng([k, n, NAMES.index(name)])
            users = rng.multinomial(n, shares(shape, k))
            for counts in m.sample_counts(users, int(60 * scale), rng):
                checked += 1
                alarms += not ldp.check_fit(counts, n, m).fits
        all_alarms, all_checked = all_alarms + alarms, all_checked + checked
        rows.append([name, f"{checked:,}", str(alarms)])
    rows.append(["all", f"{all_checked:,}", f"{all_alarms} ({1000 * all_alarms / all_checked:.2f} in 1,000)"])
    return markdown(["mechanism", "collections", "false alarms"], rows)


def stated_table(scale: float) -> str:
    rows = []
    places = [(2, 2_000), (10, 500), (50, 5_000), (50, 200_000), (300, 20_000)]
    for name in NAMES:
        verdicts = dict.fromkeys(VERDICTS, 0)
        for (k, n), shape in itertools.product(places, SHAPES):
            rng = np.random.default_rng([k, n, NAMES.index(name)])
            stated = ldp.mechanism(name, k=k, eps=1.0, eps_inf=5.0 if name in ldp.LONGITUDINAL else None)
            maker = stated.with_eps(2.0, same_shape=True)
            users = rng.multinomial(n, shares(shape, k))
            for counts in maker.sample_counts(users, max(1, int(10 * scale)), rng):
                verdicts[ldp.check_fit(counts, n, stated, budget=20_000).verdict] += 1
        rows.append([name, *(str(verdicts[v]) for v in (DOES_NOT_FIT, VERDICTS[2], FITS))])
    return markdown(["mechanism", "alarm", "can't be checked", "fits (wrong)"], rows)


def leaks_table(scale: float) -> str:
    rows = []
    for name in UNARY:
        named = leaks = 0
        for (k, eps, n), shape, what in itertools.product(
            [(16, 1.0, 28_000), (100, 2.0, 20_000), (8, 0.5, 5_000)], SHAPES, ("as it is", "never", "always")
        ):
            m, rng = made(name, k, eps), np.random.default_rng([k, n, NAMES.index(name)])
            users = rng.multinomial(n, shares(shape, k))
            value = k // 2
            for counts in m.sample_counts(users, max(1, int(5 * scale)), rng):
                counts[value] = {"as it is": users[value], "never": 0, "always": n}[what]
                # A bit that is sent as it is, of a value that about half of all have, looks like any other.
                if n * m.q - 8 * math.sqrt(n * m.q) < counts[value] < n * m.p + 8 * math.sqrt(n * m.p):
                    continue
                leaks += 1
                named += value in ldp.check_fit(counts, n, m).values
        rows.append([name, str(leaks), str(named)])
    return markdown(["mechanism", "leaks", "named"], rows)


SECTIONS: dict[str, Callable[[float], str]] = {
    "advice": advice_table,
    "intervals": intervals_table,
    "alarms": alarms_table,
    "stated": stated_table,
    "leaks": leaks_table,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guarantees", description="Simulate what is promised.")
    parser.add_argument("sections", nargs="*", metavar="section", help=f"{', '.join(SECTIONS)}; all if none is given")
    parser.add_argument("--quick", action="store_true", help="a tenth of the collections")
    options = parser.parse_args(arguments)
    if wrong := set(options.sections) - set(SECTIONS):
        parser.error(f"{', '.join(sorted(wrong))}: not one of {', '.join(SECTIONS)}")
    for name in options.sections or SECTIONS:
        print(f"## {name}\n\n{SECTIONS[name](0.1 if options.quick else 1.0)}\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
