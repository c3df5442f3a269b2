"""What was seen of an upload's columns, and a choice of what each of them is."""

from pathlib import Path

import pytest
from app_pages import button, checked, error_text, open_page, words
from streamlit.testing.v1 import AppTest

from mwem_app.inputs.schema_rows import domain_of
from mwem_core.domain import Domain
from mwem_core.schemas import first_schema
from mwem_core.tables import read_table

CASES = Path(__file__).parents[4] / "shared" / "cases"
INCOMES = ["refused", "<5", *(str(1000 + 37 * i) for i in range(30))]
ROWS = (f"{'FM'[i % 2]},{x},0{1 + i % 9}/0{1 + i % 8}/2021\n" for i, x in enumerate(INCOMES))
MESSY = "".join(["sex,income,visit\n", *ROWS]).encode()


def upload(content: bytes, name: str = "survey.csv") -> AppTest:
    app = open_page("run", table="Your own file")
    app.file_uploader(key="_table_file").upload(name, content)
    return checked(app.run())


def rows(app: AppTest) -> Domain:
    """The schema that the rows on the page declare."""
    return domain_of(app.session_state["_upload"].rows)


def choice(app: AppTest, column: str):
    (control,) = [each for each in app.get("button_group") if each.proto.label == f"{column} is"]
    return control


def choose(app: AppTest, column: str, option: str) -> AppTest:
    return checked(choice(app, column).set_value(option).run())


def test_odd_cells_are_told_and_are_categories_or_missing_by_one_click():
    app = upload(MESSY)
    assert "**income** has numbers, but for '<5' (1 row), 'refused' (1)." in words(app)
    assert rows(app).attributes[1].special == ("<5", "refused")
    app = choose(app, "income", "Missing")
    assert rows(app).attributes[1].missing_texts == ("<5", "refused")
    assert app.session_state["_upload"].rows[1]["from_data"] == ["values", "missing"]
    app = choose(app, "visit", "Month first")
    assert rows(app).attributes[1].missing_texts == ("<5", "refused"), "the other choice stays"
    assert rows(app).attributes[2].value_set.form == "MM/DD/YYYY"
    app = checked(button(app, "Use this schema").click().run())
    assert app.session_state["_upload"].records.total == len(INCOMES)


def test_what_was_decided_is_told_where_there_is_no_choice_and_what_was_left_out_can_be_taken():
    lines = [f"{i % 28 + 1:02}-{i % 12 + 1:02}-{i % 90 + 10},0{i % 9},0{7919 * i + 10**7}" for i in range(60)]
    app = upload("\n".join(["born,ward,phone", *lines]).encode())
    assert "**born** has dates; years of two digits are read as 1969 to 2068." in words(app)
    assert "**ward** holds codes, as their leading zeros say" in words(app)
    assert "**phone** has 60 different texts in 60 rows: an identifier or free text." in words(app)
    assert rows(app).names == ("born", "ward")
    assert rows(choose(app, "phone", "Codes")).names == ("born", "ward", "phone")


def test_an_edit_of_another_column_survives_a_choice_and_is_the_users_own():
    app = upload(MESSY)
    kept = app.session_state["_upload"]
    kept.edited_rows = [dict(row) for row in kept.rows]
    kept.edited_rows[0]["values"] = "F, M, X"
    app = choose(app, "income", "Missing")
    assert rows(app).attributes[0].labels == ("F", "M", "X")
    assert app.session_state["_upload"].rows[0]["from_data"] == []


@pytest.mark.skipif(not CASES.is_dir(), reason=f"the small files are not at {CASES}")
@pytest.mark.parametrize("name", [path.name for path in sorted(CASES.glob("*"))])
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
        elif seen.attribute and seen.says:
            assert _bare(f"**{column}** {seen.says}.") in _bare(words(app))


def _bare(text: str) -> str:
    """A text without what keeps Markdown from reading it."""
    return text.replace("\\", "").replace("\u2060", "")
