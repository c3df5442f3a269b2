"""After a reload the tab gets back its upload, its runs and their count of ε, its seat in a class, its predictions."""

from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

from mwem_app.course.classroom import seat
from mwem_app.session import locks_text, restore_locks, state

KEY = "reload"
LOST = (
    "What you did in this tab before is no longer on the server: your upload and your runs are gone, and the count of "
    "ε starts again at 0. Add to it what you have spent on the same table."
)

_mount = component("mwem_reload", js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"))


def survive_reload() -> None:
    """Keep what the session has made, and let the tab remember where: before every page.

    A tab that is new sends nothing back, so its first page is drawn without a second run.
    """
    remembered = {"token": state.keep() or None, "seat": seat.remembered(), "locked": locks_text()}
    with st.container(key=KEY + "_place"):
        _mount(key=KEY, data=remembered, on_before_change=_restore)
    if state.is_lost():
        st.info(LOST, icon=":material/history:")


def _restore() -> None:
    before = st.session_state[KEY].before
    if not isinstance(before, dict):
        return
    for name, take_back in (("token", state.restore), ("seat", seat.restore), ("locked", restore_locks)):
        if isinstance(text := before.get(name), str):
            take_back(text)
