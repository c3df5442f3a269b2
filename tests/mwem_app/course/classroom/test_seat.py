"""A session's seat in a class, and how its tab finds it again after a reload."""

import pytest
import streamlit as st

from mwem_app.course.classroom import rooms, seat


@pytest.fixture(autouse=True)
def session(monkeypatch):
    monkeypatch.setattr(seat, "ROOMS", rooms.Rooms())
    return new_session(monkeypatch)


def new_session(monkeypatch) -> dict:
    session: dict = {}
    monkeypatch.setattr(st, "session_state", session)
    return session


def join(code: str) -> None:
    """As on the students' page, from which the tab brings the seat."""
    st.session_state.pop(seat.SEAT, None)
    seat.restore(seat.ROOMS.join(code).text)


def test_a_visitor_has_no_seat_and_nothing_to_remember():
    assert seat.my_room() is None
    assert not seat.is_teacher()
    assert seat.seat_text() is None


@pytest.mark.parametrize("teacher", [True, False])
def test_after_a_reload_a_tab_has_its_seat_again(monkeypatch, teacher):
    seat.open_room()
    room = seat.my_room()
    if not teacher:
        new_session(monkeypatch)
        join(room.code)
    before, text = seat.my_seat(), seat.seat_text()
    new_session(monkeypatch)
    seat.restore(text)
    assert seat.my_seat() == before
    assert seat.my_room() is room
    assert seat.is_teacher() == teacher
    assert room.students == (0 if teacher else 1)


def test_a_tab_is_told_to_forget_a_seat_that_is_given_up():
    seat.open_room()
    seat.give_up()
    assert seat.my_room() is seat.ended_seat() is None
    assert seat.seat_text() == ""


@pytest.mark.parametrize("teacher", [True, False])
@pytest.mark.parametrize("reload", [True, False])
def test_a_session_knows_the_seat_that_its_room_took_along_also_after_a_reload(monkeypatch, teacher, reload):
    seat.open_room()
    if not teacher:
        join(seat.my_room().code)
    own, text = seat.my_seat(), seat.seat_text()
    assert seat.ended_seat() is None
    monkeypatch.setattr(seat, "ROOMS", rooms.Rooms())  # the server was started again
    if reload:
        new_session(monkeypatch)
        seat.restore(text)
    assert seat.my_room() is None
    assert seat.ended_seat() == own
    assert seat.seat_text() == ""


def test_a_session_with_a_seat_takes_no_other(monkeypatch):
    seat.open_room()
    text = seat.seat_text()
    new_session(monkeypatch)
    seat.open_room()
    own = seat.my_seat()
    seat.restore(text)
    assert seat.my_seat() == own


def test_a_student_who_gives_up_the_seat_leaves_the_room_open(monkeypatch):
    seat.open_room()
    room = seat.my_room()
    new_session(monkeypatch)
    join(room.code)
    seat.give_up()
    assert room.students == 0
    join(room.code)
    assert room.students == 1
