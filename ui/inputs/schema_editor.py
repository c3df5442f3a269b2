"""The editable table of a schema's rows."""

import streamlit as st

from ui.inputs.schema_rows import KINDS, Row


def edited_rows(rows: list[Row], *, key: str, reasons: bool) -> list[Row]:
    """The rows as the user has edited them. `reasons` says whether a column tells why some are left out."""
    column = st.column_config
    columns = {
        "use": column.CheckboxColumn("Use", width=50),
        "name": column.TextColumn("Column", width="small"),
        "kind": column.SelectboxColumn("Kind", options=KINDS, required=True, width="small"),
        "values": column.TextColumn(
            "Values, bin edges or range", help="a, b, c · or 17, 25, 90 · or 0..99 by 10", width="large"
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
