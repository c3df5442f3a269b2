"""Learn: the lesson that the address names, or all lessons.

A lesson is no page of its own: a new server, asked for the address of a file that is not directly in pages/, would tell
its first visitor that there is no such page.
"""

import streamlit as st

from mwem_app.course import ALL, LESSON, begin, end, handout_page, lesson_at, show_blocks, show_index
from mwem_app.page import problem
from mwem_app.session import state

state.enter_by_app()
asked = st.query_params.get(LESSON, ALL)
if LESSON in st.query_params:
    st.query_params[LESSON] = asked  # written to the address, which a link within a page does not change
lesson = lesson_at(asked)
if lesson:
    with st.container(key="lesson"):
        seed = begin(lesson)
        show_blocks(lesson, seed)
        end(lesson, handout_page)
else:
    if asked != ALL:
        problem(f"the address asks for the lesson {asked!r}, which does not exist: choose one below")
    show_index()
