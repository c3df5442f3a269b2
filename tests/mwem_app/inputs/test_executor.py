"""Trials run on this machine."""

from streamlit.testing.v1 import AppTest

from mwem_core.judge import processors


def page() -> None:
    import streamlit as st

    from mwem_app.compare import choose_executor

    chosen = choose_executor()
    st.json({"where": chosen.func.__name__, "with": chosen.args})  # pyright: ignore[reportFunctionMemberAccess]


def test_trials_run_in_processes_of_this_machine_and_no_visitor_names_another():
    app = AppTest.from_function(page).run()
    assert not app.exception
    assert '"pool"' in app.json[0].value
    assert app.number_input[0].max == processors()
    assert not (app.text_input)
    assert not (app.toggle)
