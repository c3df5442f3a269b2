"""Text whose cells are divided by blanks, or stand below each other at fixed places in the line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from mwem_core.tables.headers import is_number
from mwem_core.tables.numerals import MISSING_TEXTS
from mwem_core.tables.texts import MAX_VALUES

MAX_LINE = 10_000  # characters, of text in columns
LOOKED_AT = 2_000  # lines


def divided_by_blanks(text: str, *, surely: bool = False) -> str | None:
    """The same table with commas between its cells, a line for each line; None if blanks divide no cells.

    Each line has as many words, or the first one fewer, as R writes it; or else blanks stand at the same places of all
    lines. Unless they do so `surely`, one column must hold numbers: texts may be of several words.
    """
    lines = text.splitlines()
    sample = [line for line in lines[:LOOKED_AT] if line.strip()]
    if len(sample) < (2 if surely else 3) or any(len(line) > MAX_LINE for line in sample):
        return None
    words = [_words(line) for line in sample]
    widths = {len(row) for row in words[1:]}
    if len(widths) == 1 and (width := widths.pop()) > 1 and len(words[0]) in (width - 1, width):
        return _written(map(_words, lines), len(lines), width) if surely or _has_numbers(words[1:]) else None
    bounds = _bounds(sample)
    if len(bounds) < 2:
        return None
    rows = [_cut(line, bounds) for line in sample]
    if not surely and not _has_numbers(rows[1:]):
        return None
    names = _words(sample[0])
    first = names if len(names) == len(bounds) else None
    cut = (first if first and line is sample[0] else _cut(line, bounds) for line in lines)
    return _written(cut, len(lines), len(bounds))


def _words(line: str) -> list[str]:
    if '"' not in line:
        return line.split()
    return next(csv.reader([line.strip()], delimiter=" ", skipinitialspace=True), [])


def _has_numbers(rows: Sequence[Sequence[str]]) -> bool:
    """Whether all cells of a column are numbers, but for what stands for none."""
    present = ([cell for cell in column if cell not in MISSING_TEXTS] for column in zip(*rows, strict=True))
    return any(column and all(map(is_number, column)) for column in present)


def _bounds(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Where the cells stand: the places between those that are blank in all lines. The last has no end."""
    width = max(map(len, lines))
    used = bytearray(width)
    for line in lines:
        for i, character in enumerate(line):
            if not character.isspace():
                used[i] = 1
    starts = [i for i in range(width) if used[i] and (i == 0 or not used[i - 1])]
    return list(zip(starts, [*starts[1:], MAX_LINE], strict=True))


def _cut(line: str, bounds: Sequence[tuple[int, int]]) -> list[str]:
    return [line[start:end].strip() for start, end in bounds]


def _written(rows: Iterable[list[str]], lines: int, width: int) -> str | None:
    """Rows as CSV; an empty one as an empty line."""
    if lines * width > MAX_VALUES:
        return None
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for row in rows:
        if any(row):
            writer.writerow(row)
        else:
            file.write("\n")
    return file.getvalue()
