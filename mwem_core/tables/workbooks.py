"""Workbooks of Excel, also binary ones (xlsb) and old ones (xls), and of OpenDocument: a sheet as columns of text."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from mwem_core.tables.limited_process import read_apart, write_apart
from mwem_core.tables.packed import DAMAGE, ZIP, open_archive
from mwem_core.tables.parts import check_parts, damaged, repacked
from mwem_core.tables.reading import Reading
from mwem_core.tables.sheets import MAX_CELLS, MAX_DENSE_CELLS, choose_sheet, far_cell, read_sheet, too_many_cells

OLD_EXCEL = b"\xd0\xcf\x11\xe0"  # of Excel 97 to 2003, and of any workbook of Excel with a password
PARTS = {"xl/workbook.xml", "xl/workbook.bin"}  # one of them is in every other workbook of Excel
SPREADSHEET = b"application/vnd.oasis.opendocument.spreadsheet"
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
FILE_PASS = re.compile(rb"\x09\x08\x10\0.{16}(?:\x86\0\0\0)?\x2f\0", re.DOTALL)  # the record behind the first of all
MANIFEST, ENCRYPTION = "META-INF/manifest.xml", b"encryption-data"  # of OpenDocument
MAX_MANIFEST = 1 << 20


def is_workbook(data: bytes) -> bool:
    """Whether the data are a workbook of Excel or OpenDocument; of Excel 97 to 2003, whether they may be one."""
    if not data.startswith(ZIP):
        return data.startswith(OLD_EXCEL)
    try:
        with open_archive(data, "") as archive:
            if not PARTS.isdisjoint(archive.namelist()):
                return True
            with archive.open("mimetype") as kind:
                return kind.read(len(SPREADSHEET) + 2).strip() == SPREADSHEET
    except (ValueError, KeyError, RuntimeError, *DAMAGE):
        return False


def read_workbook(data: bytes, name: str, reading: Reading) -> pa.Table:
    """Read a sheet, the first one by default, as `read_sheet` does.

    Dates are written as 2024-03-01, whole numbers as 39; a cell with an error is empty. Raises ValueError where the
    workbook has a password, is damaged or too large, and where it has no such sheet.
    """
    if find_spec("python_calamine") is None:
        raise ValueError(f"{name} is a workbook, which needs python-calamine: pip install 'mwem-explorer[files]'")
    if _has_password(data, name):
        raise ValueError(f"{name} has a password; save it without, or export the sheet as CSV")
    size = len(data)
    if data.startswith(ZIP):
        check_parts(data, name)
        data = repacked(data, name)
    table = read_apart(__name__, data, name, json.dumps(reading.chosen), size=size)
    if table is None:
        raise ValueError(
            f"{name} is a damaged workbook, or too large; delete cells far from the others, or export the sheet as CSV"
        )
    return table


def _has_password(data: bytes, name: str) -> bool:
    if not data.startswith(ZIP):
        return ENCRYPTED in data or bool(FILE_PASS.search(data))
    with open_archive(data, name) as archive:
        if any(member.flag_bits & 1 for member in archive.infolist()):
            return True
        if MANIFEST not in archive.namelist():
            return False
        try:
            with archive.open(MANIFEST) as manifest:
                return ENCRYPTION in manifest.read(MAX_MANIFEST)
        except DAMAGE:
            raise damaged(name) from None


def _read(data: bytes, name: str, reading: Reading) -> pa.Table:
    import python_calamine

    try:
        workbook = python_calamine.load_workbook(io.BytesIO(data))
        sheets = [each.name for each in workbook.sheets_metadata if each.typ == python_calamine.SheetTypeEnum.WorkSheet]
        chosen = choose_sheet(reading.sheet, sheets, name)
        sheet = workbook.get_sheet_by_name(chosen)
    except python_calamine.CalamineError:
        raise damaged(name) from None
    return read_sheet(_rows(sheet, name), name, chosen, sheets, reading)


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
