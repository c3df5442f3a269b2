"""Trials run on this machine; on a cluster only if the server's operator has named it."""

import pytest
from streamlit.testing.v1 import AppTest

from mwem_core.judge import processors


def page() -> None:
    import streamlit as st

    from mwem_app.compare import choose_executor

    chosen = choose_executor()
    st.json({"where": chosen.func.__name__, "with": chosen.args})  # pyright: ignore[reportFunctionMemberAccess]


def chosen(app: AppTest) -> str:
    assert not app.exception
    return app.json[0].value


@pytest.mark.parametrize("scheduler", ["", "tcp://trusted:8786"])
def test_a_visitor_can_name_no_scheduler(monkeypatch, scheduler):
    monkeypatch.setenv("MWEM_SCHEDULER", scheduler)
    app = AppTest.from_function(page).run()
    assert '"pool"' in chosen(app)
    assert app.number_input[0].max == processors()
    assert not app.text_input
    assert len(app.toggle) == bool(scheduler)
    if scheduler:
        app.toggle[0].set_value(True).run()
        assert '"cluster"' in chosen(app)
        assert scheduler in chosen(app)
