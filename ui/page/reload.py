"""After a reload: the tab gets back its upload, its runs and their count of ε, or is told that they are gone."""

from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

from ui.session import state

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
    token = state.keep()
    with st.container(key=KEY + "_place"):
        _mount(key=KEY, data={"token": token}, on_token_change=_restore)
    if state.is_lost():
        st.info(LOST, icon=":material/history:")


def _restore() -> None:
    token = st.session_state[KEY].token
    if isinstance(token, str):
        state.restore(token)
