"""The encoding of an upload, on the Run page: shown when it is a guess, and changed by the user."""

import pytest
from app_pages import button, checked, error_text, open_page, words
from streamlit.testing.v1 import AppTest

from mwem_app.inputs.encoding import ENCODINGS
from mwem_core.output import script
from mwem_core.tables import USUAL

NAMES = ("Sørensen", "Bjørn", "Åse", "Hélène", "Müller", "Weiß", "Jones")
TEXT = "id,name,æra\n" + "".join(f"{i % 40},{name},{'ny'[i % 2]}\n" for i, name in enumerate(NAMES * 20))
LABEL = "The file is not UTF-8. It is read as"


def upload(content: bytes, app: AppTest | None = None) -> AppTest:
    app = app or open_page("run", table="Your own file")
    app.file_uploader(key="_table_file").upload("people.csv", content)
    return checked(app.run())


def choice(app: AppTest):
    """The select box of the encoding."""
    return next(box for box in app.selectbox if box.label == LABEL)


def choose(app: AppTest, encoding: str) -> AppTest:
    return checked(choice(app).set_value(encoding).run())


def values_of(app: AppTest, name: str) -> str:
    """The values of an attribute, as the rows of the schema show them."""
    return next(row["values"] for row in app.session_state["_upload"].rows if row["name"] == name)


def as_text(app: AppTest, toml: str) -> AppTest:
    checked(app.segmented_control(key="_schema_mode").set_value("As text").run())
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
    assert "Sørensen" in app.session_state["_upload"].records.domain.attributes[1].value_set.texts


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
    assert app.segmented_control(key="_schema_mode").value == "As text"
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
    assert choice(upload(TEXT.encode("cp1252"), app)).disabled is False


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
