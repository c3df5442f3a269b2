"""A table out of its frame: rows of names above it and notes below it, as they were chosen or detected.

What is detected is for those who explore. `declarations` says what a release has to be told instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from mwem_core.tables.ends import filled_cells, last_row, notes_below, without_last
from mwem_core.tables.headers import MAX_LOOKED_AT, Cells, Header, looks_like_data
from mwem_core.tables.nameless import with_names, with_numbered_names
from mwem_core.tables.reading import Reading
from mwem_core.tables.said import with_metadata, with_said

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


def framed(
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
    named = with_said(named, header.said)
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
