"""The teacher's screen of randomised response: ask, and watch the answers arrive."""

import numpy as np
import streamlit as st

from mwem_app.base import three_digits
from mwem_app.course.classroom.room import MAX_TEXT, Question, Room
from mwem_app.course.classroom.seat import my_room
from mwem_app.course.learn.class_room import POLL_SECONDS
from mwem_app.course.learn.drawing import drawing
from mwem_app.page import plain
from mwem_core.privacy import RandomisedResponse, Seeded

EXAMPLE = "Have you ever handed in work that was not your own?"
FIRST_COINS = 0.25, 0.5, 0.75, 0.9
PRIORS = 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9
STUDENTS, TRUE_YES, SEED = 30, 12, 1  # of the simulated class
TEXT, COIN = "_coin_question", "_first_coin"


def show_coins(room: Room) -> None:
    """The last question with its answers, and a form for the next."""
    question = room.asked("coins")
    if question is not None:
        st.subheader(plain(question.texts[0]), anchor=False)
        st.fragment(_show_answers, run_every=POLL_SECONDS)(question)
        with st.expander("Ask another question", key=f"_another_{question.number}"):  # closed once it is asked
            st.caption("The answers to this one are then forgotten. For your students the ε of both questions add up.")
            _show_form(room)
    else:
        st.markdown(
            "Ask something that nobody would answer with a raised hand. Each phone flips two coins. If the first shows "
            "heads, it sends the truth; otherwise the second coin answers. You see how the class answers, and never "
            "know about a single student."
        )
        _show_form(room)


def _show_form(room: Room) -> None:
    st.text_input("Your yes/no question", EXAMPLE, max_chars=MAX_TEXT, key=TEXT)
    st.radio("The first coin shows heads", FIRST_COINS, index=1, format_func=_name, key=COIN)
    st.button("Ask the class", type="primary", on_click=_ask, args=(room,), disabled=not st.session_state[TEXT].strip())


def _ask(room: Room) -> None:
    room.ask([st.session_state[TEXT].strip()], epsilon=RandomisedResponse.of_coins(st.session_state[COIN]).epsilon)


def _name(first: float) -> str:
    coins = RandomisedResponse.of_coins(first)
    return f"{first:.0%} of the time: ε = {coins.epsilon:.1f}, odds move by {coins.odds:.3g} to 1"


def _show_answers(question: Question) -> None:
    room = my_room()
    if room is None:
        st.rerun()  # the room has ended
        return
    assert question.epsilon is not None
    coins, answers = RandomisedResponse(question.epsilon), room.answers(question.number)
    n, yes = len(answers), sum(answer for (answer,) in answers)
    _draw(coins, yes, n, room.students)


def show_example() -> None:
    """What a teacher will see, with a simulated class."""
    coins, truths = RandomisedResponse.of_coins(1 / 2), np.arange(STUDENTS) < TRUE_YES
    st.header("What you will see", anchor=False)
    st.markdown(
        f"A simulated class of {STUDENTS}, of whom {TRUE_YES} ({TRUE_YES / STUDENTS:.0%}) would truly say yes. Each "
        "flips two fair coins: heads on the first means the truth, otherwise the second answers."
    )
    _draw(coins, int(coins.answers(truths, noise=Seeded(SEED)).sum()), STUDENTS, STUDENTS)


def _draw(coins: RandomisedResponse, yes: int, n: int, students: int) -> None:
    drawing(
        "coins",
        {
            "students": students,
            "n": n,
            "yes": yes,
            "odds": three_digits(coins.odds),
            "beliefs": [
                (prior, coins.belief(prior, answer=True), coins.belief(prior, answer=False)) for prior in PRIORS
            ],
        }
        | (_estimate(coins, yes, n) if n else {}),
        key="coins",
    )


def _estimate(coins: RandomisedResponse, yes: int, n: int) -> dict[str, object]:
    estimate, (low, high) = coins.estimate(yes, n), coins.interval(yes, n)
    p, q = f"{coins.truth:.0%}", f"{1 - coins.truth:.0%}"
    return {
        "estimate": estimate,
        "low": low,
        "high": high,
        "formula": f"A phone whose truth is yes sends yes with probability {p}, any other with {q}. So the estimate is "
        f"({yes}/{n} − {q}) / ({p} − {q}) = {estimate:.0%}.".replace("-", "−")
        + (" Below 0% or above 100%: the coins fell far from their mean." if not 0 <= estimate <= 1 else ""),
    }
