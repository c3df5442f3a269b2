"""The teacher's screen of predictions: send the phones to a lesson, and see what the class predicts."""

import secrets
from collections.abc import Callable
from typing import Any

import streamlit as st

from mwem_app.course.classroom.room import FEWEST, Room
from mwem_app.course.classroom.seat import my_room
from mwem_app.course.learn.class_room import POLL_SECONDS, show_bars
from mwem_app.course.learn.lessons import LESSONS, Lesson, lesson_at, link_to
from mwem_app.page import download
from mwem_core.values import csv_text

CHOSEN = "_class_lesson"
RIGHT = {None: "", True: "yes", False: "no"}


def show_lessons(asked: Callable[[Lesson], Any], room: Room) -> None:
    """Choose a lesson for the phones; below, the predictions of the class in all lessons, `asked` to predict."""
    st.markdown(
        "Each lesson asks for a prediction before it shows the answer. Your students lock theirs in on their phones. "
        f"They are shown here, and in the lesson on your screen, once {FEWEST} have arrived. "
        "The right answer appears in the lesson on your screen, when you lock in a prediction there yourself."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        lesson = st.selectbox("Lesson", LESSONS, format_func=_title, key=CHOSEN)
        st.button("Send the phones there", type="primary", on_click=_send, args=(room,))
        link_to(lesson, "Open it here")
    if isinstance(room.now, str) and (current := lesson_at(room.now)):
        st.markdown(f"The phones show the prediction of **{current.title}**, and a link to it.")
    st.fragment(_show_all, run_every=POLL_SECONDS)(asked)
    download(
        "All attempts",
        lambda: attempts_of(room),
        "attempts.csv",
        "text/csv",
        icon=":material/download:",
        type="tertiary",
    )


def attempts_of(room: Room) -> str:
    """Every prediction and every checked answer to an exercise, as CSV, without names or the order of students.

    Pupils have random numbers, anew in each lesson and in each file: whoever recognises a pupil by one answer learns
    what that pupil tried in this lesson, and nothing of other lessons. What fewer than `FEWEST` pupils have tried is
    left out, for each lesson and each kind apart.
    """
    rows: list[tuple[str, str, int, int, str, str]] = []
    for lesson, by_student in sorted(room.attempts().items()):
        pupils = secrets.SystemRandom().sample(by_student, len(by_student))
        for kind in sorted({attempt.kind for own in pupils for attempt in own}):
            tried = [[attempt for attempt in own if attempt.kind == kind] for own in pupils]
            if sum(map(bool, tried)) >= FEWEST:
                rows += [
                    (lesson, kind, pupil, number, attempt.answer, RIGHT[attempt.right])
                    for pupil, own in enumerate(tried, 1)
                    for number, attempt in enumerate(own, 1)
                ]
    return csv_text(["lesson", "kind", "pupil", "attempt", "answer", "right"], rows)


def _send(room: Room) -> None:
    lesson: Lesson = st.session_state[CHOSEN]  # as it is now: the page may not have been drawn since it was chosen
    room.show(lesson.path)


def _title(lesson: Lesson) -> str:
    return lesson.title


def _show_all(asked: Callable[[Lesson], Any]) -> None:
    room = my_room()
    if room is None:
        st.rerun()  # the room has ended
        return
    for path, key in room.predicted():
        lesson = lesson_at(path)
        st.markdown(f"**{lesson.title if lesson else path}**")
        show_bars(path, key, getattr(lesson and asked(lesson), "options", ()))
