"""Excel workbooks: a sheet as columns of text, row by row, so that a small file cannot fill the memory."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from mwem_core.data.delimited import check_width
from mwem_core.data.packed import ZIP
from mwem_core.data.texts import TextColumn, text_of

PART = "xl/workbook.xml"  # of every workbook
MAX_UNPACKED = 2 * 10**9  # bytes of XML: it is long, and packs well
MAX_CELLS = 5 * 10**6  # read in 20 seconds


def is_workbook(data: bytes) -> bool:
    """Whether the data are a workbook of Excel 2007 or later."""
    if not data.startswith(ZIP):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return PART in archive.namelist()
    except (zipfile.BadZipFile, OSError, NotImplementedError):
        return False


def read_workbook(data: bytes, name: str, sheet: str | None) -> pa.Table:
    """Read a sheet, the first one by default; the table's metadata names it, and lists all sheets as JSON.

    The first row that is not empty has the names of the columns. Dates are written as 2024-03-01, whole numbers as 39.
    Raises ValueError where the workbook is damaged or too large, and where it has no such sheet.
    """
    if find_spec("openpyxl") is None:
        raise ValueError(
            f"{name} is an Excel workbook, which needs openpyxl: pip install 'mwem-explorer[files]', or save as CSV"
        )
    sheets = _sheets(data, name)
    if sheet is not None and sheet not in sheets:
        raise ValueError(f"{name} has no sheet {sheet!r}: choose from {', '.join(sheets)}")
    chosen = sheet or sheets[0]
    header: Sequence[str] = ()
    columns: list[TextColumn] = []
    rows = cells = 0
    for values in _rows(data, name, chosen):
        if not header:
            header = [text_of(value).strip() for value in values]
            check_width(len(header), name)
            columns = [TextColumn() for _ in header]
            continue
        rows, cells = rows + 1, cells + len(values)
        if cells > MAX_CELLS:
            raise ValueError(f"{name} has more than {MAX_CELLS:,} cells; export the sheet as CSV or Parquet")
        if len(values) > len(header):
            raise ValueError(
                f"{name}, sheet {chosen!r}: row {rows} under the names has {len(values)} cells where {len(header)} "
                "have a name; name every column, or delete what stands beside the table"
            )
        for column, value in zip(columns, values, strict=False):
            column.add(text_of(value), row=rows)
    if not header:
        raise ValueError(f"{name}, sheet {chosen!r}, is empty; it needs a row of names and at least one row")
    metadata = {"sheet": chosen, "sheets": json.dumps(sheets)}
    return pa.table([column.filled(rows) for column in columns], names=header, metadata=metadata)


def _sheets(data: bytes, name: str) -> list[str]:
    """The titles of the sheets."""
    with _refusing_damage(name), zipfile.ZipFile(io.BytesIO(data)) as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
    if unpacked > MAX_UNPACKED:
        raise ValueError(f"{name} unpacks to {unpacked / 1e9:,.1f} GB, over the limit of {MAX_UNPACKED / 1e9:g} GB")
    with _refusing_damage(name):
        return [sheet.title for sheet in _workbook(data).worksheets]


def _rows(data: bytes, name: str, sheet: str) -> Iterator[Sequence[Any]]:
    """The rows of a sheet that are not empty, without the empty cells at their ends."""
    with _refusing_damage(name):
        rows = _workbook(data)[sheet]
        rows.reset_dimensions()  # what the file says of its size may be wrong
        for values in rows.iter_rows(values_only=True):
            filled = [i for i, value in enumerate(values) if value is not None]
            if filled:
                yield values[: filled[-1] + 1]


def _workbook(data: bytes) -> Any:
    import openpyxl  # imported late: it takes a fifth of a second

    with warnings.catch_warnings(action="ignore"):  # of what it does not read, such as pictures
        return openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)


@contextmanager
def _refusing_damage(name: str) -> Iterator[None]:
    """The library raises whatever its parts raise."""
    try:
        yield
    except MemoryError:
        raise
    except Exception:
        raise ValueError(f"{name} is a damaged workbook; save it again, or export the sheet as CSV") from None
