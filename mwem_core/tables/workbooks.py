"""Workbooks of Excel, also binary ones (xlsb) and old ones (xls), and of OpenDocument: a sheet as columns of text.

How much the parts of a zip archive hold is found before a library reads them.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from mwem_core.tables.archives import DAMAGE, ZIP, blocks, open_archive, read_in_process
from mwem_core.tables.sheets import (
    MAX_CELLS,
    MAX_DENSE_CELLS,
    MAX_ROWS,
    choose_sheet,
    far_cell,
    read_sheet,
    too_many_cells,
)
from mwem_core.tables.table_reading import Reading

MAX_UNPACKED = 500 * 10**6  # bytes of all parts: a hundred for each cell
MAX_WHOLE = 10 * 10**6  # of a part that the library reads at once
MAX_ROW = 16_384  # cells of a row, as in Excel
MAX_TEXT = 1 << 18  # bytes without markup: a cell of Excel has 32,767 characters
MAX_DEPTH = 10_000  # elements within elements; a sheet has ten
TAGS = 12  # of a cell; one with a formula and a text has eight
WHOLE = ("[Content_Types].xml", ".rels", "workbook.xml", "styles.xml", "theme1.xml", "core.xml", "custom.xml")
MAX_TAGS = {
    b"</c>": (MAX_CELLS, "cells"),
    b"</table:table-cell>": (MAX_CELLS, "cells"),
    b"<si": (MAX_CELLS, "texts"),
    b"<row": (MAX_ROWS, "rows"),
    b"<": (TAGS * MAX_CELLS, "elements"),
}
OLD_EXCEL = b"\xd0\xcf\x11\xe0"  # of Excel 97 to 2003, and of any workbook of Excel with a password
PARTS = {"xl/workbook.xml", "xl/workbook.bin"}  # one of them is in every other workbook of Excel
SPREADSHEET = b"application/vnd.oasis.opendocument.spreadsheet"
ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
FILE_PASS = re.compile(rb"\x09\x08\x10\0.{16}(?:\x86\0\0\0)?\x2f\0", re.DOTALL)  # the record behind the first of all
MANIFEST, ENCRYPTION = "META-INF/manifest.xml", b"encryption-data"  # of OpenDocument
MAX_MANIFEST = 1 << 20


def check_parts(data: bytes, name: str) -> int:
    """The bytes that a workbook unpacks to.

    Raises ValueError where it is damaged, and where reading it would take long or fill the memory.
    """
    try:
        with open_archive(data, name) as archive:
            return _check_all(archive, name)
    except (RuntimeError, *DAMAGE):
        raise damage_error(name) from None


def damage_error(name: str) -> ValueError:
    """The refusal of a workbook that cannot be read."""
    return ValueError(f"{name} is a damaged workbook; save it again, or export the sheet as CSV")


def _check_all(archive: zipfile.ZipFile, name: str) -> int:
    size = sum(member.file_size for member in archive.infolist())
    if size > MAX_UNPACKED:
        raise ValueError(
            f"{name} unpacks to {size / 1e6:,.0f} MB, over the limit of {MAX_UNPACKED / 1e6:,.0f} MB;"
            " drop unneeded sheets and columns, or export the sheet as CSV"
        )
    for member in archive.infolist():
        if member.filename.endswith(WHOLE) and member.file_size > MAX_WHOLE:
            raise ValueError(
                f"{name} has a part {member.filename!r} of {member.file_size / 1e6:,.0f} MB, over the limit of"
                f" {MAX_WHOLE / 1e6:,.0f} MB; copy the cells to a new workbook, or export the sheet as CSV"
            )
        if member.filename.endswith((".xml", ".rels")):
            _check_xml(archive, member, name)
    return size


def repack(data: bytes, name: str) -> bytes:
    """The archive with its parts as they were checked, not packed: another library may find other ones in it."""
    plain = io.BytesIO()
    with open_archive(data, name) as archive, zipfile.ZipFile(plain, "w") as copy:
        for member in archive.infolist():
            copy.writestr(member.filename, archive.read(member))
    return plain.getvalue()


def _check_xml(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> None:
    """Raise ValueError if a part has a long text or row, or too much of anything."""
    counts, row, inside, before, depth = dict.fromkeys(MAX_TAGS, 0), 0, True, b"", 0
    for block in blocks(archive, member, MAX_TEXT):
        if len(block) == MAX_TEXT and b"<" not in block:
            raise _refusal(name, f"a cell of more than {MAX_TEXT:,} bytes")
        for tag, (limit, what) in MAX_TAGS.items():
            counts[tag] += block.count(tag)
            if counts[tag] > limit:
                raise _refusal(name, f"more than {limit:,} {what}")
        start, end = max(block.rfind(b"<row"), block.rfind(b":row")), block.rfind(b"sheetData>")
        if max(start, end) >= 0:
            inside, row = start > end, 0
        row += inside * block.count(b"<", max(start, 0))
        if row > TAGS * MAX_ROW and "/worksheets/" in member.filename:
            raise _refusal(name, f"a row of more than {MAX_ROW:,} cells")
        depth += block.count(b"<") - 2 * block.count(b"</") - block.count(b"/>")  # of elements, but for cut ones
        # What may hide a text from this check: sections, of which a small part may have some, and other encodings.
        if (
            b"\0" in block
            or depth > MAX_DEPTH
            or (member.file_size > MAX_WHOLE and (b"<!" in before + block or b"<?" in block[1:]))
        ):
            raise _refusal(name, "markup that no spreadsheet program writes")
        before = block[-1:]


def _refusal(name: str, what: str) -> ValueError:
    return ValueError(f"{name} has {what}; save it again, or export the sheet as CSV")


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
