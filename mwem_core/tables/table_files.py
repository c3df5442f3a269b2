"""Read a file as columns of text, as its content says what it is, whatever its name.

It is text that is delimited or in columns, JSON, Parquet, a workbook of Excel or OpenDocument, or a file of SPSS,
Stata or SAS; also in a gzip or zip archive.

A table is a `pyarrow.Table`. Each column is a dictionary of distinct texts (see `tables.texts`), so that Python handles
each distinct value once, not once per row.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from mwem_core.tables.archives import unpack
from mwem_core.tables.delimited_text import read_delimited
from mwem_core.tables.headers import with_numbered_names
from mwem_core.tables.json_records import is_json, read_json
from mwem_core.tables.library_files import is_parquet, is_statistics_file, read_parquet, read_statistics_file
from mwem_core.tables.table_reading import Reading
from mwem_core.tables.texts import check_texts
from mwem_core.tables.workbooks import is_workbook, read_workbook

SPREADSHEET = "open it in a spreadsheet program, and save it as xlsx or CSV"
EXPORT = "export its table as CSV or xlsx"
OTHER_FORMATS = {  # by how a file begins; what else is no text is binary data
    rb"(?i)\s*(<!doctype\s+html|<html|<head|<body|<table|<meta|<div)": ("a page of HTML", SPREADSHEET),
    rb"(?i)\s*<(\?xml|[a-z][\w:.-]*(\s+xmlns|\s*>\s*<))": ("a document of XML", EXPORT),
    rb"\{\\rtf": ("a text document (RTF)", EXPORT),
    rb"(?i)(\s|%[^\n]*\n)*@relation\b": ("a file of ARFF", EXPORT),
    rb"ARROW1\0\0": ("a file of Arrow", "write it as Parquet"),
    rb"RD[AX][23]\n|X\n\0": ("a file of R", "in R, write its table with write.csv or arrow::write_parquet"),
    rb".{,600}SPSSPORT": ("a portable file of SPSS", "in SPSS, save it as sav"),
    rb"\*\*COMPRESSED\*\*": ("a file of PROC CPORT of SAS", "write it with PROC COPY to the XPORT engine, or to CSV"),
    rb"BZh\d1AY|\xfd7zXZ\0|\x28\xb5\x2f\xfd|7z\xbc\xaf|Rar!|\x1f\x8b|PK\x03\x04": (
        "packed",
        "unpack it, and give the table itself",
    ),
}
START_BYTES = 4096
MAX_BYTES = 200 * 10**6  # that a small file may unpack to
CHOICES = {
    "encoding": "encoding", "delimiter": "delimiter", "decimal": "decimal mark", "header": "header", "footer": "footer"
}  # fmt: skip


def check_format(start: bytes, name: str) -> None:
    """Raise ValueError if a file starts like one that cannot be read, such as a page of HTML."""
    start = start[:START_BYTES].removeprefix(b"\xef\xbb\xbf")
    for pattern, (what, remedy) in OTHER_FORMATS.items():
        if re.match(pattern, start, re.DOTALL):
            raise ValueError(f"{name} is {what}; {remedy}")


def read_table(
    source: Path | str | bytes,
    *,
    name: str = "",
    max_bytes: float | None = None,
    min_rows: int = 1,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    header: int | None = None,
    footer: int | None = None,
) -> pa.Table:
    """Read a file, or its bytes, as columns of text; error messages call it `name`.

    Of delimited text, the `encoding`, the `delimiter` (itself or its name, such as semicolon) and the `decimal` mark
    ("." or ",") are detected unless they are given; `table.schema.metadata` names them. Other files have none to
    choose. Of a workbook it reads `sheet`, or the first one; `metadata[b"sheets"]` lists them. Of both, `header` is the
    number of rows that have the names of the columns, 0 (or False) if the first row is a record, and `footer` the
    number of rows at the end that are no records; the metadata state what was detected, and `notes_of` says what was
    left out or named: the second of two columns of one name is numbered.
    A release reads with `min_rows` 0: a refusal would tell a table without records from one with a single one.

    A file has, and unpacks to, at most `max_bytes`: by default 200 MB or its own size if that is more; `math.inf` takes
    whatever the memory holds, and reads Parquet in this process, which a damaged file can end.

    Raises ValueError if the source cannot be opened, has more than `max_bytes`, is not a table, or has ragged rows,
    undecodable bytes, too many columns or, unless `min_rows` is 0, no rows.
    """
    name = name or ("the table" if isinstance(source, bytes) else Path(source).name)
    data = source if isinstance(source, bytes) else _load(Path(source), name, max_bytes)
    max_bytes = max(MAX_BYTES, len(data)) if max_bytes is None else max_bytes
    _check_size(len(data), name, max_bytes)
    if not is_workbook(data):
        data, name = unpack(data, name, max_bytes)
    table = _read(data, name, max_bytes, Reading(encoding, delimiter, decimal, sheet, header, footer))
    table = with_numbered_names(table)
    if table.num_rows < min_rows:
        raise ValueError(f"{name} has a header but no rows; it needs at least one")
    check_texts(table, name)
    return table


def _read(data: bytes, name: str, max_bytes: float, reading: Reading) -> pa.Table:
    """Read data of the kind that they are."""
    kinds: list[tuple[Callable[[bytes], bool], str, Callable[[], pa.Table]]] = [
        (is_workbook, "a workbook", lambda: read_workbook(data, name, reading)),
        (is_parquet, "a Parquet file", lambda: read_parquet(data, name, max_bytes)),
        (is_statistics_file, "a file of SPSS, Stata or SAS", lambda: read_statistics_file(data, name)),
        (is_json, "JSON", lambda: read_json(data, name)),
    ]
    kind, read = next(((kind, read) for is_kind, kind, read in kinds if is_kind(data)), ("", None))
    for what, noun in CHOICES.items():
        if what in reading.chosen and kind and not (kind == "a workbook" and what in ("header", "footer")):
            raise ValueError(f"{name} is {kind}, which has no {noun} to choose; leave the {noun} out")
    if reading.sheet is not None and kind != "a workbook":
        raise ValueError(f"{name} is no workbook, so it has no sheet {reading.sheet!r}; leave the sheet out")
    if read:
        return read()
    check_format(data, name)
    return read_delimited(data, name, reading)


def _load(path: Path, name: str, max_bytes: float | None) -> bytes:
    if path.is_dir():
        raise ValueError(f"{name or path} is a directory; choose a file in it")
    try:
        _check_size(path.stat().st_size, name, max_bytes)
        return path.read_bytes()
    except OSError as error:
        raise ValueError(f"{name} cannot be opened: {error.strerror}; check the path") from None


def _check_size(size: int, name: str, max_bytes: float | None) -> None:
    if max_bytes is not None and size > max_bytes:
        raise ValueError(
            f"{name} has {size / 1e6:,.1f} MB, over the limit of {max_bytes / 1e6:,.1f} MB;"
            " drop unneeded columns, save it as Parquet, or read it on your own machine with --unlimited"
        )
