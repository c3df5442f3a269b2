"""The release that is asked: its files are given, read once, and stay in the session; what it is, in a few lines."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from mwem_app.base import count
from mwem_app.inputs import MAX_UPLOAD_BYTES
from mwem_app.page import plain, problem, upload_file
from mwem_app.session import Task, is_demo, state
from mwem_core.ask import LoadedRelease, load_files, unpack

MAX_VALUES = 12  # of an attribute that are listed
EXPLANATION = (
    "Then ask for shares, means, quantiles, differences, odds ratios, correlations, tables and regressions. Each answer"
    " has a 95% interval and says what it rests on, or it is refused and says what to measure next time."
)
HELP = (
    "A release says in its manifest what it promises, and has its noisy measurements. The files stay in this tab of the"
    " app alone, until you leave it."
)


def choose_release() -> LoadedRelease | None:
    """Let the user give the files of a release, if the session has none; and say what it is."""
    release = st.session_state.get(state.LOADED_RELEASE)
    if release is not None:
        _show(release)
        return release
    given = upload_file(
        "Files of a release, or one zip of them",
        key="_ask_files",
        max_upload_size=MAX_UPLOAD_BYTES // 10**6,
        help=HELP,
        accept_multiple_files=True,
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        work: Task[dict[str, bytes]] | None = st.session_state.get(state.RELEASE)
        if work is not None and work.result is not None:
            if st.button("Ask the release that this tab has made", icon=":material/lock_open_right:"):
                problem(_take(work.result))
        elif not is_demo():  # which releases nothing
            st.caption("No release at hand?", width="content")
            st.page_link("pages/release.py", label="Make one of a sample", icon=":material/lock_open_right:")
    st.caption(EXPLANATION)
    if given:
        files = {file.name: file.getvalue() for file in given}
        message = state.remember("release refused", tuple(file.file_id for file in given), lambda: _take(files))
        problem(message)
    return None


def _take(files: Mapping[str, bytes]) -> str:
    """Keep the release of these files, and draw the page again with it; or say why they are none."""
    try:
        st.session_state[state.LOADED_RELEASE] = load_files(unpack(files))
    except ValueError as error:
        return str(error)
    st.rerun()
    return ""


def _forget() -> None:
    for key in (state.LOADED_RELEASE, state.ANSWERS):
        st.session_state.pop(key, None)


def _show(release: LoadedRelease) -> None:
    said, domain = release.facts, release.domain
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{plain(said['Data set'])}**", width="stretch")
        with st.popover(count(len(domain), "attribute"), icon=":material/view_column:", width="content"):
            listed = {a.name: ", ".join(a.labels[:MAX_VALUES]) for a in domain.attributes}
            more = {a.name: f" and {a.size - MAX_VALUES:,} more" for a in domain.attributes if a.size > MAX_VALUES}
            rows = [{"attribute": plain(a), "values": plain(text + more.get(a, ""))} for a, text in listed.items()]
            st.table(pd.DataFrame(rows), border="horizontal", hide_index=True, alt="The attributes and their values")
        st.button("Another release", icon=":material/close:", on_click=_forget, key="_ask_another")
    short = " · ".join(plain(f"{name}: {said[name]}") for name in ("Records", "Questions", "Method"))
    st.caption(f"{short}  \n{plain(said['Guarantee'])}")
    for note in release.notes:
        st.info(plain(note), icon=":material/history:")
