"""The workload: which linear queries the release should answer well."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import streamlit as st

from mwem_core.domain.dates import Dates
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import Codes, Values
from mwem_core.workload.spec import parse_workload
from mwem_core.workload.workload import Workload
from ui.page.wording import plain, problem
from ui.session import state
from ui.words.numbers import count

WORKLOAD_FAMILIES = {
    "Marginals": "Every cell of every marginal over k attributes.",
    "Cuboids": "The same marginals, each asked as a whole: the data cubes of the paper.",
    "Ranges": "Numbers of records between two values of an attribute, or in a box of two attributes.",
    "Parities": "For each set of up to k binary attributes: records with an even number of ones, minus the rest.",
    "Predicates": "Your own conditions: each line counts the records that satisfy it.",
}
TITLE = "2 Queries"
HELP = "  \n".join(f"**{family}**: {meaning}" for family, meaning in WORKLOAD_FAMILIES.items())
HELP += "  \n**Sensitivity**: the sum of the answers' changes, at most, when one record is added or removed."
RANGE_KINDS = ("Random", "All", "Prefixes", "Listed")
EXAMPLE_ATTRIBUTES = 3
DEFAULT_K = 2


def choose_workload(
    domain: Domain, default_family: str, *, ordered: Sequence[str], title: str = TITLE
) -> Workload | None:
    """Let the user choose the workload; None, with an error message, for invalid settings.

    `ordered`: the attributes of the whole table that have an order, chosen or not.
    """
    family = st.segmented_control(
        title,
        list(WORKLOAD_FAMILIES),
        key=state.FAMILY,
        default=state.following(state.FAMILY, default_family),
        required=True,
        bind=state.BIND,
        wrap=True,
        help=HELP,
    )
    try:
        spec = _spec(family, domain)
        workload: Workload = state.remember("workload", (domain, spec), lambda: parse_workload(spec, domain))
    except ValueError as error:
        problem(error)
        _offer_remedy(family, domain, ordered)
        return None
    st.markdown(describe(workload))
    return workload


def describe(workload: Workload) -> str:
    """Return the number of queries and their sensitivity, in words."""
    sensitivity = f"sensitivity {workload.sensitivity:,.0f}"
    if workload.tabular:
        queries = f"**{count(workload.parts, workload.family[:-1])}, {count(workload.size, 'cell')}**"
        return f"{queries} · {sensitivity}"
    queries = f"**{count(workload.size, 'query', 'queries')}** over {count(workload.cells, 'cell')}"
    return f"{queries} · {sensitivity}"


def _spec(family: str, domain: Domain) -> str:
    if family in ("Marginals", "Cuboids"):
        with st.container(horizontal=True, vertical_alignment="center"):
            k = _k(domain)
            up_to = st.toggle("and all smaller k", key=state.UP_TO_K, bind=state.BIND)
        return f"{family.lower()}:{'<=' if up_to else ''}{k}"
    if family == "Parities":
        return f"parities:{_k(domain)}"
    if family == "Ranges":
        return _ranges_spec(domain)
    return _predicates_spec(domain)


def _k(domain: Domain) -> int:
    default = state.following(state.K, min(DEFAULT_K, len(domain)))
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width="content"):
        st.markdown("k =", width="content")
        k = st.number_input(
            "k, the number of attributes in a query",
            1,
            99,
            value=default,
            step=1,
            key=state.K,
            bind=state.BIND,
            width=140,
            label_visibility="collapsed",
        )
    return int(k or 0)


def _offer_remedy(family: str, domain: Domain, ordered: Sequence[str]) -> None:
    """Offer, in one click, a setting that these attributes can serve, or an attribute that serves this one."""
    two_valued = [attribute.name for attribute in domain.attributes if attribute.size == 2]
    if family == "Parities" and not two_valued:
        st.caption("None of the chosen attributes has two values.")
        _remedy("Ask for marginals", state.FAMILY, "Marginals")
    elif family == "Parities" and len(two_valued) < len(domain):
        _remedy(f"Keep only {count(len(two_valued), 'two-valued attribute')}", state.ATTRIBUTES, two_valued)
    elif family == "Ranges" and not set(ordered) & set(domain.names):
        if ordered:
            _remedy(f"Add {plain(ordered[0])}", state.ATTRIBUTES, [*domain.names, ordered[0]])
        else:
            _remedy("Ask for marginals", state.FAMILY, "Marginals")
    elif family in ("Marginals", "Cuboids", "Parities") and st.session_state[state.K] > len(domain):
        _remedy(f"Use k = {len(domain)}", state.K, len(domain))


def _remedy(label: str, key: str, value: Any) -> None:
    """A button that sets the widget of this key."""
    st.button(label, icon=":material/build:", on_click=lambda: st.session_state.update({key: value}))


def _ranges_spec(domain: Domain) -> str:
    ordered = [attribute.name for attribute in domain.attributes if attribute.ordered]
    if not ordered:
        raise ValueError(
            "ranges need an attribute with an order: under Table, choose one with bins or whole numbers, such as an age"
        )
    selected = st.session_state.get(state.RANGE_ATTRIBUTES)
    if selected and not set(selected) & set(ordered):
        st.session_state[state.RANGE_ATTRIBUTES] = ordered[:1]  # the table has changed
    attributes = st.multiselect(
        "Attributes of the ranges",
        ordered,
        default=state.following(state.RANGE_ATTRIBUTES, ordered[:1]),
        key=state.RANGE_ATTRIBUTES,
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
        key=state.RANGE_KIND,
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
            key=state.RANGE_LIST,
            value=state.following(state.RANGE_LIST, examples),
            bind=state.BIND,
            height=100,
            help="low..high, both ends included; for a box low..high x low..high",
        )
        listed = ";".join(line for line in (text or "").splitlines() if line.strip())
        if not listed:
            raise ValueError("no range is listed: write one per line, as in 17..30")
        return f"ranges:{names}:{listed if '..' in listed else listed + '..'}"
    with st.container(horizontal=True):
        number = st.number_input("How many", 1, 10**7, value=2000, key=state.RANGE_COUNT, bind=state.BIND, width=140)
        draw = st.number_input("Drawn with seed", 0, 10**8, value=0, key=state.RANGE_SEED, bind=state.BIND, width=140)
    return f"ranges:{names}:{number or 0}@{draw or 0}"


def _example_range(domain: Domain, name: str, part: int) -> str:
    """The lowest 1/`part` of an attribute's range."""
    values = domain.attributes[domain.names.index(name)].value_set
    assert not isinstance(values, Values | Codes)
    low, high, _ = values.cells()
    return f"{values.written(low[0])}..{values.written(high[len(high) // part])}"


def _predicates_spec(domain: Domain) -> str:
    text = st.text_area(
        "One query per line",
        key=state.PREDICATES,
        value=state.following(state.PREDICATES, "\n".join(example_predicates(domain))),
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
    smallest = sorted(range(len(domain)), key=domain.shape.__getitem__)[:EXAMPLE_ATTRIBUTES]
    predicates = [_example(domain, a) for a in smallest]
    return [*predicates[:1], *(f"{first} and {second}" for first, second in pairwise(predicates))]


def _example(domain: Domain, a: int) -> str:
    attribute = domain.attributes[a]
    name = attribute.name if re.fullmatch(r"[^\W\d][\w.-]*", attribute.name) else f"`{attribute.name}`"
    values = attribute.value_set
    if isinstance(values, Values | Codes):
        value = values.label(values.size - 1)
        return f"{name} == '{value}'" if '"' in value else f'{name} == "{value}"'
    low, _, _ = values.cells()
    threshold = values.written(low[len(low) // 2])
    return f"{name} >= " + (f'"{threshold}"' if isinstance(values, Dates) else threshold)
