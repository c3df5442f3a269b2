"""Live class, a student's phone: join a room by its code, then do what the teacher shows."""

import streamlit as st

from mwem_app.learn.lessons import link_to_all
from mwem_app.learn.phone import show_phone
from mwem_app.learn.room_door import ENDED, STORED, time_left
from mwem_app.page.wording import problem, unseen_heading
from mwem_app.session import state
from mwem_app.session.rooms import ROOMS, grouped, read_code
from mwem_app.session.seat import ended, give_up, is_teacher, join, my_room

CODE, REFUSED = "_code", "_refused_code"


def enter() -> None:
    try:
        join(st.session_state[CODE])
    except ValueError as error:
        st.session_state[REFUSED] = str(error)


state.enter_by_app()
room = my_room()
if room is None:
    st.title("Join the class", anchor=False)
    code, seat = read_code(st.query_params.get("room", "")), ended()
    if seat and not seat.teacher:
        st.warning(
            f"**The class has ended:** {ENDED} For the next class, type its code. The lessons are open to everyone.",
            icon=":material/event_busy:",
        )
        link_to_all()
        code = code if ROOMS.is_open(code) else ""  # the address may name a class that is over
    st.text_input("Code", code, key=CODE, max_chars=20)
    st.button("Join", type="primary", width="stretch", on_click=enter)
    if REFUSED in st.session_state:
        problem(st.session_state.pop(REFUSED))
    st.caption(STORED)
elif is_teacher():
    unseen_heading("Join the class")
    st.markdown("You are the teacher of a class: this page is for your students' phones.")
    st.page_link("pages/room.py", label="Back to your class", icon=":material/groups:")
else:
    unseen_heading("Your class")
    st.caption(f"Class {grouped(room.code)}")
    show_phone(room)
    st.divider()
    st.caption(
        f"{STORED} This room ends in {time_left(room)}. True answers to questions by coins never leave your phone."
    )
    st.button("Leave, and delete what I sent", on_click=give_up)
