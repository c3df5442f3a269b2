"""The rows of a release described for other programs: a data package, Croissant, and the metadata of SDMetrics.

Data packages are those of specs.frictionlessdata.io, Croissant that of MLCommons in version 1.0. Only public facts are
in them, and digests of files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from hashlib import sha256
from typing import Any

from mwem_core.domain import Attribute, Domain
from mwem_core.forms import ISO, POINT, as_cell, is_number, number_form
from mwem_core.values import BITS, BinsToMeasure, Codes, Dates, Edges, Range, Steps, Values

INTERVALS = {  # columns of intervals.csv, with the types of a Table Schema
    "query": "string",
    "answer": "number",
    "low": "integer",
    "high": "integer",
    "holds": "string",
}
CROISSANT = "http://mlcommons.org/croissant/1.0"
CROISSANT_TYPES = {"boolean": "sc:Integer", "integer": "sc:Integer", "number": "sc:Float", "date": "sc:Date"}
# What pandas reads as missing by itself, as readers of Croissant have it read; numbers beside another mark are texts.
READ_AS_MISSING = {None, "", "#N/A", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"}
WHOLE = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)
SDTYPES = {kind: {"sdtype": "numerical"} for kind in ("boolean", "integer", "number")}
SDTYPES |= {"date": {"sdtype": "datetime", "datetime_format": "%Y-%m-%d"}}
CONTEXT = {  # of JSON-LD: the words that are used here
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{word: f"cr:{word}" for word in ("column", "extract", "field", "fileObject", "recordSet", "source")},
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
}


def data_package(
    title: str,
    description: str,
    domain: Domain,
    tables: Mapping[str, bytes],
    *,
    decimal: str = POINT,
    copied: Sequence[str] = (),
) -> bytes:
    """A data package of these files: rows, intervals.csv, and copies, which have the columns `copied`."""
    fields = [_field(attribute, decimal) for attribute in domain.attributes]
    number = {"name": copied[0] if copied else "", "type": "integer", "constraints": {"minimum": 1}}
    resources = []
    for path, content in tables.items():
        name = path.partition(".")[0]
        own = {
            "intervals": [{"name": column, "type": kind} for column, kind in INTERVALS.items()],
            "copies": [number, *(_guarded_field(field) for field in fields if field["name"] in copied)],
        }.get(name, fields)
        resources.append(
            {
                "name": name,
                "path": path,
                "profile": "tabular-data-resource",
                "format": "csv",
                "mediatype": "text/csv",
                "encoding": "utf-8",
                "dialect": {"delimiter": "," if decimal == POINT or name == "intervals" else ";"},
                "bytes": len(content),
                "hash": f"sha256:{sha256(content).hexdigest()}",
                "schema": {"fields": own, "missingValues": []},
            }
        )
    package = {"profile": "tabular-data-package", "name": _slug(title), "title": title, "description": description}
    return _json({**package, "resources": resources})


def croissant(title: str, description: str, domain: Domain, path: str, rows: bytes) -> bytes:
    """The file of rows as Croissant 1.0. It states no licence: whoever publishes it has to."""
    columns = [
        {
            "@type": "cr:Field",
            "@id": f"rows/{a.name}",
            "name": f"rows/{a.name}",
            "dataType": _croissant_type(a),
            "source": {"fileObject": {"@id": path}, "extract": {"column": a.name}},
        }
        for a in domain.attributes
    ]
    file = {"@type": "cr:FileObject", "@id": path, "name": path, "contentUrl": path, "encodingFormat": "text/csv"}
    return _json(
        {
            "@context": CONTEXT,
            "@type": "sc:Dataset",
            "name": _slug(title),
            "alternateName": title,
            "description": description,
            "conformsTo": CROISSANT,
            "distribution": [{**file, "sha256": sha256(rows).hexdigest()}],
            "recordSet": [{"@type": "cr:RecordSet", "@id": "rows", "name": "rows", "field": columns}],
        }
    )


def sdmetrics_metadata(domain: Domain) -> bytes:
    """What SDMetrics takes as metadata of the rows: numbers and dates, also with missing cells; else categories."""
    columns = {a.name: SDTYPES.get(_described(a)["type"], {"sdtype": "categorical"}) for a in domain.attributes}
    return _json({"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "columns": columns})


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


def _described(attribute: Attribute) -> dict[str, Any]:
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


def _field(attribute: Attribute, decimal: str) -> dict[str, Any]:
    """The field of an attribute, as a file with this decimal mark has it."""
    described = _described(attribute)
    comma = decimal != POINT and described["type"] == "number"
    return {**described, **({"decimalChar": decimal} if comma else {})}


def _croissant_type(attribute: Attribute) -> str:
    """The type of a column that readers of Croissant have pandas read, which makes listed texts such as 2 numbers."""
    field = _described(attribute)
    listed = field.get("constraints", {}).get("enum", [])
    kind = "integer" if listed and all(WHOLE.fullmatch(text) for text in listed) else field["type"]
    return CROISSANT_TYPES.get(kind, "sc:Text") if attribute.missing in READ_AS_MISSING else "sc:Text"


def _guarded_field(field: dict[str, Any]) -> dict[str, Any]:
    """The field as a file has it that puts an apostrophe before texts that a spreadsheet would run."""
    constraints = dict(field.get("constraints", {}))
    if "enum" in constraints:
        constraints["enum"] = [as_cell(text) for text in constraints["enum"]]
    missing = {"missingValues": [as_cell(text) for text in field["missingValues"]]} if "missingValues" in field else {}
    return {**field, "name": as_cell(field["name"]), **({"constraints": constraints} if constraints else {}), **missing}


def _slug(title: str) -> str:
    """The title as a name of lower-case letters, digits, points and hyphens."""
    return re.sub(r"[^a-z0-9.]+", "-", title.lower()).strip("-.") or "release"


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode()
