"""MWEM Explorer in the browser: its pages, and beside them the small page of a live class for students' phones.

The server reads this file once, for the `app` in it, and then runs it for every visitor of a page.
"""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.starlette import App

from mwem_app.base import APP
from mwem_app.course import routes, survive_reload
from mwem_app.guards import Guards
from mwem_app.page import check_address, name_unknown, read_address, repeat_address, unseen_heading
from mwem_app.server import open_browser
from mwem_app.session import demo, state, work_limits

ICON, WORDMARK = APP / "icon.svg", APP / "wordmark.svg"  # an icon given by name would be fetched from another server
PAGES = {  # by group, each with its title and icon; a group's name is the word of the navigation that opens
    "Explore": {
        "front": ("What privacy costs", "home"),
        "run": ("Run", "play_circle"),
        "compare": ("Compare", "balance"),
        "trade_off": ("Trade-off", "trending_down"),
    },
    "Your data": {"release": ("Release", "lock_open_right"), "ask": ("Ask", "contact_support")},
    "Learn": {"learn": ("Lessons", "school"), "room": ("Live class", "groups")},
    "Evidence": {"paper": ("The paper", "article"), "scale": ("How it scales", "speed")},
}
TITLES = {name: title for pages in PAGES.values() for name, (title, _) in pages.items()}
WITH_A_TITLE = "front", "learn", "room"  # they show a title, or give an unseen one, by what they have to show


def show_page() -> None:
    """Draw the page that the visitor is at."""
    st.set_page_config(page_title="MWEM Explorer", page_icon=ICON, layout="wide")
    st.logo(WORDMARK, size="large")
    unseen = st.container(key="history")
    with unseen:
        st.html(APP / "page" / "page.css")
        st.html(APP / "page" / "scripts.html", unsafe_allow_javascript=True)

    def entry(name: str, title: str, icon: str) -> st.Page:
        first = name == "front"  # at /
        path, icon = "" if first else None, f":material/{icon}:"
        return st.Page(f"pages/{name}.py", title=title, icon=icon, url_path=path, default=first)

    pages = {group: [entry(name, *look) for name, look in named.items()] for group, named in PAGES.items()}
    page = st.navigation(pages, position="top")
    if state.IN_APP not in st.session_state:
        if work_limits.is_full():
            st.info(demo.FULL, icon=":material/hourglass:")
            st.stop()
        st.session_state[state.IN_APP] = True
        st.rerun()  # a new server has now seen st.navigation, and runs this file for every page from the next run on
    if state.NEW_FILE in st.session_state:
        from mwem_app.inputs import read_new_file  # imported when needed: it takes time

        read_new_file()
    name = page.url_path or "front"
    if name not in WITH_A_TITLE:
        with unseen:
            unseen_heading(TITLES[name])  # page.title is not there in a process that a cluster starts from this file
    st.session_state.pop(state.PAGE_BADGE, None)
    survive_reload()
    repeat_address()
    own = name in ("front", "learn")  # their settings are not those of a run
    if own:
        name_unknown()
    else:
        read_address()
    state.carry_settings(page.url_path)
    # Not page.run(): Streamlit would take the settings out of the address when a page is left, and Back would miss
    # them.
    try:
        file = Path(__file__).parent / "pages" / f"{name}.py"  # not by `runpy`, which knows one thread only
        exec(compile(file.read_text("utf-8"), file, "exec"), {"__name__": "__main__", "__file__": str(file)})
    finally:
        if not own:
            check_address()
        state.update_address()


if get_script_run_ctx(suppress_warning=True) is None:
    inside = routes(st.get_option("server.baseUrlPath"))
    app = App(__file__, routes=inside, middleware=[Middleware(Guards)], lifespan=open_browser)
else:
    show_page()
