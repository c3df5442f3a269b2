"""The first settings of every page that runs something: the table, the workload, and whether to show the truth."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mwem_core.workload.workload import Workload
from ui.inputs.data import Data, choose_table, unconfirmed
from ui.inputs.encoding import check_encoding
from ui.inputs.schema import confirm_schema
from ui.inputs.workload import choose_workload
from ui.session import state


def choose_truth() -> tuple[DeltaGenerator, bool]:
    """Return a place for the headline, and whether to show the truth; all pages share this switch."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        headline = st.empty()
        show = st.toggle(
            "Show the truth beside the estimate",
            value=True,
            key=state.TRUTH,
            bind=state.BIND,
            help="Comparisons with the truth are made from the private data: do not publish them. "
            "With this switch off, none of them is sent to this browser.",
        )
    return headline, show


def choose_task() -> tuple[Data | None, Workload | None, DeltaGenerator]:
    """Let the user choose the table and the workload, steps 1 and 2; also return the column for step 3."""
    data_column, workload_column, privacy_column = st.columns([0.9, 1.25, 1], gap="medium", border=True)
    with data_column:
        st.markdown("**1 Data**")
        data = choose_table()
    with workload_column:
        st.markdown("**2 Queries**")
        workload = choose_workload(data.records.domain, data.family) if data else None
        if data is None:
            st.caption("Confirm the schema first." if unconfirmed() else "Choose a table first.")
    return data, workload, privacy_column


def headline_of(data: Data | None, place: DeltaGenerator) -> None:
    """Write the chosen table in a line. If an upload has no confirmed schema yet, show the form for it."""
    place.markdown(data.headline if data else "**Choose a table**, a workload of queries and a privacy budget")
    if upload := unconfirmed():
        check_encoding(upload)
        confirm_schema(upload)
