"""A public table to start from: uploaded beside the private one, under the same schema."""

from hashlib import blake2b
from pathlib import PurePath

import streamlit as st

from mwem_app.inputs.table_choice import MAX_UPLOAD_BYTES, TYPES
from mwem_app.page import plain, problem, upload_file
from mwem_app.session import state
from mwem_core.domain import Domain, PublicTable
from mwem_core.encoding import encode
from mwem_core.tables import read_table

FILE = "_public_start_file"
HELP = (
    "A table that everybody may see, with the same columns, such as last year's release or a survey of others. The "
    "model then starts from it and not from an even table, which costs no privacy. Where the noise is small, the model "
    "leaves a start that is wrong. The manifest has its name and digest."
)


def choose_public_start(domain: Domain, count: str | None) -> PublicTable | None:
    """Let the user upload a public table; None without one, or with the reason why it does not fit."""
    with st.expander(starts_from() or "Public start"):
        offer_public_start()
    return public_start(domain, count)


def offer_public_start() -> None:
    """Where a public table is uploaded."""
    upload_file(
        "Public table to start from",
        type=TYPES,
        key=FILE,
        max_upload_size=MAX_UPLOAD_BYTES // 10**6,
        on_change=_keep,
        help=HELP,
    )
    if starts_from() and st.session_state.get(FILE) is None:  # after another page
        st.button("Start from an even table", on_click=_forget, key="_public_start_none")


def starts_from() -> str:
    """Which public table a run starts from, in words; empty without one."""
    kept = st.session_state.get(state.PUBLIC_START)
    return f"Starts from {plain(kept[0])}" if kept else ""


def public_start(domain: Domain, count: str | None) -> PublicTable | None:
    """The public table that was uploaded; None without one, or with the reason why it does not fit the schema.

    The column `count`, if it has one, holds the number of records of each row, as in the private table.
    """
    kept = st.session_state.get(state.PUBLIC_START)
    if not kept:
        return None
    name, content = kept
    key = blake2b(content, digest_size=16).digest(), name, domain, count
    try:
        return state.remember("public start", key, lambda: _read(name, content, domain, count))
    except ValueError as error:
        problem(f"The public table {name} is not used: {error}")
        return None


def _read(name: str, content: bytes, domain: Domain, count: str | None) -> PublicTable:
    table = read_table(content, name=name, max_bytes=MAX_UPLOAD_BYTES)
    own = count if count in table.column_names else None
    return PublicTable(PurePath(name).name, encode(table, domain, count=own), own)


def _keep() -> None:
    """Keep a new file, as the widget forgets it on other pages."""
    file = st.session_state.get(FILE)
    if file is None:
        _forget()
    else:
        st.session_state[state.PUBLIC_START] = (file.name, file.getvalue())


def _forget() -> None:
    st.session_state.pop(state.PUBLIC_START, None)
