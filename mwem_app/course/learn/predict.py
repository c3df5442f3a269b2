"""A prediction that is locked in before the answer is shown: predicting first makes people remember."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from mwem_app.course.learn.blocks import PredictChoice, PredictNumber
from mwem_app.course.learn.class_room import PREDICTION, post, show_predictions
from mwem_app.course.learn.record import Task, note
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
                _lock(lesson, asked.question, value)
        show_predictions(lesson, options)
    return _noted(lesson, asked.question, options, before)


def predict_drawn(question: str, sent: int | None, *, lesson: str) -> int | None:
    """Lock in the first number that a drawing sends; returns it, None before."""
    before = locked_value(f"{lesson}_{PREDICTION}", lambda value: isinstance(value, int))
    if sent is not None and before is None:
        _lock(lesson, question, sent)
    show_predictions(lesson, ())
    return _noted(lesson, question, (), before)


def locked_in(lesson: str) -> Any:
    """What was predicted, None before: what stands above a prediction may show the answer from then on."""
    entry = all_locks().get(f"{lesson}_{PREDICTION}")
    return None if entry is None else entry.value


def _lock(lesson: str, question: str, value: Any) -> None:
    """Keep and post a prediction, and draw the page anew, with the answer."""
    lock(f"{lesson}_{PREDICTION}", value, lesson=lesson, question=question)
    post(lesson, PREDICTION, value)
    st.rerun()


def _noted(lesson: str, question: str, options: Sequence[str], value: Any) -> Any:
    """What was locked in, noted for the export."""
    answer = None if value is None else str(value)
    note(f"{lesson}_{PREDICTION}", Task("prediction", question, tuple(options), answer=answer))
    return value
