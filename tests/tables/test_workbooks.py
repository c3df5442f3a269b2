"""What a workbook unpacks to is bounded before a library reads it."""

import io
import zipfile

import pytest
from formats import PEOPLE, archive, workbook

from mwem_core import read_table
from mwem_core.tables import workbooks

SHEET = "xl/worksheets/sheet1.xml"
HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'


def sheet(xml: str) -> bytes:
    """A workbook with this XML as its sheet."""
    with zipfile.ZipFile(io.BytesIO(workbook(A=PEOPLE))) as whole:
        held = {name: whole.read(name) for name in whole.namelist()}
    return archive(**held | {SHEET: (HEAD + xml + "</sheetData></worksheet>").encode()})


def test_a_workbook_over_the_limit_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.delattr(workbooks, "read_in_process")
    monkeypatch.setattr(workbooks, "MAX_UNPACKED", 20_000)
    with pytest.raises(ValueError, match="t unpacks to 0 MB, over the limit of 0 MB; drop unneeded sheets"):
        read_table(sheet("x" * 20_000), name="t")


def test_a_row_far_below_the_others_is_refused():
    with pytest.raises(ValueError, match="t has a cell far from the others; delete it"):
        read_table(sheet('<row r="999999999"><c><v>1</v></c></row>'), name="t")


@pytest.mark.parametrize(
    "xml", ["<row>" + "<c/>" * 10**6 + "</row>", "<a>" * 10**6 + "</a>" * 10**6], ids=["cells", "nested"]
)
def test_a_sheet_of_a_million_elements_without_a_value_is_refused_before_it_is_unpacked(xml):
    with pytest.raises(ValueError, match="t has a part that unpacks to more than 200 times its size"):
        read_table(sheet(xml), name="t")
