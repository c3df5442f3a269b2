"""The editable table of a schema's rows, and its rules as lines."""

import streamlit as st

from mwem_core.domain.inside import MAX_DECIMALS
from ui.inputs.schema_rows import KINDS, Row


def edited_rows(rows: list[Row], *, key: str, reasons: bool) -> list[Row]:
    """The rows as the user has edited them. `reasons` says whether a column tells why some are left out."""
    column = st.column_config
    columns = {
        "use": column.CheckboxColumn("Use", width=50),
        "name": column.TextColumn("Column", width="small"),
        "kind": column.SelectboxColumn("Kind", options=KINDS, required=True, width="small"),
        "values": column.TextColumn(
            "Values, bin edges, range or dates",
            help="a, b, c · or 17, 25, 90 · or 0..100000 log · or 0..99 by 10 · or first 3: A00.1, A00.2 · "
            "or 2019-01-01..2024-12-31 by month as DD.MM.YYYY",
            width="large",
        ),
        "decimals": column.NumberColumn(
            "Decimals",
            help="Of numbers. Rows have as many, and lie in a bin as its neighbours suggest. Empty: evenly, unrounded",
            min_value=0,
            max_value=MAX_DECIMALS,
            step=1,
            width=70,
        ),
        "missing": column.TextColumn(
            "Missing", help="The text that stands for a missing value; it gets its own category", width="small"
        ),
        "other": column.CheckboxColumn("Other", help="Adds a category for all other values", width=60),
    }
    if reasons:
        columns["why"] = column.TextColumn("Left out because it", width="medium")
    return st.data_editor(
        rows,
        key=key,
        hide_index=True,
        disabled=["name", "why"] if reasons else ["name"],
        column_order=list(columns),
        column_config=columns,
        alt="The schema: one row per column of the table",
    )


def edited_rules(never: tuple[str, ...], *, key: str) -> tuple[str, ...]:
    """The rules as the user has edited them, one on each line."""
    text = st.text_area(
        "Never, one rule on each line",
        value="\n".join(never),
        key=key,
        height="content",
        placeholder='age < 15 and marital-status == "Married"',
        help="Combinations of values that no record has, whatever the data. The model gives them no weight, no row has "
        "them, and they cost no privacy. Write them from what is known in public, not from these records.",
    )
    return tuple(line.strip() for line in text.splitlines() if line.strip())
