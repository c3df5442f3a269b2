"""The teacher's screen of predictions: send the phones to a lesson, and see what the class predicts."""

import streamlit as st

from mwem_app.learn.class_room import POLL_SECONDS, show_bars
from mwem_app.learn.lessons import LESSONS, Lesson, lesson_at, link_to
from mwem_app.page.download import download
from mwem_app.session.room import FEWEST, Room
from mwem_app.session.seat import my_room
from mwem_core.domain.csv_cell import csv_text

CHOSEN = "_class_lesson"


def show_lessons(room: Room) -> None:
    """Choose a lesson for the phones; below, the predictions of the class in every lesson."""
    st.markdown(
        "Each lesson asks for a prediction before it shows the answer. Your students lock theirs in on their phones. "
        f"They are shown here, and in the lesson on your screen, once {FEWEST} have arrived. "
        "The right answer appears in the lesson on your screen, when you lock in a prediction there yourself."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        lesson = st.selectbox("Lesson", LESSONS, format_func=_title, key=CHOSEN)
        st.button("Send the phones there", type="primary", on_click=_send, args=(room, lesson))
        link_to(lesson, "Open it here")
    if isinstance(room.now, str) and (current := lesson_at(room.now)):
        st.markdown(f"The phones show a link to **{current.title}**.")
    st.fragment(_show_all, run_every=POLL_SECONDS)()
    download(
        "All predictions",
        lambda: predictions_of(room),
        "predictions.csv",
        "text/csv",
        icon=":material/download:",
        type="tertiary",
    )


def predictions_of(room: Room) -> str:
    """The predictions of the class so far, as CSV, without the students who made them or their order.

    Those of a lesson are left out as long as they are too few to be shown.
    """
    by_lesson = [(path, room.predictions(path, key)) for path, key in room.predicted()]
    rows = [(path, value) for path, values in by_lesson if len(values) >= FEWEST for value in sorted(values, key=str)]
    return csv_text(["lesson", "prediction"], rows)


def _send(room: Room, lesson: Lesson) -> None:
    room.now = lesson.path


def _title(lesson: Lesson) -> str:
    return lesson.title


def _show_all() -> None:
    room = my_room()
    if room is None:
        st.rerun()  # the room has ended
        return
    for path, key in room.predicted():
        lesson = lesson_at(path)
        st.markdown(f"**{lesson.title if lesson else path}**")
        show_bars(path, key)
