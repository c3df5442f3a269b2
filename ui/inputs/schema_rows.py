"""A schema as the rows of an editable table, for users who prefer not to write TOML."""

import csv
import re
from typing import Any

from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import BITS, Edges, Range, Values

CATEGORIES, BINS, WHOLE_NUMBERS, ZERO_ONE = "categories", "bins", "whole numbers", "0 or 1"
KINDS = (CATEGORIES, BINS, WHOLE_NUMBERS, ZERO_ONE)
RANGE = re.compile(r"\s*(-?\d{1,18})\s*\.\.\s*(-?\d{1,18})(?:\s+by\s+(\d{1,18}))?\s*")  # low..high by width
EMPTY = "(empty cell)"  # how a row writes the value ""
Row = dict[str, Any]  # use, name, kind, values, missing, other, why


def rows_of(domain: Domain, left_out: dict[str, str]) -> list[Row]:
    """Return one row per attribute, then one per column that was left out, with the reason.

    >>> rows_of(Domain((Attribute("age", Range(0, 99, 10)),)), {})[0]["values"]
    '0..99 by 10'
    """
    used = [_row(attribute) for attribute in domain.attributes]
    unused: Row = {"use": False, "kind": CATEGORIES, "values": "", "missing": "", "other": False}
    return used + [{**unused, "name": name, "why": why} for name, why in left_out.items() if name not in domain.names]


def domain_of(rows: list[Row]) -> Domain:
    """Return the schema that the rows in use declare; raises ValueError, one sentence, for an unreadable row."""
    used = [row for row in rows if row["use"]]
    if not used:
        raise ValueError("no attribute is in use: tick at least one")
    return Domain(tuple(map(_attribute, used)))


def _row(attribute: Attribute) -> Row:
    kind = attribute.value_set
    if isinstance(kind, Values):
        kind_name, text = CATEGORIES, ", ".join(map(_quoted, kind.texts))
    elif isinstance(kind, Edges):
        kind_name, text = BINS, ", ".join(map(str, kind.edges))
    elif kind == BITS:
        kind_name, text = ZERO_ONE, ""
    else:
        kind_name, text = WHOLE_NUMBERS, f"{kind.low}..{kind.high}" + (f" by {kind.width}" if kind.width != 1 else "")
    return {
        "use": True,
        "name": attribute.name,
        "kind": kind_name,
        "values": text,
        "missing": "" if attribute.missing is None else attribute.missing or EMPTY,
        "other": attribute.other,
        "why": "",
    }


def _quoted(text: str) -> str:
    if "," in text or '"' in text:
        return '"' + text.replace('"', '""') + '"'
    return text or EMPTY


def _attribute(row: Row) -> Attribute:
    name, text = row["name"], (row["values"] or "").strip()
    missing = (row["missing"] or "").strip() or None
    try:
        kind = _kind(row["kind"], text)
    except ValueError as error:
        raise ValueError(f"attribute {name!r}: {error}") from None
    return Attribute(name, kind, missing="" if missing == EMPTY else missing, other=bool(row["other"]))


def _kind(kind_name: str, text: str) -> Values | Edges | Range:
    if kind_name == ZERO_ONE:
        return BITS
    if kind_name == CATEGORIES:
        try:
            texts = next(csv.reader([text], skipinitialspace=True), [])
        except csv.Error:
            raise ValueError("the values cannot be read: write them in one line, separated by commas") from None
        values = (value.strip() for value in texts if value.strip())
        return Values(tuple("" if value == EMPTY else value for value in values))
    if kind_name == BINS:
        return Edges(tuple(_number(edge) for edge in text.split(",") if edge.strip()))
    match = RANGE.fullmatch(text)
    if match is None:
        raise ValueError(f"write low..high, as in 0..99 or 0..99 by 10, got {text!r}")
    low, high, width = match.groups(default="1")
    return Range(int(low), int(high), int(width))


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"bins are numbers separated by commas, as in 17, 25, 90; got {text.strip()!r}") from None
