"""This session's seat in the room of a live class, and what a tab gets back after a reload."""

from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

from mwem_app.course.classroom.room import Room
from mwem_app.course.classroom.rooms import ROOMS, Seat
from mwem_app.session import forget_locks, locks_text, restore_locks, state

SEAT = "_seat"  # None once it was given up; it stays when its room ends


def my_seat() -> Seat | None:
    """The seat of this session, as long as its room is open."""
    seat = st.session_state.get(SEAT)
    return seat if seat is not None and ROOMS.room(seat) else None


def my_room() -> Room | None:
    """The room that this session's seat is in."""
    seat = my_seat()
    return None if seat is None else ROOMS.room(seat)


def ended_seat() -> Seat | None:
    """The seat that this session had when its room ended: closed, over, or lost with the server's memory."""
    seat = st.session_state.get(SEAT)
    return seat if seat is not None and ROOMS.room(seat) is None else None


def is_teacher() -> bool:
    """Whether this session is the teacher of a room."""
    seat = my_seat()
    return seat is not None and seat.teacher


def open_room() -> None:
    """Open a room and take its teacher's seat. Raises ValueError if there are too many rooms.

    What the teacher predicted before is forgotten, so that no lesson shows its answer beside the class's predictions
    until the teacher locks in again.
    """
    st.session_state[SEAT] = ROOMS.open()
    forget_locks()


def give_up() -> None:
    """Leave the room: a student's answers are forgotten; with the teacher the room ends."""
    seat, room = my_seat(), my_room()
    if seat is not None and room is not None:
        if seat.teacher:
            ROOMS.close(seat)
        else:
            room.leave(seat.token)
    st.session_state[SEAT] = None


def seat_text() -> str | None:
    """What the tab must remember to find its seat after a reload; empty to forget it, None if nothing is known yet."""
    if SEAT not in st.session_state:
        return None
    seat = my_seat()
    return "" if seat is None else seat.text


def restore(text: str) -> None:
    """Take the seat that this tab had before a reload. If its room has ended, that is `ended`."""
    if SEAT not in st.session_state:
        st.session_state[SEAT] = Seat.of(text)


KEY = "reload"
LOST_MESSAGE = (
    "What you did in this tab before is no longer on the server: your upload and your runs are gone, and the count of "
    "ε starts again at 0. Add to it what you have spent on the same table."
)

_mount = component("mwem_reload", js=Path(__file__).with_name("reload.js").read_text(encoding="utf-8"))


def survive_reload() -> None:
    """Keep what the session has made, and let the tab remember where: before every page.

    A tab that is new sends nothing back, so its first page is drawn without a second run.
    """
    before = {"token": state.keep() or None, "seat": seat_text(), "locked": locks_text()}
    with st.container(key=KEY + "_place"):
        _mount(key=KEY, data=before, on_before_change=_restore)
    if state.is_lost():
        st.info(LOST_MESSAGE, icon=":material/history:")


def _restore() -> None:
    before = st.session_state[KEY].before
    if not isinstance(before, dict):
        return
    for name, take_back in (("token", state.restore), ("seat", restore), ("locked", restore_locks)):
        if isinstance(text := before.get(name), str):
            take_back(text)
