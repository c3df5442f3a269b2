"""The frame of a lesson: its title and aim above, the next lesson below, and a mode for a projector."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from mwem_app.base import EXAMPLE
from mwem_app.course.learn.class_room import show_way_back
from mwem_app.course.learn.lessons import SEED, Lesson, after, class_link, link_to, link_to_all
from mwem_app.course.learn.record import noted, results, start
from mwem_app.page import download, show_badge
from mwem_app.session import state

PROJECTOR = "projector"
LARGER = (Path(__file__).parent / "projector.css").read_text(encoding="utf-8")


def begin(lesson: Lesson) -> int:
    """Open a lesson; returns the seed of its draws, which the address fixes so that every screen agrees."""
    start(lesson)
    st.set_page_config(page_title=f"{lesson.title} · MWEM Explorer")
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.title(lesson.title, anchor=False, width="content")
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            show_badge(EXAMPLE)
            switch_projector()
    st.markdown(f"After ten minutes you will be able to {lesson.aim}")
    return read_seed()


def switch_projector() -> None:
    """A switch for a page that many people look at from afar."""
    if st.toggle("Projector", key=PROJECTOR, bind=state.BIND, help="Larger type, without the links of the app."):
        st.html(f"<style>{LARGER}</style>")


def read_seed() -> int:
    """The seed in the address, 1 without one. Everyone who opens the same link sees the same draws."""
    text = st.query_params.get(SEED, "1")
    return int(text) % 2**32 if text.isascii() and text.isdigit() else 1


def end(lesson: Lesson, handout: Callable[[Lesson, int, str], str]) -> None:
    """Close a lesson: where to go from here, and what to take along, with the handout of a seed and a link.

    The files are given as functions, called on a click: they have what was answered since, and a file given itself has
    a new address after every answer, so that a browser that looks for the old one reports an error.
    """
    notes, seed = noted(), read_seed()
    with st.container(horizontal=True, vertical_alignment="center", key="aside"):
        following = after(lesson)
        if following:
            link_to(following, f"Next: {following.title}")
        link_to_all()
        show_way_back()
        download(
            "Handout to print",
            lambda: handout(lesson, seed, class_link(lesson, seed).url),
            f"{lesson.path}.html",
            "text/html",
            icon=":material/print:",
            type="tertiary",
        )
        download(
            "My answers",
            lambda: results(notes),
            "answers.csv",
            "text/csv",
            icon=":material/download:",
            type="tertiary",
        )
