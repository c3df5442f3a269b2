"""The rows of a table that hold the names of its columns: one row as a rule, none, or several.

A platform of surveys writes three rows, or two. A sheet may have a row of groups above the names, in merged cells. How
many rows there are is detected for those who explore, and can be chosen; a release declares it, unless it is one.

Of columns of one name the second is numbered. Columns without a name are named by their position, or left out if they
hold nothing or number the rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import pyarrow as pa

from mwem_core.forms import MISSING_TEXTS, NUMERALS
from mwem_core.tables.table_reading import MAX_HEADER, count_of, with_notes

MAX_LOOKED_AT = 500  # rows below the names, from which it is told whether these are names
KIND_SHARE = 0.8  # of the cells of a column have its kind
IMPORT_ID = re.compile(r'\s*\{\s*"ImportId"\s*:.*\}\s*')
RESPONSES = {"Response", "Open-Ended Response"}  # in the second row of SurveyMonkey
SURVEY = "Left out: {} below the column names, in which a survey platform writes the questions."
POSITIONS = "The first row is a record: the columns are named by their positions."
JOIN_NOTE = "The column names stand in {}: {}."

Cells = Sequence[str]
EMPTY = "Left out: {} without a name and without values."
NUMBERS = "Left out: the first column, which has no name and numbers the rows."
MAX_DIGITS = 18


@dataclass(frozen=True)
class Header:
    """The names of the columns, "" where there is none; the number of rows that hold them; and what is said of them."""

    names: list[str]
    rows: int
    said: tuple[str, ...] = ()


def header_of(rows: Sequence[Cells], width: int, chosen: int | None) -> Header:
    """The header of a table from its first rows, each of `width` cells at most.

    `chosen` is the number of its rows; None to detect it.
    """
    if chosen == 0:
        return Header([""] * width, 0, (POSITIONS,))
    looked_at = rows[: MAX_LOOKED_AT + MAX_HEADER]
    filled = [[*(cell.strip() for cell in row[:width]), *[""] * (width - len(row))] for row in looked_at]
    if not filled:
        return Header([""] * width, 0)
    survey = _survey_rows(filled)
    if survey and chosen in (None, survey):
        names = filled[0] if any(map(IMPORT_ID.fullmatch, filled[survey - 1])) else _options(*filled[:2])
        return Header(names, survey, (SURVEY.format(count_of(survey - 1, "row")),))
    count = chosen or (2 if _is_group_row(filled) else 1)
    if count == 1:
        return Header(filled[0], 1)
    names, how = _joined(filled[:count])
    return Header(names, count, (JOIN_NOTE.format(count_of(count, "row"), how),))


def _survey_rows(rows: Sequence[Cells]) -> int:
    """How many rows a survey platform wrote above the answers; 0 where it is none."""
    for row in (2, 1):
        if len(rows) > row and (ids := [cell for cell in rows[row] if cell]) and all(map(IMPORT_ID.fullmatch, ids)):
            return row + 1
    marks = [(i, cell) for i, cell in enumerate(rows[1]) if cell in RESPONSES] if len(rows) > 1 else []
    if marks and not any(row[i] == cell for row in rows[2:] for i, cell in marks):
        return 2
    return 0


def _options(questions: Cells, options: Cells) -> list[str]:
    """The names of SurveyMonkey: the question, with the option where a question has several columns."""
    return [
        group if not option or option in RESPONSES else f"{group} {option}".strip()
        for group, option in zip(_to_the_right(questions), options, strict=True)
    ]


def _is_group_row(rows: Sequence[Cells]) -> bool:
    """Whether the first row names groups of columns, whose own names stand in the second.

    A group has columns without a name beside it. In the second row all of these have one, no cell is a number or occurs
    again below, and there is a column of numbers, or there are three rows below.
    """
    if len(rows) < 3:
        return False
    groups, names, *below = rows
    if not any(groups) or (not groups[0] and not names[0]):
        return False
    columns = [_present(column) for column in zip(*below, strict=True)]
    held = [i for i, column in enumerate(columns) if column or groups[i] or names[i]]
    beside = [i for i in held if not groups[i] and any(groups[:i])]
    if not beside or not all(names[i] for i in beside) or sum(map(bool, names)) <= len(beside):
        return False
    if any(map(is_number, names)) or not all(groups[i] or names[i] for i in held):
        return False
    if any(name and name in column for name, column in zip(names, columns, strict=True)):
        return False
    return len(below) >= 3 or any(column and all(map(is_number, column)) for column in columns)


def _joined(rows: Sequence[Cells]) -> tuple[list[str], str]:
    """One name for each column of several rows: the lowest, or all of them where the lowest ones are not distinct."""
    lowest = [next((cell for cell in reversed(column) if cell), "") for column in zip(*rows, strict=True)]
    own = [name for name in lowest if name]
    if len(set(own)) == len(own):
        return lowest, "the lowest is used"
    levels = [*(_to_the_right(row) for row in rows[:-1]), list(rows[-1])]
    return [" ".join(dict.fromkeys(filter(None, column))) for column in zip(*levels, strict=True)], "they are joined"


def _to_the_right(cells: Cells) -> list[str]:
    """Each empty cell filled with the one to its left, as in merged cells."""
    filled: list[str] = []
    for cell in cells:
        filled.append(cell or (filled[-1] if filled else ""))
    return filled


def is_number(text: str) -> bool:
    """Whether a text is a number, with a point or a comma."""
    return any(numeral.fullmatch(text) for numeral in NUMERALS.values())


def looks_like_data(names: Cells, below: Sequence[Cells]) -> bool:
    """Whether a row of names looks like the rows below: a record that took the place of the names.

    In each column it speaks for a record that the cell has the shape of the numbers, codes or dates below, or occurs
    again; it speaks for a name that it does not. A name without digits above numbers or dates decides; so do names that
    count, as the years 2019, 2020, 2021 do.
    """
    if len(below) < 2 or _counts([cell for cell in names if is_number(cell)]):
        return False
    votes = 0
    for name, column in zip(names, zip(*below[:MAX_LOOKED_AT], strict=True), strict=True):
        texts = _present(column)
        if name in MISSING_TEXTS or not texts:
            continue
        shapes = set(map(_shape, texts))
        if sum(any(map(str.isdecimal, text)) for text in texts) >= KIND_SHARE * len(texts):
            if not any(map(str.isdecimal, name)):
                return False
            votes += 1 if _shape(name) in shapes else -1
        elif name in texts:
            votes += 1
        elif 2 * len(set(texts)) <= len(texts):
            votes -= 1
    return votes > 0


def _present(column: Sequence[str]) -> list[str]:
    return [cell for cell in column if cell not in MISSING_TEXTS]


def _shape(text: str) -> str:
    """A text with 9 for each digit and A for each word: 2024-03-01 is 9999-99-99; of a number, its whole digits."""
    shape = re.sub(r"[^\W\d_]+", "A", re.sub(r"\d", "9", text))
    return re.split(r"[.,](?!.*[.,])", shape.lstrip("-+"))[0] if is_number(text) else shape


def _counts(numerals: list[str]) -> bool:
    """Whether three numbers or more follow each other at one distance, as years and positions do."""
    if len(numerals) < 3 or not all(text.isdecimal() for text in numerals):
        return False
    steps = {int(b[:18]) - int(a[:18]) for a, b in pairwise(numerals)}
    return len(steps) == 1 and steps != {0}


def with_names(table: pa.Table, header: Header, *, suspected: bool) -> pa.Table:
    """The table with the names of a header, with a word on each that it changes.

    A column without one becomes column_3 by its position, or is left out if it is empty or numbers the rows; without a
    row of names, none is told to number them. Where the header is `suspected` to be a record, its names are numbered in
    silence.
    """
    names, said = header.names, list[str]()
    own = numbered_names([name or f"column_{i + 1}" for i, name in enumerate(names)])
    nameless = [i for i, name in enumerate(names) if not name]
    left = [i for i in nameless if not any(table.column(i).unique().to_pylist())]
    left = left if len(left) < len(names) else []
    if left:
        said.append(EMPTY.format(count_of(len(left), "column")))
    if header.rows and nameless[:1] == [0] != left[:1] and len(names) > 1 and _numbers_rows(table.column(0)):
        left.append(0)
        said.append(NUMBERS)
    if header.rows:
        said += _called("no name", [own[i] for i in nameless if i not in left])
    if not suspected:
        said += _called(
            "the name of another", [each for each, name in zip(own, names, strict=True) if name not in ("", each)]
        )
    table = pa.table(table.columns, names=own, metadata=table.schema.metadata)  # `rename_columns` drops the metadata
    return with_notes(table.select([i for i in range(len(names)) if i not in left]), [*said, *header.said])


def numbered_names(names: Sequence[str]) -> list[str]:
    """The names, with a number after each one that is there already.

    >>> numbered_names(["score", "score", "age"])
    ['score', 'score (2)', 'age']
    """
    before, taken, last = set(names), set[str](), dict[str, int]()
    numbered = list[str]()
    for name in names:
        own = name
        while own in taken or (own != name and own in before):
            last[name] = last.get(name, 1) + 1
            own = f"{name} ({last[name]})"
        taken.add(own)
        numbered.append(own)
    return numbered


def with_numbered_names(table: pa.Table) -> pa.Table:
    """The table with a number after each name that another column has already, with a word on these."""
    own = numbered_names(table.column_names)
    new = [each for each, name in zip(own, table.column_names, strict=True) if each != name]
    table = pa.table(table.columns, names=own, metadata=table.schema.metadata) if new else table
    return with_notes(table, _called("the name of another", new))


def _called(what: str, names: Sequence[str]) -> list[str]:
    """A sentence on columns that have got these names; none without any."""
    if not names:
        return []
    listed = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
    verb, called = ("has", "it is called") if len(names) == 1 else ("have", "they are called")
    return [f"{count_of(len(names), 'column')} {verb} {what}: {called} {listed}."]


def _numbers_rows(column: pa.ChunkedArray) -> bool:
    """Whether a column holds a different whole number in every row, as R and pandas write beside the rows."""
    texts = column.unique().to_pylist()
    return len(texts) == len(column) and all(len(t) <= MAX_DIGITS and t.isascii() and t.isdecimal() for t in texts)
