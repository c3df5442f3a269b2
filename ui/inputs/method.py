"""The method of a run: MWEM, the automatic choice, MWEM of 2012 or Figure 1, and the number of rounds."""

import streamlit as st

from mwem_core.systems import MWEM_SYSTEMS, SYSTEMS
from ui.session import state


def choose_method() -> str:
    """Let the user choose the system that runs, by its name."""
    chosen = st.radio(
        "4 Method",
        MWEM_SYSTEMS,
        format_func=lambda name: SYSTEMS[name].title,
        key=state.METHOD,
        bind=state.BIND,
    )
    return str(chosen)
