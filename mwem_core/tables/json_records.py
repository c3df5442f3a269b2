"""JSON: an object per line, or a list of objects, with a value per column; or one document that holds columns.

An object within a record is columns of its own, such as address.city; a list of plain values is one text, a;b. A
feature of GeoJSON is its properties and the place of its point.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from mwem_core.tables.delimited_text import check_width
from mwem_core.tables.table_reading import count_of, with_notes
from mwem_core.tables.texts import MAX_VALUES, TextColumn

CONSTANTS = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
LITERALS = {True: "1", False: "0", None: ""}
DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=CONSTANTS.__getitem__)
NO_JSON = "is not JSON; write one record per line"
LIST_MARK = ";"  # between the values of a list
LISTS = "Lists are read as one text with semicolons: {}."


def is_json(data: bytes) -> bool:
    """Whether the data begin as JSON does, and a header of delimited text does not."""
    start = b"".join(data[:1000].removeprefix(b"\xef\xbb\xbf").split())
    return start.startswith((b'{"', b"{}", b"[{", b'[["'))


def read_json(data: bytes, name: str) -> pa.Table:
    """Read objects as columns of text: numbers as they are written, null and what an object lacks as an empty cell."""
    columns: dict[str, TextColumn] = {}
    lists = dict[str, None]()
    rows = 0
    try:
        for rows, record in enumerate(_records(data, name), 1):
            if not isinstance(record, dict):
                raise ValueError(f"{name} has a value that is no record; write one record per line")
            for key, value in dict(_cells(record)).items():
                if key not in columns:
                    columns[key] = TextColumn()
                    check_width(len(columns), name)
                if isinstance(value, list):
                    lists[key] = None
                columns[key].add(_text(value), row=rows)
    except RecursionError:
        raise ValueError(f"{name} is nested too deeply; write one record per line, with a value per column") from None
    try:
        table = pa.table([column.filled(rows) for column in columns.values()], names=[key.strip() for key in columns])
    except UnicodeEncodeError:
        raise ValueError(f"{name} has half a character (a lone surrogate); write it again as UTF-8") from None
    read = [key for key in lists if pa.types.is_dictionary(table.column([*columns].index(key)).type)]
    return with_notes(table, [LISTS.format(", ".join(read))] if read else [])


def _cells(record: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a record by column, those of an object within it too."""
    properties, place = record.get("properties"), record.get("geometry")
    if record.get("type") == "Feature" and isinstance(properties, dict) and isinstance(place, dict):
        if place.get("type") == "Point" and isinstance(place.get("coordinates"), list):
            place = dict(zip(("longitude", "latitude"), place["coordinates"], strict=False))
        record = {**properties, **place}
    for key, value in record.items():
        if isinstance(value, dict):
            yield from _cells(value, f"{within}{key}.")
        else:
            yield within + key, value


def _text(value: Any) -> str | None:
    """A value as text; None for a list that is no text."""
    if not isinstance(value, list):
        return value if isinstance(value, str) else LITERALS[value]
    if any(isinstance(each, list | dict) or (isinstance(each, str) and LIST_MARK in each) for each in value):
        return None
    return LIST_MARK.join(each if isinstance(each, str) else LITERALS[each] for each in value)


def _records(data: bytes, name: str) -> Iterator[Any]:
    """The records of a text: of the document that it is, or the value on each line that is not empty."""
    if max(sum(map(data.count, (b",", b"{", b"["))), data.count(b"\n")) > MAX_VALUES:
        raise ValueError(f"{name} has more than {MAX_VALUES:,} values; drop unneeded columns, or export it as CSV")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{name} line {line} is not UTF-8 text, as JSON must be; save it as UTF-8") from None
    try:
        yield from _in_document(DECODER.decode(text), name)
        return
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise ValueError(f"{name} line {error.lineno} {NO_JSON}") from None
    for number, line in enumerate(io.StringIO(text), 1):
        try:
            if line.strip():
                yield DECODER.decode(line.strip())
        except json.JSONDecodeError:
            raise ValueError(f"{name} line {number} {NO_JSON}") from None


def _in_document(document: Any, name: str) -> Iterable[Any]:
    """The records of a document, in each of its forms; a document of another form is one record.

    [{"age": 43}], {"age": {"0": 43}}, {"age": [43]}, {"data": [{"age": 43}]}, {"0": {"age": 43}} and [["age"], [43]]
    are the same record. Raises ValueError for columns of unequal length.
    """
    if isinstance(document, list):
        return _of_rows(document[0], document[1:], name) if document and isinstance(document[0], list) else document
    if not isinstance(document, dict) or not document:
        return [document]
    lists = [value for value in document.values() if isinstance(value, list)]
    if len(lists) == 1 and lists[0] and all(isinstance(row, dict) for row in lists[0]):
        return lists[0]
    if len(lists) == len(document):
        check_width(len(lists), name)
        uneven = next((key for key in document if len(document[key]) != len(lists[0])), None)
        if uneven is not None:
            raise ValueError(
                f"{name} has {count_of(len(document[uneven]), 'value')} in column {uneven[:40]!r}, and"
                f" {len(lists[0]):,} in {next(iter(document))[:40]!r}; give each column a value for each row"
            )
        return (dict(zip(document, row, strict=True)) for row in zip(*lists, strict=True))
    if all(isinstance(value, dict) and value for value in document.values()):
        return _of_objects(document)
    return [document]


def _of_rows(names: Any, rows: Sequence[Any], name: str) -> Iterator[dict[str, Any]]:
    """Records from a list of names and lists of values."""
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        raise ValueError(f"{name} has a first row that is no list of names; write one record per line")
    if len(set(names)) < len(names):
        raise ValueError(f"{name} has two columns of one name; rename one")
    check_width(len(names), name)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, list) or len(row) != len(names):
            held = count_of(len(row) if isinstance(row, list) else 1, "value")
            raise ValueError(
                f"{name} record {number} has {held} for {count_of(len(names), 'named column')}; complete it"
            )
        yield dict(zip(names, row, strict=True))


def _of_objects(document: Mapping[str, dict[str, Any]]) -> Iterable[dict[str, Any]]:
    """Records from objects: of columns, whose keys are rows; or of rows, whose keys are columns.

    Rows are named by numbers, or are more than the columns.
    """
    inner = dict.fromkeys(key for value in document.values() for key in value)
    numbered = all(map(str.isdecimal, inner)), all(map(str.isdecimal, document))
    if numbered == (False, True) or (numbered[0] == numbered[1] and len(document) > len(inner)):
        return document.values()
    return ({key: values[row] for key, values in document.items() if row in values} for row in inner)
