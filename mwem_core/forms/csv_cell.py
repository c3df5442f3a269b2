"""Texts as cells of a CSV file that a spreadsheet does not run as formulas.

A spreadsheet runs a cell that begins with =, +, - or @, also with a tab or a line break before it, and can so fetch
addresses or start programs. Texts of a table come from others, so a file that this program writes puts an apostrophe
before such a text. Numbers, also negative ones, stay as they are; so do a sign by itself and a sign before plain words,
such as - or "- negative": without a bracket, a reference or an address, nothing in them can be run.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

# Also behind apostrophes, so that no two texts are written alike. Some spreadsheets read the wide signs as well.
FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
LETTERS = r"[^\W\d_]+"
WORD = rf"(?:{LETTERS}(?:-{LETTERS})*|\d+(?:[.,]\d+)*%?)"  # no reference such as A1, which has both
SIGNED_WORDS = re.compile(rf"[-+＋－]+ ?{WORD}(?: {WORD})*|[-+＋－][-+/＋－ ]*")


def as_cell(text: str) -> str:
    """The text as a cell; `from_cell` gives the text back.

    >>> as_cell("=1+1"), as_cell("-1.5"), as_cell("a-b"), as_cell("-"), as_cell("- negative"), as_cell("-A1")
    ("'=1+1", '-1.5', 'a-b', '-', '- negative', "'-A1")
    """
    written = _may_run(text) if text[:1] == "'" else runs(text)
    return f"'{text}" if written else text


def from_cell(cell: str) -> str:
    """The text that `as_cell` wrote as this cell, or wrote before 0.5, when it changed signs before words too.

    A cell that it would not have changed is the text itself.

    >>> from_cell("'=1+1"), from_cell("'tis"), from_cell("'-")
    ('=1+1', "'tis", '-')
    """
    return cell[1:] if cell[:1] == "'" and _may_run(cell[1:]) else cell


def runs(text: str) -> bool:
    """Whether a spreadsheet would run a cell with this text."""
    return text[:1] != "'" and _may_run(text) and not SIGNED_WORDS.fullmatch(text)


def _may_run(text: str) -> bool:
    return bool(FORMULA.match(text)) and not NUMBER.fullmatch(text)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A CSV file of these rows: texts as cells, exact numbers, None as an empty cell."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for row in (header, *rows):
        writer.writerow([as_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return file.getvalue()
