"""The editable table of a schema's rows, and its rules as lines."""

import re

import streamlit as st

from mwem_app.base import count
from mwem_app.inputs.schema_rows import (
    BINS,
    KINDS,
    MEASURED_BINS,
    USUAL_BINS,
    WHOLE_NUMBERS,
    Row,
    decimals_of,
    domain_of,
    edges_of,
    ends_of,
    rows_of,
)
from mwem_app.page import plain, problem
from mwem_core.domain import CELLS

EQUAL, LOGARITHMIC, LIST, MEASUREMENT = "Equal width", "Logarithmic", "A list", "Measured"
MAX_SHOWN = 8  # edges
MANY = 40  # rows, of which a part is in sight


def choose_bins(rows: list[Row], *, key: str) -> list[Row] | None:
    """Let the user set the bins of a column; the rows with them once a button is clicked, else None."""
    with st.popover("Bins", icon=":material/bar_chart:", key=key):
        numbers = [i for i, row in enumerate(rows) if row["kind"] in (BINS, MEASURED_BINS, WHOLE_NUMBERS)]
        names = [row["name"] for row in rows]
        name = st.selectbox("Column", names, index=numbers[0] if numbers else 0, format_func=plain, key=f"{key} column")
        row = next(row for row in rows if row["name"] == name)
        way = st.segmented_control(
            "Bins",
            [EQUAL, LOGARITHMIC, LIST, MEASUREMENT],
            default=EQUAL,
            required=True,
            key=f"{key} way",
            label_visibility="collapsed",
        )
        if way == MEASUREMENT:
            text = _measured_range(row, key)
        elif way == LIST:
            text = st.text_area("Edges", key=f"{key} list", placeholder="0, 18, 25, 65, 120", height=100)
            text = ", ".join(re.split(r"[\s,;]+", (text or "").strip()))
        else:
            text = _rule(row, "log" if way == LOGARITHMIC else "equal", key)
        if not text:
            return None
        stated = row["decimals"] or ("" if row["kind"] == BINS or way == MEASUREMENT else "0")
        changed = row | {"use": True, "kind": BINS, "decimals": stated}
        try:
            if way == MEASUREMENT:
                changed |= {"kind": MEASURED_BINS, "values": text}
                changed["values"] = rows_of(domain_of([changed]), {})[0]["values"]
            else:
                edges = edges_of(text, decimals_of(changed))
                changed["values"] = ", ".join(map(str, edges))
                shown = [f"{edge:,}" for edge in edges]
                listed = shown if len(shown) <= MAX_SHOWN else [*shown[: MAX_SHOWN - 1], "…", shown[-1]]
                st.caption(f"{count(len(edges) - 1, 'bin')}: {' · '.join(listed)}")
            domain_of([changed])
        except ValueError as error:
            problem(error)
            return None
        if st.button("Set these bins", type="primary", key=f"{key} set"):
            return [changed if row["name"] == name else row for row in rows]
    return None


def _measured_range(row: Row, key: str) -> str:
    """The ends between which a run measures bins, and how many; empty while an end is missing."""
    ends = _rule(row, "in", key)
    bins = st.number_input("How many bins", 2, 1000, value=USUAL_BINS, key=f"{key} number")
    st.caption(
        "A run measures them first, with a share of its budget: narrow where the records are, and a value that many "
        "have by itself."
    )
    return f"{ends} {bins}" if ends else ""


def _rule(row: Row, rule: str, key: str) -> str:
    """The rule and the ends that it takes; empty while an end is missing."""
    read_off = "values" in (row.get("from_data") or ())
    low, high = (None, None) if read_off else ends_of(row)
    with st.container(horizontal=True):
        lowest = st.number_input(
            "Lowest", value=low, key=f"{key} low {row['name']}", placeholder="public", format="%.12g"
        )
        highest = st.number_input(
            "Highest", value=high, key=f"{key} high {row['name']}", placeholder="public", format="%.12g"
        )
    caption = "Write ends that were known without the data" + (": the proposed ones were not." if read_off else ".")
    if rule == "log":
        caption += (
            " Steps grow with the number. Zero has a bin of its own, and negative numbers mirror the positive ones."
        )
    st.caption(caption)
    return "" if lowest is None or highest is None else f"{lowest!r}..{highest!r} {rule}"


def edited_rows(rows: list[Row], *, key: str) -> list[Row]:
    """The rows as the user has edited them, in the table or by the form for bins."""
    # The rows as the editor first shows them, and how often a click has changed them: each needs a new editor.
    rows, version = st.session_state.setdefault(f"{key} held", (rows, 0))
    column = st.column_config
    columns = {
        "use": column.CheckboxColumn("Use", width=50),
        "name": column.TextColumn("Column", width="small"),
        "kind": column.SelectboxColumn("Kind", options=KINDS, required=True, width=125),
        "values": column.TextColumn(
            "Values, bin edges, range or dates",
            help="a, b, c, in the order of their levels · or 17, 25, 90 · or 0..100000 log · or 0..99 by 10 · "
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
    if any(row.get("from_data") for row in rows):
        columns["from_data"] = column.MultiselectColumn(
            "Read off the data",
            options=CELLS,
            color="orange",
            help="What was read off the records, so it is private. Take out what a public source says too. A cell that "
            "you edit is yours.",
        )
    if len(rows) > MANY:
        st.caption(":material/search: The magnifier at the table's upper right searches its columns.")
    edited = st.data_editor(
        rows,
        key=f"{key} {version}",
        hide_index=True,
        disabled=["name"],
        column_order=list(columns),
        column_config=columns,
        alt="The schema: one row per column of the table",
    )
    changed = choose_bins(edited, key=f"{key} bins {version}")
    if changed is not None:
        st.session_state[f"{key} held"] = (changed, version + 1)
        st.rerun()
    return edited


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
