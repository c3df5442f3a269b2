"""The sheet of an uploaded workbook, on the Run page."""

from app_pages import button, checked, error_text, open_page
from formats import PEOPLE, workbook
from streamlit.testing.v1 import AppTest

from mwem_app.inputs import data
from mwem_app.session import state
from mwem_core.output import script

BOOK = workbook(Notes=[["made", "by"], ["A", "B"], ["C", "D"]], People=[*PEOPLE, *PEOPLE[1:] * 20], Empty=[])


def upload(content: bytes) -> AppTest:
    app = open_page("run", table="Your own file")
    app.file_uploader(key="_table_file").upload("people.xlsx", content)
    return checked(app.run())


def columns(app: AppTest) -> list[str]:
    return app.session_state["_upload"].table.column_names


def test_another_sheet_is_another_table_and_the_script_reads_it():
    app = upload(BOOK)
    assert columns(app) == ["made", "by"]
    checked(app.selectbox(key="_table_sheet").set_value("People").run())
    assert columns(app) == ["age", "sex"]
    checked(button(app, "Use this schema").click().run())
    assert app.selectbox(key="_table_sheet").disabled
    checked(button(app, "Run").click().run())
    runner = app.session_state["_runner"]
    runner.wait(60)
    assert "read_table(Path('people.xlsx'), sheet='People')" in script(runner.as_run())


def test_a_sheet_that_cannot_be_read_is_refused_and_the_earlier_one_stays():
    app = upload(BOOK)
    app.selectbox(key="_table_sheet").set_value("Empty").run()
    assert "people.xlsx, sheet 'Empty', is empty" in error_text(app)
    assert app.selectbox(key="_table_sheet").value == "Notes"
    assert columns(app) == ["made", "by"]


def test_a_sheet_chosen_in_an_upload_that_was_replaced_changes_nothing(monkeypatch):
    """The browser may tell of the sheet together with the new file."""
    old, new = object(), object()
    monkeypatch.setattr(data.st, "session_state", {state.UPLOAD: new, data.SHEET: "People"})
    data._change_sheet(old)
    assert data.st.session_state[state.UPLOAD] is new


def test_a_workbook_of_one_sheet_asks_nothing():
    assert not [box for box in upload(workbook(A=PEOPLE)).selectbox if box.label == "Sheet"]
