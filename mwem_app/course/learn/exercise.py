"""An exercise on a page: what is answered is checked by the page, and every attempt is noted."""

from collections.abc import Mapping

import streamlit as st

from mwem_app.course.learn.blocks import Exercise
from mwem_app.course.learn.class_room import post_attempt
from mwem_app.course.learn.drawing import draw_again, drawing
from mwem_app.course.learn.exercises.kinds import DrawnExercise, message
from mwem_app.course.learn.record import attempt, note_exercise


def exercise(asked: Exercise, *, predicted: bool, key: str) -> None:
    """Ask, and check what is chosen, without drawing the rest of the page again: a whole class checks at once.

    A new choice must be checked anew.
    """
    more = asked.once if predicted else {}
    reasons = {answer: reason + more.get(answer, "") for answer, reason in asked.answers.items()}
    note_exercise(key, asked.question, tuple(reasons))
    st.fragment(_choose)(asked.question, reasons, asked.right, key)


def drawn_exercise(asked: DrawnExercise, *, lesson: str) -> None:
    """Ask by a drawing, which sends what is to be checked, without drawing the rest of the page again."""
    key = f"{lesson}_{asked.key}"
    note_exercise(key, asked.question)
    st.fragment(_draw)(asked, key, lesson)


def _choose(question: str, answers: Mapping[str, str], right: str, key: str) -> None:
    with st.container(border=True, key=f"exercise_{key}"):
        st.markdown("## Exercise")
        chosen = st.radio(question, list(answers), index=None, key=f"{key}_answer")
        checked = f"{key}_checked"
        pressed = st.button("Check", key=f"{key}_check", disabled=chosen is None)
        if chosen is None:
            return
        if pressed:
            st.session_state[checked] = chosen
            attempt(key, chosen, right=chosen == right)
            post_attempt(key, chosen, right=chosen == right)
        if st.session_state.get(checked) != chosen:
            return
        if chosen == right:
            st.success(f"**Right.** {answers[chosen]}", icon=":material/check_circle:")
        else:
            st.warning(f"**Not yet.** {answers[chosen]}", icon=":material/lightbulb:")


def _draw(asked: DrawnExercise, key: str, lesson: str) -> None:
    checked = f"{key}_checked"
    with st.container(border=True, key=f"exercise_{key}"):
        st.markdown("## Exercise")
        sent = drawing(asked.name, message(asked, st.session_state.get(checked)), key=key)
    match sent:
        case {"answer": answer} if asked.fits(answer):  # a browser may send any
            st.session_state[checked] = answer
            words, right = asked.in_words(answer), all(finding.right for finding in asked.verdict(answer))
            attempt(key, words, right=right)
            post_attempt(lesson, words, right=right, kind=asked.data["kind"])
            draw_again()
