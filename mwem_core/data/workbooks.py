"""Workbooks of Excel 2007 and later: a sheet as columns of text."""

from __future__ import annotations

import io
import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from mwem_core.data.apart import read_apart, write_apart
from mwem_core.data.packed import DAMAGE, ZIP, open_archive
from mwem_core.data.parts import check_parts, damaged
from mwem_core.data.reading import Reading
from mwem_core.data.sheets import choose_sheet, read_sheet

PART = "xl/workbook.xml"  # of every workbook
SMALL = 2 * 10**6  # bytes of parts that cannot fill the memory: starting a process for them would take longer


def is_workbook(data: bytes) -> bool:
    """Whether the data are a workbook of Excel 2007 or later."""
    if not data.startswith(ZIP):
        return False
    try:
        with open_archive(data, "") as archive:
            return PART in archive.namelist()
    except (ValueError, *DAMAGE):
        return False


def read_workbook(data: bytes, name: str, reading: Reading) -> pa.Table:
    """Read a sheet, the first one by default, as `read_sheet` does.

    Dates are written as 2024-03-01, whole numbers as 39. Raises ValueError where the workbook is damaged or too large,
    and where it has no such sheet.
    """
    if find_spec("openpyxl") is None:
        raise ValueError(
            f"{name} is an Excel workbook, which needs openpyxl: pip install 'mwem-explorer[files]', or save as CSV"
        )
    if check_parts(data, name) <= SMALL:
        return _read(data, name, reading)
    table = read_apart(__name__, data, name, json.dumps(reading.chosen))
    if table is None:
        raise ValueError(f"{name} is a damaged workbook, or too large; save it again, or export the sheet as CSV")
    return table


def _read(data: bytes, name: str, reading: Reading) -> pa.Table:
    with _refusing_damage(name):
        workbook = _workbook(data)
        sheets = [sheet.title for sheet in workbook.worksheets]
    chosen = choose_sheet(reading.sheet, sheets, name)
    return read_sheet(_rows(workbook, name, chosen), name, chosen, sheets, reading)


def _rows(workbook: Any, name: str, sheet: str) -> Iterator[Sequence[Any]]:
    """The rows of a sheet; an empty cell is None."""
    with _refusing_damage(name):
        rows = workbook[sheet]
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
        raise damaged(name) from None


def main() -> None:
    """Read a workbook from standard input; the arguments are its name and, as JSON, how it is read."""
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet

    # The size of a sheet, which is not used: where a sheet does not declare it, the library reads the sheet for it.
    ReadOnlyWorksheet._get_size = lambda _: None  # pyright: ignore[reportAttributeAccessIssue]
    name, chosen = sys.argv[1:]
    write_apart(lambda data: _read(data, name, Reading(**json.loads(chosen))))


if __name__ == "__main__":
    main()
