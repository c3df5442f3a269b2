"""Public bins by a click: the form sets the bins of a column, and the rows of the schema have them."""

import pytest
from app_pages import button, checked, error_text, words
from streamlit.testing.v1 import AppTest


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
    st.session_state["rows"] = edited_rows(rows, key="editor", reasons=True)


@pytest.fixture
def app() -> AppTest:
    return checked(AppTest.from_function(page).run())


def row_of(app: AppTest, name: str) -> dict:
    return next(row for row in app.session_state["rows"] if row["name"] == name)


def test_a_column_gets_logarithmic_bins_and_one_without_numbers_gets_those_that_are_listed(app):
    assert "**Left out.** id has a value per row." in words(app)
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
