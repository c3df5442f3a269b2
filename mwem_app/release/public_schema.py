"""The schema of a release: from a file or a form, and declared public by the user before any record is read."""

from dataclasses import dataclass

import streamlit as st

from mwem_app.base import count, size
from mwem_app.inputs import (
    MAX_UPLOAD_BYTES,
    Upload,
    domain_of,
    edited_rows,
    edited_rules,
    rows_of,
    unused_row,
    upload_code_book,
)
from mwem_app.page import problem
from mwem_core.domain import NO_MARKS, Domain, Marks
from mwem_core.encoding import check_columns
from mwem_core.output import Provenance
from mwem_core.schemas import CodeBook, read_code_book

FROM_FILE, FROM_FORM, FROM_RUN = "A file", "A form", "The Run page"
DECLARED_PROVENANCE: Provenance = "file"
WAY, FILE = "_release_schema_way", "_release_schema_file"
CONFIRM = (
    "These cells were **read off the data**. Tick each that was known without these records, for example from a code "
    "book. Correct the others on the Run page, or in the file."
)
IS_PUBLIC = (
    "The release publishes every name, value and range of the schema. Declare only what was known without these "
    "records, for example from a code book."
)


@dataclass(frozen=True)
class Declaration:
    """A schema that the user has declared public, and where it came from."""

    domain: Domain
    provenance: Provenance


def show_declared(upload: Upload) -> Declaration | None:
    """The schema that the user has declared for an upload, in one line; None if there is none yet."""
    declared = _declarations()
    if upload.id not in declared:
        return None
    with st.container(horizontal=True, vertical_alignment="center"):
        number = count(len(declared[upload.id].domain), "attribute")
        st.caption(f":material/check: schema declared public, {number}", width="content")
        st.button("Change", type="tertiary", key="_release_schema_again", on_click=_withdraw, args=(upload,))
    return declared[upload.id]


def _withdraw(upload: Upload) -> None:
    _declarations().pop(upload.id, None)


def _declarations() -> dict[str, Declaration]:
    """The schemas that the user has declared in this session, by upload."""
    return st.session_state.setdefault("_release_schemas", {})


def declare_schema(upload: Upload) -> None:
    """Let the user declare the schema of an upload. Only the names of its columns are read."""
    st.caption(IS_PUBLIC)
    ways = [FROM_FILE, FROM_FORM, *([FROM_RUN] if upload.records and upload.provenance != "proposed" else [])]
    way = st.segmented_control("The schema comes from", ways, default=FROM_FILE, required=True, key=WAY)
    provenance = upload.provenance if way == FROM_RUN else DECLARED_PROVENANCE
    try:
        if way == FROM_FORM:
            domain, marks = _from_form(upload), NO_MARKS
        else:
            book = _from_file(upload) if way == FROM_FILE else read_code_book(upload.toml.encode())
            domain, marks = (book.domain, book.marks) if book else (None, NO_MARKS)
        if domain is None:
            return
        check_columns(upload.table.column_names, domain)
    except ValueError as error:
        problem(error)
        return
    confirmed = _confirm(domain, marks) if marks else True
    provenance = "proposed and edited" if marks and way == FROM_FILE else provenance
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Declare this public", type="primary", icon=":material/public:", disabled=not confirmed):
            _declarations()[upload.id] = Declaration(domain, provenance)
            st.rerun()
        st.caption(f"{count(len(domain), 'attribute')}, {size(domain.size)} cells", width="content")


def _from_file(upload: Upload) -> CodeBook | None:
    """A schema in TOML as it is, and of a code book what it says of the table's columns."""
    file = upload_code_book(key=FILE, max_upload_size=MAX_UPLOAD_BYTES // 10**6)
    if file is None:
        return None
    book = read_code_book(file.getvalue(), file.name)
    return book if file.name.lower().endswith(".toml") else book.of_columns(upload.table.column_names)


def _confirm(domain: Domain, marks: Marks) -> bool:
    """Show what was read off the data, cell by cell, and return whether the user has confirmed all of it as public."""
    st.markdown(CONFIRM)
    rows = [
        {
            "public": False,
            "name": row["name"],
            "cell": cell,
            "says": f"{row['kind']}: {row['values']}" if cell == "values" else str(row[cell]),
        }
        for row in rows_of(domain, {}, marks)
        for cell in row["from_data"]
    ]
    column = st.column_config
    confirmed = st.data_editor(
        rows,
        key=f"_release_marks {hash(repr(rows))}",
        hide_index=True,
        disabled=["name", "cell", "says"],
        column_config={
            "public": column.CheckboxColumn("Public", width=60),
            "name": column.TextColumn("Column", width="small"),
            "cell": column.TextColumn("Cell", width="small"),
            "says": column.TextColumn("What it says", width="large"),
        },
        alt="The cells that were read off the data: one row each",
    )
    left = sum(not row["public"] for row in confirmed)
    if left:
        st.caption(f"{count(left, 'cell')} to confirm.")
    return not left


def _from_form(upload: Upload) -> Domain | None:
    """The names of the columns come from the file; all values come from the user."""
    rows = [unused_row(name, "", decimals="0", other=True) for name in upload.table.column_names]
    rows = edited_rows(rows, key=f"_release_schema_rows {upload.id}")
    if not any(row["use"] for row in rows):
        st.caption("Tick the columns to release, and write what values each may have.")
        return None
    return domain_of(rows, edited_rules((), key=f"_release_schema_rules {upload.id}"))
