"""Step 3, last: the release itself, and the files that may leave."""

import io
import zipfile
from collections.abc import Hashable
from dataclasses import fields

import streamlit as st

from mwem_app.base import RELEASE_FILE
from mwem_app.page import choose_section, follow_task, plain, section, show_section
from mwem_app.release.account import Cost, Entry
from mwem_app.release.release_source import Source
from mwem_app.session import Task, state
from mwem_core.accounts import MAX_NOTE
from mwem_core.release import FILES, Bundle, Terms, release, sections_of

STARTS, CONFIRMATION, COST_KEY = "_releases_started", "_release_asked", "_release_spending"
KEEP = (
    "Download the files now. The server forgets them when this tab is closed, and to make them again costs the budget "
    "again."
)


def offer_release(source: Source, terms: Terms, entry: Entry, cost: Cost) -> None:
    """A button that asks for a confirmation of what is spent, and one that releases once.

    Each release has buttons of its own, so that a double click spends once. A change of the terms takes the question
    back.
    """
    work, again, number = last_release(), is_released(terms), st.session_state.setdefault(STARTS, 0)
    active, question = work is not None and work.active, (_key(terms), entry, str(cost))
    if active or st.session_state.get(CONFIRMATION) != question:
        st.button(
            "Releasing" if active else "Release once more" if again else "Release",
            type="secondary" if again else "primary",
            icon=":material/lock_open_right:",
            disabled=active,
            key=f"_release {number}",
            on_click=_ask,
            args=(question,),
        )
        return
    with st.container(border=True, key="release_confirm"):
        st.markdown(f"**Spend {cost.price} of “{plain(entry.dataset)}” for good?** {cost.left}")
        with st.container(horizontal=True):
            st.button("Cancel", key=f"_release_not {number}", on_click=_ask, args=(None,))
            if st.button(
                f"Spend {cost.price}", type="primary", icon=":material/lock_open_right:", key=f"_release_now {number}"
            ):
                st.session_state[STARTS] += 1
                st.session_state[COST_KEY], st.session_state[CONFIRMATION] = cost, None
                st.session_state[state.RELEASE] = Task("release", _key(terms), lambda: _release(source, terms, entry))
                st.rerun()


def _ask(question: Hashable) -> None:
    st.session_state[CONFIRMATION] = question


def running_cost() -> Cost | None:
    """What this session's release costs while it runs: the ledger counts it by then, and it is no earlier one."""
    work = last_release()
    return st.session_state.get(COST_KEY) if work is not None and work.active else None


def _release(source: Source, terms: Terms, entry: Entry) -> Bundle:
    from mwem_core.privacy import ReleaseNoise  # imports OpenDP, which takes a third of a second

    book, note = entry.open(), terms.workload.spec[:MAX_NOTE]
    said = {"changed": entry.changed, "others": entry.others}
    return release(terms, source.table, book, noise=ReleaseNoise(), cap=entry.cap, note=note, **said)


def is_released(terms: Terms) -> bool:
    """Whether this session's last release was under these terms, and has its files."""
    work = last_release()
    return work is not None and work.result is not None and work.key == _key(terms)


def _key(terms: Terms) -> Hashable:
    """What tells terms apart, also after a reload, which makes the workload anew."""
    others = (getattr(terms, each.name) for each in fields(terms) if each.name != "workload")
    return terms.workload.domain, terms.workload.spec, *others


def last_release() -> Task[Bundle] | None:
    """This session's last release, finished or not."""
    return st.session_state.get(state.RELEASE)


def show_release(terms: Terms | None) -> None:
    """Follow the release, and offer its files when it is done. They may be of other terms than those on the page."""
    work = last_release()
    if work is not None:
        if work.result is not None and not (terms and is_released(terms)):
            st.caption(":material/history: The files below are of your last release, not of the settings above.")
        follow_task(work, _offer, "Drawing noise, once.")


def _offer(files: Bundle) -> None:
    section("Released", RELEASE_FILE)
    st.caption(KEEP)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "All files, zip",
            zip_files(files),
            "release.zip",
            "application/zip",
            type="primary",
            icon=":material/folder_zip:",
            on_click="ignore",
            key="_release_zip",
        )
        st.page_link("pages/ask.py", label="Ask this release", icon=":material/contact_support:")
    grid = st.grid(3, min_column_width=280, border=True)
    for name in (name for name in FILES if name in files):
        with grid.cell():
            st.download_button(
                name,
                files[name],
                name,
                icon=":material/download:",
                on_click="ignore",
                width="stretch",
                key=f"_release {name}",
            )
            st.caption(FILES[name])
    section("How good the rows are", RELEASE_FILE)
    sections = sections_of(files["quality.html"].decode())
    show_section(sections, choose_section(list(sections), "_release_quality"))


def zip_files(files: Bundle) -> bytes:
    """All files in one archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()
