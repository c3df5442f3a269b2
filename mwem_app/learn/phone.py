"""A student's phone in a live class: what the teacher shows now."""

import streamlit as st

from mwem_app.learn.drawing import drawing
from mwem_app.learn.lessons import lesson_at, link_to
from mwem_app.session.room import FEWEST, Question, Room
from mwem_app.session.seat import my_room, my_seat
from mwem_app.words.numbers import three_digits
from mwem_core.privacy.randomised_response import RandomisedResponse

POLLS_PER_SECOND = 15  # of all phones of a room together
SOONEST = 1.5  # seconds


def show_phone(room: Room) -> None:
    """Show what the teacher has put up, and change with it. The more phones, the less often each of them asks."""
    st.fragment(_show_now, run_every=max(SOONEST, room.students / POLLS_PER_SECOND))()


def _show_now() -> None:
    room = my_room()
    if room is None:
        st.rerun()  # the room has ended
    elif room.now is None:
        st.markdown("You are in. **Wait for the teacher.**")
    elif isinstance(room.now, Question):
        _ask(room, room.now)
    elif lesson := lesson_at(room.now):
        st.markdown(
            "The class is in a lesson. Open it here. Your predictions are sent without a name; the teacher sees them "
            f"as bars, once {FEWEST} have arrived."
        )
        link_to(lesson)


def _ask(room: Room, question: Question) -> None:
    seat, key = my_seat(), f"question_{room.code}_{question.number}"
    assert seat is not None
    answer = getattr(st.session_state.get(key), "sent", None)  # known before the drawing says that it arrived
    if isinstance(answer, list):
        room.answer(seat.token, question.number, tuple(answer))
    coins = RandomisedResponse(question.epsilon) if question.epsilon else None
    drawing(
        "phone",
        {
            "number": question.number,
            "texts": question.texts,
            "first_coin": coins and coins.first_coin,
            "odds": coins and three_digits(coins.odds),
            "sent": room.answer_of(seat.token, question.number),
            "fewest": FEWEST,
            "closed": room.is_closed(question.number),
        },
        key=key,
    )
    spent = room.spent_by_coins(seat.token)
    if coins and spent > coins.epsilon:
        st.caption(f"All your answers by coins together cost ε = {three_digits(spent)}.")
