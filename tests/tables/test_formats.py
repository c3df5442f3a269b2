"""One table in the formats of other programs gives one table of text; one sentence says what is wrong with a file."""

import base64
import gzip
import io
import zlib
from datetime import date, datetime, time, timedelta

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from formats import FILES, OASIS, ODS, PEOPLE, PEOPLE_CSV, archive, ods, spss, stata, workbook
from messages import exactly
from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH

from mwem_core.schemas import propose
from mwem_core.tables import library_files, notes_of, read_table

TEXTS = {"age": ["20", "39", ""], "sex": ["F", "M", "F"]}


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_texts_and_the_same_schema(name):
    table = read_table(FILES[name], name=name)
    assert table.to_pydict() == TEXTS
    assert propose(table) == propose(read_table(PEOPLE_CSV))


def test_a_sheet_is_chosen_by_its_name_and_the_first_one_by_default():
    data = workbook(Notes=[["made", "by"], ["A", "B"]], People=[[], [None], *PEOPLE, [], [None, None]])
    assert read_table(data).to_pydict() == {"made": ["A"], "by": ["B"]}
    table = read_table(data, sheet="People")
    assert table.to_pydict() == TEXTS
    assert table.schema.metadata == {b"sheet": b"People", b"sheets": b'["Notes", "People"]'}
    assert read_table(workbook(A=[["x"], [1], [2]])).to_pydict() == {"x": ["1", "2"]}


def test_what_stands_beside_a_table_is_a_column_by_its_position_and_it_is_said():
    table = read_table(workbook(A=[["age", "sex"], [20, "F"], [30, "M", "?"], [40, "M"]]))
    assert table.to_pydict() == {"age": ["20", "30", "40"], "sex": ["F", "M", "M"], "column_3": ["", "?", ""]}
    assert notes_of(table) == ["1 column has no name: it is called column_3."]


def test_a_merged_cell_is_in_each_of_its_rows():
    book = openpyxl.load_workbook(io.BytesIO(workbook(A=[["town", "sex"], ["Bonn", "F"], [None, "M"], ["Kiel", "F"]])))
    book.active.merge_cells("A2:A3")
    file = io.BytesIO()
    book.save(file)
    table = read_table(file.getvalue())
    assert table.to_pydict() == {"town": ["Bonn", "Bonn", "Kiel"], "sex": ["F", "M", "F"]}
    assert notes_of(table) == ["A merged cell stands in each of its rows."]


def test_cells_of_a_workbook_are_written_as_people_write_them():
    values = [datetime(2024, 3, 1), datetime(2024, 3, 1, 10, 5), True, 1.50, 7.0, " x ", None, "0012"]
    table = read_table(workbook(A=[["x", "y"], *([value, 1] for value in values)]))
    assert table["x"].to_pylist() == ["2024-03-01", "2024-03-01 10:05:00", "1", "1.5", "7", "x", "", "0012"]


@pytest.mark.parametrize("epoch", [WINDOWS_EPOCH, MAC_EPOCH], ids=["1900", "1904"])
def test_dates_durations_and_errors_of_a_workbook_have_one_form_whatever_their_format(epoch):
    book = openpyxl.Workbook()
    book.epoch = epoch
    sheet = book.active
    cells = [  # a value, the format of its cell, and its text
        (date(2024, 3, 1), "DD.MM.YY", "2024-03-01"),
        (datetime(2024, 3, 1, 10, 5, 30), "MMM D, h:mm AM/PM", "2024-03-01 10:05:30"),
        (time(7, 8, 9), "h:mm", "07:08:09"),
        (timedelta(hours=27, minutes=3), "[h]:mm:ss", "27:03:00"),
        (0.125, "0.0%", "0.125"),
        (1234.5, '"$"#,##0.00', "1234.5"),
        (1067, "00000", "1067"),
        (False, "General", "0"),
        ("#DIV/0!", "General", ""),
    ]
    sheet.append([f"c{i}" for i in range(len(cells))])
    for _ in range(2):
        sheet.append([value for value, _, _ in cells])
    for row in sheet.iter_rows(min_row=2):
        for cell, (_, number_format, _) in zip(row, cells, strict=True):
            cell.number_format = number_format
    file = io.BytesIO()
    book.save(file)
    table = read_table(file.getvalue())
    assert [column[0].as_py() for column in table.columns] == [text for _, _, text in cells]


def test_sheets_are_those_with_cells_hidden_ones_too():
    book = openpyxl.load_workbook(io.BytesIO(workbook(People=PEOPLE, Notes=[["made"], ["by A"]])))
    book["Notes"].sheet_state = "hidden"
    book.create_chartsheet("Chart", 0)
    file = io.BytesIO()
    book.save(file)
    table = read_table(file.getvalue())
    assert table.to_pydict() == TEXTS
    assert table.schema.metadata[b"sheets"] == b'["People", "Notes"]'


def locked_archive(data):
    """The archive, with the mark of a password on each of its parts."""
    locked = bytearray(data)
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = -1
        while (start := data.find(header, start + 1)) >= 0:
            locked[start + flags] |= 1
    return bytes(locked)


def renamed_stream(name):
    """An old workbook whose stream has another name in the directory."""
    file, own, new = bytearray(FILES["people.xls"]), "Workbook".encode("utf-16-le"), name.encode("utf-16-le")
    start = file.index(own)
    file[start : start + len(new)] = new
    file[start + 64] = len(new) + 2
    return bytes(file)


ENCRYPTED_ODS = (
    f'<m:manifest xmlns:m="{OASIS}manifest:1.0"><m:file-entry m:full-path="content.xml" m:size="9">'
    "<m:encryption-data/></m:file-entry></m:manifest>"
)
LOCKED = {
    "xlsx": renamed_stream("EncryptedPackage"),
    "xls": FILES["people.xls"].replace(b"\xe1\0\x02\0\xb0\x04", b"\x2f\0\x02\0\0\0"),
    "ods": archive(**{"mimetype": ODS, "META-INF/manifest.xml": ENCRYPTED_ODS, "content.xml": bytes(range(256))}),
    "ods, packed whole": archive(
        **{"mimetype": ODS, "META-INF/manifest.xml": ENCRYPTED_ODS, "encrypted-package": bytes(range(256))}
    ),
    "archive": locked_archive(FILES["people.xlsx"]),
}


@pytest.mark.parametrize("data", LOCKED.values(), ids=LOCKED)
def test_a_workbook_with_a_password_is_called_that(data):
    with pytest.raises(ValueError, match=exactly("t has a password; save it without, or export the sheet as CSV")):
        read_table(data, name="t")


TWICE = pa.table([["1", "2"], ["3", "4"], ["5", "6"], ["7", "8"]], names=["a", "a", "b", "a"])


def parquet_file(table):
    file = io.BytesIO()
    pa.parquet.write_table(table, file)
    return file.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        b"a,a,b,a\n1,3,5,7\n2,4,6,8\n",
        b"a   a   b   a\n1   3   5   7\n2   4   6   8\n",
        workbook(A=[["a", "a", "b", "a"], [1, 3, 5, 7], [2, 4, 6, 8]]),
        parquet_file(TWICE),
    ],
    ids=["csv", "blanks", "xlsx", "parquet"],
)
def test_columns_of_one_name_are_numbered_and_said(data):
    table = read_table(data)
    assert table.to_pydict() == {"a": ["1", "2"], "a (2)": ["3", "4"], "b": ["5", "6"], "a (3)": ["7", "8"]}
    assert "2 columns have the name of another: they are called a (2), a (3)." in notes_of(table)


def test_a_number_behind_a_name_is_never_the_name_of_another_column():
    table = read_table(b"a,a,a (2)\n1,2,3\n2,3,4\n")
    assert table.to_pydict() == {"a": ["1", "2"], "a (3)": ["2", "3"], "a (2)": ["3", "4"]}


def test_numbers_of_json_stay_as_they_are_written():
    data = b'{"x": 1.50, "y": true}\n\n{"x": 123456789012345678901, "z": null}\n{"x": NaN, "y": [[]], "w": [1, "a"]}\n'
    table = read_table(data)
    assert table["x"].to_pylist() == ["1.50", "123456789012345678901", "nan"]
    assert table["y"].to_pylist() == [None, None, None]  # a list of lists: no schema can name the column
    assert table["w"].to_pylist() == ["", "", "1;a"]
    assert table["z"].to_pylist() == ["", "", ""]


def test_labels_stand_for_their_codes_and_declared_missing_values_are_empty():
    frame = pd.DataFrame(
        {"sex": [1.0, 2.0, 9.0, 3.0], "when": [pd.Timestamp(2024, 3, day).date() for day in (1, 2, 3, 4)]}
    )
    labels = {"variable_value_labels": {"sex": {1: "male", 2: "female"}}}
    table = read_table(spss(frame, missing_ranges={"sex": [9]}, **labels))
    assert table["sex"].to_pylist() == ["male", "female", "", "3"]
    assert table["when"].to_pylist() == ["2024-03-01", "2024-03-02", "2024-03-03", "2024-03-04"]
    assert read_table(stata(frame, **labels))["sex"].to_pylist() == ["male", "female", "9", "3"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            archive(**{"a.csv": b"", "b.csv": b""}),
            "t holds 2 files ('a.csv', 'b.csv'); give an archive with one table, or the table itself",
        ),
        (archive(), "t holds no file; give an archive with one table, or the table itself"),
        (archive(**{"d/": b""}), "t holds no file; give an archive with one table, or the table itself"),
        (gzip.compress(PEOPLE_CSV)[:-9], "t is a damaged archive; pack the table again, or give the table itself"),
        (gzip.compress(b"\x89PNG\0"), "t is not a table of text: it holds binary data; export it as CSV or Parquet"),
        (
            gzip.compress(bytes(2 * 10**6)),
            "t unpacks to more than the limit of 1.0 MB;"
            " drop unneeded columns, save it as Parquet, or read it on your own machine with --unlimited",
        ),
        (archive(**{"xl/workbook.xml": b"<"}), "t is a damaged workbook; save it again, or export the sheet as CSV"),
        (workbook(A=[]), "t, sheet 'A', is empty; it needs a row of names and at least one row"),
        (workbook(A=[["x"]]), "t has a header but no rows; it needs at least one"),
        (b"\xd0\xcf\x11\xe0" + bytes(100), "t is a damaged workbook; save it again, or export the sheet as CSV"),
        (b'{"a": 1}\n{"a": }', "t line 2 is not JSON; write one record per line"),
        (b'[{"a": 1},\n {"a": }]', "t line 2 is not JSON; write one record per line"),
        (b'[{"a": 1}, 2]', "t has a value that is no record; write one record per line"),
        (b'{"a": "\\ud800"}', "t has half a character (a lone surrogate); write it again as UTF-8"),
        (b'{"a": "\xe9"}', "t line 1 is not UTF-8 text, as JSON must be; save it as UTF-8"),
        (b"$FL2@(#)", "t is a damaged file of SPSS, or too large; save it again, or export it as CSV"),
        (b"<stata_dta><header>", "t is a damaged file of Stata, or too large; save it again, or export it as CSV"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)  # fmt: skip
def test_what_is_wrong_is_said(data, message):
    with pytest.raises(ValueError, match=exactly(message)):
        read_table(data, name="t", max_bytes=10**6)


def test_a_file_that_ends_the_process_that_reads_it_is_refused():
    """Found by random changes of a file: pyreadstat's C code reads outside of its memory."""
    packed = (
        "c-m8O^D$B&6EFY)69eUd68o4qSW)y7l4nLS<AXgeH?aUQBh+o|NMamBxF4n-q?Q>fk4v2h)E-tK4h?bBwLrFv4ap!z"
        "G&W2fh|Q1b4rDiAi=*evgu@>IOz9n!"
    )
    with pytest.raises(
        ValueError, match=exactly("t is a damaged file of SPSS, or too large; save it again, or export it as CSV")
    ):
        read_table(zlib.decompress(base64.b85decode(packed)), name="t")


@pytest.mark.parametrize("name", ["people.csv", "people.jsonl"])
def test_only_a_workbook_has_sheets_and_only_text_has_an_encoding(name):
    with pytest.raises(ValueError, match="is no workbook, so it has no sheet 'A'; leave the sheet out"):
        read_table(FILES[name], sheet="A")
    with pytest.raises(ValueError, match="t is a workbook, which has no encoding to choose"):
        read_table(FILES["people.xlsx"], name="t", encoding="cp1252")
    with pytest.raises(ValueError, match=exactly("t has no sheet 'B': choose from People")):
        read_table(FILES["people.xlsx"], name="t", sheet="B")


def test_a_far_cell_fills_no_memory():
    """A library that lays the sheet out as a rectangle would need 17 billion cells."""
    book = openpyxl.Workbook()
    book.active["A1"], book.active["A2"], book.active["XFD1048576"] = "x", 1, 2
    file = io.BytesIO()
    book.save(file)
    with pytest.raises(ValueError, match="t is a damaged workbook, or too large; delete cells far from the others"):
        read_table(file.getvalue(), name="t")


def test_a_cell_repeated_a_billion_times_fills_no_memory():
    far = '<table:table-row table:number-rows-repeated="1048576"><table:table-cell '
    far += 'table:number-columns-repeated="16384" office:value-type="float" office:value="1"/></table:table-row>'
    with pytest.raises(ValueError, match="t is a damaged workbook; save it again, or export the sheet as CSV"):
        read_table(ods(*PEOPLE, more=far), name="t")


@pytest.mark.parametrize(
    ("library", "name"),
    [("python-calamine", "people.xlsx"), ("pyreadstat", "people.sav"), ("python-calamine", "people.xls")],
)
def test_what_to_install_is_said(monkeypatch, library, name):
    monkeypatch.setattr("mwem_core.tables.workbooks.find_spec", lambda asked: None)
    monkeypatch.setattr("mwem_core.tables.library_files.find_spec", lambda asked: None)
    with pytest.raises(ValueError, match=f"needs {library}: pip install 'mwem-explorer\\[files\\]'"):
        read_table(FILES[name], name=name)


def test_a_file_of_too_many_values_is_refused_whatever_number_it_declares(monkeypatch):
    monkeypatch.setattr(library_files, "MAX_VALUES", 5)
    declared = FILES["people.sav"]
    undeclared = declared[:80] + b"\xff" * 4 + declared[84:]
    for data in (declared, undeclared, FILES["people.dta"]):
        with pytest.raises(
            ValueError, match=exactly("t has more than 5 cells; drop unneeded columns, or export it as CSV")
        ):
            library_files.read_statistics(data, "t")
        assert library_files.read_statistics(data, "t", library_files.LABELS_ONLY).num_columns == 0
