"""The lines of a text around its table: comments and titles above it, notes below it, and the line sep=;.

Cells may also be divided by blanks, or stand between drawn lines.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from mwem_core.forms import MISSING_TEXTS
from mwem_core.tables.headers import is_number
from mwem_core.tables.texts import MAX_VALUES

MAX_TITLES = 20  # above the names of the columns
MAX_NOTES = 20  # below the table
TAIL_BYTES = 1 << 16  # of the end, where notes are looked for
SEPARATOR = re.compile(rb'"?sep=([\t -!#-~]|\\t)"?[ ,;\t|]*\r?\n', re.IGNORECASE)
COMMENTS = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*")
RULE = re.compile(rb"(?m)^[ |+:]*[-=]{3,}:?(?:[ |+]+:?[-=]{3,}:?)+[ |+]*\r?$")  # as psql, MySQL and Markdown draw them
OUTER_BARS = re.compile(rb"(?m)^[ ]*\||\|[ \r]*$")
QUOTED_CELL = re.compile(rb"(?m)(^|[,;\t|])[ ]*'((?:[^'\n]|'')*)'(?=[,;\t|\r]|$)")
BLANKS_AND_QUOTES = re.compile(rb'(?m),[ ]+("(?!")(?:[^"\n]|"")*")(?=[ ]*(?:,|\r?$))')
ESCAPE = re.compile(rb'\\(["\\])')
EUROSTAT = re.compile(rb"((?:\w+,)+\w+)\\\w+ *\t")  # the names of the first column
VALUE = re.compile(rb"(?m)\t *(?::|([-+\d.eE]+)) *[a-z]* *(?=[\t\r]|$)")  # of Eurostat, with its flags
LOOKED_AT = 2_000  # lines


class Row(NamedTuple):
    """The cells of a row, and the characters and lines of the text before it and up to its end."""

    cells: list[str]
    start: int
    line: int
    end: int
    lines: int


def rows_of(text: str, delimiter: str) -> list[Row]:
    """The rows of a text that are not empty; up to a cell that is over the limit of the csv module."""
    rows, start, line, end = list[Row](), 0, 0, 0

    def lines() -> Iterator[str]:
        nonlocal end
        for each in io.StringIO(text, newline=""):
            end += len(each)
            yield each

    reader = csv.reader(lines(), delimiter=delimiter)
    with suppress(csv.Error):
        for cells in reader:
            if cells:
                rows.append(Row(cells, start, line, end, reader.line_num))
            start, line = end, reader.line_num
    return rows


def separator_line(data: bytes) -> tuple[bytes, str | None]:
    """The text with an empty line in place of a first line such as sep=;, which Excel reads; and what it names."""
    match = SEPARATOR.match(data)
    if match is None:
        return data, None
    named = match[1].decode(errors="replace")
    return b"\n" + data[match.end() :], "\t" if named == r"\t" else named


def without_comments(data: bytes) -> tuple[bytes, int]:
    """The text with empty lines in place of the lines above the table that begin with #, and their number.

    The last of them stays, without its #, if it has the names: as many words or cells as the line below it.
    """
    end = (COMMENTS.match(data) or [b""])[0]
    above, table = data[: len(end)], data[len(end) :]
    comments = [line.strip() for line in above.splitlines() if line.strip()]
    if not comments or not table.strip():
        return data, 0
    if names := _names_in(comments[-1], table.split(b"\n", 1)[0].strip()):
        return b"\n" * (above.count(b"\n") - 1) + names + b"\n" + table, len(comments) - 1
    return b"\n" * above.count(b"\n") + table, len(comments)


def _names_in(comment: bytes, below: bytes) -> bytes:
    """The names in a comment right above a table; empty if it has none.

    It has as many cells as the line below it, two or more; and no blank after its #, or a number below it.
    """
    names = comment.lstrip(b"#")
    for mark in (b"\t", b";", b",", b"|", None):
        cells, under = names.split(mark), below.split(mark)
        if len(cells) == len(under) > 1:
            own, numbers = (
                [is_number(cell.decode(errors="replace").strip()) for cell in row] for row in (cells, under)
            )
            return names.strip() if not any(own) and (any(numbers) or not names.startswith(b" ")) else b""
    return b""


def without_rules(data: bytes) -> tuple[bytes, str]:
    """The text with empty lines in place of drawn ones, and without bars around its rows; and what divides its cells.

    That is a bar or blanks, or "" where no line of dashes is among the first three.
    """
    rule = RULE.search(b"\n".join(data[: 1 << 16].lstrip().split(b"\n", 3)[:3]))
    if rule is None:
        return data, ""
    data = RULE.sub(b"", data)
    return (OUTER_BARS.sub(b"", data), "|") if b"|" in data else (data, " ")


def with_usual_quotes(data: bytes) -> bytes:
    """The text without blanks before quotes, cell by cell; without quotes, with some for apostrophes around cells."""
    if b'"' in data:
        return BLANKS_AND_QUOTES.sub(rb",\1", data)
    sample = data[: 1 << 16]
    opened = re.findall(rb"(?m)(?:^|[,;\t|])[ ]*'", sample[: sample.rfind(b"\n")])
    quoted = QUOTED_CELL.findall(sample[: sample.rfind(b"\n")])
    if len(quoted) < len(opened) or len(quoted) < sample.count(b"\n"):
        return data
    return QUOTED_CELL.sub(lambda cell: cell[1] + b'"' + cell[2].replace(b"''", b"'") + b'"', data)


def without_escapes(data: bytes) -> bytes:
    r"""The text with doubled quotes in place of \", and \ in place of \\."""
    return ESCAPE.sub(lambda escape: b'""' if escape[1] == b'"' else b"\\", data)


def of_eurostat(data: bytes) -> bytes:
    r"""A table of Eurostat, whose first column has several names such as unit,geo\TIME_PERIOD, with a column for each.

    Flags behind its numbers are left out, and a colon, for no value, is an empty cell. Another text as it is.
    """
    names = EUROSTAT.match(data)
    if names is None:
        return data
    data = VALUE.sub(rb"\t\1", names[1] + b"\t" + data[names.end() :])
    return re.sub(rb"(?m)^[^\t\n]+", lambda cell: cell[0].replace(b",", b"\t"), data)


def titles_above(rows: Sequence[Row], *, whole: bool, header: bool) -> tuple[int, int]:
    """The number of cells of the rows below titles, and how many titles are above them.

    Titles are rows of one cell; or, above a `header`, rows with one filled cell at most and names in two or more. The
    rows below have equally many cells, or it is (0, 0). `whole` says that these are all rows of the text.
    """
    widths = [len(row.cells) for row in rows]
    widths = widths[: len(widths) - notes_at_end(widths)] if whole else widths
    first = next((i for i, width in enumerate(widths) if width > 1), 0)
    if len(set(widths[first:])) != 1:
        return 0, 0
    if first:
        return (widths[first], first) if first <= MAX_TITLES and len(widths) - first > 1 else (0, 0)
    if not header:
        return widths[0], 0
    filled = [[cell for cell in row.cells if cell.strip()] for row in rows[: MAX_TITLES + 1]]
    names = next((i for i, cells in enumerate(filled) if len(cells) > 1), 0)
    return widths[0], names if names + 1 < len(widths) and not all(map(is_number, filled[names])) else 0


def notes_at_end(widths: Sequence[int]) -> int:
    """How many of the last rows have one cell, below more rows that have several."""
    notes = 0
    while notes < len(widths) and widths[-1 - notes] == 1:
        notes += 1
    return notes if notes <= MAX_NOTES and 2 * notes < len(widths) else 0


def without_notes(data: bytes, delimiter: str, width: int) -> tuple[bytes, int]:
    """The text without the lines below the table, and their number.

    Such a line has one cell, which is no number; or it begins with # and has not as many cells as the table. So has
    each line in a last block of lines below an empty one.
    """
    if width < 2:
        return data, 0
    tail = data[-TAIL_BYTES:]
    lines = tail.split(b"\n")[0 if len(tail) == len(data) else 1 :]
    cut = notes = 0
    pending = pending_notes = 0
    for line in reversed(lines):
        pending += len(line) + 1
        if not line.strip():
            if pending_notes:  # a block below an empty line
                cut, notes, pending_notes = pending, notes + pending_notes, 0
            continue
        cells = next(csv.reader([line.decode(errors="replace").replace("\r", "")], delimiter=delimiter), [])
        number = len(cells) == 1 and is_number(cells[0].strip())  # a record that is cut off
        if number or len(cells) == width or line.count(b'"') % 2 or notes + pending_notes >= MAX_NOTES:
            break
        pending_notes += 1
        if pending_notes == 1 and (len(cells) == 1 or line.startswith(b"#")):
            cut, notes, pending_notes = pending, notes + 1, 0
    else:
        return data, 0  # no row of the table is in sight
    if not notes or data[: len(data) + 1 - cut].count(b'"') % 2:
        return data, 0
    return data[: len(data) + 1 - cut], notes


def divided_by_blanks(text: str, *, surely: bool = False) -> str | None:
    """The same table with commas between its cells, a line for each line; None if blanks divide no cells.

    Each line has as many words, or the first one fewer, as R writes it. Unless blanks divide them `surely`, one column
    must hold numbers: texts may be of several words.
    """
    lines = text.splitlines()
    words = [_words(line) for line in lines[:LOOKED_AT] if line.strip()]
    widths = {len(row) for row in words[1:]}
    if len(words) < (2 if surely else 3) or len(widths) > 1 or (width := widths.pop()) < 2:
        return None
    if len(words[0]) not in (width - 1, width) or not (surely or _has_numbers(words[1:])):
        return None
    if len(lines) * width > MAX_VALUES:
        return None
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(map(_words, lines))
    return file.getvalue()


def _words(line: str) -> list[str]:
    if '"' not in line:
        return line.split()
    return next(csv.reader([line.strip()], delimiter=" ", skipinitialspace=True), [])


def _has_numbers(rows: Sequence[Sequence[str]]) -> bool:
    """Whether all cells of a column are numbers, but for what stands for none."""
    present = ([cell for cell in column if cell not in MISSING_TEXTS] for column in zip(*rows, strict=True))
    return any(column and all(map(is_number, column)) for column in present)
