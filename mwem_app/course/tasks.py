"""Predictions and exercises on a page of Streamlit.

A prediction is locked in before the answer is shown: predicting first makes people remember.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from mwem_app.course.blocks import Exercise, PredictChoice, PredictNumber
from mwem_app.course.classroom.class_lessons import post, show_predictions
from mwem_app.course.exercises import DrawnExercise
from mwem_app.course.lesson import PREDICTION, drawing
from mwem_app.session import all_locks, lock, locked_value


def predict(asked: PredictChoice | PredictNumber, *, lesson: str) -> str | int | None:
    """Ask for one of the options, or for a number; returns what was locked in, None before."""
    slot, options = f"{lesson}_{PREDICTION}", asked.options if isinstance(asked, PredictChoice) else ()
    allowed = range(asked.low, asked.high + 1) if isinstance(asked, PredictNumber) else options
    before = locked_value(slot, allowed.__contains__)
    with st.container(border=True, key=f"predict_{slot}"):
        st.markdown("## Predict first")
        if before is not None:
            st.markdown(f"You predicted **{before}**.")
        else:
            if isinstance(asked, PredictChoice):
                value = st.radio(asked.question, options, index=None, key=f"{slot}_ask")
            else:
                value = st.slider(asked.question, asked.low, asked.high, asked.middle, key=f"{slot}_ask")
            if st.button("Lock in", key=f"{slot}_lock", disabled=value is None):
                _lock(lesson, value)
        show_predictions(lesson, options)
    return before


def predict_drawn(sent: int | None, *, lesson: str) -> None:
    """Lock in the first number that a drawing sends."""
    if sent is not None and locked_value(f"{lesson}_{PREDICTION}", lambda value: isinstance(value, int)) is None:
        _lock(lesson, sent)
    show_predictions(lesson, ())


def locked_in(lesson: str) -> Any:
    """What was predicted, None before: what stands above a prediction may show the answer from then on."""
    return all_locks().get(f"{lesson}_{PREDICTION}")


def _lock(lesson: str, value: Any) -> None:
    """Keep and post a prediction, and draw the page anew, with the answer."""
    lock(f"{lesson}_{PREDICTION}", value)
    post(lesson, PREDICTION, value)
    st.rerun()


def exercise(asked: Exercise, *, predicted: bool, key: str) -> None:
    """Ask, and check what is chosen, without drawing the rest of the page again: a whole class checks at once.

    A new choice must be checked anew.
    """
    more = asked.once if predicted else {}
    reasons = {answer: reason + more.get(answer, "") for answer, reason in asked.answers.items()}
    st.fragment(_choose)(asked.question, reasons, asked.right, key)


def drawn_exercise(asked: DrawnExercise, *, lesson: str) -> None:
    """Ask by a drawing, which judges too."""
    key = f"{lesson}_{asked.key}"
    with st.container(border=True, key=f"exercise_{key}"):
        st.markdown("## Exercise")
        drawing("exercise", asked.data, key=key)


def _choose(question: str, answers: Mapping[str, str], right: str, key: str) -> None:
    with st.container(border=True, key=f"exercise_{key}"):
        st.markdown("## Exercise")
        chosen = st.radio(question, list(answers), index=None, key=f"{key}_answer")
        checked = f"{key}_checked"
        if st.button("Check", key=f"{key}_check", disabled=chosen is None):
            st.session_state[checked] = chosen
        if chosen is None or st.session_state.get(checked) != chosen:
            return
        if chosen == right:
            st.success(f"**Right.** {answers[chosen]}", icon=":material/check_circle:")
        else:
            st.warning(f"**Not yet.** {answers[chosen]}", icon=":material/lightbulb:")
