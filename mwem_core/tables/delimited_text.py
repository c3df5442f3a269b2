"""Delimited text, such as CSV: its delimiter is detected, and malformed rows are refused by line."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace

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
    of_eurostat,
    rows_of,
    separator_line,
    titles_above,
    with_usual_quotes,
    without_comments,
    without_escapes,
    without_notes,
    without_rules,
)
from mwem_core.tables.texts import TEXT_TYPE, text_column

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
BLANK = " "
CHOICES = {**DELIMITERS, BLANK: "blank"}
RARE_DELIMITERS = "^~:!*&\x1c\x1d\x1e\x1f"  # taken where all of the first lines have as many
SEPARATOR_LINE = "Left out: the first line, which says what divides the cells."
QUOTES = "Apostrophes around cells, or quotes behind blanks, are read as quotes."
EUROSTAT_LAYOUT = (
    "Of Eurostat: the first column is cut at its commas, flags are left out, and a colon is an empty cell."
)
RULES = "Left out: lines of dashes that are drawn between the rows."
ESCAPES = "A quote behind a backslash is read as a part of its cell."
BLOCK = 1 << 23  # bytes that are parsed at a time; no line may be longer
MAX_COLUMNS = 10_000
SAMPLE_BYTES = 1 << 20  # from which the delimiter is detected; the header must fit


def read_delimited(data: bytes, name: str, reading: Reading = DEFAULT_READING) -> pa.Table:
    """Read delimited text as columns of text; the table's metadata names its encoding, delimiter and decimal mark.

    What stands around the table is left out, as `notes_of` tells. What is not chosen is detected. If the bytes are not
    Unicode, their encoding is a guess.
    """
    data, encoding, said = as_utf8(data, name, reading.encoding)
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    _check_lines(data, name)
    try:
        table = with_notes(_read_text(data, name, reading), said)
    except ValueError:
        if b'\\"' in data:
            with suppress(ValueError):
                table = _read_text(without_escapes(data), name, reading)
                return with_metadata(with_notes(table, [*said, ESCAPES]), encoding=encoding)
        raise
    return with_metadata(table, encoding=encoding)


def _read_text(data: bytes, name: str, reading: Reading) -> pa.Table:
    """Leave out what stands above the names, find the delimiter unless it is chosen, and read the table."""
    chosen, said = None if reading.delimiter is None else delimiter_named(reading.delimiter), list[str]()
    data, separator = separator_line(data)
    if separator is not None:
        said.append(SEPARATOR_LINE)
        chosen = chosen or separator
    data, comments = without_comments(data)
    if comments:
        said.append(f"Left out: {count_of(comments, 'line')} of comments above the column names.")
    data, ruled = without_rules(data)
    if ruled:
        said.append(RULES)
        chosen = chosen or ruled
    for change, sentence in ((with_usual_quotes, QUOTES), (of_eurostat, EUROSTAT_LAYOUT)):
        data, before = change(data), data
        said += [sentence] if data is not before else []
    first = _sample(data[: 1 << 16]).strip().splitlines()[:20]
    rare = [each for each in RARE_DELIMITERS if len(first) > 2 and len({line.count(each) for line in first}) == 1]
    candidates = [*DELIMITERS, *(each for each in rare if first and each in first[0])]
    given = (chosen or "").strip(BLANK)
    candidates = list(dict.fromkeys([*candidates, *given]))
    delimiter, data, rows, titles = _divided(data, candidates, given, header=reading.header != 0)
    if titles:
        said.append(f"Left out: {count_of(titles, 'line')} above the column names.")
    named = delimiter
    if chosen == BLANK or (chosen is None and 2 * sum(len(row.cells) == 1 for row in rows) > len(rows)):
        divided = divided_by_blanks(data.decode(), surely=chosen is not None)
        if divided is None and chosen is not None:
            raise ValueError(f"{name} has no cells that blanks divide; choose another delimiter")
        if divided is not None:
            said += [] if chosen else ["Read as columns that blanks divide."]
            data, delimiter, named = divided.encode(), ",", BLANK
            rows = _first_rows(data, delimiter)
    if chosen is None and named in RARE_DELIMITERS:
        said.append(f"Read as cells that {named!r} divides.")
    table = with_notes(_table(data, delimiter, rows, name, reading), said)
    table = with_metadata(table, delimiter=CHOICES.get(named, named))  # shown on screen
    return with_decimal(table, reading.decimal or detected_decimal(table, named))


def read_rows(data: bytes, name: str, reading: Reading) -> pa.Table:
    """Read CSV with commas, such as the rows of a sheet, as columns of text, without titles above them."""
    _, text, rows, titles = _divided(data, [","], "", header=reading.header != 0)
    above = sum(any(row.cells) for row in _first_rows(data, ",")[:titles]) if titles else 0
    table = _table(text, ",", rows, name, reading)
    return with_notes(table, [f"Left out: {count_of(above, 'row')} above the column names."] if above else [])


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


def _divided(
    data: bytes, delimiters: Collection[str], chosen: str, *, header: bool
) -> tuple[str, bytes, list[Row], int]:
    """The `chosen` delimiter, or the one that divides the first rows most evenly, into several cells.

    Also the text with empty lines in place of titles, its first rows, and the number of titles. There are none if any
    delimiter makes a table of all lines.
    """
    found = list[tuple[tuple[bool, float, bool, int], int, str, list[Row]]]()
    sample = _sample(data)
    absent = [delimiter for delimiter in delimiters if delimiter not in sample]
    for delimiter in delimiters:
        if delimiter in absent[1:] and delimiter != chosen:  # it divides as the first of them does
            continue
        rows = _first_rows(data, delimiter)
        width, titles = titles_above(rows, whole=len(data) <= SAMPLE_BYTES, header=header)
        share = 1.0
        if not width:
            width = len(rows[0].cells) if rows else 1
            share = sum(len(row.cells) == width for row in rows) / max(len(rows), 1)
        found.append(((width > 1, share, not titles, width), titles, delimiter, rows))
    _, titles, delimiter, rows = max(found, key=lambda each: (each[2] == chosen, each[0]))
    titles = 0 if any(evenness[:3] == (True, 1.0, True) for evenness, *_ in found) else titles
    if titles:
        data = _blanked(data, rows[titles].start, rows[titles].line)
        rows = _first_rows(data, delimiter)
    return delimiter, data, rows, titles


def _blanked(data: bytes, end: int, lines: int) -> bytes:
    """The text with empty lines in place of its first characters."""
    return b"\n" * lines + data[len(_sample(data)[:end].encode()) :]


def _sample(data: bytes) -> str:
    return data[:SAMPLE_BYTES].decode(errors="ignore")


def _first_rows(data: bytes, delimiter: str) -> list[Row]:
    """The rows of the sample, without its last one if that may be cut off."""
    rows = rows_of(_sample(data), delimiter)
    return rows[:-1] if len(data) > SAMPLE_BYTES else rows


def _table(data: bytes, delimiter: str, rows: list[Row], name: str, reading: Reading) -> pa.Table:
    """The table below its header and above the notes at its end; `rows` are the first rows of the data."""
    first, width = _aligned([row.cells for row in rows], header=reading.header != 0)
    check_width(width, name)
    data, notes = without_notes(data, delimiter, width)
    rows = _first_rows(data, delimiter) if notes else rows
    cells = [row.cells for row in rows]
    header = header_of([first, *cells[1:]], width, reading.header)
    body = data
    if header.rows and rows:
        last = rows[min(header.rows, len(rows)) - 1]
        body = _blanked(data, last.end, last.lines)
    table = _parsed(body, delimiter, width)
    # Arrow reads the rest of the file after an unclosed quote as one cell. An odd number of quotes may hide one.
    if table is None or data.count(b'"') % 2 or b'\\"' in data:
        problem = _bad_row(data, delimiter, name, width, header.rows)
        if problem or table is None:
            raise ValueError(problem or f"{name} cannot be cut into rows of cells; export it again as CSV")
    header = replace(header, names=[from_cell(own.strip()) for own in header.names])
    table = frame_table(table, header, cells[header.rows :], name, reading)
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
    rows = csv.reader(io.StringIO(data.decode(), newline=""), delimiter=delimiter, strict=True)
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
