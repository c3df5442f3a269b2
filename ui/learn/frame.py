"""The frame of a lesson: its title and aim above, the next lesson below, and a mode for a projector."""

import streamlit as st

from ui.learn.lessons import Lesson, after, lesson_at, link_to
from ui.session import state

SEED, PROJECTOR = "seed", "projector"
LARGER = "<style>html { font-size: 150% !important; } .st-key-aside { display: none; }</style>"


def begin(path: str) -> tuple[Lesson, int]:
    """Open a lesson; returns it, and the seed of its draws, which the address fixes so that every screen agrees."""
    lesson = lesson_at(path)
    if lesson is None:
        raise ValueError(f"there is no lesson {path!r}")
    st.set_page_config(page_title=f"{lesson.title} · MWEM Explorer")
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.title(lesson.title, anchor=False, width="content")
        projected = st.toggle("Projector", key=PROJECTOR, bind=state.BIND, help="Larger type and fewer controls.")
    if projected:
        st.html(LARGER)
    st.markdown(f"After ten minutes you will be able to {lesson.aim}")
    return lesson, read_seed()


def read_seed() -> int:
    """The seed in the address, 1 without one. Everyone who opens the same link sees the same draws."""
    text = st.query_params.get(SEED, "1")
    return int(text) % 2**32 if text.isascii() and text.isdigit() else 1


def end(lesson: Lesson) -> None:
    """Close a lesson: where to go from here."""
    with st.container(horizontal=True, key="aside"):
        following = after(lesson)
        if following:
            link_to(following, f"Next: {following.title}")
        st.page_link("pages/learn.py", label="All lessons", icon=":material/school:")
