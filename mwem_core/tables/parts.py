"""The parts of a workbook that is a zip archive: how much they hold, found before a library reads them."""

from __future__ import annotations

import io
import zipfile

from mwem_core.tables.packed import DAMAGE, blocks, open_archive
from mwem_core.tables.sheets import MAX_CELLS, MAX_ROWS

MAX_UNPACKED = 500 * 10**6  # bytes of all parts: a hundred for each cell
MAX_WHOLE = 10 * 10**6  # of a part that the library reads at once
MAX_ROW = 16_384  # cells of a row, as in Excel
MAX_TEXT = 1 << 18  # bytes without markup: a cell of Excel has 32,767 characters
MAX_DEPTH = 10_000  # elements within elements; a sheet has ten
TAGS = 12  # of a cell; one with a formula and a text has eight
WHOLE = ("[Content_Types].xml", ".rels", "workbook.xml", "styles.xml", "theme1.xml", "core.xml", "custom.xml")
COUNTED = {
    b"</c>": (MAX_CELLS, "cells"),
    b"</table:table-cell>": (MAX_CELLS, "cells"),
    b"<si": (MAX_CELLS, "texts"),
    b"<row": (MAX_ROWS, "rows"),
    b"<": (TAGS * MAX_CELLS, "elements"),
}


def check_parts(data: bytes, name: str) -> int:
    """The bytes that a workbook unpacks to.

    Raises ValueError where it is damaged, and where reading it would take long or fill the memory.
    """
    try:
        with open_archive(data, name) as archive:
            return _check_all(archive, name)
    except (RuntimeError, *DAMAGE):
        raise damaged(name) from None


def damaged(name: str) -> ValueError:
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


def repacked(data: bytes, name: str) -> bytes:
    """The archive with its parts as they were checked, not packed: another library may find other ones in it."""
    plain = io.BytesIO()
    with open_archive(data, name) as archive, zipfile.ZipFile(plain, "w") as copy:
        for member in archive.infolist():
            copy.writestr(member.filename, archive.read(member))
    return plain.getvalue()


def _check_xml(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> None:
    """Raise ValueError if a part has a long text or row, or too much of anything."""
    counts, row, inside, before, depth = dict.fromkeys(COUNTED, 0), 0, True, b"", 0
    for block in blocks(archive, member, MAX_TEXT):
        if len(block) == MAX_TEXT and b"<" not in block:
            raise _refusal(name, f"a cell of more than {MAX_TEXT:,} bytes")
        for tag, (limit, what) in COUNTED.items():
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
