"""A prediction that is locked in before the answer is shown: predicting first makes people remember."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from mwem_app.learn.blocks import PredictChoice, PredictNumber
from mwem_app.learn.class_room import PREDICTION, post, show_predictions
from mwem_app.learn.record import Task, note
from mwem_app.session.locked import all_locked, lock, locked


def predict_choice(asked: PredictChoice, *, lesson: str, key: str = PREDICTION) -> str | None:
    """Ask for one of the options; returns the one that was locked in, None before."""
    return _predict(
        *(lesson, key, asked.question, tuple(asked.options), asked.options.__contains__),
        lambda name: st.radio(asked.question, asked.options, index=None, key=name),
    )


def predict_number(asked: PredictNumber, *, lesson: str, key: str = PREDICTION) -> int | None:
    """Ask for a number; returns the one that was locked in, None before."""
    return _predict(
        *(lesson, key, asked.question, (), range(asked.low, asked.high + 1).__contains__),
        lambda name: st.slider(asked.question, asked.low, asked.high, asked.middle, key=name),
    )


def predict_drawn(question: str, sent: int | None, *, lesson: str, key: str = PREDICTION) -> int | None:
    """Lock in the first number that a drawing sends; returns it, None before."""
    before = locked(f"{lesson}_{key}", _is_whole)
    if sent is not None and before is None:
        _lock(lesson, key, question, sent)
    show_predictions(lesson, key, ())
    return _noted(lesson, key, question, (), before)


def locked_in(lesson: str, key: str = PREDICTION) -> Any:
    """What was predicted, None before: what stands above a prediction may show the answer from then on."""
    entry = all_locked().get(f"{lesson}_{key}")
    return None if entry is None else entry.value


def _predict(
    lesson: str,
    key: str,
    question: str,
    options: tuple[str, ...],
    fits: Callable[[Any], bool],
    ask: Callable[[str], Any],
) -> Any:
    slot = f"{lesson}_{key}"
    before = locked(slot, fits)
    with st.container(border=True, key=f"predict_{slot}"):
        st.markdown("## Predict first")
        if before is None:
            value = ask(f"{slot}_ask")
            if st.button("Lock in", key=f"{slot}_lock", disabled=value is None):
                _lock(lesson, key, question, value)
        else:
            st.markdown(f"You predicted **{before}**.")
        show_predictions(lesson, key, options)
    return _noted(lesson, key, question, options, before)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int)


def _lock(lesson: str, key: str, question: str, value: Any) -> None:
    """Keep and post a prediction, and draw the page anew, with the answer."""
    lock(f"{lesson}_{key}", value, lesson=lesson, question=question)
    post(lesson, key, value)
    st.rerun()


def _noted(lesson: str, key: str, question: str, options: tuple[str, ...], value: Any) -> Any:
    """What was locked in, noted for the export."""
    note(f"{lesson}_{key}", Task("prediction", question, options, answer=None if value is None else str(value)))
    return value
