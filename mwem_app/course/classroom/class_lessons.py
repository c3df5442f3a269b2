"""Predictions of a live class: students send theirs from a lesson, and the teacher sees them arrive."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from mwem_app.course.classroom.room import FEWEST, Prediction, Room
from mwem_app.course.classroom.seat import ended_seat, is_teacher, my_room, my_seat
from mwem_app.course.lesson import LESSONS, PREDICTION, Lesson, drawing, lesson_at, link_to

POLL_SECONDS = 0.5
ADDRESS = "class"  # the address of the students' page
CLASS = (Path(__file__).with_name("class.js"),)  # the drawings of the teacher's screens
MAX_BARS = 12  # of different numbers; more of them are counted in intervals


def post(lesson: str, key: str, value: Prediction) -> None:
    """Send this session's prediction to the teacher of its room, if it is a student's."""
    room, seat = my_room(), my_seat()
    if room is not None and seat is not None and not seat.teacher:
        room.predict(seat.token, lesson, key, value)


def class_predictions(lesson: str, key: str) -> list[Prediction]:
    """The predictions of the class for a key of a lesson, on the teacher's screen; none on any other."""
    room = my_room()
    return room.predictions(lesson, key) if room is not None and is_teacher() else []


def show_predictions(lesson: str, options: Sequence[str]) -> None:
    """On the teacher's screen: the predictions of the class as they arrive."""
    if is_teacher():
        st.fragment(_show, run_every=POLL_SECONDS)(lesson, options)


def show_bars(lesson: str, key: str, options: Sequence[str]) -> None:
    """Bars of the predictions that have arrived by now, once there are enough of them."""
    values = class_predictions(lesson, key)
    n = len(values)
    data = {
        "bars": prediction_bars(values, options) if n >= FEWEST else [],
        "total": n,
        "needed": still_needed(n, "predictions"),
    }
    drawing("arrivals", data, key=f"arrivals_{lesson}_{key}", scripts=CLASS)


def still_needed(n: int, things: str) -> str:
    """How many more must arrive before anything is shown of them; empty if there are enough.

    >>> still_needed(7, "answers"), still_needed(10, "answers")
    ('They are shown from 10 answers on: 3 more are needed.', '')
    """
    more = FEWEST - n
    return f"They are shown from {FEWEST} {things} on: {more} more {'is' if more == 1 else 'are'} needed." * (more > 0)


def prediction_bars(values: Sequence[Prediction], options: Sequence[str] = ()) -> list[tuple[str, int]]:
    """How often each prediction was made, in the order of the options; texts that are no option come last.

    Numbers are in order; many different ones are put into intervals.

    >>> prediction_bars([3, 1, 3]), prediction_bars(["b", "a", "b"], ["a", "b", "c"])
    ([('1', 1), ('3', 2)], [('a', 1), ('b', 2), ('c', 0)])
    """
    numbers = [float(value) for value in values if not isinstance(value, str)]
    if len(numbers) < len(values):
        texts = dict.fromkeys([*options, *sorted(map(str, values))])
        return [(text, values.count(text)) for text in texts]
    if len(set(numbers)) <= MAX_BARS:
        return [(f"{value:g}", count) for value, count in sorted(Counter(numbers).items())]
    counts, edges = np.histogram(numbers, bins=MAX_BARS)
    return [
        (f"{low:.3g} to {high:.3g}", count)
        for low, high, count in zip(edges[:-1], edges[1:], counts.tolist(), strict=True)
    ]


def _show(lesson: str, options: Sequence[str]) -> None:
    st.markdown("**Your class predicts**")
    show_bars(lesson, PREDICTION, options)


def show_way_back() -> None:
    """In a lesson, on a student's phone: the link back to the class, or that the class has ended."""
    if (seat := ended_seat()) and not seat.teacher:
        _link_to_class("The class has ended")
    elif my_room() is not None and not is_teacher():
        _link_to_class("Back to the class")


def _link_to_class(label: str) -> None:
    """A link that stays in this tab, which has the seat: `st.page_link` opens what is no page in another."""
    st.html(f'<a class="to-class" href="{ADDRESS}" target="_self">{label}</a>')


LESSON_KEY = "_class_lesson"


def show_lessons(asked: Callable[[Lesson], Any], room: Room) -> None:
    """Choose a lesson for the phones; below, the predictions of the class in all lessons, `asked` to predict."""
    st.markdown(
        "Each lesson asks for a prediction before it shows the answer. Your students lock theirs in on their phones. "
        f"They are shown here, and in the lesson on your screen, once {FEWEST} have arrived. "
        "The right answer appears in the lesson on your screen, when you lock in a prediction there yourself."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        lesson = st.selectbox("Lesson", LESSONS, format_func=_title, key=LESSON_KEY)
        st.button("Send the phones there", type="primary", on_click=_send, args=(room,))
        link_to(lesson, "Open it here")
    if isinstance(room.now, str) and (current := lesson_at(room.now)):
        st.markdown(f"The phones show the prediction of **{current.title}**, and a link to it.")
    st.fragment(_show_all, run_every=POLL_SECONDS)(asked)


def _send(room: Room) -> None:
    lesson: Lesson = st.session_state[LESSON_KEY]  # as it is now: the page may not have been drawn since it was chosen
    room.show(lesson.path)


def _title(lesson: Lesson) -> str:
    return lesson.title


def _show_all(asked: Callable[[Lesson], Any]) -> None:
    room = my_room()
    if room is None:
        st.rerun()  # the room has ended
        return
    for path, key in room.prediction_keys():
        lesson = lesson_at(path)
        st.markdown(f"**{lesson.title if lesson else path}**")
        show_bars(path, key, getattr(lesson and asked(lesson), "options", ()))
