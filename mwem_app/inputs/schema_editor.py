"""The editable table of a schema's rows, and its rules as lines."""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from mwem_app.inputs.bins import choose_bins
from mwem_app.inputs.schema_rows import KINDS, Row
from mwem_app.page import plain
from mwem_core.domain import CELLS

NAMELESS = "cannot be an attribute: write a name into the header of the file"
MANY = 40  # rows, of which a part is in sight
MAX_REASONS = 20  # columns left out whose reason is told


@dataclass(frozen=True)
class _Held:
    """The rows as the editor first shows them, and how often a click has changed them; each needs a new editor."""

    rows: list[Row]
    version: int = 0


def edited_rows(rows: list[Row], *, key: str, reasons: bool) -> list[Row]:
    """The rows as the user has edited them, in the table or by the form for bins.

    `reasons` says whether to tell why some are left out.
    """
    held = st.session_state.setdefault(f"{key} held", _Held(rows))
    column = st.column_config
    columns = {
        "use": column.CheckboxColumn("Use", width=50),
        "name": column.TextColumn("Column", width="small"),
        "kind": column.SelectboxColumn("Kind", options=KINDS, required=True, width=125),
        "values": column.TextColumn(
            "Values, bin edges, range or dates",
            help="a, b, c · or 17, 25, 90 · or 17, 25, 90 heaped 30% at 10 · or 0..100000 log · or 0..99 by 10 · "
            "or, of measured bins, 0..99999 in 16 · or first 3: A00.1, A00.2 · "
            "or 2019-01-01..2024-12-31 by month as DD.MM.YYYY",
            width="large",
        ),
        "decimals": column.TextColumn(
            "Decimals",
            help="Of numbers. Rows have as many, and lie in a bin as its neighbours suggest. Empty: evenly, unrounded",
            validate=r"^\d{0,2}$",
            width=70,
        ),
        "form": column.TextColumn(
            "Form",
            help="How numbers are written, as a zero: $0,000.00 · 0.0% · (0.00) · H:MM:SS. Empty: 1234.5",
            width=80,
        ),
        "special": column.TextColumn(
            "Special", help="Texts beside the values, with a category each, such as refused, <5", width="small"
        ),
        "missing": column.TextColumn(
            "Missing",
            help="The text that stands for a missing value; it gets its own category. Of several, the first is written",
            width="small",
        ),
        "other": column.CheckboxColumn("Other", help="Adds a category for all other values", width=60),
    }
    if any(row.get("from_data") for row in held.rows):
        columns["from_data"] = column.MultiselectColumn(
            "Read off the data",
            options=CELLS,
            color="orange",
            help="What was read off the records, so it is private. Take out what a public source says too. A cell that "
            "you edit is yours.",
        )
    if len(held.rows) > MANY:
        st.caption(":material/search: The magnifier at the table's upper right searches its columns.")
    edited = st.data_editor(
        held.rows,
        key=f"{key} {held.version}",
        hide_index=True,
        disabled=["name"],
        column_order=list(columns),
        column_config=columns,
        alt="The schema: one row per column of the table",
    )
    if left_out := [row for row in edited if row["why"] and not row["use"]] if reasons else []:
        st.caption(f"**Left out.** {_reasons(left_out)}")
    changed = choose_bins(edited, key=f"{key} bins {held.version}")
    if changed is not None:
        st.session_state[f"{key} held"] = _Held(changed, held.version + 1)
        st.rerun()
    return edited


def _reasons(left_out: list[Row]) -> str:
    """Why columns are left out, a sentence for each."""
    return reasons_in_words({row["name"]: row["why"] for row in left_out})


def reasons_in_words(reasons: Mapping[str, str]) -> str:
    """Why columns are left out, by their names: a sentence for each."""
    told = [
        f"{plain(name) if name else 'A column without a name'} {plain(reason if name else NAMELESS)}."
        for name, reason in list(reasons.items())[:MAX_REASONS]
    ]
    more = len(reasons) - MAX_REASONS
    return " ".join([*told, *([f"And {more:,} more columns."] if more > 0 else [])])


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
