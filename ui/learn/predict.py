"""A prediction that is locked in before the answer is shown: predicting first makes people remember."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from ui.learn.class_room import post, show_predictions
from ui.learn.record import Task, note


def predict_choice(question: str, options: Sequence[str], *, lesson: str, key: str = "prediction") -> str | None:
    """Ask for one of the options; returns the one that was locked in, None before."""
    return _locked(
        lesson, key, question, tuple(options), lambda name: st.radio(question, options, index=None, key=name)
    )


def predict_number(
    question: str, low: int, high: int, *, lesson: str, key: str = "prediction", step: int = 1
) -> int | None:
    """Ask for a number from `low` to `high`; returns the one that was locked in, None before."""
    middle = low + (high - low) // 2 // step * step
    return _locked(lesson, key, question, (), lambda name: st.slider(question, low, high, middle, step=step, key=name))


def predict_drawn(question: str, sent: int | None, *, lesson: str, key: str = "prediction") -> int | None:
    """Lock in the first number that a drawing sends; returns it, None before."""
    slot = f"{lesson}_{key}"
    if sent is not None and slot not in st.session_state:
        _lock(lesson, key, sent)
    show_predictions(lesson, key)
    return _noted(slot, question, ())


def is_locked(lesson: str, key: str = "prediction") -> bool:
    """Whether this prediction is locked in: what stands above it may show the answer from then on."""
    return f"{lesson}_{key}" in st.session_state


def _locked(lesson: str, key: str, question: str, options: tuple[str, ...], ask: Callable[[str], Any]) -> Any:
    slot = f"{lesson}_{key}"
    with st.container(border=True, key=f"predict_{slot}"):
        st.markdown("## Predict first")
        if slot not in st.session_state:
            value = ask(f"{slot}_ask")
            if st.button("Lock in", key=f"{slot}_lock", disabled=value is None):
                _lock(lesson, key, value)
        else:
            st.markdown(f"You predicted **{st.session_state[slot]}**.")
        show_predictions(lesson, key)
    return _noted(slot, question, options)


def _lock(lesson: str, key: str, value: Any) -> None:
    """Keep and post a prediction, and draw the page anew, with the answer."""
    st.session_state[f"{lesson}_{key}"] = value
    post(lesson, key, value)
    st.rerun()


def _noted(slot: str, question: str, options: tuple[str, ...]) -> Any:
    """What was locked in, noted for the handout and the export."""
    locked = st.session_state.get(slot)
    note(slot, Task("prediction", question, options, answer=None if locked is None else str(locked)))
    return locked
