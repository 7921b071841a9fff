"""Thrift's compact protocol, in which Parquet describes itself: read with bounded depth and size."""

from __future__ import annotations

from typing import Any

from ldpcore.errors import Refused
from ldpcore.tables.limits import MAX_DEPTH, MAX_STRUCTS, MAX_VALUES

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
DAMAGED = "this Parquet file is damaged or not complete; save or upload it again"


class Struct(dict[tuple[int, int], Any]):
    """The fields of a struct by (number, type); one that is not there is a damage.

    A field of the wrong type is not found, as pyarrow, which skips it, does not find it either.
    """

    def __missing__(self, field: tuple[int, int]) -> Any:
        raise Refused(DAMAGED)


_Path = tuple[int, ...]
# What the lists of a footer hold, by the numbers of the fields that lead to them.
_LISTS: dict[int, list[_Path]] = {
    STRUCT: [(2,), (4,), (5,), (7,), (4, 1), (4, 4), (4, 1, 3, 8), (4, 1, 3, 13)],
    I32: [(4, 1, 3, 2), (4, 1, 3, 17, 2)],
    I64: [(4, 1, 3, 16, 2), (4, 1, 3, 16, 3)],
    BINARY: [(4, 1, 3, 3)],
}
_ELEMENTS = {path: kind for kind, paths in _LISTS.items() for path in paths}
_SIZES = {TRUE: 1, FALSE: 1, BYTE: 1, DOUBLE: 8}
_LARGEST = {I16: 2**15 - 1, I32: 2**31 - 1, I64: 2**63 - 1}


class Thrift:
    """A reader that sees in a file what pyarrow sees, or refuses it.

    The type of a list's elements pyarrow takes for granted, so that here it must be right. Of two fields of one
    number pyarrow might take the other, so that here there may be only one; no honest file has two.
    """

    def __init__(self, data: bytes, at: int = 0, end: int | None = None) -> None:
        self._data, self.at = data, at
        self._end = len(data) if end is None else end
        self._values, self._structs = MAX_VALUES, MAX_STRUCTS

    def struct(self, path: _Path = ()) -> Struct:
        self._structs -= 1
        self._check_bounds(path, self._structs)
        fields = Struct()
        number, numbers = 0, set()
        while head := self._byte():
            step, kind = head >> 4, head & 15
            number = number + step if step else self._zigzag()
            if not 0 < number < 2**15 or number in numbers:
                raise Refused(DAMAGED)
            numbers.add(number)
            fields[number, kind] = self._value(kind, (*path, number)) if kind > FALSE else kind == TRUE
        return fields

    def _value(self, kind: int, path: _Path) -> Any:
        self._values -= 1
        if kind in _LARGEST:
            return self._integer(_LARGEST[kind])
        if kind == STRUCT:
            return self.struct(path)
        if kind == BINARY:
            return self._take(self._varint())
        if kind in (LIST, SET):
            return self._list(path)
        if kind == MAP:
            return self._map(path)
        if kind not in _SIZES:
            raise Refused(DAMAGED)
        return self._take(_SIZES[kind])

    def _list(self, path: _Path) -> list[Any]:
        head = self._byte()
        size, kind = head >> 4, head & 15
        if size == 15:
            size = self._varint()
        if size and _ELEMENTS.get(path, kind) != kind:
            raise Refused(DAMAGED)
        self._check_bounds(path, self._values - size)
        # Lists within lists have no field number of their own, but are one deeper.
        inner = path if kind == STRUCT else (*path, 0)
        return [self._value(kind, inner) for _ in range(self._present(size))]

    def _map(self, path: _Path) -> list[Any]:
        size = self._varint()
        kinds = self._byte() if size else 0
        self._check_bounds(path, self._values - size)
        inner = (*path, 0)
        return [(self._value(kinds >> 4, inner), self._value(kinds & 15, inner)) for _ in range(self._present(size))]

    def _check_bounds(self, path: _Path, left: int) -> None:
        """Refuse what takes long to walk, or much memory for pyarrow."""
        if len(path) > MAX_DEPTH or left < 0:
            raise Refused(
                "the description of this Parquet file has too many parts; save it with fewer row groups or columns"
            )

    def _present(self, size: int) -> int:
        """Return the size of a list if there are bytes for its elements."""
        if size > self._end - self.at:
            raise Refused(DAMAGED)
        return size

    def _integer(self, largest: int) -> int:
        value = self._zigzag()
        if not -largest - 1 <= value <= largest:
            raise Refused(DAMAGED)
        return value

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _varint(self) -> int:
        # Most have one byte, and a file may have a million of them.
        at = self.at
        if at < self._end and (byte := self._data[at]) < 128:
            self.at = at + 1
            return byte
        value = shift = 0
        while (byte := self._byte()) >= 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise Refused(DAMAGED)
        return value | byte << shift

    def _byte(self) -> int:
        if self.at >= self._end:
            raise Refused(DAMAGED)
        self.at += 1
        return self._data[self.at - 1]

    def _take(self, size: int) -> bytes:
        if size > self._end - self.at:
            raise Refused(DAMAGED)
        self.at += size
        return self._data[self.at - size : self.at]
