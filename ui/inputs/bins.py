"""A form that gives a column of the schema public bins: equally wide, logarithmic, or by a list of edges."""

import re

import streamlit as st

from ui.inputs.schema_rows import BINS, WHOLE_NUMBERS, Row, decimals_of, domain_of, edges_of, ends_of
from ui.page.wording import plain, problem
from ui.words.numbers import count

EQUAL, LOGARITHMIC, LISTED = "Equal width", "Logarithmic", "A list"
MAX_SHOWN = 8  # edges


def choose_bins(rows: list[Row], *, key: str) -> list[Row] | None:
    """Let the user set the bins of a column; the rows with them once a button is clicked, else None."""
    with st.popover("Bins", icon=":material/bar_chart:", key=key):
        numbers = [i for i, row in enumerate(rows) if row["kind"] in (BINS, WHOLE_NUMBERS)]
        names = [row["name"] for row in rows]
        name = st.selectbox("Column", names, index=numbers[0] if numbers else 0, format_func=plain, key=f"{key} column")
        row = next(row for row in rows if row["name"] == name)
        way = st.segmented_control(
            "Bins",
            [EQUAL, LOGARITHMIC, LISTED],
            default=EQUAL,
            required=True,
            key=f"{key} way",
            label_visibility="collapsed",
        )
        text = _listed(key) if way == LISTED else _rule(row, "log" if way == LOGARITHMIC else "equal", key)
        if not text:
            return None
        stated = row["decimals"] or ("" if row["kind"] == BINS else "0")
        changed = row | {"use": True, "kind": BINS, "decimals": stated}
        try:
            edges = edges_of(text, decimals_of(changed))
            changed["values"] = ", ".join(map(str, edges))
            domain_of([changed])
        except ValueError as error:
            problem(error)
            return None
        shown = [f"{edge:,}" for edge in edges]
        listed = shown if len(shown) <= MAX_SHOWN else [*shown[: MAX_SHOWN - 1], "…", shown[-1]]
        st.caption(f"{count(len(edges) - 1, 'bin')}: {' · '.join(listed)}")
        if st.button("Set these bins", type="primary", key=f"{key} set"):
            return [changed if row["name"] == name else row for row in rows]
    return None


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
