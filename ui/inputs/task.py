"""What every page that runs something begins with: the table, the questions, and whether the truth may be shown."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mwem_core.workload.workload import Workload
from ui.inputs.data import Data, choose_table, unconfirmed
from ui.inputs.questions import choose_questions
from ui.inputs.schema import confirm_schema
from ui.session import state


def choose_truth() -> tuple[DeltaGenerator, bool]:
    """A place for the headline, and the switch that all pages share."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        headline = st.empty()
        show = st.toggle(
            "Show the truth beside the estimate",
            value=True,
            key=state.TRUTH,
            bind=state.BIND,
            help="What is compared with the truth is made from the private data and stays in the room. "
            "Switched off, none of it is sent to this browser.",
        )
    return headline, show


def choose_task() -> tuple[Data | None, Workload | None, DeltaGenerator]:
    """Steps 1 and 2, and the column for step 3."""
    data_column, questions_column, privacy_column = st.columns([0.9, 1.25, 1], gap="medium", border=True)
    with data_column:
        st.markdown("**1 Data**")
        data = choose_table()
    with questions_column:
        st.markdown("**2 Questions**")
        workload = choose_questions(data.records.domain, data.ask) if data else None
        if data is None:
            st.caption("What to ask depends on the table: first the data.")
    return data, workload, privacy_column


def headline_of(data: Data | None, place: DeltaGenerator) -> None:
    """What is at hand in a line; and where an upload waits for its schema, the form for it."""
    place.markdown(data.headline if data else "**Choose a table**, the questions to answer and how private to be")
    if upload := unconfirmed():
        confirm_schema(upload)
