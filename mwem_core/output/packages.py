"""The rows of a release for other programs: plain values, and what a data package, Croissant and SDMetrics say of them.

Data packages are those of specs.frictionlessdata.io, Croissant that of MLCommons in version 1.0. Only public facts are
in the descriptions, and digests of files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from hashlib import sha256
from typing import Any

import numpy as np

from mwem_core.domain import Attribute, Domain
from mwem_core.forms import ISO, as_cell, is_clock, is_number, number_form
from mwem_core.values import Codes, Dates, Edges, Range, Steps, Values

INTERVALS = {  # columns of intervals.csv, with the types of a Table Schema
    "query": "string",
    "answer": "number",
    "low": "integer",
    "high": "integer",
    "holds": "string",
}
CROISSANT = "http://mlcommons.org/croissant/1.0"
CROISSANT_TYPES = {"integer": "sc:Integer", "number": "sc:Float", "date": "sc:Date"}
CROISSANT_TYPES |= {"datetime": "sc:DateTime", "time": "sc:Time"}
NUMBERS = re.compile(r"(?:0|-?[1-9]\d{0,17})", re.ASCII), re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?", re.ASCII)
SDTYPES = {
    "integer": {"sdtype": "numerical"},
    "number": {"sdtype": "numerical"},
    "date": {"sdtype": "datetime", "datetime_format": "%Y-%m-%d"},
    "datetime": {"sdtype": "datetime", "datetime_format": "%Y-%m-%dT%H:%M:%S"},
}
DATE_TYPES = {"day": "date", **dict.fromkeys(("hour", "minute", "second"), "datetime")}  # by the unit
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


def plain_values(attribute: Attribute, values: np.ndarray, numbers: np.ndarray | None) -> np.ndarray:
    """Values of a column for other programs, (m,): numbers as such, dates in ISO, nothing for what is neither.

    `numbers` are the values as numbers, NaN for a special or a missing one: (m,); there are none of listed texts. These
    stay as they are, as do years, months and weeks; only a missing one is nothing.
    """
    if numbers is None or not _is_converted(attribute):
        mark = _mark(attribute)
        return values if mark == attribute.missing else np.where(values == attribute.missing, mark or "", values)
    kind, known = attribute.value_set, np.isfinite(numbers)
    if _is_readable(attribute):
        written = values[known]
    else:
        different, at = np.unique(numbers[known], return_inverse=True)
        if isinstance(kind, Dates):
            plain = [kind.written(x) for x in different.tolist()]
        else:
            assert isinstance(kind, Edges | Range | Steps)
            assert kind.inside  # which has the form
            whole = different if kind.inside.decimals else different.astype(np.int64)
            plain = [str(x) for x in whole.tolist()]
        written = np.array(plain, object)[at]
    if known.all():
        return written
    found = np.full(len(numbers), "", object)
    found[known] = written
    return found


def is_plain(attribute: Attribute) -> bool:
    """Whether its plain values are as a table with decimal points writes them."""
    return _mark(attribute) == attribute.missing and (_is_readable(attribute) or not _is_converted(attribute))


def _mark(attribute: Attribute) -> str | None:
    """What stands in plain rows for a missing value, where one may be: nothing, unless that is a value."""
    if _is_converted(attribute):
        return "" if attribute.size > attribute.value_set.size else None
    return attribute.missing and ("" if "" not in attribute.labels else attribute.missing)


def _is_converted(attribute: Attribute) -> bool:
    return attribute.numeric or bool(_date_type(attribute))


def _date_type(attribute: Attribute) -> str:
    """The type of its dates in ISO, or of times of a day; empty if it has none."""
    kind = attribute.value_set
    if not isinstance(kind, Dates):
        return ""
    return "time" if is_clock(kind.form) else DATE_TYPES.get(kind.unit, "")


def _is_readable(attribute: Attribute) -> bool:
    """Whether other programs read its numbers, or its dates, in the form that they have."""
    if isinstance(attribute.value_set, Dates):
        return attribute.value_set.form == ISO
    return not attribute.form or is_number(number_form(attribute.form).written(Decimal(-1000)))


def data_package(
    title: str, description: str, domain: Domain, tables: Mapping[str, bytes], copied: Sequence[str] = ()
) -> bytes:
    """A data package of these files: plain rows, intervals.csv, and copies, which have the columns `copied`."""
    fields = [_field(attribute) for attribute in domain.attributes]
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
                "dialect": {"skipBlankRows": True},  # else a row of which all is missing is an error
                "bytes": len(content),
                "hash": f"sha256:{sha256(content).hexdigest()}",
                "schema": {"fields": own, "missingValues": []},
            }
        )
    package = {"profile": "tabular-data-package", "name": _slug(title), "title": title, "description": description}
    return _json({**package, "resources": resources})


def croissant(title: str, description: str, domain: Domain, path: str, rows: bytes) -> bytes:
    """The file of plain rows as Croissant 1.0. It states no licence: whoever publishes it has to."""
    columns = [
        {
            "@type": "cr:Field",
            "@id": own,
            "name": own,
            "dataType": _croissant_type(a),
            "source": {"fileObject": {"@id": path}, "extract": {"column": a.name}},
        }
        for a, own in zip(domain.attributes, _identifiers(domain.names), strict=True)
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
    """What SDMetrics takes as metadata of plain rows: numbers and dates, also with missing cells; else categories."""
    columns = {a.name: SDTYPES.get(_field(a)["type"], {"sdtype": "categorical"}) for a in domain.attributes}
    return _json({"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "columns": columns})


def _field(attribute: Attribute) -> dict[str, Any]:
    """The field of an attribute in the plain rows, as a Table Schema has it."""
    kind, mark = attribute.value_set, _mark(attribute)
    described, limits = _date_type(attribute) or "string", dict[str, Any]()
    if attribute.numeric:
        described, limits = _limits(attribute)
    elif isinstance(kind, Values | Codes) and not attribute.other:
        limits = {"enum": [*kind.texts, *attribute.special]}
    constraints = limits | ({"required": True} if mark is None else {})
    return {
        "name": attribute.name,
        "type": described,
        **({"constraints": constraints} if constraints else {}),
        **({} if mark is None else {"missingValues": [mark]}),
    }


def _limits(attribute: Attribute) -> tuple[str, dict[str, float]]:
    """The type of numbers, and the lowest and the highest of them, as its form writes these."""
    kind = attribute.value_set
    assert isinstance(kind, Edges | Range | Steps)
    ends = [kind.edges[0], kind.edges[-1]] if isinstance(kind, Edges) else [kind.low, kind.high]
    form = number_form(attribute.form) if attribute.form else None
    whole = all(isinstance(end, int) for end in ends) and not (kind.inside and kind.inside.decimals)
    if form:
        ends = [float(form.plain(form.written(Decimal(str(end))))) for end in ends]
        whole = whole and (not _is_readable(attribute) or form.written(Decimal(-1000)) == "-1000")
    low, high = (int(end) if whole else end for end in ends)
    return "integer" if whole else "number", {"minimum": low, "maximum": high}


def _croissant_type(attribute: Attribute) -> str:
    """The type of a column that readers of Croissant have pandas read, which makes listed texts such as 2 numbers."""
    field = _field(attribute)
    listed = [] if _mark(attribute) else field.get("constraints", {}).get("enum", [])
    kinds = zip(("integer", "number"), NUMBERS, strict=True)
    kind = next((kind for kind, number in kinds if listed and all(map(number.fullmatch, listed))), field["type"])
    return CROISSANT_TYPES.get(kind, "sc:Text")


def _identifiers(names: Sequence[str]) -> list[str]:
    """Names of fields without blanks and signs that an address cannot have, in order, each once."""
    found: dict[str, None] = {}
    for name in names:
        own = "rows/" + re.sub(r"[^\w.-]+", "_", name)
        while own in found:
            own += "_"
        found[own] = None
    return list(found)


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
