"""The schema of a release: from a file or a form, and declared public by the user before any record is read."""

from dataclasses import dataclass

import streamlit as st

from mwem_core.data.encoding import check_columns
from mwem_core.domain.domain import Domain
from mwem_core.release.publication import Provenance
from ui.inputs.schema_editor import edited_rows, edited_rules
from ui.inputs.schema_rows import CATEGORIES, Row, domain_of
from ui.inputs.upload import Upload
from ui.page.wording import problem
from ui.words.numbers import count, size

FROM_FILE, FROM_FORM, FROM_RUN = "A file", "A form", "The Run page"
DECLARED: Provenance = "file"
WAY, FILE = "_release_schema_way", "_release_schema_file"
MAX_SCHEMA_MEGABYTES = 1
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
    declared = _declared()
    if upload.id not in declared:
        return None
    with st.container(horizontal=True, vertical_alignment="center"):
        number = count(len(declared[upload.id].domain), "attribute")
        st.caption(f":material/check: schema declared public, {number}", width="content")
        st.button("Change", type="tertiary", key="_release_schema_again", on_click=_withdraw, args=(upload,))
    return declared[upload.id]


def _withdraw(upload: Upload) -> None:
    _declared().pop(upload.id, None)


def _declared() -> dict[str, Declaration]:
    """The schemas that the user has declared in this session, by upload."""
    return st.session_state.setdefault("_release_schemas", {})


def declare_schema(upload: Upload) -> None:
    """Let the user declare the schema of an upload. Only the names of its columns are read."""
    st.caption(IS_PUBLIC)
    ways = [FROM_FILE, FROM_FORM, *([FROM_RUN] if upload.records and upload.provenance != "proposed" else [])]
    way = st.segmented_control("The schema comes from", ways, default=FROM_FILE, required=True, key=WAY)
    provenance = upload.provenance if way == FROM_RUN else DECLARED
    try:
        if way == FROM_FILE:
            domain = _from_file()
        else:
            domain = _from_form(upload) if way == FROM_FORM else Domain.from_toml(upload.toml)
        if domain is None:
            return
        check_columns(upload.table.column_names, domain)
    except ValueError as error:
        problem(error)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Declare this public", type="primary", icon=":material/public:"):
            _declared()[upload.id] = Declaration(domain, provenance)
            st.rerun()
        st.caption(f"{count(len(domain), 'attribute')}, {size(domain.size)} cells", width="content")


def _from_file() -> Domain | None:
    file = st.file_uploader("Schema, TOML", type="toml", key=FILE, max_upload_size=MAX_SCHEMA_MEGABYTES)
    if file is None:
        return None
    try:
        return Domain.from_toml(file.getvalue().decode())
    except UnicodeDecodeError:
        raise ValueError("the schema is not text: it must be a TOML file in UTF-8") from None


def _from_form(upload: Upload) -> Domain | None:
    """The names of the columns come from the file; all values come from the user."""
    rows = [_empty_row(name) for name in upload.table.column_names]
    rows = edited_rows(rows, key=f"_release_schema_rows {upload.id}", reasons=False)
    if not any(row["use"] for row in rows):
        st.caption("Tick the columns to release, and write what values each may have.")
        return None
    return domain_of(rows, edited_rules((), key=f"_release_schema_rules {upload.id}"))


def _empty_row(name: str) -> Row:
    row = {"use": False, "name": name, "kind": CATEGORIES, "values": "", "decimals": "0"}
    return row | {"missing": "", "other": True, "why": ""}
