"""Which attributes of a table are used, and the queries of one family that are asked of them, as a workload's text."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import streamlit as st

from mwem_app.base import count
from mwem_app.page import plain
from mwem_app.session import state
from mwem_core.domain import Domain, quoted_name, quoted_text
from mwem_core.values import Codes, Dates, Values
from mwem_core.workload import named_groups, proposed_groups

MAX_LISTED_ATTRIBUTES = 12
MAX_PILLS = 40  # attributes; a longer list is a multiselect
MAX_DEFAULT_PAIR_CELLS = 10**6  # cells of all pairs of the attributes chosen at first in an uploaded table
MAX_GROUPED_CELLS = 10**7  # of all pairs within groups, which are asked where all pairs would be too many
GROUPS_CHOSEN = "_attribute_groups"
RANGE_KINDS = ("Random", "All", "Prefixes", "Listed")
EXAMPLE_ATTRIBUTES = 3
DEFAULT_K = 2


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
    """Let the user choose attributes of a table."""
    selected = st.session_state.get(state.ATTRIBUTES)
    if selected and not set(selected) & set(domain.names):
        st.session_state[state.ATTRIBUTES] = list(default)  # the table has changed
    default_names = state.follow(state.ATTRIBUTES, [name for name in domain.names if name in default])
    now = st.session_state.get(state.ATTRIBUTES)
    if now is None:  # first visit: the attributes in the address that this table has
        now = set(st.query_params.get_all(state.ATTRIBUTES)) & set(domain.names) or default_names
    label = f"{len(now)} of {count(len(domain), 'attribute')}"
    st.markdown(f"{label} :small[:gray[only these are released]]")
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


def choose_queries(family: str, domain: Domain, part: int) -> str:
    """Let the user choose a part's queries of this family. Raises ValueError if there is none."""
    if family in ("Marginals", "Cuboids"):
        with st.container(horizontal=True, vertical_alignment="center"):
            k = _k(domain, part)
            up_to = st.toggle("and all smaller k", key=state.of_part(state.UP_TO_K, part), bind=state.BIND)
        within = _groups(domain, part)
        return f"{family.lower()}:{'<=' if up_to else ''}{k}{f':{within}' if within else ''}"
    if family == "Parities":
        return f"parities:{_k(domain, part)}"
    if family == "Ranges":
        return _ranges(domain, part)
    return _predicates(domain, part)


def _k(domain: Domain, part: int) -> int:
    key = state.of_part(state.K, part)
    default = state.follow(key, min(DEFAULT_K, len(domain)))
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width="content"):
        st.markdown("k =", width="content")
        k = st.number_input(
            "k, the number of attributes in a query",
            1,
            99,
            value=default,
            step=1,
            key=key,
            bind=state.BIND,
            width=140,
            label_visibility="collapsed",
        )
    return int(k or 0)


def _groups(domain: Domain, part: int) -> str:
    """The groups that marginals stay within, where there are many attributes; proposed where all pairs are too many."""
    key = state.of_part(state.GROUPS, part)
    if len(domain) <= MAX_PILLS and key not in st.session_state and key not in st.query_params:
        return ""
    proposed = proposed_groups(domain.names) if pair_cells(domain.shape) > MAX_DEFAULT_PAIR_CELLS else ""
    text = st.text_input(
        "Within groups of attributes",
        value=state.follow(key, proposed),
        key=key,
        bind=state.BIND,
        placeholder="none: all attributes together",
        help="Ask only for marginals within a group. Groups stand between bars, names between commas, and \\* stands "
        "for any text: health\\* | work\\*, salary. An attribute in no group is asked alone. Empty: all attributes "
        "together.",
    )
    return (text or "").strip()


def _ranges(domain: Domain, part: int) -> str:
    columns, which, listing = (
        state.of_part(key, part) for key in (state.RANGE_ATTRIBUTES, state.RANGE_KIND, state.RANGE_LIST)
    )
    ordered = [attribute.name for attribute in domain.attributes if attribute.ordered]
    if not ordered:
        raise ValueError(
            "ranges need an attribute with an order: under Table, choose one with bins or whole numbers, such as an age"
        )
    selected = st.session_state.get(columns)
    if selected and not set(selected) & set(ordered):
        st.session_state[columns] = ordered[:1]  # the table has changed
    attributes = st.multiselect(
        "Attributes of the ranges",
        ordered,
        default=state.follow(columns, ordered[:1]),
        key=columns,
        bind=state.BIND,
        max_selections=2,
        placeholder="one attribute, or two for boxes",
        label_visibility="collapsed",
    )
    if not attributes:
        raise ValueError("no attribute is chosen for the ranges: choose one, or two for boxes")
    kind = st.segmented_control(
        "Which ranges",
        RANGE_KINDS,
        key=which,
        default="Random",
        required=True,
        bind=state.BIND,
        label_visibility="collapsed",
    )
    names = ",".join(attributes)
    if kind in ("All", "Prefixes"):
        return f"ranges:{names}:{kind.lower()}"
    if kind == "Listed":
        examples = "\n".join(" x ".join(_example_range(domain, name, part) for name in attributes) for part in (2, 4))
        text = st.text_area(
            "One range per line",
            key=listing,
            value=state.follow(listing, examples),
            bind=state.BIND,
            height=100,
            help="low..high, both ends included; for a box low..high x low..high",
        )
        listed = ";".join(line for line in (text or "").splitlines() if line.strip())
        if not listed:
            raise ValueError("no range is listed: write one per line, as in 17..30")
        return f"ranges:{names}:{listed if '..' in listed else listed + '..'}"
    with st.container(horizontal=True):
        number_key, seed_key = (state.of_part(key, part) for key in (state.RANGE_COUNT, state.RANGE_SEED))
        number = st.number_input("How many", 1, 10**7, value=2000, key=number_key, bind=state.BIND, width=140)
        draw = st.number_input("Drawn with seed", 0, 10**8, value=0, key=seed_key, bind=state.BIND, width=140)
    return f"ranges:{names}:{number or 0}@{draw or 0}"


def _example_range(domain: Domain, name: str, part: int) -> str:
    """The lowest 1/`part` of an attribute's range."""
    values = domain.attributes[domain.names.index(name)].value_set
    assert not isinstance(values, Values | Codes)
    low, high, _ = values.cells()
    return f"{values.written(low[0])}..{values.written(high[len(high) // part])}"


def _predicates(domain: Domain, part: int) -> str:
    key = state.of_part(state.PREDICATES, part)
    text = st.text_area(
        "One query per line",
        key=key,
        value=state.follow(key, "\n".join(example_predicates(domain))),
        bind=state.BIND,
        height=130,
        help='Compare with == != < <= > >= or in ("a", "b"), joined by and, or, not and brackets.',
    )
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    if not lines:
        raise ValueError(f"no query is given: write one per line, such as {example_predicates(domain)[0]}")
    return "where:" + ";".join(lines)


def example_predicates(domain: Domain) -> list[str]:
    """Return predicates on the attributes with the fewest values, made from the schema alone."""
    known = [a for a in range(len(domain)) if a not in domain.unbinned] or [*range(len(domain))]
    smallest = sorted(known, key=domain.shape.__getitem__)[:EXAMPLE_ATTRIBUTES]
    predicates = [_example(domain, a) for a in smallest]
    return [*predicates[:1], *(f"{first} and {second}" for first, second in pairwise(predicates))]


def _example(domain: Domain, a: int) -> str:
    attribute = domain.attributes[a]
    name, values = quoted_name(attribute.name), attribute.value_set
    if isinstance(values, Values | Codes):
        return f"{name} == {quoted_text(values.label(values.size - 1))}"
    low, _, _ = values.cells()
    threshold = values.written(low[len(low) // 2])
    return f"{name} >= " + (f'"{threshold}"' if isinstance(values, Dates) else threshold)
