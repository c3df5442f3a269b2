"""All lessons: what each is for, and what a teacher needs."""

import streamlit as st

from mwem_app.course.learn.lessons import LESSONS, class_link, link_to
from mwem_app.page import problem

TEACHER = (
    "Everyone who opens a link sees the same data, the same draws and the same numbers; another seed gives other "
    "draws. No account is needed, and nothing that a learner does is stored. Each lesson has a handout and the "
    "learner's own answers at its foot, and a switch for a projector at its top."
)


def show_index() -> None:
    """List the lessons, and below them what a teacher wants to know before a class."""
    with st.container(key="lesson"):
        st.title("Learn", anchor=False)
        st.markdown(
            "Nine lessons of ten minutes. They tell one story, from an attack to a release with many questions; each "
            "also works alone."
        )
        for number, lesson in enumerate(LESSONS, 1):
            with st.container(key=f"card_{lesson.path}", gap="xxsmall"):
                link_to(lesson, f"{number}. {lesson.title}")
                st.caption(lesson.aim[0].upper() + lesson.aim[1:])
        with st.expander("For the teacher", icon=":material/co_present:"):
            _show_teacher()


def _show_teacher() -> None:
    st.markdown(TEACHER)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        lesson = st.selectbox("Lesson", LESSONS, format_func=lambda each: each.title, key="class_lesson")
        seed = st.number_input("Seed", 0, 10**6, 1, key="class_seed", width=160)
    st.caption("The link for your class:")
    link = class_link(lesson, int(seed))
    st.code(link.url, language=None)
    if link.trouble:
        problem(link.trouble)
    st.markdown(f"**Before it:** {lesson.needs}")
    st.caption(
        "The expected answers are not on these pages, which your class reads too: docs/teacher.md says how to get them."
    )
