"""The schema of an upload on the page: edited as a table or as text, and confirmed by the user."""

from functools import partial
from pathlib import PurePath
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from mwem_app.base import count, size
from mwem_app.inputs.schema_editor import edited_rows, edited_rules
from mwem_app.inputs.schema_rows import domain_of, marks_of, rows_of
from mwem_app.inputs.schema_text import AS_ROWS, AS_TEXT, FILE, MODE, TEXT, encode_table, read_schema, refresh_rows
from mwem_app.inputs.unit_choice import ask_of_count, choose_unit
from mwem_app.inputs.upload import Upload
from mwem_app.page import download, plain, problem, upload_file
from mwem_app.session import state
from mwem_core.domain import CHANGE_NOTE, Attribute, Domain, Marks, all_marked, broken_in_words, read_marks

MAX_SEEN = 12  # columns told in sight; the others are behind a click
KEY = "_schema_seen"
CODE_BOOK = "A schema in TOML, or a code book: a Table Schema, or a labelled file of SPSS or Stata"
LEAK = (
    "**Values and ranges taken from the data reveal something about its records**, and no noise protects against that. "
    "Unless the data is public, replace them with values known beforehand, for example from a code book. Such cells "
    "are marked *Read off the data*."
)
PROVENANCE = {
    "file": "This schema comes from a file. Everything in it is public: it says which values are possible.",
    "proposed": f"This schema was proposed from the data. {LEAK}",
    "proposed and edited": f"This schema was proposed from the data, and then edited. {LEAK}",
}
SOURCE = {"file": "from a file", "proposed": "proposed from the data", "proposed and edited": "proposed, then edited"}


def show_seen(upload: Upload) -> None:
    """Say in a line each what is special about columns, with a choice of what they may be, if there is one."""
    told = [name for name, seen in upload.suggestions.items() if seen.asks or (seen.attribute and seen.says)]
    if not told:
        return
    st.markdown("**Seen in the columns**")
    for name in told[:MAX_SEEN]:
        _choose(upload, name)
    if more := told[MAX_SEEN:]:
        with st.expander(f"{len(more)} more"):
            for name in more:
                _choose(upload, name)


def _choose(upload: Upload, name: str) -> None:
    """The sentence about a column, and its choices; the proposed one is chosen at first."""
    seen = upload.suggestions[name]
    if not seen.asks:
        st.markdown(f"**{plain(name)}** {plain(seen.says)}.")
        return
    key = f"{KEY} {upload.id} {name}"
    first = next(label for label, attribute in seen.choices.items() if attribute == seen.attribute)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(name)}** {plain(seen.says)}.", width="stretch")
        st.segmented_control(
            f"{name} is",
            list(seen.choices),
            default=upload.choices.get(name, first),
            required=True,
            key=key,
            on_change=_take,
            args=(upload, name, key),
            label_visibility="collapsed",
            width="content",
        )


def _take(upload: Upload, name: str, key: str) -> None:
    """Put the chosen attribute in place of the column's row. Edits of other rows stay."""
    upload.choices[name] = st.session_state[key]
    attribute = upload.suggestions[name].choices[st.session_state[key]]
    rows = upload.edited_rows or upload.rows
    marks = marks_of(rows, upload.rows)
    upload.clear_problem()
    upload.rows = [
        _row(attribute, row) if row["name"] == name else row | {"from_data": sorted(marks.get(row["name"], ()))}
        for row in rows
    ]
    upload.edited_rows = []
    upload.version += 1


def _row(attribute: Attribute | None, row: dict[str, object]) -> dict[str, object]:
    """The row of an attribute, or the column's row out of use."""
    if attribute is None:
        return row | {"use": False, "from_data": []}
    (proposed,) = rows_of(Domain((attribute,)), {}, all_marked([attribute]))
    return proposed | {"why": row["why"]}


def confirm_schema(upload: Upload) -> None:
    """Let the user correct the schema and confirm that it is public; then encode the table with it."""
    st.session_state.setdefault(MODE, AS_ROWS)
    st.subheader("Schema: the public description of the table", anchor=False)
    _show_provenance(upload)
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.segmented_control(
            "Edit",
            [AS_ROWS, AS_TEXT],
            key=MODE,
            required=True,
            on_change=_switch_mode,
            args=(upload,),
            label_visibility="collapsed",
        )
        files = st.popover("Schema file", icon=":material/upload_file:")
    with files:
        upload_code_book(key=FILE, on_change=read_schema, args=(upload,))
    found = _edit_rows(upload) if st.session_state[MODE] == AS_ROWS else _edit_text(upload)
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
    return upload_file(CODE_BOOK, type=["toml", "json", "sav", "zsav", "dta"], **options)


def _show_provenance(upload: Upload) -> None:
    """Say where the schema comes from, if there is one; warn if it comes from the data, as long as it does."""
    if upload.provenance == "file":
        st.caption(PROVENANCE[upload.provenance])
    elif upload.toml.strip():
        st.warning(PROVENANCE[upload.provenance], icon=":material/visibility:")


def _edit_rows(upload: Upload) -> tuple[Domain, Marks] | None:
    show_seen(upload)
    rows = edited_rows(upload.rows, key=f"_schema_rows {upload.id} {upload.version}", reasons=True)
    upload.edited_rows = rows
    upload.edited_never = edited_rules(upload.never, key=f"_schema_rules {upload.id} {upload.version}")
    try:
        return domain_of(rows, upload.edited_never), marks_of(rows, upload.rows)
    except ValueError as error:
        problem(error)
        return None


def _edit_text(upload: Upload) -> tuple[Domain, Marks] | None:
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
    """Carry the edits over from rows to text or back. A text that cannot be read stays on the page as text."""
    upload.clear_problem()
    if st.session_state[MODE] == AS_TEXT:
        try:
            marks = marks_of(upload.edited_rows, upload.rows)
            upload.toml = domain_of(upload.edited_rows, upload.edited_never).to_toml(marks)
        except ValueError as error:
            upload.problem = f"{error} (the text below is the schema before these edits)"
        st.session_state[TEXT] = upload.toml
    else:
        refresh_rows(upload)


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
