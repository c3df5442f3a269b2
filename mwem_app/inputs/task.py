"""The first settings of every page that runs something: the table, the workload, and whether to show the truth."""

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mwem_app.inputs.data import Data, choose_table, unconfirmed
from mwem_app.inputs.encoding import check_encoding
from mwem_app.inputs.public_start import public_start, starts_from
from mwem_app.inputs.schema import confirm_schema
from mwem_app.inputs.workload import TITLE, choose_workload
from mwem_app.session import state
from mwem_core.workload import Workload


def begin(purpose: str) -> bool:
    """Say what the page is for, and return whether to show the truth; all pages share this switch."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="purpose"):
        st.markdown(purpose, width="content")
        return st.toggle(
            "Show the truth beside the estimate",
            value=True,
            key=state.TRUTH,
            bind=state.BIND,
            help="Comparisons with the truth are made from the records: publish them only if the records are public. "
            "With this switch off, none of them is sent to this browser.",
        )


def choose_task(*widths: float, may_start: bool = False) -> tuple[Data | None, Workload | None, list[DeltaGenerator]]:
    """Let the user choose the table and the workload, steps 1 and 2; also return the table's column and others.

    If it `may_start` from a public table, the data has the one that was uploaded.
    """
    with st.container(key="settings"):
        columns = st.columns([0.78, 1.35, *widths], gap="small", border=True)
    data_column, workload_column, *others = columns
    with data_column:
        data = choose_table()
        if data:
            start = starts_from() if may_start else ""
            st.caption(f"{data.dimensions} · {start}" if start else data.dimensions)
        if data and may_start:
            data = replace(data, public=public_start(data.records.domain, data.count))
    with workload_column:
        if data:
            workload = choose_workload(data.records.domain, data.family, ordered=data.ordered)
        else:
            workload = None
            st.markdown(TITLE)
            st.caption("Confirm the schema first." if unconfirmed() else "Choose a table first.")
    return data, workload, [data_column, *others]


def confirm_upload() -> None:
    """Show the forms of an upload whose schema is not confirmed yet, if it is the chosen table."""
    if upload := unconfirmed():
        check_encoding(upload)
        confirm_schema(upload)
