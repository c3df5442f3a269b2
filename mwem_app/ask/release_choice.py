"""The release that is asked: a sample, or files that are given, read once, and stay in the session; what it is."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from mwem_app.base import count
from mwem_app.inputs import MAX_UPLOAD_BYTES
from mwem_app.page import plain, problem, upload_file
from mwem_app.session import Task, state
from mwem_core.ask import LoadedRelease, load_files, unpack
from mwem_core.base import SAMPLES

SAMPLE = SAMPLES / "releases" / "adult.zip"
MAX_VALUES = 12  # of an attribute that are listed


def choose_release() -> LoadedRelease:
    """The release that the user has given, or else the sample; say what it is, and let the user change it."""
    own = st.session_state.get(state.LOADED_RELEASE)
    release = own or _sample()
    facts, domain = release.facts, release.domain
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="ask_release"):
        spent, records = plain(facts["Guarantee"].partition(". ")[0]), facts["Records"].partition(" ")[0]
        st.markdown(
            f"Ask a release of **{plain(facts['Data set'])}**{'' if own else ', a public table'}: {spent}, {records} "
            "records. No private table is read.",
            width="stretch",
        )
        with st.popover(count(len(domain), "attribute"), icon=":material/view_column:", width="content"):
            values = [", ".join([*a.labels[:MAX_VALUES], *["…"] * (a.size > MAX_VALUES)]) for a in domain.attributes]
            rows = [map(plain, row) for row in zip(domain.names, values, strict=True)]
            table = pd.DataFrame(rows, columns=["attribute", "values"])
            st.table(table, border="horizontal", hide_index=True, alt="The attributes and their values")
            for name in ("Guarantee", "Records", "Questions", "Method"):
                st.caption(plain(f"{name}: {facts[name]}"))
        if own:
            st.button("Back to the sample", icon=":material/close:", on_click=_forget, key="_ask_another")
        else:
            with st.popover("A release of your own", icon=":material/upload_file:", width="content"):
                _let_give()
    for note in release.notes:
        st.info(plain(note), icon=":material/history:")
    return release


@st.cache_resource(show_spinner=False)
def _sample() -> LoadedRelease:
    """A release of a public table, for all visitors."""
    return load_files(unpack({SAMPLE.name: SAMPLE.read_bytes()}))


def _let_give() -> None:
    """Let the user give the files of a release, or take the one that this tab has made."""
    given = upload_file(
        "Files of a release, or one zip of them",
        key="_ask_files",
        max_upload_size=MAX_UPLOAD_BYTES // 10**6,
        help="The files stay in this tab of the app alone, until you leave it.",
        accept_multiple_files=True,
    )
    work: Task[dict[str, bytes]] | None = st.session_state.get(state.RELEASE)
    made = work.result if work is not None else None
    if made and st.button("Ask the release that this tab has made", icon=":material/lock_open_right:"):
        problem(_take(made))
    if given:
        files = {file.name: file.getvalue() for file in given}
        message = state.remember("release refused", tuple(file.file_id for file in given), lambda: _take(files))
        problem(message)


def _take(files: Mapping[str, bytes]) -> str:
    """Keep the release of these files, and draw the page again with it; or say why they are none."""
    try:
        st.session_state[state.LOADED_RELEASE] = load_files(unpack(files))
    except ValueError as error:
        return str(error)
    st.session_state["_ask_question"] = ""
    st.rerun()
    return ""


def _forget() -> None:
    del st.session_state[state.LOADED_RELEASE]
    st.session_state["_ask_question"] = ""
