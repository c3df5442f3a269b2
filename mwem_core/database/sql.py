"""SQL that counts a table in its database: each value is replaced by one value of its cell, then rows are grouped.

Grouping by cells keeps the result small. A value is replaced only by a value that `Attribute.encode` gives the same
code. A value that SQL could read differently from Python is not replaced: only Python decides its code. The SQL is
DuckDB's dialect; sqlglot translates it for other databases. The table is named `source`, with columns c0, c1, ... in
the domain's order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from mwem_core.domain import Attribute
from mwem_core.forms import MAX_EXACT_FLOAT64, cells_of
from mwem_core.values import Codes, Dates, Edges, Range, Values, parse_numbers

MAX_EXPRESSION_CELLS = 4096  # cells of an attribute in one SQL expression; a finer attribute is grouped by its values
# Texts that every database reads as the same number as Python.
SQL_NUMBER = "^ *[-+]?[0-9]{1,15}([.][0-9]{1,15})? *$"
PRINTABLE = "^[!-~]", "[!-~]$"  # the text starts and ends with no blank


@dataclass(frozen=True)
class Column:
    """How SQL groups a column of type `type`: by the expression `key`.

    Where `number` is given, it is the column's value as a number, and `key` of column c0 may use it under the name x0.
    """

    type: pa.DataType
    key: str
    number: str = ""


def column_of(name: str, type: pa.DataType, attribute: Attribute) -> Column:
    """The SQL for an attribute that is stored in column `name` of this type."""
    kind, x = attribute.value_set, f"x{name[1:]}"
    if isinstance(kind, Values):
        short = len(kind.texts) <= MAX_EXPRESSION_CELLS
        return Column(type, _text_key(name, attribute) if attribute.other and is_text(type) and short else name)
    if isinstance(kind, Codes | Dates):  # grouped by their values, of which there are few beside the rows
        return Column(type, name)
    if pa.types.is_decimal(type) or is_text(type):
        text = name if is_text(type) else f"CAST({name} AS VARCHAR)"
        number = f"CASE WHEN regexp_matches({text}, '{SQL_NUMBER}') THEN CAST({text} AS DOUBLE) END"
        key = _number_key(x, text, attribute, DOUBLE, as_text=True)
        return Column(pa.string(), key, number) if key != text else Column(type, name)
    numeric = next((numeric for matches, numeric in NUMERIC_TYPES if matches(type)), None)
    if numeric is INTEGER:
        type = pa.int64()  # the start of a cell may be a number that a shorter integer cannot hold
    return Column(type, name if numeric is None else _number_key(name, name, attribute, numeric))


def group_query(columns: Sequence[Column], sets: Sequence[Iterable[int]], *, source: str = "source") -> str:
    """A query for the number of rows (n) in each group of each set of columns.

    With several sets these are SQL's grouping sets: g3 is 1 in the rows of sets without c3.
    """
    used = sorted({index for S in sets for index in S})
    names = [f"c{index}" for index in used]
    numbers = "".join(f", {columns[index].number} AS x{index}" for index in used if columns[index].number)
    keys = ", ".join(f"{columns[index].key} AS c{index}" for index in used)
    flags = "".join(f", GROUPING({name}) AS g{name[1:]}" for name in names) if len(sets) > 1 else ""
    groups = [", ".join(f"c{index}" for index in S) for S in sets]
    group_by = f"GROUPING SETS ({', '.join(f'({group})' for group in groups)})" if flags else groups[0]
    cells = f"(SELECT {keys} FROM (SELECT *{numbers} FROM {source} AS rows_read) AS numbers) AS cells"
    return f"SELECT {', '.join(names)}{flags}, count(*) AS n FROM {cells} GROUP BY {group_by}"


def is_text(type: pa.DataType) -> bool:
    """Whether a column holds texts."""
    return pa.types.is_string(type) or pa.types.is_large_string(type) or pa.types.is_string_view(type)


@dataclass(frozen=True)
class NumericType:
    """The numbers that a column type can hold.

    Up to the magnitude `limit`, they compare as Python's floats do. `at_least` gives the smallest number of the type
    at or above a float, `after` the next larger number, and `literal` writes a number in SQL.
    """

    limit: float
    at_least: Callable[[float], Any]
    after: Callable[[Any], Any]
    literal: Callable[[Any], str]


def _float32_at_least(bound: float) -> np.float32:
    """The smallest float32 whose shortest text reads as `bound` or more.

    The texts decide, as in `Attribute.encode`: the float32 nearest to 0.1 is above 0.1, but its text is "0.1".
    """
    x = np.float32(bound)
    while float(str(x)) >= bound:
        x = np.nextafter(x, np.float32(-np.inf))
    while float(str(x)) < bound:
        x = np.nextafter(x, np.float32(np.inf))
    return x


INTEGER = NumericType(MAX_EXACT_FLOAT64, math.ceil, lambda v: v + 1, str)
DOUBLE = NumericType(
    1e300,
    float,
    lambda v: math.nextafter(v, math.inf),
    lambda v: f"CAST('{v!r}' AS DOUBLE)",
)
FLOAT = NumericType(
    1e38,
    _float32_at_least,
    lambda v: np.nextafter(v, np.float32(np.inf)),
    lambda v: f"CAST('{v}' AS FLOAT)",
)
NUMERIC_TYPES: list[tuple[Callable[[pa.DataType], bool], NumericType]] = [
    (lambda type: pa.types.is_integer(type) and type != pa.uint64(), INTEGER),
    (pa.types.is_float64, DOUBLE),
    (pa.types.is_float32, FLOAT),
]


def _number_key(x: str, raw: str, attribute: Attribute, numeric: NumericType, *, as_text: bool = False) -> str:
    """An expression that replaces each number `x` by the smallest number of its cell.

    With a catch-all, it also replaces all numbers outside the cells by one number outside. Every other value stays
    `raw`. The results are texts where `as_text`.
    """
    kind = attribute.value_set
    assert isinstance(kind, Edges | Range)
    unbinned = isinstance(kind, Range) and (kind.width == 1 or kind.size > MAX_EXPRESSION_CELLS)
    low, high, _ = ([kind.low], [kind.high], ()) if unbinned and isinstance(kind, Range) else kind.cells()
    too_large = len(low) > MAX_EXPRESSION_CELLS or max(-low[0], high[-1]) > numeric.limit
    if too_large or (unbinned and not attribute.other):
        return raw
    starts = [numeric.at_least(float(bound)) for bound in low]
    above = numeric.at_least(math.nextafter(float(high[-1]), math.inf))  # the smallest number above the last cell
    ends = [*starts[1:], above]
    # Leave out cells without a number of this type.
    starts = [start for start, end in zip(starts, ends, strict=True) if start < end] or starts[:1]

    def result(value: Any) -> str:
        return f"'{value}'" if as_text else numeric.literal(value)

    inside = f"{x} >= {numeric.literal(starts[0])} AND {x} < {numeric.literal(above)}"
    if isinstance(kind, Range) and numeric is not INTEGER:
        inside += f" AND {x} = floor({x})"
    cell = raw if unbinned else _cell_start(x, starts, numeric.literal, result)
    return f"CASE WHEN {inside} THEN {cell}{_catch_all(x, raw, attribute, above, numeric, result)} ELSE {raw} END"


def _cell_start(x: str, starts: Sequence[Any], literal: Callable[[Any], str], result: Callable[[Any], str]) -> str:
    """An expression for the last of `starts` that is at most x, by binary search."""
    if len(starts) == 1:
        return result(starts[0])
    half = len(starts) // 2
    low, high = (_cell_start(x, part, literal, result) for part in (starts[:half], starts[half:]))
    return f"CASE WHEN {x} < {literal(starts[half])} THEN {low} ELSE {high} END"


def _catch_all(
    x: str, raw: str, attribute: Attribute, above: Any, numeric: NumericType, result: Callable[[Any], str]
) -> str:
    """The branches that replace all numbers outside the cells by one number outside; empty without a catch-all.

    A number that may be a special or a missing text stays as it is.
    """
    if not attribute.other:
        return ""
    marks = parse_numbers([*attribute.special, *attribute.missing_texts, *([""] if attribute.missing is None else [])])
    while float(above) in marks:
        above = numeric.after(above)
    unchanged = " OR ".join(f"{x} = CAST('{mark!r}' AS DOUBLE)" for mark in marks[~np.isnan(marks)].tolist())
    if np.isnan(marks).any():  # then a mark may be NaN or infinite; databases disagree on how NaN compares
        not_a_number = f"{x} <> {x} OR {x} = CAST('nan' AS DOUBLE)"
        infinite = f"{not_a_number} OR {x} IN (CAST('inf' AS DOUBLE), CAST('-inf' AS DOUBLE))"
        unchanged = " OR ".join(filter(None, (infinite, unchanged)))
    return f" WHEN {unchanged} THEN {raw} WHEN {x} IS NOT NULL THEN {result(above)}"


def _text_key(name: str, attribute: Attribute) -> str:
    """Map unlisted text to the catch-all, unless trimming might make it listed."""
    assert isinstance(attribute.value_set, Values)
    texts = [*attribute.value_set.texts, *attribute.special, *attribute.missing_texts]
    listed = ", ".join(quote(cell) for cell in dict.fromkeys([*texts, *chain.from_iterable(map(cells_of, texts))]))
    first, last = (f"regexp_matches({name}, '{pattern}')" for pattern in PRINTABLE)
    other = attribute.labels[-1]
    return f"CASE WHEN {name} IN ({listed}) THEN {name} WHEN {first} AND {last} THEN '{other}' ELSE {name} END"


def quote(text: str) -> str:
    """A text as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"
