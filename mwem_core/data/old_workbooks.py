"""Workbooks of Excel before 2007, binary ones (xlsb) and those of OpenDocument: a sheet as columns of text."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from mwem_core.data.apart import read_apart, write_apart
from mwem_core.data.packed import DAMAGE, ZIP, open_archive
from mwem_core.data.parts import check_parts, repacked
from mwem_core.data.reading import Reading
from mwem_core.data.sheets import MAX_CELLS, MAX_DENSE_CELLS, choose_sheet, far_cell, read_sheet, too_many_cells

OLD_EXCEL = b"\xd0\xcf\x11\xe0"
BINARY_PART = "xl/workbook.bin"  # of every binary workbook
PART = "content.xml"  # of every document of OpenDocument
SPREADSHEET = b"application/vnd.oasis.opendocument.spreadsheet"


def is_old_workbook(data: bytes) -> bool:
    """Whether the data may be a workbook of Excel 97 to 2003, or are a binary one or one of OpenDocument (ods)."""
    if data.startswith(OLD_EXCEL):
        return True
    if not data.startswith(ZIP):
        return False
    try:
        with open_archive(data, "") as archive:
            parts = archive.namelist()
            if BINARY_PART in parts or PART not in parts:
                return BINARY_PART in parts
            with archive.open("mimetype") as kind:
                return kind.read(len(SPREADSHEET) + 2).strip() == SPREADSHEET
    except (ValueError, KeyError, RuntimeError, *DAMAGE):
        return False


def read_old_workbook(data: bytes, name: str, reading: Reading) -> pa.Table:
    """Read a sheet as `read_workbook` does. Raises ValueError where it cannot be read, and says how to save it."""
    if find_spec("python_calamine") is None:
        raise ValueError(
            f"{name} is a workbook of an old kind, which needs python-calamine: pip install 'mwem-explorer[files]',"
            " or save it as xlsx or CSV"
        )
    if data.startswith(ZIP):
        check_parts(data, name)
        data = repacked(data, name)
    table = read_apart(__name__, data, name, json.dumps(reading.chosen))
    if table is None:
        raise ValueError(f"{name} is a damaged workbook, or too large; save it as xlsx, or export the sheet as CSV")
    return table


def _read(data: bytes, name: str, reading: Reading) -> pa.Table:
    import python_calamine

    try:
        workbook = python_calamine.load_workbook(io.BytesIO(data))
    except python_calamine.PasswordError:
        raise ValueError(f"{name} has a password; save it without, or export the sheet as CSV") from None
    except python_calamine.CalamineError:
        raise ValueError(f"{name} is no workbook that can be read; save it as xlsx, or export it as CSV") from None
    chosen = choose_sheet(reading.sheet, workbook.sheet_names, name)
    return read_sheet(_rows(workbook.get_sheet_by_name(chosen), name), name, chosen, workbook.sheet_names, reading)


def _rows(sheet: Any, name: str) -> Iterator[Sequence[Any]]:
    """The rows of a sheet; an empty cell is None."""
    if sheet.total_height * sheet.total_width > MAX_DENSE_CELLS:
        raise far_cell(name)
    if sheet.total_height * sheet.total_width > MAX_CELLS:  # counted first, as it takes a tenth of the time
        filled = sum(len(values) - values.count("") for values in sheet.iter_rows())
        if filled > MAX_CELLS:
            raise too_many_cells(name)
    above, before = sheet.start or (0, 0)  # empty rows and columns, which the library leaves out
    yield from ([] for _ in range(above))
    for values in sheet.iter_rows():
        yield [*[None] * before, *(None if value == "" else value for value in values)]


def main() -> None:
    """Read a workbook from standard input; the arguments are its name and, as JSON, how it is read."""
    name, chosen = sys.argv[1:]
    write_apart(lambda data: _read(data, name, Reading(**json.loads(chosen))))


if __name__ == "__main__":
    main()
