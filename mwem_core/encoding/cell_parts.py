"""Parts of cells that hold several values, as attributes of their own; each cell is read by itself.

An attribute `tools: R` is 1 where the cell of a column `tools` lists R, as in "Go;R", and otherwise 0. Of a pair such
as 120/80 in a column `pressure`, `pressure: number 1` is 120. A column that has the whole name comes first.
"""

import re
from collections.abc import Collection, Sequence

from mwem_core.forms import MISSING_TEXTS

NUMBER = r"([-−–+]?\d+(?:[.,]\d+)?)"
PAIR = re.compile(rf"\W*?{NUMBER}(?:[,;] |\s*(?:/|x|×|:|–|-|\||;|to|by|\u00b1)\s*){NUMBER}\W*")
PART = ": "
NUMBERS = "number 1", "number 2"
MARK = re.compile(r"\s*[;|,]\s*")  # between the values of a list
MAX_VALUES, SAMPLE = 50, 500  # of a column: values, and texts by which it is told


def column_of(name: str, columns: Collection[str]) -> str:
    """The column that an attribute of this name reads, of these; empty if there is none.

    >>> column_of("tools: R", ["age", "tools"])
    'tools'
    """
    return next((each for each in (name, name.rpartition(PART)[0]) if each in columns), "")


def parts_among(name: str, texts: Sequence[str]) -> list[str]:
    """The names of the parts that cells of a column have, if all hold pairs, or most list a few values; else none."""
    if texts and all(map(PAIR.fullmatch, texts)):
        return [name + PART + number for number in NUMBERS]
    sample = [_values(text) for text in texts[:: max(1, len(texts) // SAMPLE)]]
    listed = [value for values in sample for value in values]
    if 2 * sum(len(values) > 1 for values in sample) < len(sample) or 2 * len(set(listed)) > len(listed):
        return []
    values = sorted({value for text in texts for value in _values(text)})
    return [name + PART + each for each in values] if len(values) <= MAX_VALUES and PART not in " ".join(values) else []


def _values(text: str) -> list[str]:
    """The values that a cell lists."""
    return [value for value in MARK.split(text) if value]


def part_of(text: str, name: str) -> str:
    """What the attribute of this name has of a cell; a missing one stays, and what is no pair.

    >>> part_of("Go; R", "tools: R"), part_of("120/80", "pressure: number 2")
    ('1', '80')
    """
    part = name.rpartition(PART)[2]
    if text in MISSING_TEXTS:
        return text
    if part in NUMBERS:
        pair = PAIR.fullmatch(text)
        return pair[1 + NUMBERS.index(part)] if pair else text
    return str(int(part in _values(text)))
