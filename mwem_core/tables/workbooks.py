"""Workbooks of Excel, also binary ones (xlsb) and old ones (xls), and of OpenDocument: a sheet as columns of text.

A library reads them in a process of its own, which may fill so much memory and take so long.
"""

from __future__ import annotations

import csv
import io
import json
import re
from importlib.util import find_spec
from itertools import islice
from typing import Any

import pyarrow as pa

from mwem_core.tables.archives import DAMAGE, ZIP, open_archive, read_in_process
from mwem_core.tables.delimited_text import read_rows
from mwem_core.tables.table_reading import Reading, with_metadata, with_notes
from mwem_core.tables.text_lines import MAX_TITLES
from mwem_core.tables.texts import text_of

MAX_UNPACKED = 500 * 10**6  # bytes of all parts: a hundred for each cell
MAX_RATIO, LARGE_PART = 200, 10**6  # unpacked to packed bytes, of a part of more bytes: sheets have 10 to 30
MAX_CELLS = 5 * 10**6  # read in 20 seconds
MAX_ROWS = 1_048_576  # as in Excel and OpenDocument
MAX_DENSE_CELLS = 3 * 10**7  # with the empty cells between others: they take time and memory
OLD_EXCEL = b"\xd0\xcf\x11\xe0"  # of Excel 97 to 2003, and of any workbook of Excel with a password
PARTS = {"xl/workbook.xml", "xl/workbook.bin"}  # one of them is in every other workbook of Excel
SPREADSHEET = b"application/vnd.oasis.opendocument.spreadsheet"
ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
FILE_PASS = re.compile(rb"\x09\x08\x10\0.{16}(?:\x86\0\0\0)?\x2f\0", re.DOTALL)  # the record behind the first of all
MANIFEST, ENCRYPTION = "META-INF/manifest.xml", b"encryption-data"  # of OpenDocument
MAX_MANIFEST = 1 << 20
MERGED_CELLS = "A merged cell stands in each of its rows."
DAMAGE_ERROR = "{} is a damaged workbook; save it again, or export the sheet as CSV"
TOO_LARGE = "{} is a damaged workbook, or too large; delete cells far from the others, or export the sheet as CSV"


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
    """Read a sheet; by default the first one that has two cells in a row, or else the first one.

    Dates are written as 2024-03-01, whole numbers as 39; a cell with an error is empty. Raises ValueError where the
    workbook has a password, is damaged or too large, and where it has no such sheet.
    """
    if find_spec("python_calamine") is None:
        raise ValueError(f"{name} is a workbook, which needs python-calamine: pip install 'mwem-explorer[files]'")
    try:
        locked = _check_archive(data, name) if data.startswith(ZIP) else _is_locked(data)
    except DAMAGE:
        raise ValueError(DAMAGE_ERROR.format(name)) from None
    if locked:
        raise ValueError(f"{name} has a password; save it without, or export the sheet as CSV")
    return read_in_process(read_cells, data, name, json.dumps(reading.chosen), damage=TOO_LARGE.format(name))


def _is_locked(data: bytes) -> bool:
    """Whether a workbook that is no archive has a password."""
    return ENCRYPTED_PACKAGE in data or bool(FILE_PASS.search(data))


def _check_archive(data: bytes, name: str) -> bool:
    """Whether a workbook has a password. Raises ValueError where it unpacks to too much."""
    with open_archive(data, name) as archive:
        size = sum(member.file_size for member in archive.infolist())
        if size > MAX_UNPACKED:
            raise ValueError(
                f"{name} unpacks to {size / 1e6:,.0f} MB, over the limit of {MAX_UNPACKED / 1e6:,.0f} MB;"
                " drop unneeded sheets and columns, or export the sheet as CSV"
            )
        if any(part.file_size > max(LARGE_PART, MAX_RATIO * part.compress_size) for part in archive.infolist()):
            raise ValueError(
                f"{name} has a part that unpacks to more than {MAX_RATIO} times its size, as no sheet of cells does;"
                " export the sheet as CSV"
            )
        if any(part.flag_bits & 1 for part in archive.infolist()):
            return True
        if MANIFEST not in archive.namelist():
            return False
        with archive.open(MANIFEST) as manifest:
            return ENCRYPTION in manifest.read(MAX_MANIFEST)


def read_cells(data: bytes, name: str, chosen_reading: str) -> pa.Table:
    """The cells of a sheet, in this process; `chosen_reading` is `Reading.chosen` as JSON.

    The table's metadata names the sheet, and lists all sheets as JSON.
    """
    import python_calamine

    reading = Reading(**json.loads(chosen_reading))
    try:
        workbook = python_calamine.load_workbook(io.BytesIO(data))
        sheets = [each.name for each in workbook.sheets_metadata if each.typ == python_calamine.SheetTypeEnum.WorkSheet]
        if not sheets:
            raise ValueError(f"{name} is empty; it needs a row of names and at least one row")
        if reading.sheet not in (None, *sheets):
            raise ValueError(f"{name} has no sheet {reading.sheet!r}: choose from {', '.join(sheets)}")
        for chosen in [reading.sheet] if reading.sheet else [*sheets, sheets[0]]:
            sheet = workbook.get_sheet_by_name(chosen)
            if any(len(row) - row.count("") > 1 for row in islice(sheet.iter_rows(), MAX_TITLES + 1)):
                break
        text, merged = _as_text(sheet, name)
    except python_calamine.CalamineError:
        raise ValueError(DAMAGE_ERROR.format(name)) from None
    if not text.strip(b',"\n'):
        raise ValueError(f"{name}, sheet {chosen!r}, is empty; it needs a row of names and at least one row")
    table = with_notes(read_rows(text, name, reading), [MERGED_CELLS] if merged else [])
    return with_metadata(table, sheet=chosen, sheets=json.dumps(sheets))


def _as_text(sheet: Any, name: str) -> tuple[bytes, bool]:
    """The rows of a sheet as CSV, with a merged cell in each of its rows; and whether any cell is merged so."""
    cells = sheet.total_height * sheet.total_width
    if sheet.total_height > MAX_ROWS or cells > MAX_DENSE_CELLS:
        raise ValueError(f"{name} has a cell far from the others; delete it, or export the sheet as CSV")
    if cells > MAX_CELLS and sum(len(values) - values.count("") for values in sheet.iter_rows()) > MAX_CELLS:
        raise ValueError(f"{name} has more than {MAX_CELLS:,} cells; export the sheet as CSV")
    merged = {(top, left): end for (top, left), (end, _) in sheet.merged_cell_ranges or () if end > top}
    above, before = sheet.start or (0, 0)  # empty rows and columns, which the library leaves out
    latest = dict[int, tuple[int, Any]]()  # by column: the last row of a merged cell, and its value
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for number, row in enumerate(sheet.iter_rows(), above):
        for column, value in enumerate(row, before) if merged else ():
            if (number, column) in merged:
                latest[column] = merged[number, column], value
            elif number <= latest.get(column, (-1, ""))[0]:
                row[column - before] = latest[column][1]
        writer.writerow(map(text_of, row))
    return file.getvalue().encode(), bool(merged)
