"""What a row stands for, as the user says: a number of records, and the unit of privacy: a record, or a person."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import streamlit as st

from mwem_app.inputs.schema_text import declare_count
from mwem_app.inputs.upload import Upload
from mwem_app.page import in_sight, plain
from mwem_app.session import state
from mwem_core.algorithm import Spender
from mwem_core.domain import Domain
from mwem_core.encoding import COUNT_NAMES, WEIGHT_NAMES, records_of
from mwem_core.privacy import MAX_RECORDS, RECORD, Unit
from mwem_core.tables import distinct_texts

OTHER, COUNTS = "like any other", "the number of records of each row"
COUNT_HELP = (
    "In a table of frequencies a column says how many records a row stands for. **Like any other**: each row is one "
    "record, and the column is an attribute if the schema has it."
)
A_RECORD, A_PERSON = "A record", "A person"
UNIT_HELP = (
    "The unit of privacy. **A record**: right if nobody has two. **A person**: all records of one person together, for "
    "tables in which a person may have several."
)
ONE_TABLE = (
    "One table at a time: tables that are linked by a key, such as persons and their visits, are not supported. Join "
    "them first, a row for each visit, and protect a person."
)


def ask_of_count(upload: Upload, domain: Domain) -> None:
    """Ask what a column of whole numbers is that is called like a number of records; it is an attribute until then."""
    key = upload.id, upload.table
    name = state.remember("likely count", key, lambda: next(_whole(upload, COUNT_NAMES + WEIGHT_NAMES), ""))
    if not name:
        return
    default = True if upload.count_column == name else False if upload.count is None or name in domain.names else None
    key = f"_count {upload.id} {upload.version}"
    choose_kind(name, default, key=key, on_change=partial(_declare, upload, name, key))


def choose_kind(
    name: str, default: bool | None, *, key: str, on_change: Callable[[], None] | None = None
) -> bool | None:
    """Whether the column counts records, as the user answers in one line; None while there is no answer."""
    answer = st.segmented_control(
        f"Column {plain(name)} is",
        [OTHER, COUNTS],
        default=None if default is None else COUNTS if default else OTHER,
        required=default is not None,
        key=key,
        on_change=on_change,
        persist_state="session",
        help=COUNT_HELP,
    )
    return None if answer is None else answer == COUNTS


def _declare(upload: Upload, name: str, key: str) -> None:
    declare_count(upload, name, counts=st.session_state[key] == COUNTS)


def _whole(upload: Upload, names: Sequence[str]) -> Iterator[str]:
    """The columns with these names that hold whole numbers alone."""
    table = upload.table
    for name in table.column_names:
        if name.lower() in names:
            texts, _ = distinct_texts(table[name], name)
            if all(records_of(text) is not None for text in texts):
                yield name


def choose_unit(columns: Sequence[str], before: Unit, *, attributes: Sequence[str], key: str, source: str) -> Unit:
    """Let the user say what is protected, of a table of these columns, and these among them as attributes.

    `before` is chosen at first.
    """
    who = st.segmented_control(
        "What it protects",
        [A_RECORD, A_PERSON],
        default=A_PERSON if before.column in columns else A_RECORD,
        required=True,
        key=f"{key}_unit",
        persist_state="session",
        help=UNIT_HELP,
    )
    if who != A_PERSON:
        return RECORD
    with st.container(horizontal=True):
        column = st.selectbox(
            "Named by column",
            columns,
            index=columns.index(before.column) if before.column in columns else 0,
            key=f"{key}_person {source}",
            persist_state="session",
        )
        most = st.number_input(
            "Records of each, at most",
            1,
            MAX_RECORDS,
            value=before.records,
            step=1,
            key=f"{key}_most",
            persist_state="session",
        )
    st.caption(f"Of a person with more, a keyed hash drops the rest. The noise grows with the limit. {ONE_TABLE}")
    if column in attributes:
        in_sight().warning(
            f"{plain(column)} names persons and is an attribute too, so its values are part of the schema and of the "
            "rows: leave it out of the schema.",
            icon=":material/visibility:",
        )
    return Unit(column, int(most))


def warn_of_records(unit: Unit) -> None:
    """Say that a page's ε is of a record, where a person has several."""
    if unit.records > 1:
        st.caption(f"ε on this page is that of one record, and a person has up to {unit.records:,} here: see Run.")


def describe_unit(unit: Unit, settings: Spender) -> None:
    """Say what ε means for a record, where it is that of a person with several."""
    if unit.records > 1:
        st.caption(
            f"For a person of up to {unit.records:,} records. Each of them has ε = {settings.guarantee.epsilon:.3g}."
        )
