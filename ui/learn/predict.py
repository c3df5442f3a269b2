"""A prediction that is locked in before the answer is shown: predicting first makes people remember."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from ui.learn.record import Task, note


def predict_choice(question: str, options: Sequence[str], *, lesson: str, key: str = "prediction") -> str | None:
    """Ask for one of the options; returns the one that was locked in, None before."""
    slot = f"{lesson}_{key}"
    return _locked(slot, question, tuple(options), lambda: st.radio(question, options, index=None, key=f"{slot}_ask"))


def predict_number(
    question: str, low: int, high: int, *, lesson: str, key: str = "prediction", step: int = 1
) -> int | None:
    """Ask for a number from `low` to `high`; returns the one that was locked in, None before."""
    slot, middle = f"{lesson}_{key}", low + (high - low) // 2 // step * step
    return _locked(slot, question, (), lambda: st.slider(question, low, high, middle, step=step, key=f"{slot}_ask"))


def _locked(slot: str, question: str, options: tuple[str, ...], ask: Callable[[], Any]) -> Any:
    with st.container(border=True, key=f"predict_{slot}"):
        st.markdown("##### Predict first")
        if slot not in st.session_state:
            value = ask()
            if st.button("Lock in", key=f"{slot}_lock", disabled=value is None):
                st.session_state[slot] = value
                st.rerun()
        else:
            st.markdown(f"You predicted **{st.session_state[slot]}**.")
    locked = st.session_state.get(slot)
    note(slot, Task("prediction", question, options, answer=None if locked is None else str(locked)))
    return locked
