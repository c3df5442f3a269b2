"""Parquet files as columns of text."""

from __future__ import annotations

import math

import pyarrow as pa
import pyarrow.parquet as pq

from mwem_core.tables.archives import read_in_process
from mwem_core.tables.delimited_text import check_width
from mwem_core.tables.texts import text_column

MAGIC = b"PAR1"
CELL_BYTES = 3  # of a cell, on average, in CSV of as many cells as a file may have
DAMAGE = "{} is a damaged Parquet file, or too large; write it again or export it as CSV"


def is_parquet(data: bytes) -> bool:
    """Whether the data are a Parquet file."""
    return data.startswith(MAGIC)


def read_parquet(data: bytes, name: str, max_bytes: float) -> pa.Table:
    """The columns of a Parquet file. It may have as many cells as CSV of `max_bytes`: equal cells take it no room.

    A file without a limit is read in this process, which a damaged one can end; another in a process of its own. No
    encoding takes a column of lists or structs: only its type is kept, with nulls. Raises ValueError where the file is
    damaged or unpacks to too much.
    """
    damage = DAMAGE.format(name)
    if max_bytes < math.inf:
        return read_in_process(read_columns, data, name, str(max_bytes), damage=damage)
    try:
        return read_columns(data, name, str(max_bytes))
    except (pa.ArrowException, OSError, UnicodeError):
        raise ValueError(damage) from None


def read_columns(data: bytes, name: str, max_bytes: str) -> pa.Table:
    """The columns, read in this process."""
    file = pq.ParquetFile(pa.BufferReader(data))
    about, fields = file.metadata, list(file.schema_arrow)
    check_width(about.num_columns, name)
    cells, most = about.num_rows * about.num_columns, float(max_bytes) / CELL_BYTES
    if cells > most:
        raise ValueError(
            f"{name} has {cells:,} cells, over the limit of {most:,.0f};"
            " drop unneeded columns, or read it on your own machine with --unlimited"
        )
    # A text that stands in many rows is then in memory once, as it is in the file.
    texts = [field.name for field in fields if _is_text(field.type)]
    flat = [field.name for field in fields if not pa.types.is_nested(field.type)]
    chosen = flat if len({*flat}) == len(flat) else None  # columns of one name come back in another order if chosen
    read = pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts).read(columns=chosen)
    columns = iter([text_column(column) for column in read.columns if not pa.types.is_nested(column.type)])
    own = [pa.nulls(about.num_rows, each.type) if pa.types.is_nested(each.type) else next(columns) for each in fields]
    for column in own:
        if pa.types.is_dictionary(column.type) and column.num_chunks:
            column.chunk(0).dictionary.validate(full=True)  # refuses what is not UTF-8
    return pa.table(own, names=[field.name.strip() for field in fields])


def _is_text(type: pa.DataType) -> bool:
    """Whether its values take as much room as they like: texts, and bytes that may be texts."""
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(is_kind(type) for is_kind in (*kinds, pa.types.is_binary, pa.types.is_large_binary))
