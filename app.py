"""MWEM Explorer in the browser: the pages, and nothing else."""

import streamlit as st

st.set_page_config(page_title="MWEM Explorer", page_icon=":material/stacked_line_chart:", layout="wide")

pages = [
    st.Page("pages/run.py", title="Run", icon=":material/play_circle:", default=True),
]

st.navigation(pages, position="top").run()
