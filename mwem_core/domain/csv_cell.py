"""Texts as cells of a CSV file that a spreadsheet does not run as formulas.

A spreadsheet runs a cell that begins with =, +, - or @, also with a tab or a line break before it, and can so fetch
addresses or start programs. Texts of a table come from others, so a file that this program writes puts an apostrophe
before such a text. Numbers, also negative ones, stay as they are.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

# Also behind apostrophes, so that no two texts are written alike. Some spreadsheets read the wide signs as well.
FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def as_cell(text: str) -> str:
    """The text as a cell; `from_cell` gives the text back.

    >>> as_cell("=1+1"), as_cell("-1.5"), as_cell("a-b")
    ("'=1+1", '-1.5', 'a-b')
    """
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


def from_cell(cell: str) -> str:
    """The text that `as_cell` wrote as this cell; a cell that it would not have changed is the text itself.

    >>> from_cell("'=1+1"), from_cell("'tis")
    ('=1+1', "'tis")
    """
    text = cell[1:]
    return text if cell[:1] == "'" and as_cell(text) == cell else cell


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A CSV file of these rows: texts as cells, exact numbers, None as an empty cell."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for row in (header, *rows):
        writer.writerow([as_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return file.getvalue()
