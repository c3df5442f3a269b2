"""Records in one document of JSON: a table by columns, as pandas and other programs write it, or a list of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mwem_core.tables.delimited import MAX_COLUMNS, check_width
from mwem_core.tables.said import counted

NAMES, ROWS = "columns", "data"  # of the form that has names and rows apart


def records_in(document: Any, name: str) -> Iterator[Any]:
    """The records of a document, in each of its forms; a document of another form is one record.

    {"age": {"0": 43}}, {"age": [43]}, {"columns": ["age"], "data": [[43]]}, {"data": [{"age": 43}]},
    {"0": {"age": 43}} and [["age"], [43]] are the same record. Raises ValueError for columns of unequal length.
    """
    if isinstance(document, list):
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
            held = counted(len(row), "value") if isinstance(row, list) else "no list"
            named = counted(len(names), "named column")
            raise ValueError(f"{name} row {number} has {held} for {named}; complete the row")
        yield dict(zip(names, row, strict=True))


def _of_lists(columns: Mapping[str, list[Any]], name: str) -> Iterator[dict[str, Any]]:
    """Records from a list of values for each column."""
    check_width(len(columns), name)
    first, length = next((key, len(values)) for key, values in columns.items())
    for key, values in columns.items():
        if len(values) != length:
            raise ValueError(
                f"{name} has {counted(len(values), 'value')} in column {key[:40]!r}, and {length:,} in {first[:40]!r};"
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
