"""ARFF, the format of Weka and OpenML: declarations of attributes, and then rows of cells."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence

import pyarrow as pa

from mwem_core.tables.delimited_text import check_width
from mwem_core.tables.encodings import as_utf8
from mwem_core.tables.table_reading import count_of
from mwem_core.tables.texts import MAX_VALUES, TextColumn

START = re.compile(rb"(?:\s|%[^\n]*\n)*@relation\b", re.IGNORECASE)
DECLARATION = re.compile(
    r"""@attribute\s+(?:'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<plain>[^\s{]+))"""
    r"\s*(?P<kind>.*)",
    re.IGNORECASE,
)
ESCAPE = re.compile(r"\\(.)")
HEADER_BYTES = 1 << 14
MISSING_VALUE = "?"


def is_arff(data: bytes) -> bool:
    """Whether the data are ARFF."""
    return START.match(data[:HEADER_BYTES]) is not None


def read_arff(data: bytes, name: str, encoding: str | None = None) -> pa.Table:
    """Read the attributes as columns of text; ? is an empty cell.

    The table's metadata lists as JSON the values of each nominal attribute, as they are declared.
    """
    data, _ = as_utf8(data, name, encoding)
    lines = data.decode().splitlines()
    names, labels, first = _declared(lines, name)
    check_width(len(names), name)
    if (len(lines) - first) * len(names) > MAX_VALUES:
        raise ValueError(f"{name} has more than {MAX_VALUES:,} cells; drop unneeded columns, or export it as CSV")
    columns = [TextColumn() for _ in names]
    defaults = [values[0] if values else "0" for values in labels]  # of what a sparse row leaves out
    rows = 0
    for number, line in enumerate(lines[first:], first + 1):
        if not (text := line.strip()) or text.startswith("%"):
            continue
        rows += 1
        sparse = text.startswith("{")
        cells = _sparse(text, defaults) if sparse else _cells(text)
        if cells is None or len(cells) not in (len(names), len(names) + 1):
            held = "a sparse row that is none" if cells is None else count_of(len(cells), "cell")
            declared = count_of(len(names), "attribute")
            raise ValueError(f"{name} line {number} has {held}, and {declared} declared above; complete the row")
        for column, cell in zip(columns, cells, strict=False):
            column.add("" if cell == MISSING_VALUE else cell, row=rows)
    declared = json.dumps(dict(zip(names, labels, strict=True)))
    return pa.table([column.filled(rows) for column in columns], names=names, metadata={"labels": declared})


def _declared(lines: Sequence[str], name: str) -> tuple[list[str], list[list[str]], int]:
    """The names of the attributes, the values of each that is nominal, and the number of lines before the rows."""
    names, labels = list[str](), list[list[str]]()
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.lower().startswith("@data"):
            if not names:
                raise ValueError(
                    f"{name} line {number} begins the rows; declare each column above it by an @attribute line"
                )
            return names, labels, number
        if not text.lower().startswith("@attribute"):
            continue
        match = DECLARATION.fullmatch(text)
        if match is None:
            raise ValueError(f"{name} line {number} declares no attribute; write @attribute, a name and a type")
        quoted = match["single"] if match["single"] is not None else match["double"]
        names.append((ESCAPE.sub(r"\1", quoted) if quoted is not None else match["plain"]).strip())
        kind = match["kind"].strip()
        nominal = kind.startswith("{") and kind.endswith("}")
        labels.append([cell for cell in dict.fromkeys(_cells(kind[1:-1])) if cell != MISSING_VALUE] if nominal else [])
    raise ValueError(f"{name} is ARFF without @data; add the line @data above the rows")


def _cells(text: str) -> list[str]:
    """The cells of a line, between commas or else tabs; quotes of either kind are around those that hold one."""
    quote = '"' if '"' in text and ("'" not in text or text.index('"') < text.index("'")) else "'"
    delimiter = "," if "," in text or "\t" not in text else "\t"
    reader = csv.reader([text], delimiter=delimiter, quotechar=quote, escapechar="\\", skipinitialspace=True)
    return [cell.strip() for cell in _read(reader)]


def _read(reader: Iterator[list[str]]) -> list[str]:
    try:
        return next(reader, [])
    except csv.Error:  # a cell over the limit of the csv module
        return []


def _sparse(text: str, defaults: Sequence[str]) -> list[str] | None:
    """The cells of a row such as {1 X, 3 Y}; None if it is none."""
    if not text.endswith("}"):
        return None
    cells = list(defaults)
    for cell in _cells(text[1:-1].strip()):
        place, _, value = cell.partition(" ")
        if not cell:
            continue
        if not (place.isascii() and place.isdecimal() and len(place) < 8 and int(place) < len(cells)):
            return None
        cells[int(place)] = value.strip().strip("'\"")
    return cells
