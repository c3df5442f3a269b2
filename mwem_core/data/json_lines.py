"""JSON: an object per line, or a list of objects, with a value per column."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from mwem_core.data.delimited import check_width
from mwem_core.data.texts import TextColumn

CONSTANTS = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
LITERALS = {True: "1", False: "0", None: ""}


def is_json(data: bytes) -> bool:
    """Whether the data begin as JSON does, and a header of delimited text does not."""
    start = b"".join(data[:1000].removeprefix(b"\xef\xbb\xbf").split())
    return start.startswith((b'{"', b"{}", b"[{"))


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
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{name} line {line} is not UTF-8 text, as JSON must be; save it as UTF-8") from None
    if text.lstrip().startswith("["):
        yield from _checked([(1, text)], name, whole=True)
    else:
        yield from _checked(((i, line) for i, line in enumerate(text.split("\n"), 1) if line.strip()), name)


def _checked(texts: Iterable[tuple[int, str]], name: str, *, whole: bool = False) -> Iterator[dict[str, Any]]:
    read = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=CONSTANTS.__getitem__).decode
    for number, text in texts:
        where = f"{name} line {number}"
        try:
            found = read(text)
        except json.JSONDecodeError as error:
            line = error.lineno if whole else number
            raise ValueError(f"{name} line {line} is not JSON; write one record per line") from None
        except RecursionError:
            raise ValueError(
                f"{where} is nested too deeply; write one record per line, with a value per column"
            ) from None
        for row in found if whole else [found]:
            if not isinstance(row, dict):
                raise ValueError(f"{where} has a value that is no record; write one record per line")
            yield row
