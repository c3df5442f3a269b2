"""An upload's schema as text: proposed from its data, read from a file, and kept while the file is read again."""

from contextlib import suppress
from pathlib import PurePath

import pyarrow as pa
import streamlit as st

from mwem_app.inputs.schema_rows import Row, domain_of, marks_of, rows_of
from mwem_app.inputs.upload import Upload
from mwem_app.session import state
from mwem_core.domain import Attribute, Domain, Marks, check_not_empty, read_marks, still_marked
from mwem_core.encoding import COUNTS, EXPLORING_KEY, CountPolicy, column_of, encode, encode_unit, likely_count
from mwem_core.schemas import NO_BOOK, CodeBook, first_schema, read_code_book, suggestions

NOT_IN_SCHEMA = "is not in the schema"
BY_COLUMN, AS_ROWS, AS_TEXT = "Columns", "Table", "Text"
MODE, TEXT, FILE = "_schema_mode", "_schema_text", "_schema_file"


def start_schema(upload: Upload, before: Upload | None) -> None:
    """Give a new upload its first schema: the earlier upload's if its columns are there, otherwise a proposal."""
    if before is not None and before.count_column in upload.table.column_names:
        upload.count = before.count_column
    if before is not None and _names_columns_of(upload, before.toml):
        upload.toml, upload.provenance = before.toml, before.provenance
        upload.proposal, upload.proposal_marks = before.proposal, before.proposal_marks
    else:
        try:
            upload.toml = _propose(upload).to_toml(upload.proposal_marks)
        except ValueError as error:
            upload.problem = str(error)
    refresh_rows(upload)


def _propose(upload: Upload) -> Domain:
    """Propose a schema: the labels that the file declares, and what its records suggest, which is marked."""
    first = first_schema(upload.table, count=upload.count_column)
    upload.suggestions, upload.choices = first.suggestions, {}
    upload.proposal, upload.proposal_marks = first.domain, first.marks
    upload.provenance = "proposed" if first.marks else "file"
    return first.domain


def read_again(upload: Upload, table: pa.Table) -> None:
    """Replace the table by the same file read otherwise. Edits of the schema stay where they fit the new table.

    A schema from a file stays as it is, and so does a text that cannot be read.
    """
    upload.clear_problem()
    upload.suggestions = {}
    upload.table, before, mode = table, upload.proposal, st.session_state.get(MODE, BY_COLUMN)
    if upload.count_column and upload.count_column not in table.column_names:
        upload.count = CountPolicy.REFUSED
    try:
        if upload.provenance != "file":
            rows = upload.edited_rows or rows_of(Domain.from_toml(upload.toml), {})
            never = upload.edited_never if upload.edited_rows else Domain.from_toml(upload.toml).never
            proposal = _propose(upload)
            edited = _with_edits(proposal, before, rows, table)
            marks = still_marked(edited.attributes, upload.proposal_marks, proposal.attributes)
            upload.toml = Domain(edited.attributes, never).to_toml(marks)
    except ValueError as error:
        upload.problem = "" if mode == AS_TEXT else str(error)  # a text shows its own error
    refresh_rows(upload)
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
                encode(table, schema, count=None)
                edits[attribute.name] = attribute
    kept = [edits.pop(attribute.name, attribute) for attribute in proposal.attributes if attribute.name not in removed]
    return Domain((*kept, *edits.values()))


def read_schema(upload: Upload) -> None:
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
    refresh_rows(upload)
    try:
        domain, marks = Domain.from_toml(upload.toml), read_marks(upload.toml)
    except ValueError as error:
        upload.problem = str(error)
        return
    upload.provenance = "proposed and edited" if marks else "file"
    encode_table(upload, domain, marks)


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
    refresh_rows(upload)


def _current(upload: Upload) -> CodeBook:
    """The schema with the edits of the user; without an attribute, if it cannot be read."""
    with suppress(ValueError):
        if upload.edited_rows:
            domain = domain_of(upload.edited_rows, upload.edited_never)
            return CodeBook(domain.attributes, {}, marks_of(upload.edited_rows, upload.rows), domain.never)
        return read_code_book(upload.toml.encode())
    return NO_BOOK


def encode_table(upload: Upload, domain: Domain, marks: Marks) -> None:
    """Encode the table with a schema, or keep the reason why it does not fit."""
    if isinstance(upload.count, CountPolicy) and (name := likely_count(upload.table.column_names, domain.names)):
        upload.problem, upload.rejected = f"say below what column {name!r} is, as the schema does not name it", domain
        return
    try:
        records = encode_unit(upload.table, domain, upload.unit, key=EXPLORING_KEY, count=upload.count)
        check_not_empty(records)
    except ValueError as error:
        upload.problem, upload.rejected = str(error), domain
        return
    upload.records = records
    upload.clear_problem()
    upload.toml, upload.content = domain.to_toml(marks), b""
    if upload.proposal is not None and upload.proposal_marks:
        unchanged = set(domain.attributes) <= set(upload.proposal.attributes)
        confirmed = any(
            marks.get(name, frozenset()) != upload.proposal_marks.get(name, frozenset()) for name in domain.names
        )
        upload.provenance = "proposed" if unchanged and not confirmed else "proposed and edited"


def declare_count(upload: Upload, name: str, *, counts: bool) -> None:
    """Take a column as the number of records of each row, and out of the schema; or as a column like any other.

    These are other records, but the same private data: the count of ε goes on.
    """
    upload.clear_problem()
    spent = state.epsilon_by_run(upload.source)
    upload.count = name if counts else None
    st.session_state[state.EPSILON_BY_RUN][upload.source] = spent
    before, proposed = _current(upload), NO_BOOK
    if not counts:
        with suppress(ValueError):  # nothing is proposed for it
            proposed = first_schema(upload.table.select([name]))
    attributes = [attribute for attribute in before.attributes if attribute.name != name]
    marks = {**before.marks, **proposed.marks}
    try:
        domain = Domain((*attributes, *proposed.attributes), before.never)
        upload.toml = domain.to_toml({each: marks[each] for each in domain.names if each in marks})
    except ValueError as error:  # a rule names the column
        upload.problem = str(error)
    refresh_rows(upload)


def reasons_to_leave_out(upload: Upload) -> dict[str, str]:
    """Why columns of the table are not in its confirmed schema, by name."""
    assert upload.records is not None
    reasons = _left_out(upload)
    columns = upload.table.column_names
    read = {column_of(name, columns) for name in upload.records.domain.names}
    return {name: reasons.get(name, NOT_IN_SCHEMA) for name in columns if name not in read}


def _left_out(upload: Upload) -> dict[str, str]:
    """Why a proposal leaves columns of the table out, by name."""
    upload.suggestions = upload.suggestions or suggestions(upload.table)
    counts = {upload.count_column: COUNTS} if upload.count_column else {}
    return {name: seen.says for name, seen in upload.suggestions.items() if seen.attribute is None} | counts


def _names_columns_of(upload: Upload, toml: str) -> bool:
    """Whether a schema's text can be read and names columns of the upload only."""
    try:
        return all(column_of(name, upload.table.column_names) for name in Domain.from_toml(toml).names)
    except ValueError:
        return False


def refresh_rows(upload: Upload) -> None:
    """Show the schema's text as rows, or as text if it cannot be read."""
    try:
        schema = Domain.from_toml(upload.toml)
        reasons = _left_out(upload)
        told = {name: "" for name in reasons if name in upload.suggestions and upload.suggestions[name].asks}
        upload.rows = rows_of(schema, reasons | told, read_marks(upload.toml))
        upload.never = schema.never
        if st.session_state.get(MODE) in (None, AS_TEXT):
            st.session_state[MODE] = BY_COLUMN
    except ValueError:
        st.session_state[MODE] = AS_TEXT
    st.session_state[TEXT] = upload.toml
    upload.edited_rows = []
    upload.version += 1
