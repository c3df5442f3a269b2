"""What was read off the data, on the Run and the Release page: marked until a code book or the user says otherwise."""

import json

import pandas as pd
from app_pages import button, checked, error_text, open_page, words
from formats import spss
from streamlit.testing.v1 import AppTest

from mwem_app.inputs.schema_rows import marks_of, rows_of
from mwem_core.domain import read_marks

SURVEY = ("age,sex\n" + "".join(f"{20 + i % 60},{'FM'[i % 2]}\n" for i in range(90)) + "?,F\n").encode()
BOOK = json.dumps(
    {"fields": [{"name": "sex", "constraints": {"enum": ["F", "M"], "required": True}}, {"name": "town"}]}
).encode()


def upload(content: bytes, name: str = "survey.csv", page: str = "run") -> AppTest:
    app = open_page(page, table="Your own file")
    app.file_uploader(key="_table_file").upload(name, content)
    return checked(app.run())


def kept(app: AppTest):
    return app.session_state["_upload"]


def marks(app: AppTest) -> dict[str, set[str]]:
    return {name: set(cells) for name, cells in read_marks(kept(app).toml).items()}


def test_a_proposal_is_marked_a_code_book_takes_marks_away_and_all_of_it_is_downloaded():
    app = upload(SURVEY)
    assert marks(app) == {"age": {"values", "missing"}, "sex": {"values"}}
    assert [row["from_data"] for row in kept(app).rows] == [["values", "missing"], ["values"]]
    app.file_uploader(key="_schema_file").upload("book.json", BOOK)
    checked(app.run())
    assert marks(app) == {"age": {"values", "missing"}}
    assert [each.proto.label for each in app.get("download_button")] == ["TOML", "Table Schema", "JSON Schema"]
    checked(button(app, "Use this schema").click().run())
    assert marks(app) == {"age": {"values", "missing"}}
    assert kept(app).provenance == "proposed and edited"


def test_a_code_book_of_other_columns_is_refused_and_the_schema_stays():
    app = upload(SURVEY)
    before = kept(app).toml
    app.file_uploader(key="_schema_file").upload("book.json", b'{"fields": [{"name": "x", "type": "boolean"}]}')
    app.run()
    assert "book.json declares no values of any column of the table" in error_text(app)
    assert kept(app).toml == before


def test_marks_are_taken_out_of_the_text():
    app = upload(SURVEY)
    checked(app.segmented_control(key="_schema_mode").set_value("As text").run())
    text = app.text_area(key="_schema_text").value
    assert 'from_data = ["values", "missing"]' in text
    checked(app.text_area(key="_schema_text").set_value(text.replace('from_data = ["values"]\n', "")).run())
    checked(app.segmented_control(key="_schema_mode").set_value("As a table").run())
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
    app.file_uploader(key="_release_schema_file").set_value(("book.json", BOOK, "application/json"))
    checked(app.run())
    assert not button(app, "Declare this public").disabled
