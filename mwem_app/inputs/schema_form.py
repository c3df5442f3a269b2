"""The schema of an upload on the page: edited as a table or as text, and confirmed by the user."""

from functools import partial
from pathlib import PurePath
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from mwem_app.base import count, size
from mwem_app.inputs.schema_columns import keep_edits, show_columns
from mwem_app.inputs.schema_editor import edited_rows, edited_rules
from mwem_app.inputs.schema_rows import domain_of, marks_of
from mwem_app.inputs.schema_text import (
    AS_ROWS,
    AS_TEXT,
    BY_COLUMN,
    FILE,
    MODE,
    TEXT,
    encode_table,
    read_schema,
    refresh_rows,
)
from mwem_app.inputs.unit_choice import ask_of_count, choose_unit
from mwem_app.inputs.upload import Upload
from mwem_app.page import download, problem, upload_file
from mwem_app.session import state
from mwem_core.domain import CHANGE_NOTE, Domain, Marks, broken_in_words, read_marks

CODE_BOOK = "A schema in TOML, or a labelled file of SPSS or Stata"
LEAK = (
    "**Values and ranges taken from the data reveal something about its records**, and no noise protects against that. "
    "Unless the data is public, replace them with values known beforehand, for example from a code book. Such cells "
    "are marked in the view **Table**."
)
PROVENANCE = {
    "file": "This schema comes from a file. Everything in it is public: it says which values are possible.",
    "proposed": f"This schema was proposed from the data. {LEAK}",
    "proposed and edited": f"This schema was proposed from the data, and then edited. {LEAK}",
}
SOURCE = {"file": "from a file", "proposed": "proposed from the data", "proposed and edited": "proposed, then edited"}


def confirm_schema(upload: Upload) -> None:
    """Let the user correct the schema and confirm that it is public; then encode the table with it."""
    st.session_state.setdefault(MODE, BY_COLUMN)
    st.subheader("Schema: the public description of the table", anchor=False)
    _show_provenance(upload)
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.segmented_control(
            "Edit",
            [BY_COLUMN, AS_ROWS, AS_TEXT],
            key=MODE,
            required=True,
            on_change=_switch_mode,
            args=(upload,),
            label_visibility="collapsed",
        )
        files = st.popover("Schema file", icon=":material/upload_file:")
    with files:
        upload_code_book(key=FILE, on_change=read_schema, args=(upload,))
    found = _edit_text(upload) if st.session_state[MODE] == AS_TEXT else _edit_rows(upload)
    if upload.problem and upload.rejected in (None, found and found[0]):
        problem(upload.problem)
    if found is None:
        return
    domain, marks = found
    with files:
        label = "Download the schema" + (", with the marks on what was read off the data" if marks else "")
        name = f"{PurePath(upload.name).stem}.toml"
        download(label, partial(domain.to_toml, marks), name, "text/plain", key="_schema_as_toml")
    ask_of_count(upload, domain)
    key, before = f"_upload {upload.id}", upload.source
    upload.unit = choose_unit(
        upload.table.column_names, upload.unit, attributes=domain.names, key=key, source=upload.id
    )
    if upload.source != before:  # other records of the same people: what was spent stays spent
        spent = state.epsilon_by_run(before)
        st.session_state[state.EPSILON_BY_RUN][upload.source] = spent
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Use this schema", type="primary", icon=":material/check:"):
            encode_table(upload, domain, marks)
            st.rerun()
        st.caption(f"{count(len(domain), 'attribute')}, {size(domain.size)} cells")


def upload_code_book(**options: Any) -> UploadedFile | None:
    """Let the user upload a file that declares a schema."""
    return upload_file(CODE_BOOK, type=["toml", "sav", "zsav", "dta"], **options)


def _show_provenance(upload: Upload) -> None:
    """Say where the schema comes from, if there is one; warn if it comes from the data, as long as it does."""
    if upload.provenance == "file":
        st.caption(PROVENANCE[upload.provenance])
    elif upload.toml.strip():
        st.warning(PROVENANCE[upload.provenance], icon=":material/visibility:")


def _edit_rows(upload: Upload) -> tuple[Domain, Marks] | None:
    if st.session_state[MODE] == BY_COLUMN:
        show_columns(upload)
        upload.edited_rows, upload.edited_never = upload.rows, upload.never
    else:
        upload.edited_rows = edited_rows(upload.rows, key=f"_schema_rows {upload.id} {upload.version}")
        upload.edited_never = edited_rules(upload.never, key=f"_schema_rules {upload.id} {upload.version}")
    try:
        return domain_of(upload.edited_rows, upload.edited_never), marks_of(upload.edited_rows, upload.rows)
    except ValueError as error:
        problem(error)
        return None


def _edit_text(upload: Upload) -> tuple[Domain, Marks] | None:
    upload.edited_rows = []
    st.session_state.setdefault(TEXT, upload.toml)
    upload.toml = st.text_area(
        "Schema",
        key=TEXT,
        height=320,
        label_visibility="collapsed",
        persist_state="session",
        help="One [[attribute]] block per attribute, with a name and one of values, edges, range, bits or dates.",
    )
    try:
        return Domain.from_toml(upload.toml), read_marks(upload.toml)
    except ValueError as error:
        if upload.toml.strip():
            upload.clear_problem()  # it was about an earlier text
        if not upload.problem:  # else it says why nothing was proposed
            problem(error)
        return None


def _switch_mode(upload: Upload) -> None:
    """Carry the edits over to another view. A text that cannot be read stays on the page as text."""
    upload.clear_problem()
    if not upload.edited_rows:
        refresh_rows(upload)
    elif st.session_state[MODE] == AS_TEXT:
        try:
            marks = marks_of(upload.edited_rows, upload.rows)
            upload.toml = domain_of(upload.edited_rows, upload.edited_never).to_toml(marks)
        except ValueError as error:
            upload.problem = f"{error} (the text below is the schema before these edits)"
        st.session_state[TEXT] = upload.toml
    else:
        keep_edits(upload)


def show_confirmed_schema(upload: Upload) -> None:
    """Show in one line that the schema is confirmed, with a button to edit it again."""
    assert upload.records is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        icon = ":material/check:" if upload.provenance == "file" else ":material/visibility:"
        number = count(len(upload.records.domain), "attribute")
        st.caption(f"{icon} schema confirmed, {number}, {SOURCE[upload.provenance]}", width="content")
        if st.button("Edit schema", type="tertiary", key="_edit_schema"):
            upload.records = None
            refresh_rows(upload)
            st.rerun()
    if rules := st.session_state[state.TRUTH] and broken_in_words(upload.records.broken):
        st.caption(rules, help=CHANGE_NOTE)
