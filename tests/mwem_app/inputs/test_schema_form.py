"""What was seen of an upload's columns and read off its data, and bins by a click."""

import html
import re
from pathlib import Path

import pandas as pd
import pytest
from app_pages import button, checked, error_text, open_page, words
from formats import spss
from streamlit.testing.v1 import AppTest

from mwem_app.inputs.schema_rows import domain_of, marks_of, rows_of
from mwem_core.domain import Domain, read_marks
from mwem_core.schemas import first_schema
from mwem_core.tables import read_table

CASES = Path(__file__).parents[4] / "shared" / "cases"
INCOMES = ["refused", "<5", *(str(1000 + 37 * i) for i in range(30))]
ROWS = (f"{'FM'[i % 2]},{x},0{1 + i % 9}/0{1 + i % 8}/2021\n" for i, x in enumerate(INCOMES))
MESSY = "".join(["sex,income,visit\n", *ROWS]).encode()
SURVEY = ("age,sex\n" + "".join(f"{20 + i % 60},{'FM'[i % 2]}\n" for i in range(90)) + "?,F\n").encode()


def labelled(name: str) -> bytes:
    """A file of SPSS that says which values a column may have."""
    return spss(pd.DataFrame({name: [1.0, 2.0]}), variable_value_labels={name: {1: "F", 2: "M"}})


def upload(content: bytes, name: str = "survey.csv", page: str = "run") -> AppTest:
    app = open_page(page, table="Your own file")
    app.file_uploader(key="_table_file").upload(name, content)
    return checked(app.run())


def rows(app: AppTest) -> Domain:
    """The schema that the rows on the page declare."""
    return domain_of(app.session_state["_upload"].rows)


def shown(app: AppTest) -> dict[str, list[str]]:
    """By column, as they stand on the page: its name, cells of the file, cells of rows, and a sentence."""
    parts = re.findall(
        r'<div class="schema-row(?: asked)?">(.*?)</p></div>', "".join(e.proto.body for e in app.get("html"))
    )
    rows = (re.sub("</bdi>(?=<bdi>)", " ", part) for part in parts)
    cells = [[html.unescape(re.sub("<.*?>", "", cell)) for cell in re.split("</b>|</div>", row)] for row in rows]
    return {row[0]: row for row in cells}


def choice(app: AppTest, column: str):
    (control,) = [each for each in app.get("button_group") if each.proto.label == f"{column} is"]
    return control


def view(app: AppTest, name: str) -> None:
    checked(app.segmented_control(key="_schema_mode").set_value(name).run())


def choose(app: AppTest, column: str, option: str) -> AppTest:
    return checked(choice(app, column).set_value(option).run())


def test_cells_of_a_file_stand_under_the_badge_of_a_private_table():
    badge = ":material/lock: private table: do not publish"
    assert badge not in words(open_page("run", table="Your own file"))
    assert badge in words(upload(b"sex,age\nF,34\nM,51\n"))


def test_odd_cells_are_told_and_are_categories_or_missing_by_one_click():
    app = upload(MESSY)
    assert shown(app)["income"][3].endswith(", or '<5', 'refused'; has numbers, but for '<5' (1 row), 'refused' (1)")
    assert rows(app).attributes[1].special == ("<5", "refused")
    app = choose(app, "income", "Missing")
    assert rows(app).attributes[1].missing_texts == ("<5", "refused")
    assert ", or missing; has numbers" in shown(app)["income"][3]
    assert app.session_state["_upload"].rows[1]["from_data"] == ["values", "missing"]
    app = choose(app, "visit", "Month first")
    assert rows(app).attributes[1].missing_texts == ("<5", "refused"), "the other choice stays"
    assert rows(app).attributes[2].value_set.form == "MM/DD/YYYY"
    app = checked(button(app, "Use this schema").click().run())
    assert app.session_state["_upload"].records.total == len(INCOMES)


def test_what_was_decided_is_told_where_there_is_no_choice_and_what_was_left_out_can_be_taken():
    lines = [f"{i % 28 + 1:02}-{i % 12 + 1:02}-{i % 90 + 10},0{i % 9},0{7919 * i + 10**7}" for i in range(60)]
    app = upload("\n".join(["born,ward,phone", *lines]).encode())
    sentences = {name: row[3] for name, row in shown(app).items()}
    assert "has dates; years of two digits are read as 1910 to 1969" in sentences["born"]
    assert sentences["ward"].startswith("9 categories; holds codes, as their leading zeros say")
    assert sentences["phone"].startswith("left out: has 60 different texts in 60 rows: an identifier")
    assert rows(app).names == ("born", "ward")
    assert not shown(app)["phone"][2]
    app = choose(app, "phone", "Codes")
    assert rows(app).names == ("born", "ward", "phone")
    assert len(shown(app)["phone"][2].split()) == 3


def test_an_edit_of_another_column_survives_a_choice_and_is_the_users_own():
    app = upload(MESSY)
    kept = app.session_state["_upload"]
    kept.edited_rows = [dict(row) for row in kept.rows]
    kept.edited_rows[0]["values"] = "F, M, X"
    app = choose(app, "income", "Missing")
    assert rows(app).attributes[0].labels == ("F", "M", "X")
    assert app.session_state["_upload"].rows[0]["from_data"] == []


def test_each_column_is_shown_in_one_row_and_its_edits_go_from_view_to_view():
    app = upload("\n".join(["<b>,sex,", *(f"{20 + i % 60},{'FM'[i % 2]},x" for i in range(90))]).encode())
    assert [*shown(app)] == ["column_3", "<b>", "sex"], "those left out are first"
    assert "<b>&lt;b&gt;</b>" in "".join(element.proto.body for element in app.get("html"))
    assert [sorted(cell.split()) for cell in shown(app)["sex"][1:3]] == [["F", "M"]] * 2
    view(app, "Table")
    assert not shown(app)
    kept = app.session_state["_upload"]
    kept.edited_rows = [row | ({"values": "M, F, X"} if row["name"] == "sex" else {}) for row in kept.rows]
    view(app, "Columns")
    assert shown(app)["sex"][3] == "3 categories in order, M to X"
    assert marks(app).keys() == {"<b>", "sex"}
    assert [row["from_data"] for row in kept.rows if row["use"]] == [["values"], []], "an edit is the user's own"
    view(app, "Text")
    assert 'values = ["M", "F", "X"]' in app.text_area(key="_schema_text").value
    text = app.text_area(key="_schema_text").value.replace('"X"', '"Y"')
    checked(app.text_area(key="_schema_text").set_value(text).run())
    view(app, "Columns")
    assert shown(app)["sex"][3] == "3 categories in order, M to Y"


@pytest.mark.skipif(not CASES.is_dir(), reason=f"the small files are not at {CASES}")
@pytest.mark.parametrize("name", {path.suffix: path.name for path in sorted(CASES.glob("*"))}.values())
def test_the_page_proposes_for_a_small_file_what_the_command_line_does(name):
    content, name = (CASES / name).read_bytes(), name.replace(".geojson", ".json")
    app = upload(content, name)
    try:
        domain, refused = first_schema(read_table(content, name=name)).domain, ""
    except ValueError as problem:
        domain, refused = None, str(problem)
    if domain is None:
        assert _bare(refused) in _bare(error_text(app))
        return
    assert not app.error
    assert rows(app) == domain
    for column, seen in app.session_state["_upload"].suggestions.items():
        if seen.asks:
            assert choice(app, column).proto.options
        _, of_file, drawn, sentence = shown(app)[column or "(no name)"]
        assert seen.says in sentence
        assert seen.becomes in sentence
        for cells, text in ((seen.of_file, of_file), (seen.drawn, drawn)):
            assert all(cell[:60] in text for cell in cells)


def _bare(text: str) -> str:
    """A text without what keeps Markdown from reading it."""
    return text.replace("\\", "").replace("\u2060", "")


def kept(app: AppTest):
    return app.session_state["_upload"]


def marks(app: AppTest) -> dict[str, set[str]]:
    return {name: set(cells) for name, cells in read_marks(kept(app).toml).items()}


def test_a_proposal_is_marked_a_code_book_takes_marks_away_and_all_of_it_is_downloaded():
    app = upload(SURVEY)
    assert marks(app) == {"age": {"values", "missing"}, "sex": {"values"}}
    assert [row["from_data"] for row in kept(app).rows] == [["values", "missing"], ["values"]]
    app.file_uploader(key="_schema_file").upload("book.sav", labelled("sex"))
    checked(app.run())
    assert marks(app) == {"age": {"values", "missing"}}
    (offer,) = app.get("download_button")
    assert offer.proto.label == "Download the schema, with the marks on what was read off the data"
    checked(button(app, "Use this schema").click().run())
    assert marks(app) == {"age": {"values", "missing"}}
    assert kept(app).provenance == "proposed and edited"


def test_a_code_book_of_other_columns_is_refused_and_the_schema_stays():
    app = upload(SURVEY)
    before = kept(app).toml
    app.file_uploader(key="_schema_file").upload("book.sav", labelled("x"))
    app.run()
    assert "book.sav declares no values of any column of the table" in error_text(app)
    assert kept(app).toml == before


def test_marks_are_taken_out_of_the_text():
    app = upload(SURVEY)
    view(app, "Text")
    text = app.text_area(key="_schema_text").value
    assert 'from_data = ["values", "missing"]' in text
    checked(app.text_area(key="_schema_text").set_value(text.replace('from_data = ["values"]\n', "")).run())
    view(app, "Table")
    assert [row["from_data"] for row in kept(app).rows] == [["values", "missing"], []]


def test_labels_of_the_file_itself_are_not_read_off_its_records():
    frame = pd.DataFrame({"sex": [1.0, 2.0] * 30})
    app = upload(spss(frame, variable_value_labels={"sex": {1: "male", 2: "female"}}), "people.sav")
    assert marks(app) == {}
    assert kept(app).provenance == "file"
    assert 'values = ["male", "female"]' in kept(app).toml


def test_an_edited_cell_of_a_row_and_one_that_the_user_confirms_are_no_longer_marked():
    app = upload(SURVEY)
    first = kept(app).rows
    assert marks_of(first, first) == read_marks(kept(app).toml)
    wider = [first[0] | {"values": "0..99"}, first[1] | {"from_data": []}]
    assert marks_of(wider, first) == {"age": frozenset({"missing"})}
    bins = first[0] | {"kind": "bins", "values": "20, 50, 79"}
    assert marks_of([bins], first) == {"age": frozenset({"values", "missing"})}, "its ends were read off the data"
    assert marks_of([first[0] | {"use": False}], first) == {}
    assert rows_of(kept(app).proposal, {})[0]["from_data"] == []


def test_a_release_says_which_cells_must_be_confirmed_first():
    toml = '[[attribute]]\nname = "sex"\nvalues = ["F", "M"]\nfrom_data = ["values"]\n'
    app = upload(SURVEY, page="release")
    for text, disabled in ((toml, True), (toml.replace('from_data = ["values"]\n', ""), False)):
        app.file_uploader(key="_release_schema_file").set_value(("schema.toml", text.encode(), "text/plain"))
        checked(app.run())
        assert button(app, "Declare this public").disabled == disabled
        assert ("These cells were **read off the data**" in words(app)) == disabled
        assert ("1 cell to confirm." in words(app)) == disabled
    app.file_uploader(key="_release_schema_file").set_value(("book.sav", labelled("sex"), "application/octet-stream"))
    checked(app.run())
    assert not button(app, "Declare this public").disabled


def page():
    """An editor of four columns, whose rows are kept."""
    import streamlit as st

    from mwem_app.inputs.schema_editor import edited_rows
    from mwem_app.inputs.schema_rows import BINS, CATEGORIES

    row = {"use": True, "missing": "", "other": False, "why": "", "decimals": "", "from_data": []}
    rows = [
        row | {"name": "colour", "kind": CATEGORIES, "values": "red, green"},
        row | {"name": "pay", "kind": BINS, "values": "0.0, 50.0, 100000.0", "decimals": "2"},
        row | {"name": "age", "kind": BINS, "values": "17, 50, 90", "from_data": ["values"]},
        row | {"name": "id", "kind": CATEGORIES, "values": "", "use": False, "why": "has a value per row"},
    ]
    st.session_state["rows"] = edited_rows(rows, key="editor")


@pytest.fixture
def app() -> AppTest:
    return checked(AppTest.from_function(page).run())


def row_of(app: AppTest, name: str) -> dict:
    return next(row for row in app.session_state["rows"] if row["name"] == name)


def test_a_column_gets_logarithmic_bins_and_one_without_numbers_gets_those_that_are_listed(app):
    assert app.selectbox[0].value == "pay", "the first number"
    checked(app.button_group[0].set_value("Logarithmic").run())
    assert [field.value for field in app.number_input] == [0, 100_000]
    assert "22 bins: 0 · 0.01 · 0.02 · 0.05 · 0.1 · 0.2 · 0.5 · … · 100,000" in words(app)
    checked(button(app, "Set these bins").click().run())
    assert row_of(app, "pay")["values"].startswith("0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, ")
    assert row_of(app, "pay")["decimals"] == "2"
    assert row_of(app, "colour")["values"] == "red, green"

    checked(app.selectbox[0].set_value("age").run())
    assert [field.value for field in app.number_input] == [None, None], (
        "ends that were read off the data are not public"
    )
    checked(app.selectbox[0].set_value("id").run())
    assert not any(widget.label == "Set these bins" for widget in app.button), "no ends are known yet"
    checked(app.button_group[0].set_value("A list").run())
    checked(app.text_area[0].set_value("18 25;65\n120").run())
    checked(button(app, "Set these bins").click().run())
    assert row_of(app, "id") | {"why": ""} == row_of(app, "pay") | {
        "name": "id",
        "values": "18, 25, 65, 120",
        "decimals": "0",
    }
    assert row_of(app, "pay")["values"].startswith("0, 0.01"), "bins set before stay"


def test_edges_that_no_bins_have_are_refused_on_the_page(app):
    checked(app.button_group[0].set_value("A list").run())
    app.text_area[0].set_value("3, 1").run()
    assert error_text(app) == "attribute 'pay': edges must increase, got 3 before 1"
    assert not any(widget.label == "Set these bins" for widget in app.button)


def test_the_bins_of_a_number_are_left_to_be_measured_by_a_click(app):
    """Its ends and decimals stay; a column without numbers needs ends first."""
    checked(app.button_group[0].set_value("Measured").run())
    assert [field.value for field in app.number_input] == [0, 100_000, 16]
    checked(app.number_input[2].set_value(12).run())
    checked(button(app, "Set these bins").click().run())
    row = row_of(app, "pay")
    assert (row["kind"], row["values"], row["decimals"]) == ("measured bins", "0.0..100000.0 in 12", "2")
    assert app.selectbox[0].value == "pay"
    checked(app.selectbox[0].set_value("id").run())
    checked(app.button_group[0].set_value("Measured").run())
    assert not any(widget.label == "Set these bins" for widget in app.button), "no ends are known yet"
