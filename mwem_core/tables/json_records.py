"""JSON: an object per line, or a list of objects, with a value per column; or one document that holds columns."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from mwem_core.tables.delimited_text import MAX_COLUMNS, check_width
from mwem_core.tables.table_reading import count_of
from mwem_core.tables.texts import MAX_VALUES, TextColumn

NAMES, ROWS = "columns", "data"  # of the form that has names and rows apart
CONSTANTS = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
LITERALS = {True: "1", False: "0", None: ""}
DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=CONSTANTS.__getitem__)
NO_JSON = "is not JSON; write one record per line"


def records_in(document: Any, name: str) -> Iterator[Any]:
    """The records of a document, in each of its forms; a document of another form is one record.

    [{"age": 43}], {"age": {"0": 43}}, {"age": [43]}, {"columns": ["age"], "data": [[43]]}, {"data": [{"age": 43}]},
    {"0": {"age": 43}} and [["age"], [43]] are the same record. Raises ValueError for columns of unequal length.
    """
    if isinstance(document, list):
        if not document or not isinstance(document[0], list):
            return iter(document)
        return _of_rows(document[0], document[1:], name, first=2)
    if not isinstance(document, dict) or not document:
        return iter([document])
    names, rows = document.get(NAMES), document.get(ROWS)
    if isinstance(names, list) and isinstance(rows, list) and all(isinstance(row, list) for row in rows):
        return _of_rows(names, rows, name, first=1)
    lists = [value for value in document.values() if isinstance(value, list)]
    if len(lists) == 1 and lists[0] and all(isinstance(row, dict) for row in lists[0]):
        return iter(lists[0])
    if len(lists) == len(document):
        return _of_lists(document, name)
    if all(isinstance(value, dict) and value for value in document.values()):
        return _of_objects(document, name)
    return iter([document])


def _of_rows(names: Any, rows: Sequence[Any], name: str, *, first: int) -> Iterator[dict[str, Any]]:
    """Records from a list of names and lists of values; `first` is the number that the first one has in the file."""
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        raise ValueError(f"{name} has a first row that is no list of names; write one record per line")
    if len(set(names)) < len(names):
        raise ValueError(f"{name} has two columns of one name; rename one")
    check_width(len(names), name)
    for number, row in enumerate(rows, first):
        if not isinstance(row, list) or len(row) != len(names):
            held = count_of(len(row), "value") if isinstance(row, list) else "no list"
            named = count_of(len(names), "named column")
            raise ValueError(f"{name} row {number} has {held} for {named}; complete the row")
        yield dict(zip(names, row, strict=True))


def _of_lists(columns: Mapping[str, list[Any]], name: str) -> Iterator[dict[str, Any]]:
    """Records from a list of values for each column."""
    check_width(len(columns), name)
    first, length = next((key, len(values)) for key, values in columns.items())
    for key, values in columns.items():
        if len(values) != length:
            raise ValueError(
                f"{name} has {count_of(len(values), 'value')} in column {key[:40]!r}, and {length:,} in {first[:40]!r};"
                " give each column a value for each row"
            )
    for i in range(length):
        yield {key: values[i] for key, values in columns.items()}


def _of_objects(document: Mapping[str, dict[str, Any]], name: str) -> Iterator[dict[str, Any]]:
    """Records from objects: of columns, whose keys are rows; or of rows, whose keys are columns.

    They are rows if their own names are numbers, and those of what they hold are not.
    """
    inner = dict.fromkeys(key for value in document.values() for key in value)
    if all(map(str.isdecimal, document)) and not all(map(str.isdecimal, inner)):
        yield from document.values()
        return
    check_width(len(document), name)
    if len(document) > 1 and len(inner) > len(next(iter(document.values()))) * 2 and len(inner) <= MAX_COLUMNS:
        yield dict(document)  # objects of different keys: one record that holds objects
        return
    for row in inner:
        yield {key: values[row] for key, values in document.items() if row in values}


def is_json(data: bytes) -> bool:
    """Whether the data begin as JSON does, and a header of delimited text does not."""
    start = b"".join(data[:1000].removeprefix(b"\xef\xbb\xbf").split())
    return start.startswith((b'{"', b"{}", b"[{", b'[["'))


def read_json(data: bytes, name: str) -> pa.Table:
    """Read objects as columns of text: numbers as they are written, null and what an object lacks as an empty cell."""
    columns: dict[str, TextColumn] = {}
    rows = 0
    for rows, values in enumerate(_objects(data, name), 1):
        for key, value in values.items():
            if key not in columns:
                columns[key] = TextColumn()
                check_width(len(columns), name)
            text = None if isinstance(value, list | dict) else LITERALS[value] if not isinstance(value, str) else value
            columns[key].add(text, row=rows)
    try:
        return pa.table([column.filled(rows) for column in columns.values()], names=[key.strip() for key in columns])
    except UnicodeEncodeError:
        raise ValueError(f"{name} has half a character (a lone surrogate); write it again as UTF-8") from None


def _objects(data: bytes, name: str) -> Iterator[dict[str, Any]]:
    if max(sum(map(data.count, (b",", b"{", b"["))), data.count(b"\n")) > MAX_VALUES:
        raise ValueError(f"{name} has more than {MAX_VALUES:,} values; drop unneeded columns, or export it as CSV")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{name} line {line} is not UTF-8 text, as JSON must be; save it as UTF-8") from None
    try:
        for row in _rows(text, name):
            if not isinstance(row, dict):
                raise ValueError(f"{name} has a value that is no record; write one record per line")
            yield row
    except RecursionError:
        raise ValueError(f"{name} is nested too deeply; write one record per line, with a value per column") from None


def _rows(text: str, name: str) -> Iterator[Any]:
    """The records of a text: of the document that it is, or the value on each line that is not empty."""
    try:
        yield from records_in(DECODER.decode(text), name)
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
