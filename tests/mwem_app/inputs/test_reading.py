"""How an uploaded file is read, on the Run page: shown, changed, and kept where a new file cannot be read."""

from types import SimpleNamespace

import pytest
from app_pages import button, checked, error_text, open_page, words
from streamlit.testing.v1 import AppTest

from mwem_app.inputs import data
from mwem_app.session import state
from mwem_core.output import manifest, script
from mwem_core.values import Edges, Values

FLATS = ("flat;rent\n" + "".join(f"{'abc'[i % 3]};{300 + i},{i % 10}0\n" for i in range(60))).encode()


@pytest.fixture(scope="module")
def page():
    return open_page("run", table="Your own file")


def upload(app: AppTest, content: bytes, name: str = "flats.csv") -> AppTest:
    app.file_uploader(key="_table_file").upload(name, content)
    return checked(app.run())


def kept(app: AppTest):
    return app.session_state["_upload"]


def test_the_limits_and_formats_are_told_before_the_upload(page):
    assert "Excel, OpenDocument, Parquet, Arrow, JSON, ARFF, SPSS, Stata or SAS, also in a gzip or zip" in words(page)
    assert "At most 200 MB, 10,000 columns, and in a workbook 5 million cells." in words(page)


def test_the_decimal_mark_is_shown_and_changed_and_the_script_reads_the_file_so():
    app = upload(open_page("run", table="Your own file"), FLATS)
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
    assert "read_table(Path('flats.csv'), decimal=',')" in script(runner.as_run())
    assert manifest(runner.as_run())["decimal"] == ","


def test_another_delimiter_gives_other_columns_and_one_that_cannot_be_read_is_refused():
    app = upload(open_page("run", table="Your own file"), b"a,b;c\n" + b"x,1;2\ny,2;1\n" * 5)
    assert kept(app).table.column_names == ["a,b", "c"] or kept(app).table.column_names == ["a", "b;c"]
    checked(app.selectbox(key="_table_delimiter").set_value("comma").run())
    assert kept(app).proposal.attributes[1].value_set == Values(("1;2", "2;1"))
    checked(app.selectbox(key="_table_delimiter").set_value("semicolon").run())
    assert kept(app).table.column_names == ["a,b", "c"]
    assert kept(app).reading.chosen == {"delimiter": "semicolon"}
    app = upload(app, b"a;b\n" + b"1,5;x\n2,5;y\n" * 5)
    app.selectbox(key="_table_delimiter").set_value("comma").run()
    assert "flats.csv line 2 has 2 cells where the header has 1" in error_text(app)
    assert kept(app).table.column_names == ["a", "b"]


def test_a_first_row_that_looks_like_data_is_a_record_after_one_click_and_names_after_another():
    records = "".join(f"{30 + i},{'FM'[i % 2]},{'no' if i % 3 else 'yes'}\n" for i in range(26))
    app = upload(open_page("run", table="Your own file"), records.encode(), "people.csv")
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
    app = upload(open_page("run", table="Your own file"), records.encode(), "counts.csv")
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
    app = upload(open_page("release", table="Your own file"), records.encode(), "counts.csv")
    assert "The last row looks like a total or a note." in words(app)
    assert "325" not in words(app)
    assert not app.dataframe
    checked(button(app, "Leave it out").click().run())
    checked(button(app, "That is so").click().run())
    assert kept(app).reading.chosen == {"header": 2, "footer": 1}
    assert kept(app).table.column_names == ["sex", "age", "n"]


def test_a_new_file_that_cannot_be_read_leaves_the_earlier_one_and_its_schema(page):
    app = upload(page, FLATS)
    before = kept(app)
    upload(app, b"\x89PNG", "bad.csv")
    assert "bad.csv is a PNG image" in error_text(app)
    assert kept(app) is before
    assert "flats.csv is still in use." in words(app)
    assert button(app, "Use this schema")


def test_the_earlier_upload_comes_back_where_the_browser_has_taken_it_away_first(monkeypatch):
    before, bad = object(), SimpleNamespace(name="bad.csv", getvalue=lambda: b"\x89PNG")
    session = {state.UPLOAD: before, data.FILE: None}
    monkeypatch.setattr(data.st, "session_state", session)
    data._take_file()
    assert state.UPLOAD not in session, "all that is known is that the file is gone"
    session[data.FILE] = bad
    data._take_file()
    data.read_new_file()
    assert session[state.UPLOAD] is before
    assert "bad.csv is a PNG image" in session[data.FILE_PROBLEM]
    assert set(session) == {state.UPLOAD, data.FILE, data.FILE_PROBLEM}


def test_a_reading_that_the_next_run_overtakes_begins_again(monkeypatch):
    """Streamlit drops what a thread writes after the next one has begun."""
    session = {data.FILE: SimpleNamespace(name="bad.csv", getvalue=lambda: b"\x89PNG")}
    monkeypatch.setattr(data.st, "session_state", session)
    data._take_file()
    monkeypatch.setattr(data.st, "session_state", dict(session))
    data.read_new_file()
    monkeypatch.setattr(data.st, "session_state", session)
    data.read_new_file()
    assert "bad.csv is a PNG image" in session[data.FILE_PROBLEM]
