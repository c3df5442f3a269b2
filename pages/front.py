"""The front: a question, what runs of MWEM say to it at every ε, and the way on to a table of one's own."""

import streamlit as st

from mwem_app.front import FRONTS, FULL_SCREEN, front_page, show_front
from mwem_app.inputs import OWN
from mwem_app.page import download
from mwem_app.session import state

state.enter_by_app()
present = st.query_params.get(state.PRESENT) == "true"
if present:
    st.html(FULL_SCREEN)
sent = show_front(present=present)
if sent.own:
    st.switch_page("pages/run.py", query_params={state.TABLE: OWN})
if sent.watch:
    st.session_state[state.WATCH] = True
    across, down = sent.watch["pair"]
    task = {state.TABLE: sent.watch["table"], state.EPSILON: f"{sent.watch['epsilon']:g}"}
    task |= {state.VIEW_X: across, state.VIEW_Y: down}
    st.switch_page("pages/run.py", query_params=task)
if present:
    st.page_link("pages/front.py", label="Leave the projector's view", query_params={})
    st.stop()
with st.popover("More"):
    st.page_link("pages/front.py", label="For a projector", query_params={state.PRESENT: "true"})
    st.caption("A page that opens offline, with the answers of a table:")
    for title in FRONTS:
        name = f"what-privacy-costs-{title.lower().replace(' ', '-')}.html"
        download(title, lambda title=title: front_page(title), name, "text/html", type="tertiary")
