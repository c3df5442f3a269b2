"""A lesson in a live class: predictions go to the teacher's screen, and students find their way back."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import streamlit as st

from ui.learn.drawing import drawing
from ui.session.room import Prediction
from ui.session.seat import is_teacher, my_room, my_seat

POLL_SECONDS = 0.5
MAX_BARS = 12  # of different numbers; more of them are counted in intervals


def post(lesson: str, key: str, value: Prediction) -> None:
    """Send this session's prediction to the teacher of its room, if it is a student's."""
    room, seat = my_room(), my_seat()
    if room is not None and seat is not None and not seat.teacher:
        room.predict(seat.token, lesson, key, value)


def arrived(lesson: str, key: str) -> list[Prediction]:
    """The predictions of the class for a key of a lesson, on the teacher's screen; none on any other."""
    room = my_room()
    return room.predictions(lesson, key) if room is not None and is_teacher() else []


def show_predictions(lesson: str, key: str) -> None:
    """On the teacher's screen: the predictions of the class as they arrive."""
    if is_teacher():
        st.fragment(_show, run_every=POLL_SECONDS)(lesson, key)


def show_bars(lesson: str, key: str) -> None:
    """Bars of the predictions that have arrived by now."""
    values = arrived(lesson, key)
    drawing("arrivals", {"bars": bars(values), "total": len(values)}, key=f"arrivals_{lesson}_{key}")


def bars(values: Sequence[Prediction]) -> list[tuple[str, int]]:
    """Each prediction with how often it was made. Numbers are in order; many different ones are put into intervals.

    >>> bars([3, 1, 3]), bars(["b", "a", "b"])
    ([('1', 1), ('3', 2)], [('b', 2), ('a', 1)])
    """
    numbers = [float(value) for value in values if not isinstance(value, str)]
    if len(numbers) < len(values):
        return [(str(value), count) for value, count in Counter(values).most_common()]
    if len(set(numbers)) <= MAX_BARS:
        return [(f"{value:g}", count) for value, count in sorted(Counter(numbers).items())]
    counts, edges = np.histogram(numbers, bins=MAX_BARS)
    return [
        (f"{low:.3g} to {high:.3g}", count)
        for low, high, count in zip(edges[:-1], edges[1:], counts.tolist(), strict=True)
    ]


def _show(lesson: str, key: str) -> None:
    st.markdown("**Your class predicts**")
    show_bars(lesson, key)


def show_way_back() -> None:
    """On a student's phone: the link back to the class."""
    if my_room() is not None and not is_teacher():
        st.page_link("pages/join.py", label="Back to the class", icon=":material/groups:")
