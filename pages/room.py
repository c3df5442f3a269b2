"""Live class, the teacher's screen: a room with its link, and one of three things to do together."""

from functools import partial

import streamlit as st

from mwem_app.classroom.predictions import asked_in
from mwem_app.learn.frame import switch_projector
from mwem_app.learn.room_coins import show_coins, show_example
from mwem_app.learn.room_door import show_door, show_opening
from mwem_app.learn.room_lessons import show_lessons
from mwem_app.learn.room_table import show_table
from mwem_app.page.wording import unseen_heading
from mwem_app.session import state
from mwem_app.session.seat import is_teacher, my_room

ACTIVITIES = {"Coins": show_coins, "Predictions": partial(show_lessons, asked_in), "The class as a table": show_table}

state.enter_by_app()
room = my_room() if is_teacher() else None
if room is None:
    with st.container(key="lesson"):
        show_opening()
        show_example()
    st.stop()

unseen_heading("Live class")
door, screen = st.columns([1, 3], gap="large")
with door:
    show_door(room)
with screen:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        activity = st.segmented_control(
            "What to do",
            list(ACTIVITIES),
            default="Coins",
            required=True,
            key="_activity",
            label_visibility="collapsed",
        )
        switch_projector()
    ACTIVITIES[activity](room)
