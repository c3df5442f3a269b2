"""Ask: a release, questions to it, and their answers with intervals. No private table is on this page."""

from functools import partial

import streamlit as st

from mwem_app.ask import Line, answers_to, ask_line, choose_release
from mwem_app.base import RELEASE_FILE
from mwem_app.session import state

# Of the sample
OPENING_QUESTION = "select age, avg(case when income = '>50K' then 1 else 0 end) from release group by age"

state.enter_by_app()
release = choose_release()
line: Line = st.session_state.setdefault(state.ANSWERS, Line())
opening = "" if st.session_state.get(state.LOADED_RELEASE) else OPENING_QUESTION
ask_line(line, release, partial(answers_to, release), RELEASE_FILE, key="ask", opening=opening)
