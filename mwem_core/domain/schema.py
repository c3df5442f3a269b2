"""The schema file, which declares the attributes of a record and their values.

A schema is TOML, one `[[attribute]]` block an attribute, each with a `name` and one of

    values = ["a", "b"]          categorical
    edges = [17, 25, 35, 90]     bins [17, 25), [25, 35) and, closed, [35, 90]
    range = [0, 4356]            whole numbers, both ends included; `width = 10` groups them, the last cell may be short
    bits = true                  short for range = [0, 1]

and optionally `missing = "?"` (that value is a category of its own) and `other = true` (a catch-all for
everything outside). Values compare as text without surrounding blanks; an empty cell is the value "".
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from typing import Any

from mwem_core.checks import hint, is_whole
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.values import BITS, Edges, Range, Values

KINDS = ("values", "edges", "range", "bits")
KEYS = ("name", *KINDS, "width", "missing", "other")


def read_schema(text: str) -> tuple[Attribute, ...]:
    """The attributes declared; raises ValueError, one sentence, where the text does not parse or contradicts itself."""
    try:
        schema = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"the schema is not valid TOML: {error}") from None
    if unknown := [key for key in schema if key != "attribute"]:
        raise ValueError(f"the schema has an unknown key {unknown[0]!r}; it holds [[attribute]] blocks only")
    blocks = schema.get("attribute", [])
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise ValueError("attributes are declared in [[attribute]] blocks, with two brackets on each side")
    return tuple(_read_attribute(block, f"attribute {place}") for place, block in enumerate(blocks, start=1))


def write_schema(attributes: Iterable[Attribute]) -> str:
    """The schema that declares these attributes; `read_schema` gives equal ones back."""
    return "\n".join(map(_write_attribute, attributes))


def _read_attribute(block: dict[str, Any], place: str) -> Attribute:
    """An attribute from its TOML block; `place` names it in errors until it has a name."""
    name = block.get("name")
    if not isinstance(name, str):
        raise ValueError(f'{place} has no name; add name = "...", the column\'s header')
    try:
        for key in block:
            if key not in KEYS:
                raise ValueError(f"unknown key {key!r}{hint(key, KEYS)}")
        other, missing = block.get("other", False), block.get("missing")
        if not isinstance(other, bool):
            raise ValueError(f"other must be true or false, got {other!r}")
        kind = _read_kind(block)
        missing = missing if missing is None else _read_text(missing, "missing")
    except ValueError as error:
        raise ValueError(f"attribute {name!r}: {error}") from None
    return Attribute(name, kind, missing, other)


def _read_kind(block: dict[str, Any]) -> Values | Edges | Range:
    declared = [key for key in KINDS if key in block]
    if len(declared) != 1:
        found = " and ".join(declared) or "none of them"
        raise ValueError(f"needs exactly one of {', '.join(KINDS)}; it has {found}")
    key, value = declared[0], block[declared[0]]
    if "width" in block and key != "range":
        raise ValueError(f"width belongs to range, not to {key}; remove it")
    if key == "bits":
        if value is not True:
            raise ValueError(f"bits must be true, got {value!r}")
        return BITS
    if not isinstance(value, list):
        raise ValueError(f"{key} must be a list in brackets, got {value!r}")
    if key == "values":
        return Values(tuple(_read_text(text, "values") for text in value))
    if key == "edges":
        return Edges(tuple(value))
    if len(value) != 2:
        raise ValueError(f"range must be two whole numbers, got {value!r}")
    return Range(value[0], value[1], block.get("width", 1))


def _read_text(value: Any, key: str) -> str:
    """A value as text; whole numbers may stand without quotes."""
    if not isinstance(value, str) and not is_whole(value):
        raise ValueError(f"{key} must be text in quotes, got {value!r}")
    return str(value)


def _write_attribute(attribute: Attribute) -> str:
    lines = {"name": attribute.name, **attribute.kind.declaration()}
    if attribute.missing is not None:
        lines["missing"] = attribute.missing
    if attribute.other:
        lines["other"] = True
    return "[[attribute]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in lines.items())


def _toml(value: Any) -> str:
    if isinstance(value, list):
        items = [_toml(item) for item in value]
        flat = f"[{', '.join(items)}]"
        return flat if len(flat) <= 100 else "[\n" + "".join(f"  {item},\n" for item in items) + "]"
    if isinstance(value, str):
        # JSON's escapes are TOML's, but for DEL, which JSON leaves bare.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    return str(value).lower()
