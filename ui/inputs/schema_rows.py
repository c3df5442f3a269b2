"""A schema as the rows of a small table, for those who would rather not write TOML."""

import csv
import re
from typing import Any

from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import BITS, Edges, Range, Values

CATEGORIES, BINS, RANGE, ZERO_ONE = "categories", "bins", "whole numbers", "0 or 1"
WHOLE = re.compile(r"\s*(-?\d{1,18})\s*\.\.\s*(-?\d{1,18})(?:\s+by\s+(\d{1,18}))?\s*")
KINDS = (CATEGORIES, BINS, RANGE, ZERO_ONE)
EMPTY = "(empty cell)"  # how a row writes the value ""
Row = dict[str, Any]  # use, name, kind, values, missing, other, why


def rows_of(domain: Domain, left_out: dict[str, str]) -> list[Row]:
    """A row an attribute, then one a column that was left out, with the reason.

    >>> rows_of(Domain((Attribute("age", Range(0, 99, 10)),)), {})[0]["values"]
    '0..99 by 10'
    """
    used = [_row(attribute) for attribute in domain.attributes]
    blank: Row = {"use": False, "kind": CATEGORIES, "values": "", "missing": "", "other": False}
    return used + [{**blank, "name": name, "why": why} for name, why in left_out.items() if name not in domain.names]


def domain_of(rows: list[Row]) -> Domain:
    """The schema the rows in use declare; raises ValueError, one sentence, where one cannot be read."""
    used = [row for row in rows if row["use"]]
    if not used:
        raise ValueError("no attribute is in use: tick at least one")
    return Domain(tuple(map(_attribute, used)))


def _row(attribute: Attribute) -> Row:
    kind = attribute.kind
    if isinstance(kind, Values):
        which, text = CATEGORIES, ", ".join(map(_quoted, kind.texts))
    elif isinstance(kind, Edges):
        which, text = BINS, ", ".join(map(str, kind.edges))
    elif kind == BITS:
        which, text = ZERO_ONE, ""
    else:
        which, text = RANGE, f"{kind.low}..{kind.high}" + (f" by {kind.width}" if kind.width != 1 else "")
    missing = "" if attribute.missing is None else attribute.missing or EMPTY
    return {
        "use": True,
        "name": attribute.name,
        "kind": which,
        "values": text,
        "missing": missing,
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


def _kind(which: str, text: str) -> Values | Edges | Range:
    if which == ZERO_ONE:
        return BITS
    if which == CATEGORIES:
        texts = next(csv.reader([text], skipinitialspace=True), [])
        given = (value.strip() for value in texts if value.strip())
        return Values(tuple("" if value == EMPTY else value for value in given))
    if which == BINS:
        return Edges(tuple(_number(edge) for edge in text.split(",") if edge.strip()))
    ends = WHOLE.fullmatch(text)
    if ends is None:
        raise ValueError(f"write low..high, as in 0..99 or 0..99 by 10, got {text!r}")
    low, high, width = ends.groups(default="1")
    return Range(int(low), int(high), int(width))


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"bins are numbers with commas between them, as in 17, 25, 90; got {text.strip()!r}") from None
