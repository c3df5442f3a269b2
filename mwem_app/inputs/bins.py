"""A form that gives a column of the schema bins: equally wide, logarithmic, by a list of edges, or to be measured."""

import re

import streamlit as st

from mwem_app.base import count
from mwem_app.inputs.schema_rows import (
    BINS,
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

EQUAL, LOGARITHMIC, LISTED, MEASURED = "Equal width", "Logarithmic", "A list", "Measured"
MAX_SHOWN = 8  # edges


def choose_bins(rows: list[Row], *, key: str) -> list[Row] | None:
    """Let the user set the bins of a column; the rows with them once a button is clicked, else None."""
    with st.popover("Bins", icon=":material/bar_chart:", key=key):
        numbers = [i for i, row in enumerate(rows) if row["kind"] in (BINS, MEASURED_BINS, WHOLE_NUMBERS)]
        names = [row["name"] for row in rows]
        name = st.selectbox("Column", names, index=numbers[0] if numbers else 0, format_func=plain, key=f"{key} column")
        row = next(row for row in rows if row["name"] == name)
        way = st.segmented_control(
            "Bins",
            [EQUAL, LOGARITHMIC, LISTED, MEASURED],
            default=EQUAL,
            required=True,
            key=f"{key} way",
            label_visibility="collapsed",
        )
        if way == MEASURED:
            text = _measured(row, key)
        else:
            text = _listed(key) if way == LISTED else _rule(row, "log" if way == LOGARITHMIC else "equal", key)
        if not text:
            return None
        stated = row["decimals"] or ("" if row["kind"] == BINS or way == MEASURED else "0")
        changed = row | {"use": True, "kind": BINS, "decimals": stated}
        try:
            if way == MEASURED:
                changed |= {"kind": MEASURED_BINS, "values": text}
                changed["values"] = rows_of(domain_of([changed]), {})[0]["values"]
            else:
                edges = edges_of(text, decimals_of(changed))
                changed["values"] = ", ".join(map(str, edges))
                st.caption(_summary(edges))
            domain_of([changed])
        except ValueError as error:
            problem(error)
            return None
        if st.button("Set these bins", type="primary", key=f"{key} set"):
            return [changed if row["name"] == name else row for row in rows]
    return None


def _summary(edges: tuple[float, ...]) -> str:
    shown = [f"{edge:,}" for edge in edges]
    listed = shown if len(shown) <= MAX_SHOWN else [*shown[: MAX_SHOWN - 1], "…", shown[-1]]
    return f"{count(len(edges) - 1, 'bin')}: {' · '.join(listed)}"


def _measured(row: Row, key: str) -> str:
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


def _listed(key: str) -> str:
    """The edges that the user lists, with commas between."""
    text = st.text_area("Edges", key=f"{key} list", placeholder="0, 18, 25, 65, 120", height=100)
    return ", ".join(re.split(r"[\s,;]+", (text or "").strip()))
