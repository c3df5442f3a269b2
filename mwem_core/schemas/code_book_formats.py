"""Columns as a Table Schema of Frictionless Data (datapackage.org) describes them, in the keys of a schema."""

from __future__ import annotations

from typing import Any

from mwem_core.forms import ISO, MAX_EXACT_FLOAT64, date_form, is_clock, is_form, parse_dates
from mwem_core.schemas.proposal import MAX_PROPOSED_VALUES
from mwem_core.tables import text_of
from mwem_core.values import SECONDS, equal_edges

Declaration = dict[str, Any]  # keys of a schema's attribute, but its name
DAYS = {"day": 1, "month": 31}  # at most
NO_VALUES = "has neither a list of values nor a smallest and a largest one"
DIRECTIVES = {"%Y": "YYYY", "%y": "YY", "%m": "MM", "%b": "Mon", "%B": "Month", "%d": "DD"}
DIRECTIVES |= {"%H": "HH", "%I": "HH", "%M": "MM", "%S": "SS", "%p": "AM"}


def entries(value: Any, what: str) -> list[Any]:
    """The entries of a list, which may be absent. Raises ValueError if it is none."""
    if value is not None and not isinstance(value, list):
        raise ValueError(f"has {what} that are no list")
    return value or []


def list_values(values: list[Any]) -> Declaration:
    """The declaration of listed values. Raises ValueError unless they are texts and numbers."""
    if any(isinstance(value, list | dict) for value in values):
        raise ValueError("lists values that are neither texts nor numbers")
    return {"values": list(dict.fromkeys(text_of(value) for value in values if value is not None))}


def between(low: Any, high: Any, *, whole: bool) -> Declaration:
    """The declaration of numbers from the lowest to the highest: each by itself if they are whole and few.

    Raises ValueError where one of them is missing.
    """
    ends = [low, high]
    if not all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends):
        raise ValueError(NO_VALUES)
    if not (-MAX_EXACT_FLOAT64 <= low < high <= MAX_EXACT_FLOAT64):
        raise ValueError("goes from a lowest to a highest number that leave nothing to bin")
    if whole:
        low, high = round(low), round(high)
        if high - low < MAX_PROPOSED_VALUES:
            return {"range": [low, high]}
    edges = [low, *(edge for edge in equal_edges(low, high) if low < edge < high), high]
    return {"edges": edges, **({"decimals": 0} if whole else {})}


def days_between(first: Any, last: Any, form: str) -> Declaration:
    """The declaration of dates, in the finest calendar periods of which there are at most a hundred.

    Raises ValueError where one of them is missing or is no date.
    """
    if not isinstance(first, str) or not isinstance(last, str):
        raise ValueError(NO_VALUES)
    low, high = parse_dates([first, last], form) / SECONDS["day"]
    if not low < high:
        raise ValueError(f"goes from {first!r} to {last!r}, which are no two dates in order")
    few = (by for by, days in DAYS.items() if (high - low) / days < MAX_PROPOSED_VALUES)
    by = next((by for by in few if (by, date_form(form).unit) != ("day", "month")), "year")
    return {"dates": [first, last], "by": by, "form": form}


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


def read_field(field: dict[str, Any], document: dict[str, Any]) -> Declaration:
    """The declaration of a column. Raises ValueError with the reason why there is none.

    By the standard a cell may be missing unless it is required; then it is one of the missing values, "" by default.
    """
    constraints = field.get("constraints") or {}
    if not isinstance(constraints, dict):
        raise ValueError("has constraints without names")
    described = _field_values(field, constraints)
    if constraints.get("required") is True:
        return described
    missing = field.get("missingValues", document.get("missingValues", [""]))
    texts = [each.get("value") if isinstance(each, dict) else each for each in entries(missing, "missing values")]
    own = described.get("values", ())
    texts = [text for text in texts if isinstance(text, str) and text not in own]
    return {**described, **({"missing": texts} if texts else {})}


def _field_values(field: dict[str, Any], constraints: dict[str, Any]) -> Declaration:
    kind = field.get("type", "any")
    if kind == "boolean":
        return _boolean(field)
    categories = entries(field.get("categories"), "categories")
    values = [each.get("value") if isinstance(each, dict) else each for each in categories]
    if values := entries(constraints.get("enum"), "values") or values:
        return list_values(values)
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
    if not is_form(form) or is_clock(form):
        raise ValueError(f"has dates in the form {pattern!r}, which is not one of day, month and year")
    return form


def _boolean(field: dict[str, Any]) -> Declaration:
    defaults = {"falseValues": "false", "trueValues": "true"}
    texts = [(entries(field.get(key), "values") or [default])[0] for key, default in defaults.items()]
    return {"bits": True} if texts == ["0", "1"] else list_values(texts)
