"""How an uploaded file is read, on the Run page: encoding, sheet, header; shown, changed, and kept on a refusal."""

from types import SimpleNamespace

import pytest
from app_pages import button, checked, error_text, open_page, words
from formats import PEOPLE, workbook
from streamlit.testing.v1 import AppTest

from mwem_app.inputs import table_choice as data
from mwem_app.inputs.file_reading import ENCODINGS
from mwem_app.session import state
from mwem_core.output import manifest, script
from mwem_core.tables import USUAL
from mwem_core.values import Edges, Values

FLATS = ("flat;rent\n" + "".join(f"{'abc'[i % 3]};{300 + i},{i % 10}0\n" for i in range(60))).encode()
NAMES = ("Sørensen", "Bjørn", "Åse", "Hélène", "Müller", "Weiß", "Jones")
TEXT = "id,name,æra\n" + "".join(f"{i % 40},{name},{'ny'[i % 2]}\n" for i, name in enumerate(NAMES * 20))
LABEL = "The file is not UTF-8. It is read as"
BOOK = workbook(Notes=[["made", "by"], ["A", "B"], ["C", "D"]], People=[*PEOPLE, *PEOPLE[1:] * 20], Empty=[])


@pytest.fixture(scope="module")
def page():
    return open_page("run", table="Your own file")


def upload(content: bytes, name: str = "people.csv", *, app: AppTest | None = None, page: str = "run") -> AppTest:
    app = app or open_page(page, table="Your own file")
    app.file_uploader(key="_table_file").upload(name, content)
    return checked(app.run())


def kept(app: AppTest):
    return app.session_state["_upload"]


def test_the_limits_and_formats_are_told_before_the_upload(page):
    assert "Excel, OpenDocument, Parquet, JSON, SPSS, Stata or SAS, also in a gzip or zip" in words(page)
    assert "At most 200 MB, 10,000 columns, and in a workbook 5 million cells." in words(page)


def test_the_decimal_mark_is_shown_and_changed_and_the_script_reads_the_file_so():
    app = upload(FLATS)
    assert kept(app).decimal == ","
    assert isinstance(kept(app).proposal.attributes[1].value_set, Edges)
    first = kept(app).id
    app.session_state["_epsilon_by_run"] = {first: {"a run": 1.0}}
    checked(app.selectbox(key="_table_decimal").set_value(".").run())
    assert kept(app).decimal == "."
    assert kept(app).proposal.names == ("flat",)
    assert app.session_state["_epsilon_by_run"][kept(app).id] is app.session_state["_epsilon_by_run"][first]
    checked(app.selectbox(key="_table_decimal").set_value(",").run())
    checked(button(app, "Use this schema").click().run())
    assert "Read as UTF-8, semicolon, decimal comma" in words(app), "no longer to be changed"
    checked(button(app, "Run").click().run())
    runner = app.session_state["_runner"]
    runner.wait(60)
    assert "read_table(Path('people.csv'), decimal=',')" in script(runner.as_run())
    assert manifest(runner.as_run())["decimal"] == ","


def test_another_delimiter_gives_other_columns_and_one_that_cannot_be_read_is_refused():
    app = upload(b"a,b;c\n" + b"x,1;2\ny,2;1\n" * 5)
    assert kept(app).table.column_names == ["a,b", "c"] or kept(app).table.column_names == ["a", "b;c"]
    checked(app.selectbox(key="_table_delimiter").set_value("comma").run())
    assert kept(app).proposal.attributes[1].value_set == Values(("1;2", "2;1"))
    checked(app.selectbox(key="_table_delimiter").set_value("semicolon").run())
    assert kept(app).table.column_names == ["a,b", "c"]
    assert kept(app).reading.chosen == {"delimiter": "semicolon"}
    app = upload(app=app, content=b"a;b\n" + b"1,5;x\n2,5;y\n" * 5)
    app.selectbox(key="_table_delimiter").set_value("comma").run()
    assert "people.csv line 2 has 2 cells where the header has 1" in error_text(app)
    assert kept(app).table.column_names == ["a", "b"]


def test_a_first_row_that_looks_like_data_is_a_record_after_one_click_and_names_after_another():
    records = "".join(f"{30 + i},{'FM'[i % 2]},{'no' if i % 3 else 'yes'}\n" for i in range(26))
    app = upload(records.encode())
    assert "The first row looks like data. It is read as the names of the columns." in words(app)
    assert kept(app).table.num_rows == 25
    checked(button(app, "The first row is data").click().run())
    assert "looks like data" not in words(app)
    assert kept(app).table.column_names == ["column_1", "column_2", "column_3"]
    assert kept(app).table.num_rows == 26
    assert kept(app).reading.chosen == {"header": 0}
    checked(button(app, "The first row has the names").click().run())
    assert kept(app).table.column_names == ["30", "F", "yes"]
    assert "looks like data" not in words(app), "it is answered"
    checked(app.selectbox(key="_table_header").set_value(0).run())
    assert kept(app).table.num_rows == 26
    checked(button(app, "Use this schema").click().run())
    checked(button(app, "Run").click().run())
    runner = app.session_state["_runner"]
    runner.wait(60)
    assert "read_table(Path('people.csv'), header=0)" in script(runner.as_run())
    assert manifest(runner.as_run())["header"] == 0


def test_what_was_left_out_is_said_and_a_total_is_left_out_after_one_click():
    records = "# made today\nsex,n\n" + "".join(f"{'FM'[i % 2]},{i % 7}\n" for i in range(26)) + "Total,73\n"
    app = upload(records.encode())
    assert "Left out: 1 line of comments above the column names." in words(app)
    assert "The last row looks like a total or a note: Total, 73." in words(app)
    checked(button(app, "Leave it out").click().run())
    assert kept(app).table.num_rows == 26
    assert kept(app).reading.chosen == {"footer": 1}
    assert "Left out: 1 row at the end." in words(app)


def test_on_the_release_page_no_record_is_shown_and_what_was_detected_is_asked():
    records = (
        "Person,,Scores\nsex,age,n\n" + "".join(f"{'FM'[i % 2]},{i},{i % 7}\n" for i in range(26)) + "Total,325,73\n"
    )
    app = upload(records.encode(), page="release")
    assert "The last row looks like a total or a note." in words(app)
    assert "325" not in words(app)
    assert not app.dataframe
    checked(button(app, "Leave it out").click().run())
    checked(button(app, "That is so").click().run())
    assert kept(app).reading.chosen == {"header": 2, "footer": 1}
    assert kept(app).table.column_names == ["sex", "age", "n"]


def test_a_new_file_that_cannot_be_read_leaves_the_earlier_one_and_its_schema(page):
    app = upload(FLATS, app=page)
    before = kept(app)
    upload(b"\x89PNG\r\n\x1a\n\0", "bad.csv", app=app)
    assert "bad.csv is not a table of text" in error_text(app)
    assert kept(app) is before
    assert "people.csv is still in use." in words(app)
    assert button(app, "Use this schema")


def test_the_earlier_upload_comes_back_where_the_browser_has_taken_it_away_first(monkeypatch):
    before, bad = object(), SimpleNamespace(name="bad.csv", getvalue=lambda: b"\x89PNG\r\n\x1a\n\0")
    session = {state.UPLOAD: before, data.FILE: None}
    monkeypatch.setattr(data.st, "session_state", session)
    data._take_file()
    assert state.UPLOAD not in session, "all that is known is that the file is gone"
    session[data.FILE] = bad
    data._take_file()
    data.read_new_file()
    assert session[state.UPLOAD] is before
    assert "bad.csv is not a table of text" in session[data.FILE_PROBLEM]
    assert set(session) == {state.UPLOAD, data.FILE, data.FILE_PROBLEM}


def test_a_reading_that_the_next_run_overtakes_begins_again(monkeypatch):
    """Streamlit drops what a thread writes after the next one has begun."""
    session = {data.FILE: SimpleNamespace(name="bad.csv", getvalue=lambda: b"\x89PNG\r\n\x1a\n\0")}
    monkeypatch.setattr(data.st, "session_state", session)
    data._take_file()
    monkeypatch.setattr(data.st, "session_state", dict(session))
    data.read_new_file()
    monkeypatch.setattr(data.st, "session_state", session)
    data.read_new_file()
    assert "bad.csv is not a table of text" in session[data.FILE_PROBLEM]


def choice(app: AppTest):
    """The select box of the encoding."""
    return next(box for box in app.selectbox if box.label == LABEL)


def choose(app: AppTest, encoding: str) -> AppTest:
    return checked(choice(app).set_value(encoding).run())


def values_of(app: AppTest, name: str) -> str:
    """The values of an attribute, as the rows of the schema show them."""
    return next(row["values"] for row in app.session_state["_upload"].rows if row["name"] == name)


def as_text(app: AppTest, toml: str) -> AppTest:
    checked(app.segmented_control(key="_schema_mode").set_value("Text").run())
    return checked(app.text_area(key="_schema_text").set_value(toml).run())


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "utf-8-sig", "utf-16"])
def test_a_file_whose_encoding_is_certain_is_not_asked_about(encoding):
    app = upload((TEXT if encoding != "ascii" else "a,b\nx,1\ny,2\n").encode(encoding))
    assert LABEL not in [box.label for box in app.selectbox]
    assert "Encoding" not in words(app)


def test_a_guessed_encoding_is_shown_with_five_values_that_depend_on_it():
    app = upload(TEXT.encode("cp1252"))
    assert choice(app).value == "cp1252"
    assert "**Sørensen** · **Bjørn** · **Åse** · **Hélène** · **Müller**" in words(app)
    assert "Weiß" not in words(app)


def test_a_column_name_is_an_example_where_no_value_is():
    app = upload("æra,b\n1,2\n2,1\n".encode("cp1252"))
    assert "**æra**" in words(app)


def test_another_encoding_reads_the_file_and_proposes_the_schema_again():
    app = choose(upload(TEXT.encode("cp1252")), "cp1250")
    assert "**Sřrensen** · **Bjřrn**" in words(app)
    assert "Sřrensen" in values_of(app, "name")
    app = choose(app, "cp1252")
    assert "Sørensen" in values_of(app, "name")
    assert choice(app).value == "cp1252"
    checked(button(app, "Use this schema").click().run())
    (name,) = [each for each in app.session_state["_upload"].records.domain.attributes if each.name == "name"]
    assert "Sørensen" in name.value_set.texts


def test_an_encoding_that_cannot_decode_the_file_is_refused_and_the_earlier_one_stays():
    app = choose(upload(TEXT.encode("cp1252")), "euc_kr")
    assert "people.csv line 1: byte 0xe6 is not euc_kr text; choose another encoding" in error_text(app)
    assert choice(app).value == "cp1252"
    assert "**Sørensen**" in words(app)
    assert not choose(app, "cp1250").error


def test_edits_that_fit_stay_and_the_other_attributes_are_proposed_again():
    toml = '[[attribute]]\nname = "id"\nedges = [0, 7, 39]\n'
    toml += '[[attribute]]\nname = "name"\nvalues = ["Jones", "Sřrensen"]\n'
    app = choose(as_text(choose(upload(TEXT.encode("cp1252")), "cp1250"), toml), "cp1252")
    assert app.segmented_control(key="_schema_mode").value == "Text"
    schema = app.text_area(key="_schema_text").value
    assert "edges = [0, 7, 39]" in schema, "an edit that fits"
    assert "Sřrensen" not in schema, "an edit that does not fit"
    assert "Sørensen" in schema
    checked(button(app, "Use this schema").click().run())
    assert app.session_state["_upload"].provenance == "proposed and edited"


def test_an_attribute_that_the_user_removed_stays_removed():
    app = as_text(upload(TEXT.encode("cp1252")), '[[attribute]]\nname = "name"\nvalues = ["Jones"]\nother = true\n')
    app = choose(app, "cp1250")
    schema = app.text_area(key="_schema_text").value
    assert 'name = "name"' in schema
    assert "other = true" in schema
    assert 'name = "id"' not in schema


def test_a_schema_from_a_file_is_not_proposed_again():
    toml = '[[attribute]]\nname = "name"\nvalues = ["' + '", "'.join(NAMES) + '"]\n'
    app = choose(upload(TEXT.encode("cp1252")), "cp1250")
    app.file_uploader(key="_schema_file").upload("people.toml", toml.encode())
    assert "outside the schema" in error_text(checked(app.run()))
    app = choose(app, "cp1252")
    assert not app.error
    checked(button(app, "Use this schema").click().run())
    assert app.session_state["_upload"].provenance == "file"


def test_a_text_that_is_no_schema_stays_on_the_page():
    app = choose(as_text(upload(TEXT.encode("cp1252")), "[[attribute]\n"), "cp1250")
    assert app.text_area(key="_schema_text").value == "[[attribute]\n"
    assert "the schema is not valid TOML" in error_text(app)


def test_the_file_is_forgotten_once_the_schema_is_confirmed():
    app = upload(TEXT.encode("cp1252"))
    assert app.session_state["_upload"].content
    checked(button(app, "Use this schema").click().run())
    assert not app.session_state["_upload"].content
    checked(button(app, "Edit schema").click().run())
    assert choice(app).disabled
    assert choice(upload(TEXT.encode("cp1252"), app=app)).disabled is False


def test_a_change_of_encoding_keeps_the_count_of_epsilon_and_forgets_the_records():
    app = upload(TEXT.encode("cp1252"))
    first = app.session_state["_upload"].id
    app.session_state["_epsilon_by_run"] = {first: {"a run": 1.0}}
    app = choose(app, "cp1250")
    second = app.session_state["_upload"].id
    assert second != first
    assert app.session_state["_epsilon_by_run"][second] is app.session_state["_epsilon_by_run"][first]


def test_the_script_of_a_run_reads_the_file_in_the_chosen_encoding():
    app = choose(upload(TEXT.encode("cp1252")), "cp1250")
    checked(button(app, "Use this schema").click().run())
    checked(button(app, "Run").click().run())
    runner = app.session_state["_runner"]
    runner.wait(20)
    assert "read_table(Path('people.csv'), encoding='cp1250')" in script(runner.as_run())


def test_every_usual_guess_is_in_the_list_and_any_other_is_chosen_by_its_name():
    assert set(USUAL) <= ENCODINGS.keys()
    russian = "пол;город\n" + "мужской;Самара\nженский;Тверь\n" * 20
    app = upload(russian.encode("iso8859_5"))
    assert choice(app).value == "iso8859_5"
    assert "**Самара**" in words(app)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_listed_encoding_can_be_read(encoding):
    assert "a,b".encode(encoding).decode(encoding) == "a,b"


def columns(app: AppTest) -> list[str]:
    return app.session_state["_upload"].table.column_names


def test_another_sheet_is_another_table_and_the_script_reads_it():
    app = upload(BOOK, "people.xlsx")
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
    app = upload(BOOK, "people.xlsx")
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
    assert not [box for box in upload(workbook(A=PEOPLE), "people.xlsx").selectbox if box.label == "Sheet"]
