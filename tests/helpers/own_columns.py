"""Columns that tests of own data share."""

import pyarrow as pa

from ldpcore.tables import Table


def table(**columns):
    data = pa.table(columns)
    return Table("a.csv", tuple(data.column_names), data.num_rows, data)


def column(cells):
    return table(x=pa.array(cells, pa.string()))
