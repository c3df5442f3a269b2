"""Parquet files as columns of text."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from mwem_core.tables.delimited import check_width
from mwem_core.tables.parquet_pages import MAGIC, unpacked
from mwem_core.tables.texts import text_column

CELL_BYTES = 3  # of a cell, on average, in CSV of as many cells as a file may have
UNPACKING = 3  # bytes that a file may unpack to, for each byte that it may have


def is_parquet(data: bytes) -> bool:
    """Whether the data are a Parquet file."""
    return data.startswith(MAGIC)


def read_parquet(data: bytes, name: str, max_bytes: float) -> pa.Table:
    """The columns of a Parquet file. It may have as many cells as CSV of `max_bytes`: equal cells take it no room.

    No encoding takes a column of lists or structs: only its type is kept, with nulls. Raises ValueError where the file
    is damaged or unpacks to too much.
    """
    damaged = f"{name} is a damaged Parquet file; write it again or export it as CSV"
    try:
        held = unpacked(data)
        file = pq.ParquetFile(pa.BufferReader(data))
    except OverflowError:
        raise ValueError(f"{name} has too many columns or groups of rows; drop unneeded ones") from None
    except (pa.ArrowException, OSError, ValueError):
        raise ValueError(damaged) from None
    check_width(file.metadata.num_columns, name)
    # Not the number of values of each column chunk: Arrow aborts the process where a chunk's metadata are damaged.
    cells = max(held.values, file.metadata.num_rows * file.metadata.num_columns)
    _check_limit(cells, "cells", max_bytes / CELL_BYTES, name)
    widths = [field.type.byte_width for field in file.schema_arrow if pa.types.is_fixed_size_binary(field.type)]
    _check_limit(max(held.bytes, held.values * max(widths, default=0)), "bytes", UNPACKING * max_bytes, name)
    try:
        return _columns(data, file)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise ValueError(damaged) from None


def _check_limit(number: int, what: str, limit: float, name: str) -> None:
    if number > limit:
        raise ValueError(
            f"{name} has {number:,} {what}, over the limit of {limit:,.0f};"
            " drop unneeded columns, or read it on your own machine with --unlimited"
        )


def _columns(data: bytes, file: pq.ParquetFile) -> pa.Table:
    # A text that stands in many rows is then in memory once, as it is in the file.
    texts = [field.name for field in file.schema_arrow if _is_text(field.type)]
    flat = [field.name for field in file.schema_arrow if not pa.types.is_nested(field.type)]
    chosen = flat if len({*flat}) == len(flat) else None  # columns of one name come back in another order if chosen
    read = pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts).read(columns=chosen)
    columns = iter([text_column(column) for column in read.columns if not pa.types.is_nested(column.type)])
    names = [field.name.strip() for field in file.schema_arrow]
    table = pa.table(
        [
            pa.nulls(file.metadata.num_rows, field.type) if pa.types.is_nested(field.type) else next(columns)
            for field in file.schema_arrow
        ],
        names=names,
    )
    for column in table.columns:
        if pa.types.is_dictionary(column.type) and column.num_chunks:
            column.chunk(0).dictionary.validate(full=True)  # refuses what is not UTF-8
    return table


def _is_text(type: pa.DataType) -> bool:
    """Whether its values take as much room as they like: texts, and bytes that may be texts."""
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(is_kind(type) for is_kind in (*kinds, pa.types.is_binary, pa.types.is_large_binary))
