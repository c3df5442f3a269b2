"""The column with the number of records of each row, which a release takes as the user declares it, in words."""

import streamlit as st

from mwem_app.inputs import COUNTS, OTHER, Upload, choose_kind
from mwem_app.page import plain
from mwem_core.domain import Domain
from mwem_core.encoding import Count, Unsaid, count_in_words, likely_count


def choose_count(upload: Upload, domain: Domain) -> Count:
    """Let the user say what a column is that is called like a number of records and is no attribute.

    Only the names of the columns are read. Nothing is said where the answer is none, or not confirmed.
    """
    name = upload.count_column if upload.count_column in upload.table.column_names else None
    name = name or likely_count(upload.table.column_names, domain.names)
    if name is None or name in domain.names:
        return None
    default = COUNTS if upload.count_column == name else OTHER if upload.count is None else None
    kind = choose_kind(name, default, key=f"_release_count {upload.id}")
    if kind != COUNTS:
        return Unsaid.REFUSED if kind is None else None
    confirmed = st.checkbox(
        plain(count_in_words(name)), key=f"_release_count_said {upload.id}", persist_state="session"
    )
    return name if confirmed else Unsaid.REFUSED
