"""A column that may hold the number of records of each row: the user says what it is, as its name does not."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import streamlit as st

from mwem_app.inputs.schema_text import declare_count
from mwem_app.inputs.upload import Upload
from mwem_app.page import plain
from mwem_app.session import state
from mwem_core.domain import Domain
from mwem_core.encoding import LIKELY, WEIGHTS, records_of
from mwem_core.tables import distinct_texts

OTHER, COUNTS = "like any other", "the number of records of each row"
HELP = (
    "In a table of frequencies a column says how many records a row stands for. **Like any other**: each row is one "
    "record, and the column is an attribute if the schema has it."
)


def ask_of_count(upload: Upload, domain: Domain) -> None:
    """Ask what a column of whole numbers is that is called like a number of records; it is an attribute until then."""
    key = upload.id, upload.table
    name = state.remember("likely count", key, lambda: next(_whole(upload, LIKELY + WEIGHTS), ""))
    if not name:
        return
    default = COUNTS if upload.count_column == name else OTHER if upload.count is None or name in domain.names else None
    key = f"_count {upload.id} {upload.version}"
    choose_kind(name, default, key=key, on_change=partial(_declare, upload, name, key))


def choose_kind(name: str, default: str | None, *, key: str, on_change: Callable[[], None] | None = None) -> str | None:
    """The question in one line, and the answer; None while there is none."""
    return st.segmented_control(
        f"Column {plain(name)} is",
        [OTHER, COUNTS],
        default=default,
        required=default is not None,
        key=key,
        on_change=on_change,
        persist_state="session",
        help=HELP,
    )


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
