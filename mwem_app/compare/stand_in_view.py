"""A sweep that spends nothing: the same trials on a public table of the same shape."""

from dataclasses import replace

import streamlit as st

from mwem_app.inputs import Data
from mwem_app.session import state
from mwem_core.encoding import stand_in
from mwem_core.output import SCHEMA_REASONS

START = "_start_stand_in"  # the button below asks to run the trials at once
INSTEAD = "Sweep a public table of the same shape instead"
WHAT_IT_IS = (
    "It has the schema of your table and about as many records. They are drawn from a fixed random model: the values "
    "of an attribute are as uneven as in real tables, and a few pairs of attributes depend on each other strongly. On "
    "Adult, Czech car workers and Rochdale households, to which the model was fitted, the ε that it proposed was 0.5 "
    "to 2 times the true one. On NLTCS and mildew, to which it was not fitted, that was 0.46 to 1.9 times; on Class "
    "survey, up to 2.7 times."
)
CHOICE_IS_A_QUERY = (
    "Choosing ε or T by these errors is itself a query on the records, and no budget above counts it. Choose by a "
    "public rule, or on public data that resemble yours."
)


def choose_swept(data: Data) -> tuple[Data, bool]:
    """Let the user sweep a stand-in for the table; return the table to sweep, and whether it is the stand-in."""
    on = st.toggle(
        "Sweep a public stand-in for the table",
        key=state.STAND_IN,
        bind=state.BIND,
        help=WHAT_IT_IS,
    )
    if not on:
        return data, False
    domain, n = data.records.domain, int(float(f"{data.records.total:.1e}"))
    records = state.remember("stand-in", (domain, n), lambda: stand_in(domain, n))
    return replace(data, source=f"stand-in for {data.source}", records=records), True


def start_requested() -> bool:
    """Whether the button below has just been pressed."""
    return st.session_state.pop(START, False)


def offer_stand_in() -> None:
    """A button that sweeps the stand-in at once."""
    st.button(INSTEAD, icon=":material/public:", on_click=_start, key="_stand_in_instead")


def _start() -> None:
    st.session_state[state.STAND_IN] = st.session_state[START] = True


def warn_of_choice() -> None:
    """Say that a choice by errors on the table itself is a query, and offer the way that is none."""
    with st.container(gap="small"):
        st.warning(CHOICE_IS_A_QUERY, icon=":material/warning:")
        offer_stand_in()


def tell_what_was_read(data: Data) -> None:
    """Say that no record was read for these results, and what their prediction is worth."""
    text = f"No record of the table was read. {WHAT_IT_IS}"
    if reason := SCHEMA_REASONS.get(data.provenance):
        text += f" {reason.text}: {reason.remedy}."
    st.info(text, icon=":material/public:")
