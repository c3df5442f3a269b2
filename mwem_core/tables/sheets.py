"""A sheet of a workbook as columns of text, row by row."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import pyarrow as pa

from mwem_core.tables.delimited_text import check_width
from mwem_core.tables.headers import MAX_LOOKED_AT, header_of
from mwem_core.tables.table_frame import frame_table
from mwem_core.tables.table_reading import (
    MAX_FOOTER,
    MAX_HEADER,
    Reading,
    count_of,
    with_metadata,
    with_notes,
)
from mwem_core.tables.text_lines import MAX_TITLES
from mwem_core.tables.texts import TextColumn, text_of

MAX_CELLS = 5 * 10**6  # read in 20 seconds
WIDE = 2  # cells, by which the row of names is told from a title


def choose_sheet(sheet: str | None, sheets: Sequence[str], name: str) -> str:
    """The sheet, or the first one; raises ValueError if there is no such sheet, or none at all."""
    if not sheets or (sheet is not None and sheet not in sheets):
        raise ValueError(f"{name} has no sheet {sheet!r}: choose from {', '.join(sheets)}" if sheets else _empty(name))
    return sheets[0] if sheet is None else sheet


def read_sheet(
    rows: Iterable[Sequence[Any]], name: str, sheet: str, sheets: Sequence[str], reading: Reading
) -> pa.Table:
    """The columns of a sheet; the table's metadata names it, and lists all sheets as JSON.

    The names of the columns are in the first row with two filled cells or more, if at most `MAX_TITLES` rows stand
    above it; otherwise in the first row that is not empty; or in as many rows as `reading` says. Raises ValueError for
    rows that are no table.
    """
    filled = _filled(rows)
    titles, below = (0, filled) if reading.header == 0 else _below_titles(filled)
    first = list(islice(below, MAX_HEADER + MAX_LOOKED_AT))
    if not first:
        raise ValueError(_empty(f"{name}, sheet {sheet!r},"))
    texts = [[text_of(value).strip() for value in values] for _, values in first]
    width = max(map(len, texts[: reading.header or 2])) if reading.header != 0 else len(texts[0])
    check_width(width, name)
    header = header_of(texts, width, reading.header)
    width = width if header.rows > 1 else len(texts[0])
    table, last = _body(chain(first[header.rows :], below), width, name)
    names = [*header.names[:width], *[""] * (table.num_columns - width)]
    table = frame_table(table, replace(header, names=names), texts[header.rows :], reading, filled=last)
    said = [f"Left out: {count_of(titles, 'row')} above the column names."] if titles else []
    return with_metadata(with_notes(table, said), sheet=sheet, sheets=json.dumps(list(sheets)))


def _body(rows: Iterable[tuple[int, Sequence[Any]]], width: int, name: str) -> tuple[pa.Table, list[int]]:
    """The columns below a header of so many, named by their positions, from rows and their numbers in the sheet.

    Also how many cells of each of the last rows are filled; 0 for empty rows between.
    """
    columns = [TextColumn() for _ in range(width)]
    filled: deque[int] = deque(maxlen=MAX_FOOTER + 1)
    count = before = 0
    for count, (number, values) in enumerate(rows, 1):
        if len(values) > len(columns):
            check_width(len(values), name)
            columns += [TextColumn() for _ in range(len(values) - len(columns))]
        for column, value in zip(columns, values, strict=False):
            column.add(text_of(value), row=count)
        filled += [0] * (0 < before < number - 1) + [len(values) - values.count(None)]
        before = number
    arrays = [column.filled(count) for column in columns]
    return pa.table(arrays, names=[str(i) for i in range(len(arrays))]), list(filled)


def _filled(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[int, Sequence[Any]]]:
    """The rows that are not empty, with their numbers from 1, without the empty cells at their ends."""
    for row, values in enumerate(rows, 1):
        end = len(values)
        while end and values[end - 1] is None:
            end -= 1
        if end:
            yield row, values[:end]


def _below_titles(rows: Iterator[tuple[int, Sequence[Any]]]) -> tuple[int, Iterator[tuple[int, Sequence[Any]]]]:
    """The number of titles above the names, such as the name of a survey in a cell of its own; and the rows below."""
    above = list[tuple[int, Sequence[Any]]]()
    for number, values in rows:
        if sum(value is not None for value in values) >= WIDE:
            return len(above), chain([(number, values)], rows)
        above.append((number, values))
        if len(above) > MAX_TITLES:
            break
    return 0, chain(above, rows)


def _empty(what: str) -> str:
    return f"{what} is empty; it needs a row of names and at least one row"
