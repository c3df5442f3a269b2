"""A part of a page that is drawn again while work goes on."""

from collections.abc import Callable

import streamlit as st

REDRAW_SECONDS = 1.0  # charts are updated in place, yet each redraw costs CPU time


def redraw_while(
    pending: Callable[[], bool], show: Callable[[], None], *, was_pending: bool, every: float = REDRAW_SECONDS
) -> None:
    """Call `show`, and again every so many seconds while `pending()`; once it ends, redraw the whole page.

    `was_pending` says what the page above shows: work that has ended since then still needs that redraw.
    """
    st.fragment(_redraw, run_every=every if was_pending else None)(pending, show, was_pending)


def _redraw(pending: Callable[[], bool], show: Callable[[], None], was_pending: bool) -> None:
    if was_pending and not pending():
        st.rerun()
    show()
