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
    header = replace(header, names=header.names[:width])
    body = _Body(f"{name}, sheet {sheet!r}:", name, header.names)
    for number, values in chain(first[header.rows :], below):
        body.add(number, values)
    table = frame_table(
        body.table(), replace(header, names=body.names()), texts[header.rows :], reading,
        filled=body.last_filled,
    )  # fmt: skip
    said = [f"Left out: {count_of(titles, 'row')} above the column names."] if titles else []
    return with_metadata(with_notes(table, said), sheet=sheet, sheets=json.dumps(list(sheets)))


class _Body:
    """The columns below a header, which grow row by row."""

    def __init__(self, where: str, name: str, names: Sequence[str]):
        self._where, self._name, self._names = where, name, names
        self._columns = [TextColumn() for _ in names]
        self._rows = self._number = 0
        self._beside: dict[int, tuple[int, int]] = {}  # column without a place in the header: rows filled, first one
        self._last: deque[int] = deque(maxlen=MAX_FOOTER + 1)

    def add(self, number: int, values: Sequence[Any]) -> None:
        """Add a row, which has this number in the sheet."""
        self._rows += 1
        if len(values) > len(self._columns):
            check_width(len(values), self._name)
            self._columns += [TextColumn() for _ in range(len(values) - len(self._columns))]
        for i, value in enumerate(values):
            text = text_of(value)
            self._columns[i].add(text, row=self._rows)
            if i >= len(self._names) and text.strip():
                rows, first = self._beside.get(i, (0, number))
                self._beside[i] = rows + 1, first
        if self._number and number > self._number + 1:
            self._last.append(0)
        self._number = number
        self._last.append(sum(value is not None for value in values))

    @property
    def width(self) -> int:
        """The number of columns, those without a place in the header included."""
        return len(self._columns)

    @property
    def last_filled(self) -> list[int]:
        """How many cells of each of the last rows are filled; 0 for empty rows between."""
        return list(self._last)

    def names(self) -> list[str]:
        """The names of the columns, "" for one that has no place in the header."""
        return [*self._names, *[""] * (self.width - len(self._names))]

    def table(self) -> pa.Table:
        """The columns, named by their positions.

        Raises ValueError for a cell beside the table: its column has no name, and is empty in most rows.
        """
        for i, (rows, first) in self._beside.items():
            if 2 * rows < self._rows:
                raise ValueError(
                    f"{self._where} cell {cell_name(first, i)} stands in a column without a name; name every column, or"
                    " delete what stands beside the table"
                )
        arrays = [column.filled(self._rows) for column in self._columns]
        return pa.table(arrays, names=[str(i) for i in range(self.width)])


def cell_name(row: int, column: int) -> str:
    """The name of a cell, by its row from 1 and its column from 0.

    >>> cell_name(3, 0), cell_name(1, 27)
    ('A3', 'AB1')
    """
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row}"


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
