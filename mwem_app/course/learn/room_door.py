"""How a class gets into its room: opening it, its link and QR code, who is in, and closing it."""

import segno
import streamlit as st

from mwem_app.course.classroom.room import Room
from mwem_app.course.classroom.rooms import HOURS, ROOMS, grouped
from mwem_app.course.classroom.seat import ended, give_up, my_room, open_room
from mwem_app.course.learn.class_room import CLASS
from mwem_app.page import place, plain, problem

POLL_SECONDS = 2.0
FULL = "_rooms_full"
USES = """
- **Coins.** Ask a sensitive question. Coins protect every student, and the share of the class still comes out.
- **Predictions.** Send the phones to a lesson. Predictions arrive on your screen before the answer is shown.
- **The class as a table.** Everyone answers five questions. MWEM releases the class, and a class 100 times as large.
"""
STORED = (
    "No account and no name. What you send is in this server's memory alone, not on a disk, until the teacher closes "
    f"the room, {HOURS} hours at most. It is not logged."
)
ENDED = f"it was closed, its {HOURS} hours are over, or the server was started again. Everything in it is deleted."


def show_opening() -> None:
    """What a class can do together, and the button that opens a room."""
    st.title("Live class", anchor=False)
    if (seat := ended()) and seat.teacher:
        st.warning(
            f"**Your class has ended:** {ENDED} Open a new room: it has a new code, and your students join again.",
            icon=":material/event_busy:",
        )
    st.markdown("Your students join by phone with a link, and you watch their answers arrive. Three things to do:")
    st.markdown(USES)
    st.button("Open a room", type="primary", icon=":material/groups:", on_click=_open)
    if FULL in st.session_state:
        problem(st.session_state.pop(FULL))
    if trouble := place(CLASS).trouble:
        problem(trouble)
    st.caption(STORED)


def show_door(room: Room) -> None:
    """The way into the room, to be read from the last row."""
    link = place(CLASS, room=grouped(room.code))
    if link.trouble:
        problem(link.trouble)
    else:
        st.image(qr_code(link.url), width="stretch", alt=f"QR code of {link.url}")
        st.markdown(f"Scan, or open **{plain(link.url.partition('?')[0].partition('//')[2])}** and type the code")
        if link.needs:
            st.caption(link.needs)
    with st.container(key="class_code"):
        st.header(grouped(room.code), anchor=False)
    st.fragment(_show_students, run_every=POLL_SECONDS)()
    with st.popover("Close the room", icon=":material/logout:"):
        st.markdown("Everything in the room is then forgotten, on all phones.")
        st.button("Close it now", on_click=give_up)


def qr_code(link: str) -> str:
    """The link as an SVG image: dark on white in either theme, as cameras want it."""
    return segno.make(link, error="m").svg_inline(dark="#000", light="#fff", border=3, scale=8)


def _open() -> None:
    try:
        open_room()
    except ValueError as error:
        st.session_state[FULL] = str(error)


def _show_students() -> None:
    room = my_room()
    if room is None:
        st.rerun()  # the room has ended
        return
    here = "1 phone is" if room.students == 1 else f"{room.students} phones are"
    st.markdown(f"**{here} here.**")
    st.caption(f"The room ends in {time_left(room)}.")


def time_left(room: Room) -> str:
    """How long a room is open still: "2 h 5 min"."""
    hours, minutes = divmod(ROOMS.minutes_left(room), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
