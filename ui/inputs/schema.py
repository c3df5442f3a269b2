"""The schema of an upload: proposed from the data, edited as a table or as text, and confirmed by the user."""

from contextlib import suppress

import pyarrow as pa
import streamlit as st

from mwem_core.data.encoding import encode
from mwem_core.data.proposal import left_out, propose
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.rules import CHANGED, broken_in_words
from ui.inputs.schema_editor import edited_rows, edited_rules
from ui.inputs.schema_rows import Row, domain_of, rows_of
from ui.inputs.upload import Upload
from ui.page.wording import problem
from ui.session import state
from ui.words.numbers import count, size

AS_ROWS, AS_TEXT = "As a table", "As text"
MODE, TEXT, FILE = "_schema_mode", "_schema_text", "_schema_file"
LEAK = (
    "**Values and ranges taken from the data reveal something about its records**, and no noise protects against that. "
    "Unless the data is public, replace them with values known beforehand, for example from a code book."
)
PROVENANCE = {
    "file": "This schema comes from a file. Everything in it is public: it says which values are possible.",
    "proposed": f"This schema was proposed from the data. {LEAK}",
    "proposed and edited": f"This schema was proposed from the data, and then edited. {LEAK}",
}
SOURCE = {"file": "from a file", "proposed": "proposed from the data", "proposed and edited": "proposed, then edited"}


def start_schema(upload: Upload, before: Upload | None) -> None:
    """Give a new upload its first schema: the earlier upload's if its columns are there, otherwise a proposal."""
    if before is not None and _names_columns_of(upload, before.toml):
        upload.toml, upload.proposal, upload.provenance = before.toml, before.proposal, before.provenance
    else:
        try:
            upload.proposal = propose(upload.table)
            upload.toml = upload.proposal.to_toml()
        except ValueError as error:
            upload.problem = str(error)
    _refresh_rows(upload)


def read_again(upload: Upload, table: pa.Table) -> None:
    """Replace the table by the same file read otherwise. Edits of the schema stay where they fit the new table.

    A schema from a file stays as it is, and so does a text that cannot be read.
    """
    upload.clear_problem()
    upload.table, before, mode = table, upload.proposal, st.session_state.get(MODE, AS_ROWS)
    try:
        if upload.provenance != "file":
            rows = upload.edited_rows or upload.rows if mode == AS_ROWS else rows_of(Domain.from_toml(upload.toml), {})
            upload.proposal = propose(table)
            never = upload.edited_never if mode == AS_ROWS else Domain.from_toml(upload.toml).never
            edited = _with_edits(upload.proposal, before, rows, table)
            upload.toml = Domain(edited.attributes, never).to_toml()
    except ValueError as error:
        upload.problem = str(error) if mode == AS_ROWS else ""  # a text shows its own error
    _refresh_rows(upload)
    st.session_state[MODE] = mode


def _with_edits(proposal: Domain, before: Domain | None, rows: list[Row], table: pa.Table) -> Domain:
    """A proposal with those edits of the earlier proposal that fit the table: changes, additions and removals."""
    earlier = {attribute.name: attribute for attribute in before.attributes} if before else {}
    used = [row for row in rows if row["use"]]
    removed = earlier.keys() - {row["name"] for row in used}
    edits: dict[str, Attribute] = {}
    for row in used:
        with suppress(ValueError):  # an edit that does not fit
            schema = domain_of([row])
            attribute = schema.attributes[0]
            if attribute != earlier.get(attribute.name):
                encode(table, schema)
                edits[attribute.name] = attribute
    kept = [edits.pop(attribute.name, attribute) for attribute in proposal.attributes if attribute.name not in removed]
    return Domain((*kept, *edits.values()))


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
        with st.popover("Schema file", icon=":material/upload_file:"):
            st.file_uploader("A schema in TOML", type="toml", key=FILE, on_change=_read_schema, args=(upload,))
    domain = _edit_rows(upload) if st.session_state[MODE] == AS_ROWS else _edit_text(upload)
    if upload.problem and upload.rejected in (None, domain):
        problem(upload.problem)
    if domain is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Use this schema", type="primary", icon=":material/check:"):
            _encode_table(upload, domain)
            st.rerun()
        st.caption(f"{count(len(domain), 'attribute')}, {size(domain.size)} cells")


def _show_provenance(upload: Upload) -> None:
    """Say where the schema comes from; warn if it comes from the data, as long as it does."""
    if upload.provenance == "file":
        st.caption(PROVENANCE[upload.provenance])
    else:
        st.warning(PROVENANCE[upload.provenance], icon=":material/visibility:")


def _edit_rows(upload: Upload) -> Domain | None:
    rows = edited_rows(upload.rows, key=f"_schema_rows {upload.id} {upload.version}", reasons=True)
    upload.edited_rows = rows
    upload.edited_never = edited_rules(upload.never, key=f"_schema_rules {upload.id} {upload.version}")
    try:
        return domain_of(rows, upload.edited_never)
    except ValueError as error:
        problem(error)
        return None


def _edit_text(upload: Upload) -> Domain | None:
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
        return Domain.from_toml(upload.toml)
    except ValueError as error:
        problem(error)
        return None


def _switch_mode(upload: Upload) -> None:
    """Carry the edits over from rows to text or back. A text that cannot be read stays on the page as text."""
    upload.clear_problem()
    if st.session_state[MODE] == AS_TEXT:
        try:
            upload.toml = domain_of(upload.edited_rows, upload.edited_never).to_toml()
        except ValueError as error:
            upload.problem = f"{error} (the text below is the schema before these edits)"
        st.session_state[TEXT] = upload.toml
    else:
        _refresh_rows(upload)


def _refresh_rows(upload: Upload) -> None:
    """Show the schema's text as rows, or as text if it cannot be read."""
    try:
        schema = Domain.from_toml(upload.toml)
        upload.rows, upload.never = rows_of(schema, left_out(upload.table)), schema.never
        st.session_state[MODE] = AS_ROWS
    except ValueError:
        st.session_state[MODE] = AS_TEXT
    st.session_state[TEXT] = upload.toml
    upload.version += 1


def _read_schema(upload: Upload) -> None:
    """Read an uploaded schema file, and confirm it if the table fits it."""
    file = st.session_state.get(FILE)
    if file is None:
        return
    upload.clear_problem()
    try:
        upload.toml = file.getvalue().decode()
    except UnicodeDecodeError:
        upload.problem = f"{file.name} is not text: a schema is a TOML file in UTF-8"
        return
    upload.proposal, upload.provenance = None, "file"
    _refresh_rows(upload)
    try:
        domain = Domain.from_toml(upload.toml)
    except ValueError as error:
        upload.problem = str(error)
        return
    _encode_table(upload, domain)


def _encode_table(upload: Upload, domain: Domain) -> None:
    """Encode the table with a schema, or keep the reason why it does not fit."""
    try:
        upload.records = encode(upload.table, domain)
    except ValueError as error:
        upload.problem, upload.rejected = str(error), domain
        return
    upload.clear_problem()
    upload.toml, upload.content = domain.to_toml(), b""
    if upload.proposal is not None:
        proposed = set(domain.attributes) <= set(upload.proposal.attributes)
        upload.provenance = "proposed" if proposed else "proposed and edited"


def _names_columns_of(upload: Upload, toml: str) -> bool:
    """Whether a schema's text can be read and names columns of the upload only."""
    try:
        return set(Domain.from_toml(toml).names) <= set(upload.table.column_names)
    except ValueError:
        return False


def show_confirmed_schema(upload: Upload) -> None:
    """Show in one line that the schema is confirmed, with a button to edit it again."""
    assert upload.records is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        icon = ":material/check:" if upload.provenance == "file" else ":material/visibility:"
        number = count(len(upload.records.domain), "attribute")
        st.caption(f"{icon} schema confirmed, {number}, {SOURCE[upload.provenance]}", width="content")
        if st.button("Edit schema", type="tertiary", key="_edit_schema"):
            upload.records = None
            _refresh_rows(upload)
            st.rerun()
    if rules := st.session_state[state.TRUTH] and broken_in_words(upload.records.broken):
        st.caption(rules, help=CHANGED)
