"""Attributes as fields of a Table Schema, by which Frictionless Data (datapackage.org) describes columns."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from mwem_core.domain import Attribute
from mwem_core.forms import ISO, is_number, number_form
from mwem_core.values import BITS, BinsToMeasure, Codes, Dates, Edges, Range, Steps, Values


def _texts_of(attribute: Attribute) -> list[str] | None:
    """The texts that an attribute lists, also special ones; None for another, and for one with a catch-all."""
    value_set = attribute.value_set
    if attribute.other or not isinstance(value_set, Values | Codes):
        return None
    return [*value_set.texts, *attribute.special]


def _bounds(attribute: Attribute) -> tuple[str, float, float] | None:
    """The type, the lowest and the highest number of an attribute; None if it has other values too."""
    value_set = attribute.value_set.grid if isinstance(attribute.value_set, BinsToMeasure) else attribute.value_set
    if attribute.other or attribute.special or not isinstance(value_set, Edges | Range | Steps):
        return None
    edges = value_set.edges if isinstance(value_set, Edges) else (value_set.low, value_set.high)
    whole = all(isinstance(edge, int) for edge in edges) and not (value_set.inside and value_set.inside.decimals)
    return "integer" if whole else "number", edges[0], edges[-1]


def describe_field(attribute: Attribute) -> dict[str, Any]:
    """An attribute as a field, as far as the standard can say it; the type is that of the cells as a file has them."""
    kind, constraints = "any", dict[str, Any]()
    if attribute.value_set == BITS and not (attribute.other or attribute.special):
        kind = "boolean"
    elif texts := _texts_of(attribute):
        kind, constraints = "string", {"enum": texts}
    elif isinstance(attribute.value_set, Dates) and attribute.value_set.form == ISO:
        if not (attribute.other or attribute.special):
            kind = "date"
            constraints = {"minimum": attribute.value_set.dates[0], "maximum": attribute.value_set.dates[-1]}
    elif found := _bounds(attribute):
        kind, low, high = found
        written = number_form(attribute.form).written(Decimal(-1000)) if attribute.form else "-1000"
        if is_number(written):
            kind = kind if written == "-1000" else "number"
            constraints = {"minimum": low, "maximum": high}
        else:  # such as -$1,000
            kind = "string"
    constraints |= {} if attribute.missing is not None else {"required": True}
    return {
        "name": attribute.name,
        "type": kind,
        **({"falseValues": ["0"], "trueValues": ["1"]} if kind == "boolean" else {}),
        **({"constraints": constraints} if constraints else {}),
        **({} if attribute.missing is None else {"missingValues": list(attribute.missing_texts)}),
    }
