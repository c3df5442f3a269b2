"""The schema of an upload: proposed from the data, edited as a table or as text, and confirmed by the user."""

from contextlib import suppress
from functools import partial
from pathlib import PurePath

import pyarrow as pa
import streamlit as st

from mwem_core.data.code_books import (
    JSON_SCHEMA,
    NO_BOOK,
    TABLE_SCHEMA,
    TOML,
    CodeBook,
    first_schema,
    read_code_book,
    write_code_book,
)
from mwem_core.data.encoding import encode
from mwem_core.data.persons import EXPLORING_KEY, encode_unit
from mwem_core.data.proposal import left_out
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.marks import Marks, still_marked
from mwem_core.domain.rules import CHANGED, broken_in_words
from mwem_core.domain.schema import read_marks
from ui.inputs.schema_editor import edited_rows, edited_rules
from ui.inputs.schema_rows import Row, domain_of, marks_of, rows_of
from ui.inputs.unit import choose_unit
from ui.inputs.upload import Upload
from ui.page.download import download
from ui.page.wording import problem
from ui.session import state
from ui.words.numbers import count, size

AS_ROWS, AS_TEXT = "As a table", "As text"
MODE, TEXT, FILE = "_schema_mode", "_schema_text", "_schema_file"
CODE_BOOK = "A schema in TOML, or a code book: a Table Schema or JSON Schema, or a labelled file of SPSS or Stata"
CODE_BOOK_TYPES = ["toml", "json", "sav", "zsav", "dta"]
FORMS = {  # label, and the ending of the file
    TOML: ("TOML", ".toml"),
    TABLE_SCHEMA: ("Table Schema", ".schema.json"),
    JSON_SCHEMA: ("JSON Schema", ".json-schema.json"),
}
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


def start_schema(upload: Upload, before: Upload | None) -> None:
    """Give a new upload its first schema: the earlier upload's if its columns are there, otherwise a proposal."""
    if before is not None and _names_columns_of(upload, before.toml):
        upload.toml, upload.provenance = before.toml, before.provenance
        upload.proposal, upload.proposal_marks = before.proposal, before.proposal_marks
    else:
        try:
            upload.toml = _propose(upload).to_toml(upload.proposal_marks)
        except ValueError as error:
            upload.problem = str(error)
    _refresh_rows(upload)


def _propose(upload: Upload) -> Domain:
    """Propose a schema: the labels that the file declares, and what its records suggest, which is marked."""
    first = first_schema(upload.table)
    upload.proposal, upload.proposal_marks = first.domain, first.marks
    upload.provenance = "proposed" if first.marks else "file"
    return first.domain


def read_again(upload: Upload, table: pa.Table) -> None:
    """Replace the table by the same file read otherwise. Edits of the schema stay where they fit the new table.

    A schema from a file stays as it is, and so does a text that cannot be read.
    """
    upload.clear_problem()
    upload.table, before, mode = table, upload.proposal, st.session_state.get(MODE, AS_ROWS)
    try:
        if upload.provenance != "file":
            rows = upload.edited_rows or upload.rows if mode == AS_ROWS else rows_of(Domain.from_toml(upload.toml), {})
            never = upload.edited_never if mode == AS_ROWS else Domain.from_toml(upload.toml).never
            proposal = _propose(upload)
            edited = _with_edits(proposal, before, rows, table)
            marks = still_marked(edited.attributes, upload.proposal_marks, proposal.attributes)
            upload.toml = Domain(edited.attributes, never).to_toml(marks)
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
        files = st.popover("Schema file", icon=":material/upload_file:")
    with files:
        st.file_uploader(CODE_BOOK, type=CODE_BOOK_TYPES, key=FILE, on_change=_read_schema, args=(upload,))
    found = _edit_rows(upload) if st.session_state[MODE] == AS_ROWS else _edit_text(upload)
    if upload.problem and upload.rejected in (None, found and found[0]):
        problem(upload.problem)
    if found is None:
        return
    domain, marks = found
    with files:
        _offer_schema(upload, domain, marks)
    key, before = f"_upload {upload.id}", upload.source
    upload.unit = choose_unit(
        upload.table.column_names, upload.unit, attributes=domain.names, key=key, source=upload.id
    )
    if upload.source != before:  # other records of the same people: what was spent stays spent
        spent = state.epsilon_by_run(before)
        st.session_state[state.EPSILON_BY_RUN][upload.source] = spent
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Use this schema", type="primary", icon=":material/check:"):
            _encode_table(upload, domain, marks)
            st.rerun()
        st.caption(f"{count(len(domain), 'attribute')}, {size(domain.size)} cells")


def _offer_schema(upload: Upload, domain: Domain, marks: Marks) -> None:
    """Offer the schema as a file, in each form."""
    st.caption("Download the schema" + (", with the marks on what was read off the data" if marks else ""))
    with st.container(horizontal=True):
        for form, (label, ending) in FORMS.items():
            download(
                label,
                partial(write_code_book, domain, form, marks),
                f"{PurePath(upload.name).stem}{ending}",
                "text/plain",
                key=f"_schema_as_{form}",
            )


def _show_provenance(upload: Upload) -> None:
    """Say where the schema comes from, if there is one; warn if it comes from the data, as long as it does."""
    if upload.provenance == "file":
        st.caption(PROVENANCE[upload.provenance])
    elif upload.toml.strip():
        st.warning(PROVENANCE[upload.provenance], icon=":material/visibility:")


def _edit_rows(upload: Upload) -> tuple[Domain, Marks] | None:
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
            upload.clear_problem()  # that of an earlier text; of a blank one, why nothing was proposed
        if not upload.problem:
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
        _refresh_rows(upload)


def _refresh_rows(upload: Upload) -> None:
    """Show the schema's text as rows, or as text if it cannot be read."""
    try:
        schema = Domain.from_toml(upload.toml)
        upload.rows = rows_of(schema, left_out(upload.table), read_marks(upload.toml))
        upload.never = schema.never
        st.session_state[MODE] = AS_ROWS
    except ValueError:
        st.session_state[MODE] = AS_TEXT
    st.session_state[TEXT] = upload.toml
    upload.version += 1


def _read_schema(upload: Upload) -> None:
    """Read an uploaded schema, and confirm it if the table fits it; or take over what a code book says."""
    file = st.session_state.get(FILE)
    if file is None:
        return
    upload.clear_problem()
    try:
        if PurePath(file.name).suffix.lower() != ".toml":
            _take_over(upload, read_code_book(file.getvalue(), file.name), file.name)
            return
        upload.toml = file.getvalue().decode()
    except UnicodeDecodeError:
        upload.problem = f"{file.name} is not text: a schema is a TOML file in UTF-8"
        return
    except ValueError as error:
        upload.problem = str(error)
        return
    upload.proposal, upload.proposal_marks, upload.provenance = None, {}, "file"
    _refresh_rows(upload)
    try:
        domain, marks = Domain.from_toml(upload.toml), read_marks(upload.toml)
    except ValueError as error:
        upload.problem = str(error)
        return
    upload.provenance = "proposed and edited" if marks else "file"
    _encode_table(upload, domain, marks)


def _take_over(upload: Upload, book: CodeBook, name: str) -> None:
    """Put what a code book says of the table's columns in place of what the schema said of them.

    Raises ValueError if it says nothing of any column.
    """
    said = book.of_columns(upload.table.column_names)
    if not said.attributes:
        raise ValueError(f"{name} declares no values of any column of the table")
    before = _current(upload)
    attributes = {a.name: a for a in (*before.attributes, *said.attributes)}
    kept = {column: cells for column, cells in before.marks.items() if column not in said.domain.names}
    upload.toml = Domain(tuple(attributes.values()), (*before.never, *said.never)).to_toml({**kept, **said.marks})
    if len(said.attributes) == len(attributes) and not said.marks:
        upload.proposal, upload.proposal_marks, upload.provenance = None, {}, "file"
    _refresh_rows(upload)


def _current(upload: Upload) -> CodeBook:
    """The schema with the edits of the user; without an attribute, if it cannot be read."""
    with suppress(ValueError):
        if st.session_state.get(MODE) == AS_ROWS and upload.edited_rows:
            domain = domain_of(upload.edited_rows, upload.edited_never)
            return CodeBook(domain.attributes, {}, marks_of(upload.edited_rows, upload.rows), domain.never)
        return read_code_book(upload.toml.encode())
    return NO_BOOK


def _encode_table(upload: Upload, domain: Domain, marks: Marks) -> None:
    """Encode the table with a schema, or keep the reason why it does not fit."""
    try:
        upload.records = encode_unit(upload.table, domain, upload.unit, key=EXPLORING_KEY)
    except ValueError as error:
        upload.problem, upload.rejected = str(error), domain
        return
    upload.clear_problem()
    upload.toml, upload.content = domain.to_toml(marks), b""
    if upload.proposal is not None and upload.proposal_marks:
        unchanged = set(domain.attributes) <= set(upload.proposal.attributes)
        confirmed = any(
            marks.get(name, frozenset()) != upload.proposal_marks.get(name, frozenset()) for name in domain.names
        )
        upload.provenance = "proposed" if unchanged and not confirmed else "proposed and edited"


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
