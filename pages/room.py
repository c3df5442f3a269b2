"""Live class, the teacher's screen: a room with its link, and one of three things to do together."""

from functools import partial

import streamlit as st

from mwem_app.course import (
    is_teacher,
    my_room,
    prediction_in,
    show_coins,
    show_door,
    show_example,
    show_lessons,
    show_opening,
    show_table,
    switch_projector,
)
from mwem_app.page import unseen_heading
from mwem_app.session import state

ACTIVITIES = {
    "Coins": show_coins,
    "Predictions": partial(show_lessons, prediction_in),
    "The class as a table": show_table,
}

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
