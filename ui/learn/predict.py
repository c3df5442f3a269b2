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


def _locked(lesson: str, key: str, question: str, options: tuple[str, ...], ask: Callable[[str], Any]) -> Any:
    slot = f"{lesson}_{key}"
    with st.container(border=True, key=f"predict_{slot}"):
        st.markdown("## Predict first")
        if slot not in st.session_state:
            value = ask(f"{slot}_ask")
            if st.button("Lock in", key=f"{slot}_lock", disabled=value is None):
                st.session_state[slot] = value
                post(lesson, key, value)
                st.rerun()
        else:
            st.markdown(f"You predicted **{st.session_state[slot]}**.")
        show_predictions(lesson, key)
    locked = st.session_state.get(slot)
    note(slot, Task("prediction", question, options, answer=None if locked is None else str(locked)))
    return locked
