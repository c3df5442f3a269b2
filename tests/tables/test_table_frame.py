"""What stands around a table: left out with a word, named, or asked about."""

import json

import pytest
from formats import ods, workbook
from messages import exactly

from mwem_core.tables import Reading, asked_about, declarations, notes_of, read_table

ROWS = "F,30,100\nM,31,200\nF,32,50\n"
TABLE = {"sex": ["F", "M", "F"], "age": ["30", "31", "32"], "n": ["100", "200", "50"]}
HEAD = "sex,age,n\n"
IDS = '"{""ImportId"":""Q1""}","{""ImportId"":""Q2""}","{""ImportId"":""Q3""}"\n'
NUMBERED = "Left out: the first column, which has no name and numbers the rows."
EMPTY = "Left out: 1 column without a name and without values."
ABOVE = "above the column names."
QUOTES = "Apostrophes around cells, or quotes behind blanks, are read as quotes."
DRAWN = "Left out: lines of dashes that are drawn between the rows."
LOWEST = "The column names stand in 2 rows: the lowest is used."
BLANKS = "Read as columns that blanks divide."
SURVEY = "in which a survey platform writes the questions."
TEXTS = {
    "as it is": (HEAD + ROWS, []),
    "comments": (f"# made today\n\n# units: cm, kg\n{HEAD}{ROWS}", [f"Left out: 2 lines of comments {ABOVE}"]),
    "names in a comment": (f"#made today\n#{HEAD}{ROWS}", [f"Left out: 1 line of comments {ABOVE}"]),
    "a delimiter's line": (
        f"sep=;\r\n{HEAD}{ROWS}".replace(",", ";"),
        ["Left out: the first line, which says what divides the cells."],
    ),
    "a padded title": (f"Survey,,\n,,\n{HEAD}{ROWS}", [f"Left out: 2 lines {ABOVE}"]),
    "notes": (f"{HEAD}{ROWS}Source: Census\n# a, b, c, d\nnote\n", ["Left out: 3 lines below the table."]),
    "notes below an empty line": (f"{HEAD}{ROWS}\nSource: Census, 2020\n", ["Left out: 1 line below the table."]),
    "padded notes": (f"{HEAD}{ROWS},,\nSource: Census,,\n", ["Left out: 1 row at the end."]),
    "trailing delimiters": ("sex,age,n,\nF,30,100,\nM,31,200,\nF,32,50,\n", [EMPTY]),
    "trailing delimiters in rows": ("sex,age,n\nF,30,100,\nM,31,200,\nF,32,50,\n", [EMPTY]),
    "a trailing delimiter in the header": (f"sex,age,n,\n{ROWS}", []),
    "an empty column between": ("sex,,age,n\nF,,30,100\nM,,31,200\nF,,32,50\n", [EMPTY]),
    "write.csv": ('"","sex","age","n"\n"1","F",30,100\n"2","M",31,200\n"3","F",32,50\n', [NUMBERED]),
    "to_csv": (",sex,age,n\n0,F,30,100\n1,M,31,200\n2,F,32,50\n", [NUMBERED]),
    "write.table": ('"sex" "age" "n"\n"1" "F" 30 100\n"2" "M" 31 200\n"3" "F" 32 50\n', [NUMBERED, BLANKS]),
    "one name short": ("sex\tage\tn\n1\tF\t30\t100\n2\tM\t31\t200\n3\tF\t32\t50\n", [NUMBERED]),
    "fixed width": ("sex    age    n\nF       30  100\nM       31  200\nF       32   50\n", [BLANKS]),
    "Qualtrics": (f"{HEAD}Sex?,Age?,N?\n{IDS}{ROWS}", [f"Left out: 2 rows below the column names, {SURVEY}"]),
    "SurveyMonkey": (
        f"{HEAD}Response,Response,Open-Ended Response\n{ROWS}",
        [f"Left out: 1 row below the column names, {SURVEY}"],
    ),
    "psql": (
        " sex | age | n \n-----+-----+---\n F | 30 | 100\n M | 31 | 200\n F | 32 |  50\n(3 rows)\n",
        ["Left out: 1 line below the table.", DRAWN],
    ),
    "MySQL": (
        "+-----+-----+---+\n| sex | age | n |\n+-----+-----+---+\n"
        "| F | 30 | 100 |\n| M | 31 | 200 |\n| F | 32 | 50 |\n+-----+-----+---+\n",
        [DRAWN],
    ),
    "Markdown": ("|sex|age|n|\n|---|:---:|---|\n|F|30|100|\n|M|31|200|\n|F|32|50|\n", [DRAWN]),
    "sqlcmd": ("sex age n\n--- --- ---\nF 30 100\nM 31 200\nF 32 50\n", [DRAWN]),
    "quotes behind blanks": ('sex,  "age", "n"\nF,  "30", 100\nM,  "31", 200\nF,  "32", 50\n', [QUOTES]),
    "apostrophes": ("'sex','age','n'\n'F',30,100\n'M',31,200\n'F',32,50\n", [QUOTES]),
    "a rare delimiter": (f"{HEAD}{ROWS}".replace(",", "~"), ["Read as cells that '~' divides."]),
    "rows without a value": (f"{HEAD}F,30,100\n,,\nM,31,200\nF,32,50\n", ["Left out: rows without a value."]),
    "groups above the names": (f"Person,,Scores\n{HEAD}{ROWS}", [LOWEST]),
}  # fmt: skip


@pytest.mark.parametrize("kind", TEXTS)
def test_the_same_table_is_read_out_of_every_frame_and_what_was_done_is_said(kind):
    text, said = TEXTS[kind]
    table = read_table(text.encode())
    assert table.to_pydict() == TABLE
    assert notes_of(table) == said
    assert asked_about(table) == []


@pytest.mark.parametrize("write", [lambda *rows: workbook(A=rows), ods], ids=["xlsx", "ods"])
def test_a_sheet_is_read_out_of_titles_merged_groups_empty_columns_and_notes(write):
    people = [["F", None, 30, 100], ["M", None, 31, 200], ["F", None, 32, 50]]
    table = read_table(
        write(["Survey"], [], ["Person", None, "Work", None], ["sex", None, "age", "n"], *people, [], ["Source: us"])
    )
    assert table.to_pydict() == TABLE
    assert notes_of(table) == [
        "Left out: 1 row at the end.",
        EMPTY,
        LOWEST,
        "Left out: 1 row above the column names.",
    ]
    assert table.schema.metadata[b"header"] == b"2"


def test_names_that_are_not_distinct_are_joined_with_their_groups():
    text = "2019,,2020,\nm,f,m,f\n1,2,3,4\n5,6,7,8\n2,3,4,5\n"
    assert read_table(text.encode()).column_names == ["2019 m", "2019 f", "2020 m", "2020 f"]
    monkey = "Age?,Which?,\nOpen-Ended Response,Apples,Pears\n30,Apples,\n31,,Pears\n"
    assert read_table(monkey.encode()).column_names == ["Age?", "Which? Apples", "Which? Pears"]


def test_a_nameless_column_with_values_has_the_name_of_its_position_and_it_is_said():
    table = read_table(b"sex,,age\nF,x,30\nM,y,31\nF,x,32\n")
    assert table.column_names == ["sex", "column_2", "age"]
    assert notes_of(table) == ["1 column has no name: it is called column_2."]


def test_blanks_before_quotes_go_cell_by_cell_and_blanks_within_quotes_stay():
    """Another row, whose quotes have no blanks before them, changes no other row."""
    text = 'sex,said\nF,  "a, b"\n"M","x, ""y"" z"\n'
    rows = [{"sex": "F", "said": "a, b"}, {"sex": "M", "said": 'x, "y" z'}]
    assert read_table(text.encode()).to_pylist() == rows
    assert read_table(text.rsplit('"M"', 1)[0].encode()).to_pylist() == rows[:1]


DATA_FIRST = {
    "numbers in their range": "43,F,no\n30,F,no\n31,M,yes\n55,F,no\n",
    "dates": "2020-01-02,F\n2020-01-03,M\n2020-01-04,F\n",
    "equal cells": "1,1,0\n0,1,1\n1,0,0\n1,1,0\n",
    "texts that occur again": "F,no\nM,no\nF,yes\nF,no\nM,yes\n",
}
NAMES_FIRST = {
    "years": "country,2019,2020,2021\nA,2000,2010,2030\nB,2050,2100,1900\nC,1,2,3\n",
    "a number out of range": "country,2020\nA,5.1\nB,4.2\nC,4.4\n",
    "a name above numbers": "x,F\n1,F\n2,M\n3,F\n",
    "texts that do not occur again": "sex,town\nF,Paris\nM,Rome\nF,Paris\nM,Rome\n",
    "too few rows": "1,2\n3,4\n",
}


@pytest.mark.parametrize("kind", DATA_FIRST)
def test_a_first_row_that_looks_like_data_is_asked_about_and_is_a_record_where_one_says_so(kind):
    rows = [line.split(",") for line in DATA_FIRST[kind].split()]
    table = read_table(DATA_FIRST[kind].encode())
    assert [row for row, _ in asked_about(table)] == ["first_row"]
    assert table.num_rows == len(rows) - 1
    assert "name --header" in declarations(table, Reading())
    without = read_table(DATA_FIRST[kind].encode(), header=False)
    assert without.column_names == [f"column_{i + 1}" for i in range(len(rows[0]))]
    assert [list(row.values()) for row in without.to_pylist()] == rows
    assert asked_about(without) == []
    assert declarations(without, Reading(header=0)) == ""


@pytest.mark.parametrize("kind", NAMES_FIRST)
def test_a_first_row_of_names_is_not_asked_about(kind):
    assert asked_about(read_table(NAMES_FIRST[kind].encode())) == []


@pytest.mark.parametrize("last", ["Total,,350", "Gesamt,93,350", "All,31,350"], ids=["word", "German", "mean"])
def test_a_total_stays_until_one_says_that_it_is_no_record(last):
    text = f"{HEAD}{ROWS}{last}\n".encode()
    table = read_table(text)
    assert (table.num_rows, asked_about(table)) == (4, [("last_row", last.split(","))])
    assert "name --footer" in declarations(table, Reading())
    without = read_table(text, footer=1)
    assert without.to_pydict() == TABLE
    assert declarations(without, Reading(footer=1)) == ""
    assert asked_about(read_table(text, footer=0)) == []


def test_rows_of_one_filled_cell_stay_records_without_an_empty_row_above():
    table = read_table(f"{HEAD}{ROWS}Source: Census,,\n".encode())
    assert (table.num_rows, asked_about(table)) == (4, [("last_row", ["Source: Census", "", ""])])
    sparse = read_table(b"id,x,y\na,,\nb,1,\nc,,2\nd,,\n")
    assert (sparse.num_rows, asked_about(sparse)) == (4, [])


def test_what_is_detected_by_looking_at_records_is_declared_for_a_release():
    for text in (f"{HEAD}Sex?,Age?,N?\n{IDS}{ROWS}", f"Person,,Scores\n{HEAD}{ROWS}"):
        header = text.count("\n") - 3
        assert "name --header" in declarations(read_table(text.encode()), Reading())
        declared = read_table(text.encode(), header=header)
        assert (declared.to_pydict(), declarations(declared, Reading(header=header))) == (TABLE, "")
    notes = f"{HEAD}{ROWS},,\nSource: Census,,\n".encode()
    assert "name --footer" in declarations(read_table(notes), Reading())
    assert declarations(read_table(notes, footer=2), Reading(footer=2)) == ""
    assert declarations(read_table((HEAD + ROWS).encode()), Reading()) == ""


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"a,b\n1,2\n3,4,5\n6,7\n",
            "t line 3 has 3 cells where the header has 2; add or remove delimiters, or quote the cell that holds one",
        ),
        (
            b"1,2\n3,4,5\n6,7\n",
            "t line 2 has 3 cells where the first row has 2; add or remove delimiters, or quote the cell that holds"
            " one",
        ),
        (
            b"sex,age,,town,size\nF,30,,Bonn,3\nM,31,,,\nF,32,,,\n",
            "t has a second table beside the first, from the column 'town' on; move it to a file of its own, or delete"
            " the empty column between if they are one table",
        ),
        (b"<!DOCTYPE html>", "t is a page of HTML; open it in a spreadsheet program, and save it as xlsx or CSV"),
        (b"RDX3\nX", "t is a file of R; in R, write its table with write.csv or arrow::write_parquet"),
        (b"ARROW1\0\0", "t is a file of Arrow; write it as Parquet"),
        (b"% comment\n@relation r\n@attribute a numeric\n", "t is a file of ARFF; export its table as CSV or xlsx"),
        (
            json.dumps({"a": [1, 2], "b": [1]}).encode(),
            "t has 1 value in column 'b', and 2 in 'a'; give each column a value for each row",
        ),
        (b'[["a", "b"], [1]]', "t record 1 has 1 value for 2 named columns; complete it"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)  # fmt: skip
def test_a_refusal_names_the_line_and_the_remedy(data, message):
    header = {"header": 0} if data.startswith(b"1,2") else {}
    with pytest.raises(ValueError, match=exactly(message)):
        read_table(data, name="t", **header)


def test_the_number_of_rows_around_a_table_has_a_limit():
    with pytest.raises(ValueError, match=exactly("the footer has 0 to 20 rows, got 21")):
        read_table(b"a\n1\n", footer=21)
    with pytest.raises(ValueError, match="which has no header to choose; leave the header out"):
        read_table(b'{"a": 1}', header=0)


def test_every_form_of_a_document_of_json_is_the_same_records():
    forms = (
        {"age": {"0": 43, "1": 30}, "sex": {"0": "F", "1": "M"}},
        {"age": [43, 30], "sex": ["F", "M"]},
        {"0": {"age": 43, "sex": "F"}, "1": {"age": 30, "sex": "M"}},
        {"schema": {}, "data": [{"age": 43, "sex": "F"}, {"age": 30, "sex": "M"}]},
        [["age", "sex"], [43, "F"], [30, "M"]],
    )
    for form in forms:
        for indent in (None, 2):
            assert read_table(json.dumps(form, indent=indent).encode()).to_pydict() == {
                "age": ["43", "30"],
                "sex": ["F", "M"],
            }
