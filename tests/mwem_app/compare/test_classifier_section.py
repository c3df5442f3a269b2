"""The section on classifiers, run as a small app of its own."""

import pytest
from streamlit.testing.v1 import AppTest

from mwem_app.base import PRIVATE
from mwem_app.page import plain
from mwem_core.judge import CLASSIFIERS

pytest.importorskip("sklearn")

SCRIPT = """
import streamlit as st
from mwem_core import parse_workload
from mwem_app.compare.classifier_section import show_classifiers
from mwem_app.inputs.table_choice import choose_table

data = choose_table()
workload = parse_workload(st.session_state.get("spec", "marginals:2"), data.records.domain)
systems = st.session_state.get("systems", ["mwem", "laplace", "uniform"])
show_classifiers(data, workload, systems, epsilon=st.session_state.get("epsilon", 1.0), delta=0.0, seeds=2)
"""


def section(**settings):
    app = AppTest.from_string(SCRIPT, default_timeout=60)
    app.session_state["table"] = "Czech car workers"
    for name, value in settings.items():
        app.session_state[name] = value
    return app.run()


def words(app):
    assert not app.exception, app.exception[0].message
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.info, app.error) for element in kind)


def test_the_button_trains_and_a_change_of_the_target_hides_the_old_table():
    app = section()
    assert PRIVATE.text in words(app)
    assert not app.table
    app.button(key="train").click().run()
    assert "predicting family" in words(app)
    (table,) = app.table
    assert list(table.value["trained on"]) == ["real rows", "MWEM", "Uniform", "nothing: always the majority class"]
    assert list(table.value.columns) == ["trained on", *CLASSIFIERS]
    app.run()
    assert "settings have changed" not in words(app)
    assert app.table
    app.selectbox(key="target").select("smoking").run()
    assert "settings have changed" in words(app)
    assert not app.table


def test_a_target_of_several_values_has_some_that_count_as_yes_and_another_table_has_other_targets():
    app = section(table="Class survey", systems=["uniform"])
    app.multiselect(key="yes drink").select("tea").run()
    app.button(key="train").click().run()
    assert "predicting drink is tea" in words(app)
    app.selectbox(key="table").select("Czech car workers").run()
    assert app.selectbox(key="target").value == "family_anamnesis_chd"
    assert "settings have changed" in words(app)


def test_workloads_systems_and_settings_that_cannot_teach_are_named():
    app = section(spec="marginals:1", systems=["mwem"], epsilon=1e9)
    assert "No query of this workload combines" in words(app)
    app.button(key="train").click().run()
    assert plain("MWEM: epsilon must lie between") in words(app)
    assert list(app.table[0].value["trained on"]) == ["real rows", "nothing: always the majority class"]
    app = section(systems=["laplace", "gaussian"])
    assert "None of the chosen systems gives rows" in words(app)
    assert not app.button
