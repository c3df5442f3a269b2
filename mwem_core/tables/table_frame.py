"""A table out of its frame: rows of names above it and notes below it, as they were chosen or detected.

What is detected is for those who explore. `declarations` says what a release has to be told instead.

Notes below an empty row are left out, as those who explore are told. A total, or a note right below the records, may be
a record: whether it is one is asked, and `footer` answers it. A release declares how many rows are left out.
"""

from __future__ import annotations

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
)
from mwem_core.tables.table_reading import MAX_FOOTER, Reading, count_of, with_metadata, with_notes
from mwem_core.tables.texts import distinct_texts, text_column

FOOTER = "Left out: {} at the end."
EMPTY_ROWS = "Left out: rows without a value."
GROUPS = "Column {!r} is filled in the first row of each group alone; fill the cells below, or they count as missing."
TOTALS = re.compile(
    r"(grand |sub ?)?totals?\b|sum\b|overall\b|all\b|insgesamt\b|gesamt|summe\b|zusammen\b|total général|ensemble\b|"
    r"somme\b|suma\b|totale\b|totaal\b|итого|всего|合計|合计|总计|总数|計$",
    re.IGNORECASE,
)
FIRST_ROW, LAST_ROW = "first_row", "last_row"  # what the metadata ask about
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


def _filled(table: pa.Table) -> np.ndarray:
    """How many cells of each row hold something, (m,)."""
    filled = np.zeros(table.num_rows, int)
    for column in table.columns:
        texts, text_of = distinct_texts(column, "")
        filled += np.array([bool(text) for text in texts], bool)[text_of]
    return filled


def _empty_rows(table: pa.Table) -> np.ndarray:
    """The rows that hold nothing; rows of one column are not empty."""
    rows = np.arange(table.num_rows if table.num_columns > 1 else 0)
    for column in table.columns:
        if len(rows):
            texts, text_of = distinct_texts(column, "")
            rows = rows[text_of[rows] == texts.index("")] if "" in texts else rows[:0]
    return rows


def _has_odd_end(table: pa.Table) -> bool:
    """Whether the last row of a table seems to be a total or a note, and no record.

    A total says so in its first filled cell, where no other row does. A note is alone in its row, where all other rows
    hold more.
    """
    if table.num_rows < 3 or table.num_columns < 2:
        return False
    cells = [column[-1].as_py() for column in table.columns]
    own = [i for i, cell in enumerate(cells) if cell]
    if not own:
        return False
    _, text_of = distinct_texts(table.column(own[0]), "")
    if TOTALS.match(cells[own[0]]) and any(map(is_number, cells)) and (text_of == text_of[-1]).sum() == 1:
        return True
    return own == [0] and len(cells) >= 3 and not is_number(cells[0]) and bool((_filled(table)[:-1] >= 2).all())


def _check_beside(table: pa.Table, names: Sequence[str], name: str) -> None:
    """Raise ValueError where a second table, with another number of rows, is right of an empty column."""
    if all(names):
        return
    ends = np.array([np.flatnonzero(_filled(table.select([i]))).max(initial=-1) for i in range(len(names))])
    left, right = np.maximum.accumulate(ends), np.maximum.accumulate(ends[::-1])[::-1]
    for gap in np.flatnonzero((ends < 0) & (np.abs(left - right) > 1)).tolist():
        beside = next(filter(None, names[gap + 1 :]), "")
        if not names[gap] and any(names[:gap]) and beside:
            raise ValueError(
                f"{name} has a second table beside the first, from the column {beside[:40]!r} on; move it to a file of"
                " its own, or delete the empty column between if they are one table"
            )


def _groups(table: pa.Table, names: Sequence[str]) -> list[str]:
    """A sentence on a first column that names groups of rows, as merged cells do; none without one."""
    texts, text_of = distinct_texts(table.column(0), "")
    filled = np.array([bool(text) for text in texts], bool)[text_of]
    number = int(filled.sum())
    if not names[0] or not 2 <= number <= table.num_rows / 2 or not filled[0] or len({*text_of[filled]}) < number:
        return []
    others = _filled(table.select(range(1, table.num_columns)))
    return [GROUPS.format(names[0][:40])] if len(names) > 1 and (others[:-1] == len(names) - 1).all() else []


def frame_table(table: pa.Table, header: Header, below: Sequence[Cells], name: str, reading: Reading) -> pa.Table:
    """A table of the rows below a header, with its names and without its footer and rows that hold nothing.

    `below` are its first rows. The metadata state a header of other than one row and a footer, and ask about a first
    row that looks like data and a last one that looks like a total or a note.

    Raises ValueError where a second table is beside the first.
    """
    names, footer, suspected = header.names, reading.footer, False
    metadata, said = {} if header.rows == 1 else {"header": str(header.rows)}, list[str]()
    if footer is None:
        last = _filled(table.slice(max(0, table.num_rows - MAX_FOOTER - 1))).tolist()
        footer = (found := notes_below(last)) - last[len(last) - found :].count(0)
    empty = _empty_rows(table)
    if footer or len(empty):
        rows = np.delete(np.arange(table.num_rows), empty)
        rows = rows[: max(0, len(rows) - footer)]
        columns = [text_column(column.cast(pa.string())) for column in table.take(pa.array(rows)).columns]
        table = pa.table(columns, names=table.column_names)
        if footer:
            said, metadata["footer"] = [FOOTER.format(count_of(footer, "row"))], str(footer)
        if len(empty) and empty[0] < rows.max(initial=0):
            said.append(EMPTY_ROWS)
    _check_beside(table, names, name)
    if table.num_rows:
        said += _groups(table, names)
    if header.rows == 1 and reading.header is None:
        padded = [
            [*map(str.strip, row), *[""] * (len(names) - len(row))][: len(names)] for row in below[:MAX_LOOKED_AT]
        ]
        suspected = looks_like_data(names, padded)
    named = with_names(with_notes(table, said), header, suspected=suspected)
    if suspected:
        metadata[FIRST_ROW] = "data"
    if reading.footer is None and _has_odd_end(named):
        metadata[LAST_ROW] = "data"
    return with_metadata(named, **metadata)


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
