"""A schema as the rows of an editable table, for users who prefer not to write TOML."""

import csv
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from mwem_core.domain import CELLS, NO_MARKS, Attribute, Domain, Marks
from mwem_core.forms import ISO, NumberStyle, number_form
from mwem_core.values import BITS, BinsToMeasure, Codes, Dates, Edges, Range, Steps, Values, ValueSet, public_edges

CATEGORIES, CODES, BINS, WHOLE_NUMBERS = "categories", "grouped codes", "bins", "whole numbers"
ZERO_ONE, DATES, MEASURED_BINS = "0 or 1", "dates", "measured bins"
KINDS = (CATEGORIES, CODES, BINS, MEASURED_BINS, WHOLE_NUMBERS, ZERO_ONE, DATES)
RANGE = re.compile(r"\s*(-?\d{1,18})\s*\.\.\s*(-?\d{1,18})(?:\s+by\s+(\d{1,18}))?\s*")  # low..high by width
BINS_OF_RANGE = re.compile(r"\s*(\S+?)\s*\.\.\s*(\S+)(?:\s+by\s+(\d{1,18}))?(?:\s+in\s+(\d{1,9}))?\s*")
USUAL_BINS = 16  # measured ones, where none are stated
FIRST = re.compile(r"\s*first\s+(\d{1,3})\s*:(.*)", re.DOTALL)  # first 3: A00.1, A00.2
PERIODS = re.compile(r"(.+?)\s*\.\.\s*(.+?)\s+by\s+(\w+)")  # 2019-01-01..2024-12-31 by month
EMPTY = "(empty cell)"  # how a row writes the value ""
CELL_KEYS = {  # a cell of a schema in a row
    "values": ("kind", "values", "decimals"),
    **{cell: (cell,) for cell in ("special", "missing", "other")},
}
Row = dict[str, Any]  # use, name, kind, values, decimals, form, special, missing, other, from_data, why


def rows_of(domain: Domain, left_out: dict[str, str], marks: Marks = NO_MARKS) -> list[Row]:
    """Return one row per attribute, then one per column that was left out, with the reason.

    `marks` says which cells were read off the data.

    >>> rows_of(Domain((Attribute("age", Range(0, 99, 10)),)), {})[0]["values"]
    '0..99 by 10'
    """
    used = [
        {**_row(attribute), "from_data": [cell for cell in CELLS if cell in marks.get(attribute.name, ())]}
        for attribute in domain.attributes
    ]
    return used + [unused_row(name, why) for name, why in left_out.items() if name not in domain.names]


def unused_row(name: str, why: str, **cells: Any) -> Row:
    """The row of a column that is not in use, with the reason and these cells."""
    row = {"use": False, "name": name, "kind": CATEGORIES, "values": "", "decimals": "", "form": "", "special": ""}
    return row | {"missing": "", "other": False, "from_data": [], "why": why} | cells


def domain_of(rows: list[Row], never: Iterable[str] = ()) -> Domain:
    """Return the schema that the rows in use declare, with these rules.

    Raises ValueError, one sentence, for an unreadable row or rule.
    """
    used = [row for row in rows if row["use"]]
    if not used:
        raise ValueError("no attribute is in use: tick at least one")
    return Domain(tuple(map(_attribute, used)), tuple(never))


def marks_of(rows: list[Row], first: list[Row]) -> Marks:
    """The cells of the rows in use that are marked as read off the data, and say what they first said.

    Other bins between the same ends still say what was read off the data.
    """
    before = {row["name"]: row for row in first}
    marks = {}
    for row in rows:
        was = before[row["name"]]
        same = {
            cell
            for cell, keys in CELL_KEYS.items()
            if all((row.get(key) or None) == (was.get(key) or None) for key in keys)
            or (cell == "values" and None not in (ends := ends_of(row)) and ends == ends_of(was))
        }
        if row["use"] and (marked := frozenset(row.get("from_data") or ()) & same):
            marks[row["name"]] = marked
    return marks


def ends_of(row: Row) -> tuple[float | None, float | None]:
    """The ends of the numbers that a row declares, if it declares numbers."""
    with suppress(ValueError):
        kind = _attribute(row).value_set
        if isinstance(kind, Edges):
            return float(kind.edges[0]), float(kind.edges[-1])
        if isinstance(kind, Range | BinsToMeasure):
            grid = kind.grid if isinstance(kind, BinsToMeasure) else kind
            return float(grid.low), float(grid.high)
    return None, None


def _row(attribute: Attribute) -> Row:
    kind_name, text = _as_text(attribute.value_set)
    kind = attribute.value_set
    inside: NumberStyle | None = getattr(kind.grid if isinstance(kind, BinsToMeasure) else kind, "inside", None)
    return {
        "use": True,
        "name": attribute.name,
        "kind": kind_name,
        "values": text,
        "decimals": str(inside.decimals) if inside else "",
        "form": attribute.form,
        "special": ", ".join(map(_quote, attribute.special)),
        "missing": ", ".join(map(_quote, attribute.missing_texts)),
        "other": attribute.other,
        "why": "",
    }


def _as_text(kind: ValueSet) -> tuple[str, str]:
    """The kind of a row, and its values as text."""
    if isinstance(kind, Values):
        return CATEGORIES, ", ".join(map(_quote, kind.texts))
    if isinstance(kind, Codes):
        return CODES, f"first {kind.prefix}: " + ", ".join(map(_quote, kind.codes))
    if isinstance(kind, Dates):
        dates = f"{'..'.join(kind.dates)} by {kind.by}" if kind.by else ", ".join(kind.dates)
        return DATES, dates if kind.form == ISO else f"{dates} as {kind.form}"
    if isinstance(kind, Edges):
        return BINS, ", ".join(map(str, kind.edges))
    if kind == BITS:
        return ZERO_ONE, ""
    if isinstance(kind, BinsToMeasure):
        return MEASURED_BINS, f"{_range_text(kind.grid)} in {kind.bins}"
    return WHOLE_NUMBERS, _range_text(kind)


def _range_text(grid: Range | Steps) -> str:
    width = grid.width if isinstance(grid, Range) else 1
    return f"{grid.low}..{grid.high}" + (f" by {width}" if width != 1 else "")


def _quote(text: str) -> str:
    if "," in text or '"' in text:
        return '"' + text.replace('"', '""') + '"'
    return text or EMPTY


def _attribute(row: Row) -> Attribute:
    name, text = row["name"], (row["values"] or "").strip()
    try:
        kind = _kind(row["kind"], text, decimals_of(row), (row.get("form") or "").strip())
        special, missing = (_texts(row.get(cell) or "") for cell in ("special", "missing"))
    except ValueError as error:
        raise ValueError(f"attribute {name!r}: {error}") from None
    return Attribute(name, kind, missing[0] if missing else None, bool(row["other"]), special, missing[1:])


def _kind(kind_name: str, text: str, decimals: int | None, form: str) -> ValueSet:
    if kind_name == ZERO_ONE:
        return BITS
    if kind_name == CATEGORIES:
        return Values(_texts(text))
    if kind_name == CODES:
        match = FIRST.fullmatch(text)
        if match is None:
            raise ValueError(f"write the number of characters and the codes, as in first 3: A00.1, A00.2, got {text!r}")
        return Codes(_texts(match[2]), int(match[1]))
    if kind_name == DATES:
        return _dates(text)
    stated = number_form(form).decimals if form and decimals is None else decimals
    inside = None if stated is None else NumberStyle(stated, form)
    if kind_name == BINS:
        return Edges(edges_of(text, decimals), inside)
    if kind_name == MEASURED_BINS:
        return _measured_bins(text, inside)
    match = RANGE.fullmatch(text)
    if match is None:
        raise ValueError(f"write low..high, as in 0..99 or 0..99 by 10, got {text!r}")
    low, high, width = match.groups(default="1")
    return Range(int(low), int(high), int(width), inside)


def _measured_bins(text: str, inside: NumberStyle | None) -> BinsToMeasure:
    """Bins that a run measures between the ends of a range, or of the edges in whose place they are."""
    match = BINS_OF_RANGE.fullmatch(text)
    if match is None:
        edges = edges_of(text, inside.decimals if inside else None)
        if not edges:
            raise ValueError(f"measured bins need the ends of a range, as in 0..99999 or 0..99999 in 16, got {text!r}")
        low, high, width, bins = min(edges), max(edges), 1, None
    else:
        low, high, width, bins = _number(match[1]), _number(match[2]), int(match[3] or 1), match[4]
    grid = Steps(low, high, inside) if inside and inside.decimals else Range(_whole(low), _whole(high), width, inside)
    return BinsToMeasure(grid, int(bins) if bins else min(USUAL_BINS, max(2, grid.size - 1)))


def _whole(end: float) -> int:
    if end % 1:
        raise ValueError(f"the range of measured bins ends at {end}: declare its decimals, or whole numbers")
    return int(end)


def edges_of(text: str, decimals: int | None) -> tuple[float, ...]:
    """The edges that a text lists, or that its rule gives; raises ValueError for an unreadable one."""
    if ".." in text:
        return public_edges(text, decimals)
    return tuple(_number(edge) for edge in text.split(",") if edge.strip())


def _texts(text: str) -> tuple[str, ...]:
    try:
        texts = next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error:
        raise ValueError("the values cannot be read: write them in one line, separated by commas") from None
    values = (value.strip() for value in texts if value.strip())
    return tuple("" if value == EMPTY else value for value in values)


def _dates(text: str) -> Dates:
    dates, _, form = text.partition(" as ")
    if match := PERIODS.fullmatch(dates.strip()):
        first, last, by = match.groups()
        return Dates((first, last), by, form.strip() or ISO)
    edges = tuple(edge.strip() for edge in dates.split(",") if edge.strip())
    if len(edges) < 2:
        raise ValueError(f"write first..last by month, as in 2019-01-01..2024-12-31 by month, got {text!r}")
    return Dates(edges, None, form.strip() or ISO)


def decimals_of(row: Row) -> int | None:
    """The number of decimals that a row states; None if it states none."""
    text = (row.get("decimals") or "").strip()
    if text and not (text.isascii() and text.isdecimal()):
        raise ValueError(f"decimals must be a whole number, got {text!r}")
    return int(text[:4]) if text else None


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"bins are numbers separated by commas, as in 17, 25, 90; got {text.strip()!r}") from None
