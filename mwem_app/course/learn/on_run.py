"""From a lesson to the page Run: the same table, workload, ε, T and seed."""

import streamlit as st

from mwem_app.base import SERVED
from mwem_app.course.learn.blocks import OnRun
from mwem_app.session import state
from mwem_core.systems import SYSTEMS


def link_to_run(run: OnRun) -> None:
    """A link that opens the page Run with these settings.

    It leads to /run, as Streamlit writes a link to the page at / without a path: a browser would stay at the lesson.
    """
    page = st.Page(SERVED / "pages" / "run.py", url_path="run")
    st.page_link(page, label="Try this on Run", icon=":material/play_circle:", query_params=settings(run))


def settings(run: OnRun) -> dict[str, str]:
    """The settings of the page Run, by their names in its address."""
    return {
        state.TABLE: run.table,
        state.FAMILY: run.family,
        state.K: f"{run.k}",
        state.METHOD: SYSTEMS[run.system].title,
        state.EPSILON: f"{run.epsilon:g}",
        state.ROUNDS: f"{run.T}",
        state.SEED: f"{run.seed}",
    }
