"""Below a run that explores: the line for questions, with the truth beside each interval."""

from functools import partial

import streamlit as st

from mwem_app.ask.answers import show_history, show_newest
from mwem_app.ask.exploring import answered_beside_truth, as_release
from mwem_app.ask.line import Line, ask_line
from mwem_app.base import PRIVATE
from mwem_app.page import section
from mwem_app.session import state
from mwem_core.domain import Records
from mwem_core.output import Run
from mwem_core.privacy import Guarantee


def ask_run(run: Run, rows: Records, records: Records) -> None:
    """Let the user ask a finished run that has added noise, as whoever receives a release asks that."""
    if not isinstance(run.guarantee, Guarantee):
        return
    release = state.remember("asked run", run.model, lambda: as_release(run, rows))
    line = state.remember("line of asked run", run.model, Line)
    section("Ask this run", PRIVATE)
    st.caption(
        "Whoever receives a release can ask it this, from what was measured. Here the table's own number stands beside"
        " each interval, where bins do not hide it: an interval for the table holds it in about 95 of 100 runs."
    )
    answer = partial(answered_beside_truth, release, records)
    ask_line(line, release, answer, key="ask_run", of="table")
    if line.newest:
        show_newest(line.newest, PRIVATE)
    if line.answers:
        show_history(line.answers, PRIVATE, key="ask_run")
