"""`schema` writes a schema from a code book, a table or both; other commands take a code book for a schema."""

import gzip
import json
import re

import pytest
from command_line import assert_refused, call
from formats import workbook

from mwem_core.domain import Domain, read_marks

BOOK = '[[attribute]]\nname = "sex"\nvalues = ["F", "M"]\n'


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.toml"
    path.write_text(BOOK)
    return str(path)


def test_columns_without_a_description_are_proposed_and_marked_and_a_release_of_them_is_refused(
    people, book, tmp_path, capsys
):
    out = tmp_path / "schema.toml"
    assert call("schema", {"--table": people["--table"], "--schema": book, "--out": str(out)}) == 0
    assert "NOT PRIVATE, as read off the data: age (values), hours (values), smoker (values)" in capsys.readouterr().err
    marks = read_marks(out.read_text())
    assert marks.keys() == {"age", "hours", "smoker"}
    asked = people | {"--schema": str(out), "--workload": "marginals:1"}
    asked.pop("--seed")
    refusal = (
        "the schema says that these were read off the data: age (values), hours (values), smoker (values); compare"
    )
    ledger = {"--ledger": str(tmp_path / "l.sqlite"), "--name": "p", "--out": str(tmp_path / "out")}
    assert_refused(capsys, "release", asked | ledger, refusal, exact=False)
    assert call("release", asked | ledger, "--attributes", "sex") == 0, "nothing of it was read off the data"
    assert call("run", asked | {"--out": str(tmp_path / "run")}) == 0
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["schema_provenance"] == "proposed and edited"


def test_what_is_said_and_asked_of_a_table_is_printed_and_an_option_answers_it(tmp_path, capsys):
    table = tmp_path / "people.csv"
    table.write_text("# made today\n" + "".join(f"{30 + i % 9},{'FM'[i % 2]}\n" for i in range(30)) + "Total,\n")
    asked = {"--table": str(table)}
    assert call("schema", asked | {"--footer": "1"}) == 0
    out, err = capsys.readouterr()
    assert "Left out: 1 line of comments above the column names.\n" in err
    assert "The first row looks like data (30, F): --no-header reads it as a record, --header as the names.\n" in err
    assert Domain.from_toml(out).names == ("30", "F")
    assert call("schema", asked | {"--footer": "1"}, "--no-header") == 0
    out, err = capsys.readouterr()
    assert "looks like" not in err
    assert Domain.from_toml(out).names == ("column_1", "column_2")
    assert call("schema", asked, "--header") == 0
    assert "The last row looks like" not in capsys.readouterr().err
    table.write_text("sex,n\n" + "F,1\nM,2\n" * 9 + "Total,27\n")
    assert call("schema", asked) == 0
    assert "(Total, 27): --footer 1 leaves it out, --footer 0 keeps it.\n" in capsys.readouterr().err
    assert call("schema", asked | {"--footer": "0"}) == 0
    assert "looks like" not in capsys.readouterr().err


def test_a_code_book_serves_as_a_schema_and_is_written_as_one(people, book, tmp_path, capsys):
    assert call("run", people | {"--schema": book, "--workload": "marginals:1"}) == 0
    capsys.readouterr()
    assert call("schema", {"--schema": book}) == 0
    assert Domain.from_toml(capsys.readouterr().out).names == ("sex",)
    assert_refused(capsys, "schema", {}, "a schema comes from a code book", exact=False)


def test_which_sheet_of_several_was_read_is_said(tmp_path, capsys):
    book = tmp_path / "book.xlsx"
    book.write_bytes(workbook(A=[["x"], [1], [2]], B=[["y"], [3], [4]]))
    assert call("schema", {"--table": str(book)}) == 0
    assert "Read: sheet 'A' of A, B; --sheet names another." in capsys.readouterr().err


def test_a_small_archive_fills_the_memory_only_where_it_is_meant(capsys, tmp_path):
    bomb = tmp_path / "t.csv.gz"
    bomb.write_bytes(gzip.compress(bytes(201 * 10**6)))
    over, binary = "t.csv.gz unpacks to more than the limit of 200.0 MB", "t.csv is not a table of text"
    for more, sentence in (((), over), (("--unlimited",), binary)):
        assert call("schema", {"--table": str(bomb)}, *more) == 2
        assert capsys.readouterr().err.startswith(f"mwem: {sentence}")


def test_each_column_has_a_line_with_cells_of_the_file_cells_of_rows_and_what_it_becomes(tmp_path, capsys):
    table = tmp_path / "people.csv"
    name = "what they said when they were asked"
    rows = [f"{20 + i % 60},{'very good' if i % 2 else 'bad'},{i}" for i in range(60)]
    table.write_text("\n".join([f"age,{name},nr", *rows]))
    assert call("schema", {"--table": str(table)}) == 0
    age, said, nr, *rest = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"age +(\d\d ){3} +→  (\d\d ){3} +60 whole numbers, 20 to 79", age)
    assert re.fullmatch(r"what they said when…  (bad 'very good'|'very good' bad)  →  .{15}  2 categories", said)
    assert re.fullmatch(r"nr +(\d+ ){3} +left out", nr)
    assert max(map(len, (age, said, nr))) <= 120
    assert rest[0].startswith("left out: column 'nr' has a different whole number in every row: an identifier; --take ")
