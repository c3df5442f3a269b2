"""Workbooks of Excel 2007 and later: a sheet as columns of text."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from mwem_core.data.packed import ZIP
from mwem_core.data.sheets import choose_sheet, read_sheet

PART = "xl/workbook.xml"  # of every workbook
MAX_UNPACKED = 2 * 10**9  # bytes of XML: it is long, and packs well


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
    """Read a sheet, the first one by default, as `read_sheet` does.

    Dates are written as 2024-03-01, whole numbers as 39. Raises ValueError where the workbook is damaged or too large,
    and where it has no such sheet.
    """
    if find_spec("openpyxl") is None:
        raise ValueError(
            f"{name} is an Excel workbook, which needs openpyxl: pip install 'mwem-explorer[files]', or save as CSV"
        )
    sheets = _sheets(data, name)
    chosen = choose_sheet(sheet, sheets, name)
    return read_sheet(_rows(data, name, chosen), name, chosen, sheets)


def _sheets(data: bytes, name: str) -> list[str]:
    """The titles of the sheets."""
    with _refusing_damage(name), zipfile.ZipFile(io.BytesIO(data)) as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
    if unpacked > MAX_UNPACKED:
        raise ValueError(f"{name} unpacks to {unpacked / 1e9:,.1f} GB, over the limit of {MAX_UNPACKED / 1e9:g} GB")
    with _refusing_damage(name):
        return [sheet.title for sheet in _workbook(data).worksheets]


def _rows(data: bytes, name: str, sheet: str) -> Iterator[Sequence[Any]]:
    """The rows of a sheet; an empty cell is None."""
    with _refusing_damage(name):
        rows = _workbook(data)[sheet]
        rows.reset_dimensions()  # what the file says of its size may be wrong
        yield from rows.iter_rows(values_only=True)


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
