"""Workbooks of Excel, also binary ones (xlsb) and old ones (xls), and of OpenDocument: a sheet as columns of text.

A library reads them in a process of its own, which may fill so much memory and take so long.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from mwem_core.tables.archives import DAMAGE, ZIP, open_archive, read_in_process
from mwem_core.tables.sheets import MAX_CELLS, choose_sheet, read_sheet
from mwem_core.tables.table_reading import Reading

MAX_UNPACKED = 500 * 10**6  # bytes of all parts: a hundred for each cell
MAX_RATIO, LARGE_PART = 200, 10**6  # unpacked to packed bytes, of a part of more bytes: sheets have 10 to 30
MAX_ROWS = 1_048_576  # as in Excel and OpenDocument
MAX_DENSE_CELLS = 3 * 10**7  # with the empty cells between others: they take time and memory
OLD_EXCEL = b"\xd0\xcf\x11\xe0"  # of Excel 97 to 2003, and of any workbook of Excel with a password
PARTS = {"xl/workbook.xml", "xl/workbook.bin"}  # one of them is in every other workbook of Excel
SPREADSHEET = b"application/vnd.oasis.opendocument.spreadsheet"
ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
FILE_PASS = re.compile(rb"\x09\x08\x10\0.{16}(?:\x86\0\0\0)?\x2f\0", re.DOTALL)  # the record behind the first of all
MANIFEST, ENCRYPTION = "META-INF/manifest.xml", b"encryption-data"  # of OpenDocument
MAX_MANIFEST = 1 << 20


def damage_error(name: str) -> ValueError:
    """The refusal of a workbook that cannot be read."""
    return ValueError(f"{name} is a damaged workbook; save it again, or export the sheet as CSV")


def repack(data: bytes, name: str) -> bytes:
    """The archive with its parts as Python finds them, not packed: another library may find larger ones in it.

    Raises ValueError where it is damaged or unpacks to too much.
    """
    plain = io.BytesIO()
    try:
        with open_archive(data, name) as archive, zipfile.ZipFile(plain, "w") as copy:
            size = sum(member.file_size for member in archive.infolist())
            if size > MAX_UNPACKED:
                raise ValueError(
                    f"{name} unpacks to {size / 1e6:,.0f} MB, over the limit of {MAX_UNPACKED / 1e6:,.0f} MB;"
                    " drop unneeded sheets and columns, or export the sheet as CSV"
                )
            for member in archive.infolist():
                if member.file_size > max(LARGE_PART, MAX_RATIO * member.compress_size):
                    raise ValueError(
                        f"{name} has a part that unpacks to more than {MAX_RATIO} times its size, as no sheet of cells"
                        " does; export the sheet as CSV"
                    )
                with archive.open(member) as part, copy.open(member.filename, "w") as own:
                    shutil.copyfileobj(part, own)
    except (RuntimeError, *DAMAGE):
        raise damage_error(name) from None
    return plain.getvalue()


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
        data = repack(data, name)
    table = read_in_process(read_cells, data, name, json.dumps(reading.chosen), size=size)
    if table is None:
        raise ValueError(
            f"{name} is a damaged workbook, or too large; delete cells far from the others, or export the sheet as CSV"
        )
    return table


def _has_password(data: bytes, name: str) -> bool:
    if not data.startswith(ZIP):
        return ENCRYPTED_PACKAGE in data or bool(FILE_PASS.search(data))
    with open_archive(data, name) as archive:
        if any(member.flag_bits & 1 for member in archive.infolist()):
            return True
        if MANIFEST not in archive.namelist():
            return False
        try:
            with archive.open(MANIFEST) as manifest:
                return ENCRYPTION in manifest.read(MAX_MANIFEST)
        except DAMAGE:
            raise damage_error(name) from None


def read_cells(data: bytes, name: str, chosen_reading: str) -> pa.Table:
    """The cells of a sheet, in this process; `chosen_reading` is `Reading.chosen` as JSON."""
    import python_calamine

    reading = Reading(**json.loads(chosen_reading))
    try:
        workbook = python_calamine.load_workbook(io.BytesIO(data))
        sheets = [each.name for each in workbook.sheets_metadata if each.typ == python_calamine.SheetTypeEnum.WorkSheet]
        chosen = choose_sheet(reading.sheet, sheets, name)
        sheet = workbook.get_sheet_by_name(chosen)
    except python_calamine.CalamineError:
        raise damage_error(name) from None
    return read_sheet(_rows(sheet, name), name, chosen, sheets, reading)


def _rows(sheet: Any, name: str) -> Iterator[Sequence[Any]]:
    """The rows of a sheet; an empty cell is None."""
    cells = sheet.total_height * sheet.total_width
    if sheet.total_height > MAX_ROWS or cells > MAX_DENSE_CELLS:
        raise ValueError(f"{name} has a cell far from the others; delete it, or export the sheet as CSV")
    if cells > MAX_CELLS and sum(len(values) - values.count("") for values in sheet.iter_rows()) > MAX_CELLS:
        raise ValueError(f"{name} has more than {MAX_CELLS:,} cells; export the sheet as CSV")
    above, before = sheet.start or (0, 0)  # empty rows and columns, which the library leaves out
    yield from ([] for _ in range(above))
    for values in sheet.iter_rows():
        yield [*[None] * before, *(None if value == "" else value for value in values)]
