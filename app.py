"""The server of MWEM Explorer: its pages, and the small page of a live class for students' phones.

`streamlit run app.py` finds the `App` in this file and serves it; for every visitor of a page it runs `explorer.py`.
"""

from pathlib import Path

import streamlit as st
from streamlit.starlette import App

from mwem_app.classroom.routes import routes
from mwem_app.serving import open_browser

app = App(
    Path(__file__).with_name("explorer.py"), routes=routes(st.get_option("server.baseUrlPath")), lifespan=open_browser
)
