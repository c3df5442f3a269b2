"""A sheet of a workbook as columns of text, row by row, so that a small file cannot fill the memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa

from mwem_core.data.delimited import MAX_TITLES, check_width
from mwem_core.data.texts import TextColumn, text_of

MAX_CELLS = 5 * 10**6  # read in 20 seconds
MAX_ROWS = 1_048_576  # as in Excel and OpenDocument
MAX_DENSE_CELLS = 3 * 10**7  # with the empty cells in front of others: they take time and memory
WIDE = 2  # cells, by which the row of names is told from a title


def choose_sheet(sheet: str | None, sheets: Sequence[str], name: str) -> str:
    """The sheet, or the first one; raises ValueError if there is no such sheet, or none at all."""
    if not sheets or (sheet is not None and sheet not in sheets):
        raise ValueError(f"{name} has no sheet {sheet!r}: choose from {', '.join(sheets)}" if sheets else _empty(name))
    return sheets[0] if sheet is None else sheet


def read_sheet(rows: Iterable[Sequence[Any]], name: str, sheet: str, sheets: Sequence[str]) -> pa.Table:
    """The columns of a sheet; the table's metadata names it, and lists all sheets as JSON.

    The names of the columns are in the first row with two filled cells or more, if at most `MAX_TITLES` rows stand
    above it; otherwise in the first row that is not empty. Raises ValueError for rows that are no table.
    """
    below = _below_titles(_filled(rows, name))
    header = [text_of(value).strip() for value in next(below, ())]
    if not header:
        raise ValueError(_empty(f"{name}, sheet {sheet!r},"))
    check_width(len(header), name)
    columns = [TextColumn() for _ in header]
    row = cells = 0
    for row, values in enumerate(below, 1):
        cells += len(values)
        if cells > MAX_CELLS:
            raise too_many_cells(name)
        if len(values) > len(header):
            raise ValueError(
                f"{name}, sheet {sheet!r}: row {row} under the names has {len(values)} cells where {len(header)} "
                "have a name; name every column, or delete what stands beside the table"
            )
        for column, value in zip(columns, values, strict=False):
            column.add(text_of(value), row=row)
    metadata = {"sheet": sheet, "sheets": json.dumps(list(sheets))}
    return pa.table([column.filled(row) for column in columns], names=header, metadata=metadata)


def _filled(rows: Iterable[Sequence[Any]], name: str) -> Iterator[Sequence[Any]]:
    """The rows that are not empty, without the empty cells at their ends."""
    cells = 0
    for row, values in enumerate(rows, 1):
        cells += len(values)
        if row > MAX_ROWS or cells > MAX_DENSE_CELLS:
            raise far_cell(name)
        if values.count(None) == len(values):
            continue
        end = len(values)
        while values[end - 1] is None:
            end -= 1
        yield values[:end]


def _below_titles(rows: Iterator[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """The rows without titles above the names, such as the name of a survey in a cell of its own."""
    above = []
    for values in rows:
        if sum(value is not None for value in values) >= WIDE:
            return chain([values], rows)
        above.append(values)
        if len(above) > MAX_TITLES:
            break
    return chain(above, rows)


def too_many_cells(name: str) -> ValueError:
    """The refusal of a sheet over the limit."""
    return ValueError(f"{name} has more than {MAX_CELLS:,} cells; export the sheet as CSV or Parquet")


def far_cell(name: str) -> ValueError:
    """The refusal of a sheet that is mostly empty."""
    return ValueError(f"{name} has a cell far from the others; delete it, or export the sheet as CSV")


def _empty(what: str) -> str:
    return f"{what} is empty; it needs a row of names and at least one row"
