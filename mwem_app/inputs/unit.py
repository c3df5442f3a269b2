"""The unit of privacy: whether a run or a release protects a record, or a person with all of their records."""

from collections.abc import Sequence

import streamlit as st

from mwem_app.page import plain
from mwem_core.algorithm import Spender
from mwem_core.privacy import MAX_RECORDS, RECORD, Unit

A_RECORD, A_PERSON = "A record", "A person"
HELP = (
    "The unit of privacy. **A record**: right if nobody has two. **A person**: all records of one person together, for "
    "tables in which a person may have several."
)
ONE_TABLE = (
    "One table at a time: tables that are linked by a key, such as persons and their visits, are not supported. Join "
    "them first, a row for each visit, and protect a person."
)


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
        help=HELP,
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
        st.warning(
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
