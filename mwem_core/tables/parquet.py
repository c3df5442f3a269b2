"""Parquet files as columns of text. What one unpacks to is found before anything is unpacked: by the headers of its
pages, which Arrow obeys.

The footer and the headers are in Thrift's compact protocol. What the footer says of sizes binds nobody, so only the
places of the column chunks are taken from it.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mwem_core.tables.delimited_text import check_width
from mwem_core.tables.texts import text_column

MAGIC = b"PAR1"
MAX_ITEMS = 2 * 10**6  # numbers, texts and lists in the footer and the headers: they are read in two seconds
MAX_LISTED = 40_000  # columns, some within others, and groups of rows
MAX_DEPTH = 64  # of columns within columns, and of the protocol
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, _, STRUCT = range(1, 13)  # kinds of the protocol
DATA_PAGES = {0: (5, STRUCT), 3: (8, STRUCT)}  # by the type of a page, the field that counts its values

Fields = dict[tuple[int, int], Any]  # of a struct, by number and kind: Arrow skips a field of another kind
CELL_BYTES = 3  # of a cell, on average, in CSV of as many cells as a file may have
UNPACK_RATIO = 3  # bytes that a file may unpack to, for each byte that it may have


def page_contents(data: bytes) -> tuple[int, int]:
    """How many bytes and values all pages of a file hold.

    Raises ValueError, LookupError, TypeError or AttributeError where the file is damaged, or of too many parts,
    and OverflowError, at once, where it lists too many columns or groups of rows.
    """
    length = int.from_bytes(data[-8:-4], "little")
    if not data.startswith(MAGIC) or not data.endswith(MAGIC) or not 0 < length <= len(data) - 12:
        raise ValueError("no footer")
    reader = _Compact(data, len(data) - 8 - length)
    footer = reader.struct()
    _check_depth(footer[2, LIST])
    size = values = 0
    for chunk in (chunk for group in footer[4, LIST] for chunk in group[1, LIST]):
        about = chunk[3, STRUCT]
        number, start = about[5, I64], about[9, I64]
        if number <= 0:
            continue
        if 0 < about.get((11, I64), 0) < start:
            start = about[11, I64]  # the page of the dictionary
        end = start + about[7, I64]
        if not 0 < start <= end <= len(data):
            raise ValueError("a column outside of the file")
        reader.position, seen = start, 0
        while seen < number and reader.position < end:
            header = reader.struct()
            page_size, packed_size = header[2, I32], header[3, I32]
            if page_size < 0 or packed_size < 0:
                raise ValueError("a page of negative size")
            reader.position += packed_size
            size += page_size
            page = DATA_PAGES.get(header[1, I32])
            seen += header[page][1, I32] if page else 0
        values += max(seen, number)
    return size, values


def _check_depth(elements: list[Fields]) -> None:
    """Raise ValueError where columns are nested so deeply that they end the process that walks through them."""
    groups: list[int] = []  # of each open one, the children to come
    for element in elements:
        while groups and not groups[-1]:
            groups.pop()
        if groups:
            groups[-1] -= 1
        if children := element.get((5, I32), 0):
            groups.append(children)
        if len(groups) > MAX_DEPTH:
            raise ValueError("columns nested too deeply")


class _Compact:
    """Reads structs at a position that it moves on."""

    def __init__(self, data: bytes, position: int):
        self._data, self.position, self._left = data, position, MAX_ITEMS

    def struct(self, depth: int = 0) -> Fields:
        fields, number, data = Fields(), 0, self._data
        while head := data[self.position]:
            self.position += 1
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            if (number, kind) in fields:
                raise ValueError("a field twice")
            fields[number, kind] = None if kind in (TRUE, FALSE) else self._value(kind, depth + 1)
        self.position += 1
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        self._left -= 1
        if self._left < 0 or depth > MAX_DEPTH:
            raise ValueError("too many parts")
        if I16 <= kind <= I64:
            return self._integer()
        if kind == BINARY:
            length = self._varint()
            self.position += length  # no text is needed
        elif kind == STRUCT:
            return self.struct(depth)
        elif kind in (LIST, SET):
            head = self._data[self.position]
            self.position += 1
            number = head >> 4 if head >> 4 < 15 else self._varint()
            if depth == 1 and number > MAX_LISTED:
                raise OverflowError
            return [self._value(head & 15, depth + 1) for _ in range(number)]
        elif kind in (TRUE, FALSE, BYTE, DOUBLE):
            self.position += 8 if kind == DOUBLE else 1
        else:
            raise ValueError("a map, of which Parquet has none")
        return None

    def _integer(self) -> int:
        number = self._varint()
        return number >> 1 ^ -(number & 1)

    def _varint(self) -> int:
        position, data = self.position, self._data
        number, shift = data[position], 7
        if number & 128:
            number &= 127
            while (byte := data[position := position + 1]) & 128 and shift < 63:
                number |= (byte & 127) << shift
                shift += 7
            number |= byte << shift
        self.position = position + 1
        return number


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
        size, values = page_contents(data)
        file = pq.ParquetFile(pa.BufferReader(data))
    except OverflowError:
        raise ValueError(f"{name} has too many columns or groups of rows; drop unneeded ones") from None
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError, AttributeError):
        raise ValueError(damaged) from None
    check_width(file.metadata.num_columns, name)
    # Not the number of values of each column chunk: Arrow aborts the process where a chunk's metadata are damaged.
    cells = max(values, file.metadata.num_rows * file.metadata.num_columns)
    _check_limit(cells, "cells", max_bytes / CELL_BYTES, name)
    widths = [field.type.byte_width for field in file.schema_arrow if pa.types.is_fixed_size_binary(field.type)]
    _check_limit(max(size, values * max(widths, default=0)), "bytes", UNPACK_RATIO * max_bytes, name)
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
    fields = list(file.schema_arrow)
    # A text that stands in many rows is then in memory once, as it is in the file.
    texts = [field.name for field in fields if _is_text(field.type)]
    flat = [field.name for field in fields if not pa.types.is_nested(field.type)]
    chosen = flat if len({*flat}) == len(flat) else None  # columns of one name come back in another order if chosen
    read = pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts).read(columns=chosen)
    columns = iter([text_column(column) for column in read.columns if not pa.types.is_nested(column.type)])
    rows = file.metadata.num_rows
    own = [pa.nulls(rows, field.type) if pa.types.is_nested(field.type) else next(columns) for field in fields]
    for column in own:
        if pa.types.is_dictionary(column.type) and column.num_chunks:
            column.chunk(0).dictionary.validate(full=True)  # refuses what is not UTF-8
    return pa.table(own, names=[field.name.strip() for field in fields])


def _is_text(type: pa.DataType) -> bool:
    """Whether its values take as much room as they like: texts, and bytes that may be texts."""
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(is_kind(type) for is_kind in (*kinds, pa.types.is_binary, pa.types.is_large_binary))
