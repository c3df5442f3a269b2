"""SQL that counts a table where it lies: values replaced by one of their cell, then grouped, so that little comes back.

A value is replaced only by one that `Attribute.encode` gives the same code, and whatever SQL might read otherwise than
it does stays as it is: what a value means is decided in Python alone. The SQL is DuckDB's; for other databases sqlglot
rewrites it. Tables are named `source`, with columns c0, c1, ... in the domain's order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from mwem_core.domain.attribute import OTHER, Attribute
from mwem_core.domain.values import EXACT, Edges, Range, Values, numbers

MOST_STARTS = 4096  # cells one expression tells apart; a finer grid is grouped by its own values
# Texts that every database reads as the number Python reads.
NUMBER = "^ *[-+]?[0-9]{1,15}([.][0-9]{1,15})? *$"
PRINTABLE = "^[!-~]", "[!-~]$"  # nothing to strip at either end


@dataclass(frozen=True)
class Column:
    """How SQL reads an attribute: `value` is grouped by; it may use x0, x1, ..., the `number` of its column."""

    type: pa.DataType
    value: str
    number: str = ""


def read_as(name: str, type: pa.DataType, attribute: Attribute) -> Column:
    """The expression that stands for an attribute in column `name`, and its type."""
    kind, x = attribute.kind, f"x{name[1:]}"
    if isinstance(kind, Values):
        many = len(kind.texts) > MOST_STARTS
        return Column(type, _listed(name, attribute) if attribute.other and is_text(type) and not many else name)
    if pa.types.is_decimal(type) or is_text(type):
        text = name if is_text(type) else f"CAST({name} AS VARCHAR)"
        number = f"CASE WHEN regexp_matches({text}, '{NUMBER}') THEN CAST({text} AS DOUBLE) END"
        value = _numeric(x, text, attribute, DOUBLES, as_text=True)
        return Column(pa.string(), value, number) if value != text else Column(type, name)
    scale = next((scale for known, scale in SCALES if known(type)), None)
    return Column(type, name if scale is None else _numeric(name, name, attribute, scale))


def grouped(columns: Sequence[Column], sets: Sequence[Iterable[int]], *, source: str = "source") -> str:
    """Rows (n) for each distinct row of each set of columns; with several sets, g3 is 1 in rows of sets without c3."""
    used = sorted({index for S in sets for index in S})
    names = [f"c{index}" for index in used]
    numbers = "".join(f", {columns[index].number} AS x{index}" for index in used if columns[index].number)
    values = ", ".join(f"{columns[index].value} AS c{index}" for index in used)
    several = "".join(f", GROUPING({name}) AS g{name[1:]}" for name in names) if len(sets) > 1 else ""
    by = [", ".join(f"c{index}" for index in S) for S in sets]
    grouping = f"GROUPING SETS ({', '.join(f'({keys})' for keys in by)})" if several else by[0]
    read = f"(SELECT {values} FROM (SELECT *{numbers} FROM {source} AS rows_read) AS numbers) AS cells"
    return f"SELECT {', '.join(names)}{several}, count(*) AS n FROM {read} GROUP BY {grouping}"


def is_text(type: pa.DataType) -> bool:
    """Whether a column holds texts."""
    return pa.types.is_string(type) or pa.types.is_large_string(type) or pa.types.is_string_view(type)


@dataclass(frozen=True)
class Scale:
    """The numbers a type of column can hold: the least at or above a float, the next, and how SQL writes one."""

    most: float  # beyond it, the type's numbers and Python's floats part
    least: Callable[[float], Any]
    after: Callable[[Any], Any]
    literal: Callable[[Any], str]


def _single(bound: float) -> np.float32:
    """The least single whose shortest text reads as `bound` or above: 0.1 is below the single 0.1, its text is not."""
    at = np.float32(bound)
    while float(str(at)) >= bound:
        at = np.nextafter(at, np.float32(-np.inf))
    while float(str(at)) < bound:
        at = np.nextafter(at, np.float32(np.inf))
    return at


WHOLE = Scale(EXACT, math.ceil, lambda v: v + 1, str)
DOUBLES = Scale(
    1e300,
    float,
    lambda v: math.nextafter(v, math.inf),
    lambda v: f"CAST('{v!r}' AS DOUBLE)",
)
SINGLES = Scale(
    1e38,
    _single,
    lambda v: np.nextafter(v, np.float32(np.inf)),
    lambda v: f"CAST('{v}' AS FLOAT)",
)
SCALES: list[tuple[Callable[[pa.DataType], bool], Scale]] = [
    (lambda type: pa.types.is_integer(type) and type != pa.uint64(), WHOLE),
    (pa.types.is_float64, DOUBLES),
    (pa.types.is_float32, SINGLES),
]


def _numeric(x: str, raw: str, attribute: Attribute, scale: Scale, *, as_text: bool = False) -> str:
    """Each number as the least of its cell, and under a catch-all all numbers outside as one; else `raw`.

    `x` is the number; the values it becomes are texts where `as_text`.
    """
    kind = attribute.kind
    assert isinstance(kind, Edges | Range)
    plain = isinstance(kind, Range) and (kind.width == 1 or kind.size > MOST_STARTS)
    low, high, _ = ([kind.low], [kind.high], ()) if plain and isinstance(kind, Range) else kind.cells()
    if len(low) > MOST_STARTS or max(-low[0], high[-1]) > scale.most or (plain and not attribute.other):
        return raw
    start = [scale.least(float(bound)) for bound in low]
    beyond = scale.least(math.nextafter(float(high[-1]), math.inf))  # the least number above the last cell
    ends = [*start[1:], beyond]
    start = [s for s, end in zip(start, ends, strict=True) if s < end] or start[:1]  # cells the type has numbers in

    def written(value: Any) -> str:
        return f"'{value}'" if as_text else scale.literal(value)

    inside = f"{x} >= {scale.literal(start[0])} AND {x} < {scale.literal(beyond)}"
    if isinstance(kind, Range) and scale is not WHOLE:
        inside += f" AND {x} = floor({x})"
    cell = raw if plain else _tree(x, start, scale.literal, written)
    return f"CASE WHEN {inside} THEN {cell}{_catch_all(x, raw, attribute, beyond, scale, written)} ELSE {raw} END"


def _tree(x: str, start: Sequence[Any], literal: Callable[[Any], str], written: Callable[[Any], str]) -> str:
    """The last of `start` that is at most x, found by halving."""
    if len(start) == 1:
        return written(start[0])
    half = len(start) // 2
    low, high = (_tree(x, part, literal, written) for part in (start[:half], start[half:]))
    return f"CASE WHEN {x} < {literal(start[half])} THEN {low} ELSE {high} END"


def _catch_all(x: str, raw: str, attribute: Attribute, beyond: Any, scale: Scale, written: Callable[[Any], str]) -> str:
    """Where a catch-all is declared, one number outside the cells for all others but what may be the missing text."""
    if not attribute.other:
        return ""
    (missing,) = numbers([attribute.missing or ""])
    if float(beyond) == missing:
        beyond = scale.after(beyond)
    kept = f"{x} = CAST('{float(missing)!r}' AS DOUBLE)"
    if math.isnan(missing):  # what is no finite number, whatever a database thinks of comparing it
        kept = f"{x} <> {x} OR {x} = CAST('nan' AS DOUBLE) OR {x} IN (CAST('inf' AS DOUBLE), CAST('-inf' AS DOUBLE))"
    return f" WHEN {kept} THEN {raw} WHEN {x} IS NOT NULL THEN {written(beyond)}"


def _listed(name: str, attribute: Attribute) -> str:
    """Each text the schema does not list as the catch-all's, where it surely is none of them with blanks around."""
    assert isinstance(attribute.kind, Values)
    listed = [*attribute.kind.texts, *([] if attribute.missing is None else [attribute.missing])]
    known = ", ".join(quoted(text) for text in listed)
    first, last = (f"regexp_matches({name}, '{pattern}')" for pattern in PRINTABLE)
    return f"CASE WHEN {name} IN ({known}) THEN {name} WHEN {first} AND {last} THEN '{OTHER}' ELSE {name} END"


def quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"
