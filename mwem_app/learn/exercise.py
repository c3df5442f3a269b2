"""An exercise: one question, checked by the page, with a reason for every answer."""

from collections.abc import Mapping

import streamlit as st

from mwem_app.learn.blocks import Exercise
from mwem_app.learn.class_room import post_attempt
from mwem_app.learn.record import Task, note


def exercise(asked: Exercise, *, predicted: bool, key: str) -> None:
    """Ask, and check what is answered, without drawing the rest of the page again: a whole class checks at once.

    A new choice must be checked anew.
    """
    more = asked.once if predicted else {}
    reasons = {answer: reason + more.get(answer, "") for answer, reason in asked.answers.items()}
    st.fragment(_exercise)(asked.question, reasons, asked.right, key)


def _exercise(question: str, answers: Mapping[str, str], right: str, key: str) -> None:
    with st.container(border=True, key=f"exercise_{key}"):
        st.markdown("## Exercise")
        chosen = st.radio(question, list(answers), index=None, key=f"{key}_answer")
        checked = f"{key}_checked"
        if st.button("Check", key=f"{key}_check", disabled=chosen is None) and chosen is not None:
            st.session_state[checked] = chosen
            post_attempt(key, chosen, right=chosen == right)
        answer = chosen if st.session_state.get(checked) == chosen else None
        is_right = None if answer is None else answer == right
        note(key, Task("exercise", question, tuple(answers), answer=answer, right=is_right))
        if answer is None:
            return
        if is_right:
            st.success(f"**Right.** {answers[answer]}", icon=":material/check_circle:")
        else:
            st.warning(f"**Not yet.** {answers[answer]}", icon=":material/lightbulb:")
