"""A table out of its frame: rows of names above it and notes below it, as they were chosen or detected.

What is detected is for those who explore. `declarations` says what a release has to be told instead.

Notes below an empty row are left out, as those who explore are told. A total, or a note right below the records, may be
a record: whether it is one is asked, and `footer` answers it. A release declares how many rows are left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from mwem_core.tables.headers import (
    MAX_LOOKED_AT,
    Cells,
    Header,
    is_number,
    looks_like_data,
    with_names,
    with_numbered_names,
)
from mwem_core.tables.table_reading import MAX_FOOTER, Reading, count_of, with_metadata, with_notes
from mwem_core.tables.texts import text_column

MAX_SUMMED = 10**5  # rows: more would take a second
FOOTER = "Left out: {} at the end."
TOTAL = "total"
NOTE = "note"
TOTALS = re.compile(
    r"(grand |sub ?)?totals?\b|sum\b|overall\b|all\b|insgesamt\b|gesamt|summe\b|zusammen\b|total général|ensemble\b|"
    r"somme\b|suma\b|totale\b|totaal\b|итого|всего|合計|合计|总计|总数|計$",
    re.IGNORECASE,
)
FIRST_ROW, LAST_ROW = "first_row", "last_row"  # what the metadata ask about
DATA = "data"
DECLARE_HEADER = (
    "the first rows leave open which of them have the names of the columns, and a release takes that as declared: name "
    "--header with the number of rows that have names, or --no-header if the first row is a record"
)
DECLARE_FOOTER = (
    "the last rows leave open whether all of them are records, and a release takes that as declared: name --footer "
    "with the number of rows that are none, which may be 0"
)


def notes_below(filled: Sequence[int]) -> int:
    """How many of the last rows are notes below an empty row, which counts too.

    `filled` says how many cells of each of the last rows hold something.
    """
    end = len(filled)
    start = end
    while start > 0 and filled[start - 1] <= 1:
        start -= 1
    gap = next((i for i in range(start, end) if filled[i] == 0 and any(filled[i:])), None)
    return 0 if gap is None or start == 0 else end - gap


def filled_cells(table: pa.Table) -> list[int]:
    """How many cells of each of the last rows of a table hold something."""
    last = table.slice(max(0, table.num_rows - MAX_FOOTER - 1))
    columns = [column.to_pylist() for column in last.columns]
    return [sum(map(bool, row)) for row in zip(*columns, strict=True)]


def without_last(table: pa.Table, rows: int) -> pa.Table:
    """The table without so many of its last rows, which the metadata counts as its footer."""
    if not rows:
        return table
    kept = table.slice(0, max(0, table.num_rows - rows))
    columns = [text_column(column.cast(pa.string())) for column in kept.columns]
    kept = pa.table(columns, names=table.column_names, metadata=table.schema.metadata)
    return with_metadata(with_notes(kept, [FOOTER.format(count_of(rows, "row"))]), footer=str(rows))


def last_row(table: pa.Table) -> str:
    """What the last row of a table seems to be if it is no record: `TOTAL`, `NOTE`, or "".

    A total says so in its first filled cell, where no other row does; or its numbers are the sums of those above, and
    its one text, if any, is in no other row. A note is alone in its row, where all other rows hold more.
    """
    if table.num_rows < 3 or table.num_columns < 2:
        return ""
    columns = [column for column in table.columns if pa.types.is_dictionary(column.type)]
    cells = [column[-1].as_py() for column in columns]
    own = [i for i, cell in enumerate(cells) if cell]
    if not own:
        return ""
    label = _is_single(columns[own[0]])
    numbers = [i for i in own if is_number(cells[i])]
    if TOTALS.match(cells[own[0]]) and numbers and label:
        return TOTAL
    if len(own) - len(numbers) == (0 if len(own) < len(columns) else 1) and label and table.num_rows <= MAX_SUMMED:
        sums = sum(_is_sum(columns[i]) for i in numbers)
        if sums and 2 * sums >= len(numbers):
            return TOTAL
    if own == [0] and len(columns) >= 3 and not is_number(cells[0]) and _others_hold_more(table):
        return NOTE
    return ""


def _is_single(column: pa.ChunkedArray) -> bool:
    """Whether no row above has the text of the last one."""
    indices, _ = _indexed(column)
    return int((indices == indices[-1]).sum()) == 1


def _is_sum(column: pa.ChunkedArray) -> bool:
    """Whether the last number of a column is the sum of the others, three or more, of which two are not 0."""
    indices, texts = _indexed(column)
    numbers = np.array([_number(text) for text in texts])
    above, last = numbers[indices[:-1]], numbers[indices[-1]]
    above = above[~np.isnan(above)]
    if len(above) < 3 or np.count_nonzero(above) < 2 or len(above) < len(indices) / 2:
        return False
    return math.isfinite(last) and last != 0 and math.isclose(float(above.sum()), last, rel_tol=1e-9, abs_tol=1e-9)


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "") if is_number(text) else "nan")
    except ValueError:
        return math.nan


def _others_hold_more(table: pa.Table) -> bool:
    """Whether every row but the last has two filled cells or more."""
    filled = np.zeros(table.num_rows, int)
    for column in table.columns:
        indices, texts = _indexed(column)
        filled += np.array([bool(text) for text in texts])[indices]
    return bool((filled[:-1] >= 2).all())


def _indexed(column: pa.ChunkedArray) -> tuple[np.ndarray, list[str]]:
    array = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    return np.from_dlpack(array.indices), array.dictionary.to_pylist()


def frame_table(
    table: pa.Table, header: Header, below: Sequence[Cells], reading: Reading, *, filled: Sequence[int] | None = None
) -> pa.Table:
    """A table of the rows below a header, with its names and without its footer.

    `below` are its first rows; `filled` says how many cells of each of the last rows hold something, 0 for an empty
    row that the table lacks. The metadata state a header of other than one row and a footer, and ask about a first row
    that looks like data and a last one that looks like a total or a note.
    """
    footer = reading.footer
    if footer is None:
        found = notes_below(filled_cells(table) if filled is None else filled)
        footer = found if filled is None else found - filled[len(filled) - found :].count(0)
    table = without_last(table, footer)
    names, suspected = header.names, False
    if header.rows == 1 and reading.header is None:
        suspected = looks_like_data(names, [_padded(row, len(names)) for row in below[:MAX_LOOKED_AT]])
    named = with_numbered_names(with_names(table, names, header=header.rows > 0), said=not suspected)
    named = with_notes(named, header.said)
    metadata = {} if header.rows == 1 else {"header": str(header.rows)}
    if suspected:
        metadata[FIRST_ROW] = DATA
    if reading.footer is None and (what := last_row(named)):
        metadata[LAST_ROW] = what
    return with_metadata(named, **metadata) if metadata else named


def declarations(table: pa.Table, reading: Reading) -> str:
    """What a release has to be told of a table, as it takes no such thing from the records; "" if nothing."""
    metadata = table.schema.metadata or {}
    if reading.header is None and (FIRST_ROW.encode() in metadata or b"header" in metadata):
        return DECLARE_HEADER
    if reading.footer is None and (LAST_ROW.encode() in metadata or b"footer" in metadata):
        return DECLARE_FOOTER
    return ""


def asked_about(table: pa.Table) -> list[tuple[str, list[str]]]:
    """The rows that may be something else: which, "first_row" or "last_row", and the cells. They show records."""
    metadata, asked = table.schema.metadata or {}, list[tuple[str, list[str]]]()
    if FIRST_ROW.encode() in metadata:
        asked.append((FIRST_ROW, table.column_names))
    if LAST_ROW.encode() in metadata:
        asked.append((LAST_ROW, [column[-1].as_py() or "" for column in table.columns]))
    return asked


def _padded(cells: Cells, width: int) -> list[str]:
    return [*(cell.strip() for cell in cells[:width]), *[""] * (width - len(cells))]
