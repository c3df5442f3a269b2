"""A prediction that is locked in before the answer is shown: predicting first makes people remember."""

from collections.abc import Sequence
from typing import Any

import streamlit as st


def predict_choice(question: str, options: Sequence[str], *, lesson: str, key: str = "prediction") -> str | None:
    """Ask for one of the options; returns the one that was locked in, None before."""
    return _locked(lesson, key, lambda name: st.radio(question, options, index=None, key=name))


def predict_number(
    question: str, low: int, high: int, *, lesson: str, key: str = "prediction", step: int = 1
) -> int | None:
    """Ask for a number from `low` to `high`; returns the one that was locked in, None before."""
    start = low + (high - low) // 2 // step * step
    return _locked(lesson, key, lambda name: st.slider(question, low, high, start, step=step, key=name))


def _locked(lesson: str, key: str, ask: Any) -> Any:
    slot = f"{lesson}_{key}"
    with st.container(border=True, key=f"predict_{slot}"):
        st.markdown("##### Predict first")
        if slot in st.session_state:
            st.markdown(f"You predicted **{st.session_state[slot]}**.")
            return st.session_state[slot]
        value = ask(f"{slot}_ask")
        if st.button("Lock in", key=f"{slot}_lock", disabled=value is None):
            st.session_state[slot] = value
            st.rerun()
    return None
