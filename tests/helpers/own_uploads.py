"""Own data as a session holds them."""

import ldpcore as ldp
from ldpui.computing.reading import File, UploadedTable
from ldpui.own import Upload


def uploaded(data, name, read=ldp.numbers_from):
    """Return what a session holds of a file with one column."""
    table = ldp.read_table(data, name)
    held = UploadedTable(File(data, name), name, table.columns, table.rows)
    return Upload(held, table.columns[0], read(table, table.columns[0]), ldp.OwnBinning())
