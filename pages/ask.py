"""Ask: the files of a release, questions to it, and their answers with intervals. No private table is on this page."""

from functools import partial

import streamlit as st

from mwem_app.ask import Line, answers_to, ask_line, choose_release, show_history, show_newest
from mwem_app.base import RELEASE_FILE
from mwem_app.session import state

state.enter_by_app()
st.markdown(
    "Ask a release: **values with intervals, or a refusal with its reason**, from the published files alone. No "
    "private table is read."
)
with st.container(border=True, key="ask_release"):
    release = choose_release()
if release is not None:
    line: Line = st.session_state.setdefault(state.ANSWERS, Line())
    ask_line(line, release, partial(answers_to, release), key="ask")
    if line.newest:
        show_newest(line.newest, RELEASE_FILE)
    if line.answers:
        show_history(line.answers, RELEASE_FILE, key="ask")
