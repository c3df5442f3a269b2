"""Frictionless Table Schemas (specs.frictionlessdata.io/table-schema, version 2 too), also in a data package."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from mwem_core.domain import Attribute
from mwem_core.schemas.described import NO_VALUES, Described, between, bounds, days_between, entries, listed, texts_of
from mwem_core.tables import is_number
from mwem_core.values import BITS, FORM, ISO, Dates, number_form

DIRECTIVES = {"%Y": "YYYY", "%y": "YY", "%m": "MM", "%b": "Mon", "%B": "Month", "%d": "DD"}
DIRECTIVES |= {"%H": "HH", "%I": "HH", "%M": "MM", "%S": "SS", "%p": "AM"}


def is_table_schema(document: dict[str, Any]) -> bool:
    """Whether a JSON document is a Table Schema, or a package of them."""
    return "fields" in document or "resources" in document


def fields_of(document: dict[str, Any], name: str) -> list[Any]:
    """The descriptions of the columns. Raises ValueError unless they are of one table."""
    resources = document.get("resources")
    if isinstance(resources, list):
        if len(resources) != 1:
            raise ValueError(f"{name} describes {len(resources)} tables; give the schema of one")
        schema = resources[0].get("schema") if isinstance(resources[0], dict) else None
        document.update(schema if isinstance(schema, dict) else {})
    fields = document.get("fields")
    if not isinstance(fields, list):
        raise ValueError(f"{name} lists no fields; a Table Schema has a list of them")
    return fields


def read_field(field: dict[str, Any], document: dict[str, Any]) -> Described:
    """The declaration of a column. Raises ValueError with the reason why there is none.

    By the standard a cell may be missing unless it is required; then it is one of the missing values, "" by default.
    """
    constraints = field.get("constraints") or {}
    if not isinstance(constraints, dict):
        raise ValueError("has constraints without names")
    described = _values(field, constraints)
    if constraints.get("required") is True:
        return described
    missing = field.get("missingValues", document.get("missingValues", [""]))
    texts = [each.get("value") if isinstance(each, dict) else each for each in entries(missing, "missing values")]
    own = described.get("values", ())
    texts = [text for text in texts if isinstance(text, str) and text not in own]
    return {**described, **({"missing": texts} if texts else {})}


def _values(field: dict[str, Any], constraints: dict[str, Any]) -> Described:
    kind = field.get("type", "any")
    if kind == "boolean":
        return _boolean(field)
    categories = entries(field.get("categories"), "categories")
    values = [each.get("value") if isinstance(each, dict) else each for each in categories]
    if values := entries(constraints.get("enum"), "values") or values:
        return listed(values)
    low, high = constraints.get("minimum"), constraints.get("maximum")
    if kind in ("integer", "number", "year"):
        return between(low, high, whole=kind != "number")
    if kind in ("date", "datetime"):
        return days_between(low, high, _form(str(field.get("format", "default")), kind))
    raise ValueError(f"is a {kind} field and {NO_VALUES}" if kind != "any" else NO_VALUES)


def _form(pattern: str, kind: str) -> str:
    """The form of dates that a pattern of strptime writes. Raises ValueError for the pattern "any"."""
    form = {"default": ISO if kind == "date" else f"{ISO}THH:MM:SS"}.get(pattern, pattern)
    for directive, part in DIRECTIVES.items():
        form = form.replace(directive, part)
    if not FORM.fullmatch(form):
        raise ValueError(f"has dates in the form {pattern!r}, which is not one of day, month and year")
    return form


def _boolean(field: dict[str, Any]) -> Described:
    defaults = {"falseValues": "false", "trueValues": "true"}
    texts = [(entries(field.get(key), "values") or [default])[0] for key, default in defaults.items()]
    return {"bits": True} if texts == ["0", "1"] else listed(texts)


def describe_field(attribute: Attribute) -> dict[str, Any]:
    """An attribute as a field, as far as the standard can say it; the type is that of the cells as a file has them."""
    kind, constraints = "any", dict[str, Any]()
    if attribute.value_set == BITS and not (attribute.other or attribute.special):
        kind = "boolean"
    elif texts := texts_of(attribute):
        kind, constraints = "string", {"enum": texts}
    elif isinstance(attribute.value_set, Dates) and attribute.value_set.form == ISO:
        if not (attribute.other or attribute.special):
            kind = "date"
            constraints = {"minimum": attribute.value_set.dates[0], "maximum": attribute.value_set.dates[-1]}
    elif found := bounds(attribute):
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
