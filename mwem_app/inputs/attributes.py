"""Which attributes of a table are used: a list to search, with buttons for whole groups where there are many."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from mwem_app.base import count
from mwem_app.page import plain
from mwem_app.session import state
from mwem_core.domain import Domain, named_groups, proposed_groups

MAX_LISTED_ATTRIBUTES = 12
MAX_PILLS = 40  # attributes; a longer list is a multiselect
MAX_DEFAULT_PAIR_CELLS = 10**6  # cells of all pairs of the attributes chosen at first in an uploaded table
MAX_GROUPED_CELLS = 10**7  # of all pairs within groups, which are asked where all pairs would be too many
GROUPS_CHOSEN = "_attribute_groups"


def default_attributes(domain: Domain) -> tuple[str, ...]:
    """All attributes, if their pairs or those within groups have few enough cells; else the first ones that do."""
    groups = proposed_groups(domain.names)
    within = [domain.sizes(domain.attrs(*group)) for group in named_groups(groups, domain.names)] if groups else []
    if pair_cells(domain.shape) <= MAX_DEFAULT_PAIR_CELLS or 0 < sum(map(pair_cells, within)) <= MAX_GROUPED_CELLS:
        return domain.names
    sizes = np.array(domain.shape, float)
    cells = (np.cumsum(sizes) ** 2 - np.cumsum(sizes**2)) / 2
    return domain.names[: max(1, int(np.searchsorted(cells, MAX_DEFAULT_PAIR_CELLS, side="right")))]


def pair_cells(sizes: Sequence[int]) -> float:
    """The number of cells of the marginals of all pairs of attributes of these sizes."""
    return (sum(sizes) ** 2 - sum(size**2 for size in sizes)) / 2


def choose_attributes(domain: Domain, default: tuple[str, ...]) -> list[str]:
    """Let the user choose attributes of a table, in a popover."""
    selected = st.session_state.get(state.ATTRIBUTES)
    if selected and not set(selected) & set(domain.names):
        st.session_state[state.ATTRIBUTES] = list(default)  # the table has changed
    default_names = state.following(state.ATTRIBUTES, [name for name in domain.names if name in default])
    label = f"{_number_selected(domain, default_names)} of {count(len(domain), 'attribute')}"
    with st.popover(label, width="stretch", icon=":material/view_column:"):
        st.caption("The release contains only the chosen attributes.")
        if len(domain) > MAX_PILLS:
            _choose_groups(domain)
        widget: Any = st.pills if len(domain) <= MAX_PILLS else st.multiselect
        chosen = widget(
            "Attributes",
            domain.names,
            default=default_names,
            key=state.ATTRIBUTES,
            bind=state.BIND,
            label_visibility="collapsed",
            **({"selection_mode": "multi", "format_func": plain} if len(domain) <= MAX_PILLS else {}),
        )
        attributes = [attribute for attribute in domain.attributes if attribute.name in chosen]
        listed = ", ".join(f"{plain(a.name)} {a.size:,}" for a in attributes[:MAX_LISTED_ATTRIBUTES])
        more = len(attributes) - MAX_LISTED_ATTRIBUTES
        st.caption(f"Numbers of values: {listed}{f', and {more} more attributes' if more > 0 else ''}.")
    return [attribute.name for attribute in attributes]


def _number_selected(domain: Domain, default: list[str]) -> int:
    """How many attributes are selected, before the widget that selects them is drawn."""
    selected = st.session_state.get(state.ATTRIBUTES)
    if selected is None:  # first visit: the attributes in the address that this table has
        selected = set(st.query_params.get_all(state.ATTRIBUTES)) & set(domain.names) or default
    return len(selected)


def _choose_groups(domain: Domain) -> None:
    """Let the user choose all attributes, or whole groups of them by their names' first word, in one click."""
    text = proposed_groups(domain.names)
    groups = {f"All {len(domain):,}": list(domain.names)}
    for pattern, names in zip(text.split(" | "), named_groups(text, domain.names), strict=True) if text else ():
        groups[f"{pattern.removesuffix('*')} {len(names):,}"] = names

    def choose() -> None:
        chosen = {name for label in st.session_state[GROUPS_CHOSEN] for name in groups.get(label, ())}
        if chosen:
            st.session_state[state.ATTRIBUTES] = [name for name in domain.names if name in chosen]

    st.pills("Groups", list(groups), selection_mode="multi", key=GROUPS_CHOSEN, on_change=choose, format_func=plain)
    st.caption("Or search: write a part of a name in the list below.")
