"""What a workbook unpacks to is bounded before a library reads it."""

import io
import re
import zipfile

import pytest
from formats import FILES, PEOPLE, archive, ods, workbook

from mwem_core import read_table
from mwem_core.tables import workbooks
from mwem_core.tables.workbooks import check_parts, repack

SHEET = "xl/worksheets/sheet1.xml"
HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'


def sheet(xml: str, part: str = SHEET) -> bytes:
    """A workbook with this XML as its sheet."""
    with zipfile.ZipFile(io.BytesIO(workbook(A=PEOPLE))) as whole:
        held = {name: whole.read(name) for name in whole.namelist()}
    return archive(**held | {part: (HEAD + xml + "</sheetData></worksheet>").encode()})


@pytest.mark.parametrize(
    ("limit", "xml", "message"),
    [
        ({"MAX_UNPACKED": 20_000}, "x" * 20_000, "t unpacks to 0 MB, over the limit of 0 MB; drop unneeded sheets"),
        ({"MAX_TEXT": 1_000}, f"<row><c><v>{'x' * 2_000}</v></c></row>", "t has a cell of more than 1,000 bytes;"),
        ({"MAX_ROW": 10, "MAX_TEXT": 200}, f"<row>{'<c/>' * 130}</row>", "t has a row of more than 10 cells; save it"),
        ({"MAX_WHOLE": 20_000}, f"<row/><![CDATA[{'<x' * 10_000}]]>", "t has markup that no spreadsheet program"),
        ({"MAX_DEPTH": 99, "MAX_TEXT": 200}, "<a>" * 400 + "</a>" * 400, "t has markup that no spreadsheet program"),
        ({}, "<row/>\0", "t has markup that no spreadsheet program writes; save it again, or export the sheet as CSV"),
        ({"MAX_TAGS": {b"</c>": (2, "cells")}}, "<row><c></c><c></c><c></c></row>", "t has more than 2 cells; save it"),
    ],
    ids=["all", "cell", "row", "section", "nested", "encoding", "cells"],
)  # fmt: skip
def test_a_workbook_over_a_limit_is_refused_before_it_is_read(monkeypatch, limit, xml, message):
    monkeypatch.delattr(workbooks, "read_in_process")
    for name, value in limit.items():
        monkeypatch.setattr(workbooks, name, value)
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        read_table(sheet(xml), name="t")


def test_a_part_that_is_read_at_once_is_small(monkeypatch):
    monkeypatch.setattr(workbooks, "MAX_WHOLE", 20_000)
    data = sheet(" " * 30_000, "xl/styles.xml")
    with pytest.raises(ValueError, match=r"t has a part 'xl/styles\.xml' of 0 MB, over the limit of 0 MB; copy"):
        read_table(data, name="t")


def test_cells_of_open_document_are_bounded_too(monkeypatch):
    monkeypatch.setattr(workbooks, "MAX_TEXT", 1_000)
    with pytest.raises(ValueError, match="t has a cell of more than 1,000 bytes; save it again"):
        read_table(ods(["x" * 2_000]), name="t")


def test_a_row_far_below_the_others_is_refused():
    with pytest.raises(ValueError, match="t has a cell far from the others; delete it"):
        read_table(sheet('<row r="999999999"><c><v>1</v></c></row>'), name="t")


def test_many_elements_below_the_rows_are_no_row(monkeypatch):
    monkeypatch.setattr(workbooks, "MAX_ROW", 10)
    monkeypatch.setattr(workbooks, "MAX_TEXT", 200)
    cell = '<row r="1"><c r="A1"><v>1</v></c></row>'
    merged = "</sheetData><mergeCells>" + '<mergeCell ref="C1:D1"/>' * 200 + "</mergeCells><sheetData>"
    for cells in ("<c/>", "<x:c/>"):
        with pytest.raises(ValueError, match="t has a row of more than 10 cells"):
            read_table(sheet(f"<row>{cells * 300}</row>"), name="t")
    with pytest.raises(ValueError, match="t has a header but no rows"):
        read_table(sheet(cell + merged), name="t")


def test_what_is_repacked_is_what_was_checked():
    data = FILES["people.ods"]
    plain = repack(data, "t")
    assert check_parts(plain, "t") == check_parts(data, "t") < len(plain)
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(io.BytesIO(plain)) as after:
        assert {n: before.read(n) for n in before.namelist()} == {n: after.read(n) for n in after.namelist()}
