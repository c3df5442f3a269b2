"""The teacher's screens of a class: its door, with a link and a QR code, and a question by coins."""

import numpy as np
import segno
import streamlit as st

from mwem_app.base import three_digits
from mwem_app.course.classroom.class_lessons import ADDRESS, CLASS, POLL_SECONDS
from mwem_app.course.classroom.room import MAX_TEXT, Question, Room
from mwem_app.course.classroom.rooms import HOURS, ROOMS, readable_code
from mwem_app.course.classroom.seat import ended_seat, give_up, my_room, open_room
from mwem_app.course.lesson import drawing
from mwem_app.page import place, plain, problem
from mwem_core.privacy import RandomisedResponse, Seeded

DOOR_SECONDS = 2.0  # from one count of the phones to the next
FULL = "_rooms_full"
USES = """
- **Coins.** Ask a sensitive question. Coins protect every student, and the share of the class still comes out.
- **Predictions.** Send the phones to a lesson. Predictions arrive on your screen before the answer is shown.
- **The class as a table.** Everyone answers five questions. MWEM releases the class, and a class 100 times as large.
"""
PRIVACY_NOTE = (
    "No account and no name. What you send is in this server's memory alone, not on a disk, until the teacher closes "
    f"the room, {HOURS} hours at most. It is not logged."
)
END_REASONS = (
    f"it was closed, its {HOURS} hours are over, or the server was started again. Everything in it is deleted."
)


def show_opening() -> None:
    """What a class can do together, and the button that opens a room."""
    st.title("Live class", anchor=False)
    if (seat := ended_seat()) and seat.teacher:
        st.warning(
            f"**Your class has ended:** {END_REASONS} Open a new room: it has a new code, and your "
            "students join again.",
            icon=":material/event_busy:",
        )
    st.markdown("Your students join by phone with a link, and you watch their answers arrive. Three things to do:")
    st.markdown(USES)
    st.button("Open a room", type="primary", icon=":material/groups:", on_click=_open)
    if FULL in st.session_state:
        problem(st.session_state.pop(FULL))
    if trouble := place(ADDRESS).trouble:
        problem(trouble)
    st.caption(PRIVACY_NOTE)


def show_door(room: Room) -> None:
    """The way into the room, to be read from the last row."""
    link = place(ADDRESS, room=readable_code(room.code))
    if link.trouble:
        problem(link.trouble)
    else:
        st.image(qr_code(link.url), width="stretch", alt=f"QR code of {link.url}")
        st.markdown(f"Scan, or open **{plain(link.url.partition('?')[0].partition('//')[2])}** and type the code")
        if link.needs:
            st.caption(link.needs)
    with st.container(key="class_code"):
        st.header(readable_code(room.code), anchor=False)
    st.fragment(_show_students, run_every=DOOR_SECONDS)()
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


EXAMPLE = "Have you ever handed in work that was not your own?"
FIRST_COINS = 0.25, 0.5, 0.75, 0.9
PRIORS = 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9
STUDENTS, TRUE_YES, SEED = 30, 12, 1  # of the simulated class
TEXT, COIN = "_coin_question", "_first_coin"


def show_coins(room: Room) -> None:
    """The last question with its answers, and a form for the next."""
    question = room.last_question("coins")
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
        scripts=CLASS,
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
