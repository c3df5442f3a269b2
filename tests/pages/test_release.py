"""Release without a browser: what is public, what it costs, a rehearsal, one release, and what the ledger says."""

import argparse
import json
import math
import re
from fractions import Fraction
from pathlib import Path
from threading import Event

import pytest
from app_pages import button, checked, error_text, open_page, words
from streamlit.testing.v1 import AppTest

from mwem_app.release import rehearsal_view as rehearsal
from mwem_core.accounts import LedgerFile
from mwem_core.cli import add_release_options
from mwem_core.privacy import Amount, Cap
from mwem_core.release import ROWS_FOR, Terms
from mwem_core.tables import fingerprint

CZECH = {"table": "Czech car workers", "k": "1"}
OWN = {"table": "Your own file"}
PATIENTS = "patient,age,smoker\n" + "".join(f"p{i // 2},{20 + i % 50},{'yes' if i % 3 else 'no'}\n" for i in range(400))
SCHEMA = """
[[attribute]]
name = "age"
range = [0, 99]
width = 20
[[attribute]]
name = "smoker"
values = ["yes", "no"]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """The folder of the ledgers."""
    monkeypatch.setenv("MWEM_LEDGER", str(tmp_path))
    return tmp_path


def press(app: AppTest, label: str, work: str) -> AppTest:
    checked(button(app, label).click().run())
    app.session_state[work].wait(60)
    return checked(app.run())


def release(app: AppTest) -> AppTest:
    checked(button(app, "Release").click().run())
    return press(app, next(each.label for each in app.button if each.label.startswith("Spend ε = ")), "_release_work")


def account(folder: Path, name: str = "czech"):
    return LedgerFile(folder / "ledger.sqlite", create=False).account(name)


def upload(schema: str | None = SCHEMA, *, table: str = PATIENTS, name: str = "patients", declare=False) -> AppTest:
    app = open_page("release", **OWN)
    checked(app.file_uploader(key="_table_file").upload(f"{name}.csv", table.encode()).run())
    if schema:
        checked(app.file_uploader(key="_release_schema_file").upload("schema.toml", schema.encode()).run())
    return checked(button(app, "Declare this public").click().run()) if declare else app


def labels(app: AppTest) -> list[str]:
    return [each.label for each in app.button]


def files_of(app: AppTest) -> dict[str, bytes]:
    return app.session_state["_release_work"].result


def manifest_of(app: AppTest) -> dict:
    return json.loads(files_of(app)["manifest.json"])


def name_of(app: AppTest):
    """The field with the name of the data set."""
    return next(each for each in app.text_input if each.label == "Name of the data set")


def states(app: AppTest) -> list[str]:
    """Those of the releases in the ledger."""
    return [row["state"] for _, row in app.table[0].value.iterrows()]


def test_a_sample_is_released_and_its_files_may_leave(folder):
    app = open_page("release", **CZECH)
    assert (
        "This release spends ε = 1** of “czech”, for each record. Of the cap of ε = 3, **ε = 2 is left** after"
        in words(app)
    )
    assert not re.search(r"1,?841", words(app))  # the number of records
    assert "may leave the room]" not in words(app)  # no badge before there is a release
    release(app)
    assert "may leave the room]" in words(app)
    assert next(download.label for download in app.get("download_button")) == "All files, zip"
    assert len(app.get("download_button")) == 1 + len(files_of(app))
    assert manifest_of(app)["dataset"] == "czech"
    (entry,) = account(folder).entries
    assert (entry.amount, entry.state, entry.note) == (Amount.of(1), "settled", "marginals:1")
    of_the_last = "The files below are of your last release, not of the settings above."
    assert of_the_last not in words(app)
    checked(app.select_slider(key="epsilon").set_value(0.5).run())
    assert of_the_last in words(app)
    again = open_page("release", **CZECH)  # the table is recognised
    assert (name_of(again).value, name_of(again).disabled) == ("czech", True)
    assert states(again) == ["settled"]


def test_nothing_is_spent_before_a_confirmation_that_names_the_price_the_name_and_what_remains(folder):
    app = checked(button(open_page("release", **CZECH), "Release").click().run())
    assert "**Spend ε = 1 of “czech” for good?** Of the cap of ε = 3, **ε = 2 is left** after it." in words(app)
    assert "Release" not in labels(app)
    checked(button(app, "Cancel").click().run())
    assert "for good?" not in words(app)
    checked(button(app, "Release").click().run())
    checked(app.select_slider(key="epsilon").set_value(0.5).run())  # other terms: another question
    assert "for good?" not in words(app)
    checked(button(app, "Release").click().run())
    checked(app.number_input(key="_release_cap ").set_value(2.0).run())
    assert "for good?" not in words(app)
    assert list(folder.iterdir()) == []
    release(app)
    assert (account(folder).spent.epsilon, account(folder).cap) == (Fraction(1, 2), Cap.of(2))


def test_a_release_that_runs_is_no_earlier_one_and_the_cap_does_not_count_it_twice(folder, monkeypatch):
    ended = Event()

    def running(source, terms, entry):
        with entry.open().reserve("czech", digest(entry, source), Amount.of(1), cap=entry.cap) as reservation:
            reservation.begin_drawing()
            started.set()
            ended.wait(60)
        return {}

    started = Event()
    monkeypatch.setattr("mwem_app.release.release_files._release", running)
    app = open_page("release", **CZECH)
    checked(app.number_input(key="_release_cap ").set_value(1.5).run())
    checked(button(app, "Release").click().run())
    checked(button(app, "Spend ε = 1").click().run())
    assert started.wait(60)
    checked(app.run())
    try:
        assert "This release spends ε = 1** of “czech”, for each record. Of the cap of ε = 1.5, **ε = 0.5" in words(app)
        assert "earlier release" not in words(app)
        assert button(app, "Releasing").disabled
        assert not app.error
    finally:
        ended.set()


def digest(entry, source) -> str:
    return fingerprint(source.table, entry.open().key)


def test_a_cap_says_what_it_is_on_and_may_be_at_delta_0(folder):
    app = open_page("release", **CZECH)
    assert "2,411 of ε = 0.01 fit under it, whose ε add up to 24.1." in words(app)
    checked(app.button_group(key="_release_cap_delta ").set_value(0.0).run())
    assert "The cap is at δ = 0, so it is on the sum of the ε of all releases." in words(app)
    checked(app.selectbox(key="delta").set_value("1e-6").run())
    assert error_text(app) == "the cap of ε = 3 is at δ = 0, and has no room for a release at δ > 0: release at δ = 0"
    checked(app.selectbox(key="delta").set_value("0").run())
    release(app)
    assert account(folder).cap == Cap.of(3, 0)


def test_a_table_that_looks_like_another_is_released_once_the_user_says_whose_it_is(folder):
    release(upload(declare=True))
    wider = "".join(f"{line},{'town' if i == 0 else i % 3}\n" for i, line in enumerate(PATIENTS.splitlines()))
    app = upload(table=wider, name="wider", declare=True)
    assert "The table looks like 'patients' in the ledger: it has 3 of the 3 columns" in words(app)
    assert "Release" not in labels(app)
    assert "First say above whose records the table has." in words(app)
    (others,) = [each for each in app.checkbox if each.label == "Its people are others"]
    checked(others.set_value(True).run())
    assert "This release spends ε = 1** of “wider”, for each record. Of the cap of ε = 3, **ε = 2" in words(app)
    checked(name_of(app).set_value("patients").run())
    assert error_text(app).startswith("the table has changed since the last release under this name")
    checked(app.checkbox(key="_release_changed").set_value(True).run())
    assert "1 earlier release spent ε = 1; together that is ε = 2. Of the cap of ε = 3, **ε = 1 is left**" in words(app)
    release(app)
    assert account(folder, "patients").spent.epsilon == 2


def test_what_is_left_is_said_before_the_button_and_the_cap_ends_it(folder):
    app = open_page("release", **CZECH)
    checked(app.number_input(key="_release_cap ").set_value(1.5).run())
    assert "Of the cap of ε = 1.5, **ε = 0.5 is left** after it." in words(app)
    release(app)
    assert account(folder).cap == Cap.of(1.5)
    assert not app.error  # nobody has asked for more
    assert "The cap of ε = 1.5 has no room for another release of ε = 1." in words(app)
    assert states(app) == ["settled"]
    assert "Release once more" not in labels(app)
    checked(app.select_slider(key="epsilon").set_value(0.7).run())
    message = (
        "the release would bring the cost of all to ε = 1.7, above the cap of ε = 1.5 at δ = 1e-09: ε = 0.5 is left"
    )
    assert error_text(app) == message
    assert states(app) == ["settled"]
    checked(app.select_slider(key="epsilon").set_value(0.5).run())
    assert (
        "1 earlier release spent ε = 1; together that is ε = 1.5. Of the cap of ε = 1.5, **nothing is left**"
        in words(app)
    )
    release(app)
    assert account(folder).spent.epsilon == 1.5


def test_a_rehearsal_spends_nothing_and_reads_nothing_of_the_table(folder):
    app = press(open_page("release", **CZECH), "Rehearse", "_rehearsal_work")
    table = app.table[0].value
    assert list(table.columns)[1:] == ["even", "uneven"]
    assert table.iloc[:, 0].tolist() == [
        *("Automatic", "mean total variation", "mean error of an answer", "largest error of an answer"),
        *("usual 95% interval, in records", "plain Laplace on every query", "answers that were measured"),
    ]
    assert "simulated: nobody's data, nothing spent" in words(app)
    assert list(folder.iterdir()) == []
    checked(app.select_slider(key="epsilon").set_value(0.5).run())
    said = "This rehearsal is of 10,000 records at ε = 1. Press **Rehearse** for the settings above."
    assert said in words(app)
    checked(app.select_slider(key="epsilon").set_value(1.0).run())
    assert "This rehearsal is of" not in words(app)
    checked(app.number_input(key="_rehearsal_records").set_value(500).run())
    assert said in words(app)


def test_a_release_of_tables_measures_every_answer_and_is_never_wider_than_plain_laplace(folder):
    app = open_page("release", **CZECH | {"k": "2"})
    checked(app.radio(key="_release_for").set_value("tables").run())
    assert not any(radio.label == "Method" for radio in app.radio)
    assert "All tables once, if there are about 10,000 records: 64 cells measured once." in words(app)
    press(app, "Rehearse", "_rehearsal_work")
    rows = {row.iloc[0]: row.iloc[1] for _, row in app.table[0].value.iterrows()}
    assert rows["answers that were measured"] == "100%"
    assert rows["pairs of attributes that can be asked"] == "15 of 15"
    ours, laplace = (
        float(rows[name].removeprefix("±"))
        for name in ("usual 95% interval, in records", "plain Laplace on every query")
    )
    assert ours < laplace == pytest.approx(15 * math.log(20), rel=0.01)  # of 15 pairs
    release(app)
    assert (manifest_of(app)["system"], manifest_of(app)["ran"]) == ("tables", "64 cells measured once")


def test_a_release_of_tables_needs_tables(folder):
    app = open_page("release", table="Czech car workers", ask="Parities")
    checked(app.radio(key="_release_for").set_value("tables").run())
    assert "measures whole marginals: ask for marginals or cuboids, not parities" in error_text(app)


def test_the_page_says_beforehand_what_would_be_measured():
    app = open_page("release", **CZECH | {"k": "2"})
    assert app.radio(key="_release_method").value == "automatic"
    assert "Automatic, if there are about 10,000 records: 64 cells measured once." in words(app)
    checked(app.radio(key="_release_method").set_value("mwem").run())
    checked(app.number_input(key="_rehearsal_records").set_value(1841).run())
    assert "MWEM, if there are about 1,841 records: 11 rounds." in words(app)
    checked(app.toggle(key="_release_total").set_value(True).run())
    assert "MWEM on 1,841 records: 12 rounds." in words(app)
    assert "Two tables that differ by replacing one record: 2ε = 2." in words(app)


def test_a_release_starts_with_automatic_wherever_it_is_made_and_whatever_run_watches(folder):
    parser = argparse.ArgumentParser()
    add_release_options(parser)
    assert parser.parse_args(["--epsilon", "1"]).algorithm is None  # the terms have it
    assert Terms.system == "automatic"
    app = open_page("run", table="Czech car workers")
    checked(app.radio(key="method").set_value("mwem").run())
    checked(app.switch_page("pages/release.py").run())
    assert app.radio(key="_release_method").value == "automatic"
    assert open_page("release", **CZECH, method="MWEM").radio(key="_release_method").value == "automatic"


def test_a_rehearsal_on_a_public_table():
    app = open_page("release", **CZECH)
    checked(app.button_group(key="_rehearsal_kind").set_value("A public table").run())
    assert button(app, "Rehearse").disabled
    samples = Path(__file__).parents[2] / "sample_data"
    checked(app.file_uploader(key="_rehearsal_file").upload("other.csv", (samples / "czech.csv").read_bytes()).run())
    press(app, "Rehearse", "_rehearsal_work")
    assert list(app.table[0].value.columns)[1:] == ["other.csv"]


def test_a_table_of_ones_own_needs_a_declared_schema(folder):
    app = upload(None)
    assert "First the table, its schema, the questions and what they may cost." in words(app)
    assert "Release" not in labels(app)
    checked(app.file_uploader(key="_release_schema_file").upload("schema.toml", SCHEMA.encode()).run())
    assert "Release" not in labels(app)
    checked(button(app, "Declare this public").click().run())
    assert "schema declared public, 2 attributes" in words(app)
    release(app)
    assert account(folder, "patients").spent.epsilon == 1


def test_a_table_with_decimal_commas_is_released_with_them_as_a_declared_fact(folder):
    schema = '[[attribute]]\nname = "rent"\nedges = [0, 500, 1000]\ndecimals = 1\n'
    table = "rent;flat\n" + "".join(f"{300 + i},{i % 10};{'ab'[i % 2]}\n" for i in range(100))
    app = release(upload(schema, table=table, declare=True))
    assert {"fact": "decimal mark of the table", "from": "the user: comma"} in manifest_of(app)["public"]
    assert re.fullmatch(r"rent\n(\d+(,\d)?\n)+", files_of(app)["rows.csv"].decode())


def test_a_form_declares_the_same_schema_and_takes_names_alone_from_the_table():
    app = upload(None)
    checked(app.button_group(key="_release_schema_way").set_value("A form").run())
    (editor,) = [each.value for each in app.dataframe]
    assert editor["name"].tolist() == ["patient", "age", "smoker"]
    assert not editor["use"].any()
    assert set(editor["values"]) == {""}
    assert "Tick the columns to release" in words(app)


def test_a_table_of_a_header_is_released_like_any_other(folder):
    app = release(upload(table=PATIENTS.splitlines(keepends=True)[0], declare=True))
    assert not app.error
    assert account(folder, "patients").spent.epsilon == 1


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("[[attribute]]\nname = 'weight'\nbits = true", "the table has no column 'weight'"),
        ("attribute = 3", "attributes are declared in [[attribute]] blocks"),
    ],
)
def test_a_schema_that_does_not_fit_is_refused_in_one_sentence(schema, message):
    assert error_text(upload(schema)).startswith(message)


def test_no_number_of_records_is_on_the_page():
    page = words(open_page("release", **CZECH))
    assert "1,841" not in page
    assert "1841" not in page


@pytest.mark.parametrize("cell", ["NaN", "-1"])
def test_a_cell_that_is_no_value_is_refused_before_a_draw(folder, cell):
    app = release(upload(table=f"{PATIENTS}p9,{cell},yes\n", declare=True))
    assert error_text(app).startswith("column 'age' has values outside the schema: it expects a whole number from 0 to")
    assert cell not in error_text(app)
    assert not (folder / "ledger.sqlite").exists() or LedgerFile(folder / "ledger.sqlite").accounts() == ()


@pytest.mark.parametrize("name", ["", "right\u202eto left"])
def test_a_name_that_no_screen_can_show_is_refused_before_the_button(name):
    app = open_page("release", **CZECH)
    checked(name_of(app).set_value(name).run())
    assert error_text(app).startswith("the name of a data set must be one line of 1 to 100 characters")
    assert "Release" not in labels(app)


def test_a_ledger_that_cannot_be_made_is_one_sentence_and_nothing_is_released(folder, monkeypatch):
    monkeypatch.setenv("MWEM_LEDGER", str(folder / "missing" / "all.sqlite"))
    app = release(open_page("release", **CZECH))
    assert error_text(app) == "the folder of the ledger does not exist: make it, or name another file"
    assert app.session_state["_release_work"].result is None


def test_a_release_for_persons_says_so_and_the_ledger_keeps_the_unit(folder):
    app = upload(declare=True)
    checked(app.button_group(key="_release_unit").set_value("A person").run())
    assert "for each person." in words(app)
    assert "Whether a person is in the table" in words(app)
    release(app)
    assert account(folder, "patients").person == "patient"
    checked(app.button_group(key="_release_unit").set_value("A record").run())
    release(app)
    assert "earlier releases of this data set protect another unit of privacy" in error_text(app)
    assert len(account(folder, "patients").entries) == 1


def test_the_number_of_records_of_persons_with_several_cannot_be_declared_public():
    app = upload(declare=True)
    checked(app.toggle(key="_release_total").set_value(True).run())
    checked(app.button_group(key="_release_unit").set_value("A person").run())
    assert "replacing one person: 2ε = 2." in words(app)
    checked(app.number_input(key="_release_most").set_value(3).run())
    assert app.toggle(key="_release_total_private").disabled
    assert "taken as public" not in words(app)


@pytest.mark.parametrize("name", ["../elsewhere", "x" * 61])
def test_the_ledger_is_named_and_no_path(name):
    app = open_page("release", **CZECH)
    checked(app.text_input(key="_release_ledger").set_value(name).run())
    assert error_text(app).startswith("the ledger's name must be 1 to 60 letters, digits, - and _")


def test_a_damaged_ledger_is_one_sentence(folder):
    (folder / "ledger.sqlite").write_bytes(b"this is no ledger" * 100)
    assert error_text(open_page("release", **CZECH)).startswith("the ledger is damaged, or this is no ledger")


def test_a_ledger_that_has_no_tables_yet_is_none(folder):
    (folder / "ledger.sqlite").touch()
    release(open_page("release", **CZECH))
    assert account(folder).spent.epsilon == 1


def test_what_was_set_is_there_when_the_page_is_opened_again():
    app = open_page("release", **CZECH)
    checked(app.button_group(key="_release_unit").set_value("A person").run())
    checked(app.number_input(key="_release_most").set_value(3).run())
    checked(app.number_input(key="_release_cap ").set_value(2.5).run())
    checked(app.switch_page("pages/learn.py").run())
    checked(app.switch_page("pages/release.py").run())
    assert "for each person. Of the cap of ε = 2.5" in words(app)
    assert app.number_input(key="_release_most").value == 3


def test_a_server_may_have_one_ledger_for_all(folder, monkeypatch):
    monkeypatch.setenv("MWEM_LEDGER", str(folder / "all.sqlite"))
    app = release(open_page("release", **CZECH))
    assert "entered in the ledger of this server" in words(app)
    assert LedgerFile(folder / "all.sqlite").account("czech").spent.epsilon == 1


def test_a_column_called_count_is_released_as_the_user_says_and_in_words(folder):
    cells = "smoker,age,count\n" + "".join(f"{smoker},{age},{age}\n" for smoker in ("yes", "no") for age in (20, 50))
    app = upload(table=cells, name="cells", declare=True)
    assert "First say what the column is that may hold the number of records of each row." in words(app)
    (question,) = [each for each in app.button_group if each.label == "Column count is"]
    checked(question.set_value("the number of records of each row").run())
    assert "Release" not in labels(app)
    (tick,) = [each for each in app.checkbox if "One record is protected, not one row" in each.label]
    checked(tick.set_value(True).run())
    release(app)
    manifest = manifest_of(app)
    assert "One record is protected, not one row" in manifest["rows"]
    assert 100 < manifest["total"] < 180  # a noisy 140: each row by itself would be 4


def test_the_method_rows_for_analysis_and_copies_are_chosen_and_released():
    app = open_page("release", **CZECH)
    checked(app.radio(key="_release_method").set_value("mwem").run())
    checked(app.radio(key="_release_rows").set_value("analysis").run())
    assert ROWS_FOR["analysis"] in words(app)
    checked(app.number_input(key="_release_copies").set_value(2).run())
    release(app)
    assert files_of(app)["copies.csv"].startswith(b"copy,smoking,")
    assert (manifest_of(app)["system"], manifest_of(app)["rows_for"]) == ("mwem", ROWS_FOR["analysis"])


def declare(app: AppTest, *questions: str) -> AppTest:
    """Write what the release will be asked, and wait until the page has said what will be answered."""
    checked(app.text_area(key="_release_analysis").set_value("\n".join(questions)).run())
    return foreseen(app)


def foreseen(app: AppTest) -> AppTest:
    app.session_state["_release_forecast"].wait(60)
    return checked(app.run())


def test_the_page_says_which_declared_questions_will_be_answered_and_how_wide_before_anything_is_spent(folder):
    app = open_page("release", **CZECH)
    questions = [
        "select strenuous_mental_work, avg(case when smoking = 'yes' then 1 else 0 end) from release"
        " group by strenuous_mental_work",
        "select smoking, strenuous_mental_work, count(*) from release group by smoking, strenuous_mental_work",
    ]
    declare(app, *questions)
    assert "**1 marginal, 4 cells**" in words(app)
    asked = app.session_state["_release_forecast"].result
    assert [line.question for line in asked] == questions
    assert all(f"- {line}" in words(app) for line in asked)
    assert all("will be answered, 95% interval about ±" in str(line) for line in asked)
    assert 0 < asked[0].half < 0.1
    assert list(folder.iterdir()) == []
    checked(app.number_input(key="_rehearsal_records").set_value(100).run())
    assert foreseen(app).session_state["_release_forecast"].result[0].half > 3 * asked[0].half


def test_no_method_is_said_to_measure_what_it_does_not(folder):
    app = declare(open_page("release", **CZECH), "avg(smoking = 'yes') group by strenuous_mental_work")
    assert "will not be answered" not in words(app)
    assert app.radio(key="_release_for").value == "tables"  # of which all can be asked
    checked(app.radio(key="_release_for").set_value("rows").run())
    checked(app.radio(key="_release_method").set_value("mwem-paper").run())
    foreseen(app)
    assert re.search(r"will not be answered: .*smoking × strenuous_mental_work were not measured", words(app))
    assert "It would be by --algorithm tables" in words(app)
    assert "will be answered, 95%" not in words(app)
    assert "easured together" not in words(app)


def test_nothing_can_be_released_before_the_page_has_said_what_will_be_answered(folder, monkeypatch):
    hold = Event()
    monkeypatch.setattr(rehearsal, "forecast", lambda terms, tables: hold.wait(60) and ())
    app = open_page("release", **CZECH)
    assert "Release" in labels(app)
    checked(app.text_area(key="_release_analysis").set_value("smoking = 'yes'").run())
    assert "A forecast for your questions takes a few seconds." in words(app)
    assert "Release" not in labels(app)
    hold.set()
    assert "Release" in [each.label for each in foreseen(app).button]


def test_a_question_that_cannot_be_read_is_refused_in_a_sentence():
    app = open_page("release", **CZECH)
    app.text_area(key="_release_analysis").set_value("avg(wealth) group by smoking").run()
    assert "no attribute 'wealth' in the schema" in error_text(app)
