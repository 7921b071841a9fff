"""What any column of somebody's own table says of itself, whatever it holds."""

from __future__ import annotations

from typing import ClassVar

from ldpcore._validate import FloatArray
from ldpcore.datasets.own_binning import OwnBinning


class OwnBase:
    """A column that was read; what only numbers or only dates have, the others do not."""

    kind: ClassVar[str]
    """What it holds, in the words of `ldpcore.datasets.kind_of`."""

    @property
    def different_numbers(self) -> int | None:
        """How many different numbers there are; None where there are none."""
        return None

    @property
    def whole_range(self) -> tuple[float, float] | None:
        """The first and the last number where all are whole ones; None elsewhere."""
        return None

    def whole_edges(self, binning: OwnBinning) -> FloatArray | None:
        r"""Return the edges of one bin for each whole number; None where not all are whole numbers.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.categories_from(ldp.read_table(b"colour\nred\nblue\n", "colours.csv"), "colour")
        >>> print(own.whole_edges(ldp.OwnBinning()))
        None
        """
        return None

    def unit(self, binning: OwnBinning | None = None) -> str | None:
        r"""Return the unit that bins have several of; None where they have none.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.categories_from(ldp.read_table(b"colour\nred\nblue\n", "colours.csv"), "colour")
        >>> print(own.unit())
        None
        """
        return None
