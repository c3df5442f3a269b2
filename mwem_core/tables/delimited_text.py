"""Delimited text, such as CSV: its delimiter is detected, and malformed rows are refused by line."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.csv

from mwem_core.forms import detected_decimal, from_cell, with_decimal
from mwem_core.tables.encodings import as_utf8
from mwem_core.tables.headers import header_of
from mwem_core.tables.table_frame import frame_table
from mwem_core.tables.table_reading import DEFAULT_READING, Reading, count_of, with_metadata, with_notes
from mwem_core.tables.text_lines import (
    Row,
    divided_by_blanks,
    notes_at_end,
    rows_of,
    separator_line,
    titles_above,
    without_comments,
    without_notes,
)
from mwem_core.tables.texts import TEXT_TYPE, text_column

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
BLANK = " "
CHOICES = {**DELIMITERS, BLANK: "blank"}
SEPARATOR_LINE = "Left out: the first line, which says what divides the cells."
BLOCK = 1 << 23  # bytes that are parsed at a time; no line may be longer
MAX_COLUMNS = 10_000
SAMPLE_BYTES = 1 << 20  # from which the delimiter is detected; the header must fit


def read_delimited(data: bytes, name: str, reading: Reading = DEFAULT_READING) -> pa.Table:
    """Read delimited text as columns of text; the table's metadata names its encoding, delimiter and decimal mark.

    What stands around the table is left out, as `notes_of` tells. What is not chosen is detected. If the bytes are not
    Unicode, their encoding is a guess.
    """
    data, encoding = as_utf8(data, name, reading.encoding)
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    _check_lines(data, name)
    chosen = None if reading.delimiter is None else delimiter_named(reading.delimiter)
    top = _top(data, name, chosen, header=reading.header != 0)
    table = with_notes(_table(top, name, reading), top.said)
    table = with_metadata(table, encoding=encoding, delimiter=CHOICES.get(top.named, top.named))  # shown on screen
    return with_decimal(table, reading.decimal or detected_decimal(table, top.named))


def delimiter_named(text: str) -> str:
    """A delimiter given by its name or as itself, an ASCII character, but no quote; raises ValueError for another."""
    delimiter = {**{name: each for each, name in CHOICES.items()}, r"\t": "\t"}.get(text, text)
    if len(delimiter) == 1 and delimiter.isascii() and delimiter not in '"\r\n\0':
        return delimiter
    raise ValueError(f"cells may be divided by a {', '.join(CHOICES.values())}, or one ASCII character, got {text!r}")


def check_width(columns: int, name: str) -> None:
    """Raise ValueError if a table has more columns than can be read in a second or two."""
    if columns > MAX_COLUMNS:
        raise ValueError(f"{name} has {columns:,} columns, over the limit of {MAX_COLUMNS:,}; drop unneeded ones")


@dataclass(frozen=True)
class _Top:
    """Text with empty lines in place of what stands above the table, and its first rows."""

    data: bytes
    delimiter: str  # in the data
    named: str  # in the file
    rows: list[Row]
    said: list[str]


def _top(data: bytes, name: str, chosen: str | None, *, header: bool) -> _Top:
    """Leave out what stands above the names, and find the delimiter unless it is chosen."""
    said = list[str]()
    data, separator = separator_line(data)
    if separator is not None:
        said.append(SEPARATOR_LINE)
        chosen = chosen or separator
    data, comments = without_comments(data)
    if comments:
        said.append(f"Left out: {count_of(comments, 'line')} of comments above the column names.")
    candidates = [*DELIMITERS, *([chosen] if chosen and chosen not in CHOICES else [])]
    parsed = {each: _first_rows(data, each) for each in candidates}
    data, titles = _without_titles(data, list(parsed.values()), header=header)
    if titles:
        parsed = {each: _first_rows(data, each) for each in candidates}
        said.append(f"Left out: {count_of(titles, 'line')} above the column names.")
    likeliest = max(DELIMITERS, key=lambda each: _evenness([row.cells for row in parsed[each]]))
    delimiter = chosen if chosen and chosen != BLANK else likeliest
    rows = parsed[delimiter]
    if chosen == BLANK or (chosen is None and 2 * sum(len(row.cells) == 1 for row in rows) > len(rows)):
        divided = divided_by_blanks(data.decode(), surely=chosen is not None)
        if divided is None and chosen is not None:
            raise ValueError(f"{name} has no cells that blanks divide; choose another delimiter")
        if divided is not None:
            said += [] if chosen else ["Read as columns that blanks divide."]
            return _Top(divided.encode(), ",", BLANK, _first_rows(divided.encode(), ","), said)
    return _Top(data, delimiter, delimiter, rows, said)


def _without_titles(data: bytes, parsed: Sequence[Sequence[Row]], *, header: bool) -> tuple[bytes, int]:
    """The text with empty lines in place of titles above the names, and the number of titles.

    `parsed` are the first rows, as each delimiter divides them. There are no titles if any makes a table of all lines.
    """
    whole = len(data) <= SAMPLE_BYTES
    found = [(*titles_above(rows, whole=whole, header=header), i) for i, rows in enumerate(parsed)]
    _, titles, best = max(found)
    if not titles or any(width > 1 and not above for width, above, _ in found):
        return data, 0
    return _blanked(data, parsed[best][titles].start, parsed[best][titles].line), titles


def _blanked(data: bytes, end: int, lines: int) -> bytes:
    """The text with empty lines in place of its first characters."""
    return b"\n" * lines + data[len(_sample(data)[:end].encode()) :]


def _sample(data: bytes) -> str:
    return data[:SAMPLE_BYTES].decode(errors="ignore")


def _first_rows(data: bytes, delimiter: str) -> list[Row]:
    """The rows of the sample, without its last one if that may be cut off."""
    rows = rows_of(_sample(data), delimiter)
    return rows[:-1] if len(data) > SAMPLE_BYTES else rows


def sniff(data: bytes) -> tuple[str, list[str]]:
    """The delimiter that splits the first rows most evenly into several cells, and the header that it gives."""
    parsed = {each: [row.cells for row in _first_rows(data, each)] or [[""]] for each in DELIMITERS}
    delimiter = max(DELIMITERS, key=lambda each: _evenness(parsed[each]))
    return delimiter, parsed[delimiter][0]


def _evenness(rows: Sequence[Sequence[str]]) -> tuple[bool, float, int]:
    """How evenly a delimiter splits rows: whether there are several cells, the share of rows that have as many."""
    width = len(rows[0]) if rows else 1
    return width > 1, sum(len(row) == width for row in rows) / max(len(rows), 1), width


def _table(top: _Top, name: str, reading: Reading) -> pa.Table:
    """The table below its header and above the notes at its end."""
    first, width = _aligned([row.cells for row in top.rows], header=reading.header != 0)
    check_width(width, name)
    data, notes = without_notes(top.data, top.delimiter, width)
    rows = _first_rows(data, top.delimiter) if notes else top.rows
    cells = [row.cells for row in rows]
    header = header_of([first, *cells[1:]], width, reading.header)
    body = data
    if header.rows and rows:
        last = rows[min(header.rows, len(rows)) - 1]
        body = _blanked(data, last.end, last.lines)
    table = _parsed(body, top.delimiter, width)
    # Arrow reads the rest of the file after an unclosed quote as one cell. An odd number of quotes may hide one.
    if table is None or data.count(b'"') % 2:
        problem = _bad_row(data, top.delimiter, name, width, header.rows)
        if problem or table is None:
            raise ValueError(problem or f"{name} cannot be cut into rows of cells; export it again as CSV")
    header = replace(header, names=[from_cell(own.strip()) for own in header.names])
    table = frame_table(table, header, cells[header.rows :], reading)
    return with_notes(table, [f"Left out: {count_of(notes, 'line')} below the table."] if notes else [])


def _aligned(rows: Sequence[list[str]], *, header: bool) -> tuple[list[str], int]:
    """The first row with as many cells as those below it, and their number; or the first row as it is, and its own.

    It loses empty cells at its end. It gains them where the last cells of all rows are empty, as the rows end with
    delimiters; and one at its beginning where it is one cell short, as R writes the names of the rows before their
    cells. Only a `header` does so, and if two rows or more agree.
    """
    first, below = rows[0] if rows else [""], rows[1:]
    below = below[: len(below) - notes_at_end([len(row) for row in rows])]
    width = len(below[0]) if below else 0
    if not header or len(below) < 2 or any(len(row) != width for row in below):
        return first, len(first)
    missing = width - len(first)
    if missing < 0 and not any(cell.strip() for cell in first[missing:]):
        return first[:missing], width
    if missing > 0 and not any(cell.strip() for row in below for cell in row[-missing:]):
        return [*first, *[""] * missing], width
    if missing == 1 and len({row[0] for row in below}) == len(below):
        return ["", *first], width
    return first, len(first)


def _parsed(data: bytes, delimiter: str, width: int) -> pa.Table | None:
    """The rows as columns of text, named by their positions; None where they cannot be cut into cells."""
    names = [str(i) for i in range(width)]
    if not data.strip(b"\r\n"):
        return pa.table([pa.array([], TEXT_TYPE) for _ in names], names=names)
    try:
        table = pyarrow.csv.read_csv(
            pa.py_buffer(data),
            # One block needs no threads, and a process that ends while Arrow still starts them is aborted.
            read_options=pyarrow.csv.ReadOptions(block_size=BLOCK, use_threads=len(data) > BLOCK, column_names=names),
            parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=b'"' in data),
            convert_options=pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, TEXT_TYPE)),
        )
    except pa.ArrowException:
        return None
    return pa.table([text_column(column) for column in table.columns], names=names)


def _check_lines(data: bytes, name: str) -> None:
    """Raise ValueError if a line is longer than a block."""
    start = 0
    while len(data) - start > BLOCK:
        end = max(data.rfind(sign, start, start + BLOCK) for sign in (b"\n", b"\r"))
        if end < 0:
            line = data.count(b"\n", 0, start) + 1
            raise ValueError(f"{name} line {line} has more than {BLOCK:,} bytes; write one record per line")
        start = end + 1


def _bad_row(data: bytes, delimiter: str, name: str, width: int, header: int) -> str:
    """The error message for the first row that is ragged or has a misplaced quote; empty if there is none.

    The rows of the header may have any number of cells.
    """
    rows = csv.reader(io.TextIOWrapper(io.BytesIO(data), "utf-8", newline=""), delimiter=delimiter, strict=True)
    line, number = 1, 0
    try:
        for row in rows:
            number += bool(row)
            if row and number > header and len(row) != width:
                noun, where = "cell" if len(row) == 1 else "cells", "header" if header else "first row"
                return (
                    f"{name} line {line} has {len(row)} {noun} where the {where} has {width}; add or remove delimiters,"
                    " or quote the cell that holds one"
                )
            line = rows.line_num + 1
    except csv.Error:
        return f"{name} line {line} opens a quote that does not close at its cell's end; close it, or double it inside"
    return ""
