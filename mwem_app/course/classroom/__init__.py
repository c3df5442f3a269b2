"""The students' side of a live class: one small page, and the address that it talks to. No session of Streamlit.

`app.py` adds its routes to Streamlit's server, so it is at the same port, under every command that serves the app.
"""
