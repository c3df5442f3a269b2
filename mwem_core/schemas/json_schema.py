"""JSON Schemas of a record, whose properties are the columns of a table (json-schema.org, draft 2020-12)."""

from __future__ import annotations

import math
from typing import Any

from mwem_core.domain import Attribute
from mwem_core.schemas.described import NO_VALUES, Described, between, bounds, listed, texts_of
from mwem_core.values import BITS

MAX_REFERENCES = 20  # followed from one to the next


def is_record_schema(document: dict[str, Any]) -> bool:
    """Whether a JSON document is a JSON Schema of a record, or of a list of records."""
    return isinstance(_record(document).get("properties"), dict)


def properties_of(document: dict[str, Any]) -> dict[str, Any]:
    """The descriptions of the columns, by name."""
    return {name: _resolved(each, document) for name, each in _record(document)["properties"].items()}


def _record(document: dict[str, Any]) -> dict[str, Any]:
    items = document.get("items")
    record = items if isinstance(items, dict) and "properties" not in document else document
    return _resolved(record, document)


def _resolved(described: Any, document: dict[str, Any]) -> Any:
    """What a description refers to by `$ref`, within the document."""
    for _ in range(MAX_REFERENCES):
        reference = described.get("$ref") if isinstance(described, dict) else None
        if not isinstance(reference, str) or not reference.startswith("#/"):
            break
        found: Any = document
        for step in reference[2:].split("/"):
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
        described = found
    return described


def read_property(name: str, described: dict[str, Any], document: dict[str, Any]) -> Described:
    """The declaration of a column. Raises ValueError with the reason why there is none.

    A property that is not required, or may be null, may be missing: an empty cell.
    """
    required = _record(document).get("required")
    options, missing = [described], None
    for key in ("oneOf", "anyOf"):
        if isinstance(described.get(key), list):
            options = [_resolved(each, document) for each in described[key]]
    if not all(isinstance(each, dict) for each in options):
        raise ValueError("has alternatives that cannot be read")
    if any(map(_may_be_null, options)) or not isinstance(required, list) or name not in required:
        missing = ""
    options = [each for each in options if each.get("type") != "null" and each.get("const", 0) is not None]
    constants = [each["const"] for each in options if "const" in each]
    if constants and len(constants) == len(options):
        found = listed(constants)
    else:
        others = [each for each in options if "const" not in each]
        if len(others) != 1 or len(constants) > 1:
            raise ValueError("has several alternatives")
        found = _values(others[0])
        missing = str(constants[0]) if constants else missing
    return found if missing is None else {**found, "missing": missing}


def _may_be_null(described: dict[str, Any]) -> bool:
    kind = described.get("type")
    return (
        kind == "null"
        or (isinstance(kind, list) and "null" in kind)
        or ("const" in described and described["const"] is None)
        or (isinstance(described.get("enum"), list) and None in described["enum"])
    )


def _values(described: dict[str, Any]) -> Described:
    kind = described.get("type")
    if isinstance(kind, list):
        kinds = [each for each in kind if each != "null"]
        kind = kinds[0] if len(kinds) == 1 else None
    if isinstance(described.get("enum"), list):
        return listed(described["enum"])
    if kind == "boolean":
        return {"bits": True}
    if kind in ("integer", "number"):
        ends = [described.get(key, described.get(f"exclusive{key.title()}")) for key in ("minimum", "maximum")]
        if kind == "integer":  # the neighbour of an end that is excluded
            ends = [
                end + step if f"exclusive{key.title()}" in described and isinstance(end, int) else end
                for end, key, step in zip(ends, ("minimum", "maximum"), (1, -1), strict=True)
            ]
        return {**between(*ends, whole=kind == "integer"), **_decimals(described.get("multipleOf"))}
    raise ValueError(f"is a {kind} and {NO_VALUES}" if isinstance(kind, str) else NO_VALUES)


def _decimals(unit: Any) -> Described:
    """The decimals of multiples of 0.1 or another power of ten."""
    exponent = -math.log10(unit) if isinstance(unit, float) and 0 < unit < 1 else 0
    return {"decimals": round(exponent)} if exponent and abs(exponent - round(exponent)) < 1e-9 else {}


def describe_property(attribute: Attribute) -> dict[str, Any]:
    """An attribute as a property, as far as the standard can say it."""
    described = dict[str, Any]()
    if attribute.value_set == BITS and not (attribute.other or attribute.special):
        described = {"type": "integer", "minimum": 0, "maximum": 1}
    elif texts := texts_of(attribute):
        described = {"enum": texts}
    elif found := bounds(attribute):
        described["type"], described["minimum"], described["maximum"] = found
    if attribute.missing is None:
        return described
    return {"anyOf": [described, *({"const": text or None} for text in attribute.missing_texts)]}
