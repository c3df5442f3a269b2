"""Whether the page may start work: always, but in a public demo, which gives each visitor an allowance."""

import streamlit as st

from mwem_app.page.wording import problem
from mwem_app.session import Allowance, Background, Runner, Taken, Turns, is_demo, state


def may_start(line: Turns | None) -> bool:
    """Whether the visitor may start work in this line now; if not, the page says why. None: it is there already."""
    if is_demo() and (sentence := _allowance().refusal(line)):
        problem(sentence)
        return False
    return True


def count_work(work: Background | Runner | float) -> None:
    """Count work that has just started, or CPU seconds that something is known to take, in the visitor's allowance."""
    if is_demo():
        _allowance().add(Taken(work) if isinstance(work, float | int) else work.taken)


def _allowance() -> Allowance:
    return st.session_state.setdefault(state.ALLOWANCE, Allowance())
