"""MWEM Explorer in the browser: its pages, and nothing else."""

from pathlib import Path

import streamlit as st

from ui.session import state

ICON = Path(__file__).parent / "ui" / "icon.svg"  # an icon given by name would be fetched from another server

st.set_page_config(page_title="MWEM Explorer", page_icon=ICON, layout="wide")

pages = [
    # An empty path, as the browser asks a restarted server for a page by a hash of this path: it must not be a file's.
    st.Page("pages/run.py", title="Run", icon=":material/play_circle:", url_path="", default=True),
    st.Page("pages/run.py", title="Run", url_path="run", visibility="hidden"),  # for addresses that end in /run
    st.Page("pages/compare.py", title="Compare", icon=":material/balance:"),
    st.Page("pages/trade_off.py", title="Trade-off", icon=":material/trending_down:"),
    st.Page("pages/scale.py", title="How it scales", icon=":material/speed:"),
]

st.session_state[state.IN_APP] = True
page = st.navigation(pages, position="top")
state.carry_settings(page.url_path)
try:
    page.run()
finally:
    state.update_address()
