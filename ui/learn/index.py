"""All lessons: what each is for, and what a teacher needs."""

import streamlit as st

from ui.learn.lessons import LESSONS, link_to


def show_index() -> None:
    """List the lessons."""
    st.title("Learn", anchor=False)
    for lesson in LESSONS:
        with st.container(border=True):
            link_to(lesson)
            st.markdown(f"You will be able to {lesson.aim}")
