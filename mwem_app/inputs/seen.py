"""What was seen of an upload's columns when a schema was proposed, and what else each of them may be."""

import streamlit as st

from mwem_app.inputs.schema_rows import marks_of, rows_of
from mwem_app.inputs.upload import Upload
from mwem_app.page import plain
from mwem_core.domain import Attribute, Domain, all_marked

MAX_SEEN = 12  # columns told in sight; the others are behind a click
KEY = "_schema_seen"


def show_seen(upload: Upload) -> None:
    """Say in a line each what is special about columns, with a choice of what they may be, if there is one."""
    told = [name for name, seen in upload.suggestions.items() if seen.asks or (seen.attribute and seen.says)]
    if not told:
        return
    st.markdown("**Seen in the columns**")
    for name in told[:MAX_SEEN]:
        _choose(upload, name)
    if more := told[MAX_SEEN:]:
        with st.expander(f"{len(more)} more"):
            for name in more:
                _choose(upload, name)


def _choose(upload: Upload, name: str) -> None:
    """The sentence about a column, and its choices; the proposed one is chosen at first."""
    seen = upload.suggestions[name]
    if not seen.asks:
        st.markdown(f"**{plain(name)}** {plain(seen.says)}.")
        return
    key = f"{KEY} {upload.id} {name}"
    first = next(label for label, attribute in seen.choices.items() if attribute == seen.attribute)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(name)}** {plain(seen.says)}.", width="stretch")
        st.segmented_control(
            f"{name} is",
            list(seen.choices),
            default=upload.choices.get(name, first),
            required=True,
            key=key,
            on_change=_take,
            args=(upload, name, key),
            label_visibility="collapsed",
            width="content",
        )


def _take(upload: Upload, name: str, key: str) -> None:
    """Put the chosen attribute in place of the column's row. Edits of other rows stay."""
    upload.choices[name] = st.session_state[key]
    attribute = upload.suggestions[name].choices[st.session_state[key]]
    rows = upload.edited_rows or upload.rows
    marks = marks_of(rows, upload.rows)
    upload.clear_problem()
    upload.rows = [
        _row(attribute, row) if row["name"] == name else row | {"from_data": sorted(marks.get(row["name"], ()))}
        for row in rows
    ]
    upload.edited_rows = []
    upload.version += 1


def _row(attribute: Attribute | None, row: dict[str, object]) -> dict[str, object]:
    """The row of an attribute, or the column's row out of use."""
    if attribute is None:
        return row | {"use": False, "from_data": []}
    (proposed,) = rows_of(Domain((attribute,)), {}, all_marked([attribute]))
    return proposed | {"why": row["why"]}
