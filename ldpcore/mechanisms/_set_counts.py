"""How often each value is in random sets, one set a user, without drawing the sets.

The values are halved, and halved again, down to single ones. At each range of values all that matters of a user is how
many values of it are in the set, r: given that, the set is uniform within the range. So users are kept as numbers by r,
and a range is parted by drawing, for those with the same r, how many of the r lie in its left half: hypergeometric for
each user, and so one multinomial draw for all of them. All ranges of one size, and all runs, are drawn at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ldpcore._validate import BoolArray, FloatArray, IntArray

# Chances below this are left out: nobody will ever see them.
_NEVER = 1e-22
# Numbers that are drawn at a time.
_BLOCK = 1 << 21


@dataclass(frozen=True, eq=False)
class _Users:
    """Users (runs, ranges, r) by the number r of values that they have in each range, from `least` on."""

    least: int
    number: IntArray

    def narrowed(self) -> _Users:
        """Leave out the numbers at both ends that nobody has."""
        there = np.flatnonzero(self.number.any(axis=(0, 1)))
        if not there.size:
            return _Users(0, self.number[..., :0])
        first, last = int(there[0]), int(there[-1]) + 1
        return _Users(self.least + first, self.number[..., first:last])

    def at(self, r: int) -> IntArray:
        """Return how many users have r values in each range, shape (runs, ranges)."""
        place = r - self.least
        inside = 0 <= place < self.number.shape[-1]
        return np.asarray(self.number[..., place] if inside else np.zeros(self.number.shape[:2], dtype=np.int64))


def _aligned(parts: list[_Users]) -> tuple[int, list[IntArray]]:
    """Return the parts over the same numbers r."""
    filled = [part for part in parts if part.number.shape[-1]]
    least = min((part.least for part in filled), default=0)
    most = max((part.least + part.number.shape[-1] for part in filled), default=0)
    out = []
    for part in parts:
        runs, ranges, width = part.number.shape
        # np.pad does the same; with it, drawing all counts takes a tenth longer.
        array = np.zeros((runs, ranges, most - least), dtype=np.int64)
        before = part.least - least if width else 0
        array[..., before : before + width] = part.number
        out.append(array)
    return least, out


def _together(parts: list[_Users]) -> _Users:
    """Add users of the same ranges."""
    least, arrays = _aligned(parts)
    return _Users(least, sum(arrays[1:], arrays[0]))


def _side_by_side(parts: list[_Users]) -> _Users:
    """Put ranges beside each other."""
    least, arrays = _aligned(parts)
    return _Users(least, np.concatenate(arrays, axis=1))


@dataclass(frozen=True, eq=False)
class _Ranges:
    """All ranges of one size: where each begins, users whose own value is elsewhere, and users whose own is inside.

    The own value itself is not among the r; users with their own value inside have r others.
    """

    begins: IntArray
    others: _Users
    owners: _Users


def set_counts(users: IntArray, holders: IntArray, size: int, rng: np.random.Generator) -> IntArray:
    """Count the values in random sets of `size` of k values; (runs,) and (runs, k) to (runs, k).

    `users` have sets uniform among all; `holders`, by their own value, sets uniform among those that hold it.
    """
    runs, k = holders.shape
    upto = np.concatenate([np.zeros((runs, 1), dtype=np.int64), np.cumsum(holders, axis=1)], axis=1)
    counts = holders.copy()
    level = {
        k: _Ranges(
            np.zeros(1, dtype=np.int64), _Users(size, users[:, None, None]), _Users(size - 1, upto[:, -1:, None])
        )
    }
    while level:
        children: dict[int, list[_Ranges]] = {}
        for width, ranges in level.items():
            if width == 1:
                counts[:, ranges.begins] += ranges.others.at(1)
                continue
            for child_width, child in _parted(ranges, width, upto, rng):
                children.setdefault(child_width, []).append(child)
        level = {width: _joined(parts) for width, parts in children.items()}
    return counts


def _joined(parts: list[_Ranges]) -> _Ranges:
    begins = np.concatenate([part.begins for part in parts])
    return _Ranges(
        begins, _side_by_side([part.others for part in parts]), _side_by_side([part.owners for part in parts])
    )


def _parted(ranges: _Ranges, width: int, upto: IntArray, rng: np.random.Generator) -> list[tuple[int, _Ranges]]:
    """Part every range into its two halves."""
    left, right = width // 2, width - width // 2
    middle = ranges.begins + left
    here = upto[:, middle] - upto[:, ranges.begins]
    owners_left, owners_right = _owners(ranges.owners.narrowed(), here, rng)
    one = _drawn(ranges.others.narrowed(), left, right, rng)
    two = _drawn(owners_left, left - 1, right, rng)
    three = _drawn(owners_right, left, right - 1, rng)
    return [
        (left, _Ranges(ranges.begins, _together([one[0], three[0]]), two[0])),
        (right, _Ranges(middle, _together([one[1], two[1]]), three[1])),
    ]


def _owners(owners: _Users, left: IntArray, rng: np.random.Generator) -> tuple[_Users, _Users]:
    """Say whose own value is in the left half: `left` (runs, ranges) random ones, whatever their r."""
    number = owners.number
    chosen = np.zeros_like(number)
    if left.size < number.shape[-1]:
        for place in np.argwhere(left):
            at = tuple(place)
            chosen[at] = rng.multivariate_hypergeometric(number[at], left[at], method="marginals")
    else:
        ahead, wanted = number.sum(axis=-1), left.copy()
        for r in range(number.shape[-1]):
            ahead = ahead - number[..., r]
            chosen[..., r] = rng.hypergeometric(number[..., r], ahead, wanted)
            wanted -= chosen[..., r]
    return _Users(owners.least, chosen).narrowed(), _Users(owners.least, number - chosen).narrowed()


def _drawn(users: _Users, left: int, right: int, rng: np.random.Generator) -> tuple[_Users, _Users]:
    """Draw how many of each user's r values are among the `left` ones, and how many among the `right`."""
    runs, nodes, width = users.number.shape
    if not width:
        empty = _Users(0, users.number)
        return empty, empty
    r = np.arange(users.least, users.least + width)[:, None]
    i = np.arange(max(0, users.least - right), min(left, int(r[-1, 0])) + 1)
    chances, i = _chances(r, i, left, right)
    # The likeliest first: most groups are small, and used up after a few.
    order = np.argsort(_short(np.abs(i - np.rint(r * (left / (left + right))))), axis=1, kind="stable")
    chances = np.take_along_axis(chances, order, axis=1)
    on_left = i[order]
    sums = _Sums(on_left), _Sums(r - on_left)
    rows = users.number.reshape(-1, width)
    out = [np.empty((len(rows), by.number), dtype=np.int64) for by in sums]
    step = max(1, _BLOCK // chances.size)
    for begin in range(0, len(rows), step):
        some = slice(begin, begin + step)
        drawn = rng.multinomial(rows[some], chances).reshape(-1, chances.size)
        for by, array in zip(sums, out, strict=True):
            array[some] = by.of(drawn)
    first, second = (
        _Users(by.least, array.reshape(runs, nodes, -1)).narrowed() for by, array in zip(sums, out, strict=True)
    )
    return first, second


def _short(numbers: FloatArray | IntArray) -> IntArray:
    """Return whole numbers in as few bytes as they need: NumPy sorts short ones many times faster."""
    return numbers.astype(np.int16 if numbers.max() < 2**15 else np.int64)


class _Sums:
    """Adds up columns that stand for the same number."""

    def __init__(self, stands_for: IntArray) -> None:
        flat = _short(stands_for.ravel())
        self._order = np.argsort(flat, kind="stable")
        self.least = int(flat.min())
        self.number = int(flat.max()) - self.least + 1
        self._begins = np.searchsorted(flat[self._order], np.arange(self.least, self.least + self.number))

    def of(self, columns: IntArray) -> IntArray:
        return np.asarray(np.add.reduceat(columns[:, self._order], self._begins, axis=1))


def _chances(r: IntArray, i: IntArray, left: int, right: int) -> tuple[FloatArray, IntArray]:
    """Return the hypergeometric chances of i of r values on the left, shape (r, i), and the i that can be.

    They are products of the ratios of neighbours, from the likeliest i of each r on, over their sum. Products and
    quotients are the same to the last bit on every machine, as powers and logarithms are not: the same seed draws the
    same everywhere.
    """
    likeliest = np.clip((r + 1) * (left + 1) // (left + right + 2), np.maximum(r - right, 0), np.minimum(r, left))
    i = i[_near(r, i, left, right)]
    chances = np.ones((len(r), len(i)))
    # Above the likeliest each from the one before it, below it each from the one after.
    before, after = i[1:] - 1, i[:-1]
    up = _ratio((left - before) * (r - before), (before + 1) * (right - r + before + 1), i[1:] > likeliest)
    down = _ratio((after + 1) * (right - r + after + 1), (left - after) * (r - after), after < likeliest)
    np.cumprod(up, axis=1, out=chances[:, 1:])
    chances[:, :-1] *= np.cumprod(down[:, ::-1], axis=1)[:, ::-1]
    chances /= chances.sum(axis=1, keepdims=True)
    chances[chances < _NEVER] = 0.0
    there = np.flatnonzero(chances.any(axis=0))
    here = slice(there[0], there[-1] + 1)
    return chances[:, here] / chances[:, here].sum(axis=1, keepdims=True), i[here]


def _ratio(above: IntArray, below: IntArray, where: BoolArray) -> FloatArray:
    """Return quotients where they are meant, and 1 elsewhere."""
    return np.asarray(np.where(where, above, 1) / np.where(where, below, 1))


def _near(r: IntArray, i: IntArray, left: int, right: int) -> slice:
    """Return which i some r may have: none is ever seen beyond √(½·r·ln 1/never) from its mean (Hoeffding's bound)."""
    whole = left + right
    # ln 1e22 is less than 51; and the r on the left are as spread as those of any of the four parts.
    far = np.sqrt(25.5 * np.minimum(np.minimum(r, whole - r), min(left, right))) + 1
    middle = r * (left / whole)
    return slice(*np.searchsorted(i, [np.floor((middle - far).min()), np.ceil((middle + far).max()) + 1]).tolist())
