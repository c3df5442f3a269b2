"""Which questions the release should answer well: a family of linear queries, and what they amount to."""

import re
from itertools import pairwise

import streamlit as st

from mwem_core.domain.domain import Domain
from mwem_core.domain.values import Values
from mwem_core.workload.spec import parse_workload
from mwem_core.workload.workload import Workload
from ui.page.wording import problem
from ui.session import state
from ui.words.numbers import count

FAMILIES = {
    "Marginals": "Every cell of every table over k attributes.",
    "Cuboids": "The same tables, each asked as a whole: the paper's data cubes.",
    "Ranges": "How many lie between two values, or in a box of two attributes.",
    "Parities": "Even minus odd, for each set of up to k yes-or-no attributes.",
    "Predicates": "Your own: how many records does each line hold for?",
}
WHICH = ("Random", "All", "Prefixes", "Listed")
MOST_EXAMPLES = 3


def choose_questions(domain: Domain, usual: str) -> Workload | None:
    """The workload; None, with a sentence, where the settings do not make one."""
    family = st.segmented_control(
        "Ask for",
        list(FAMILIES),
        key=state.FAMILY,
        default=state.following(state.FAMILY, usual),
        required=True,
        bind=state.BIND,
        label_visibility="collapsed",
        wrap=True,
    )
    st.caption(FAMILIES[family])
    try:
        spec = _spec(family, domain)
        workload: Workload = state.remember("workload", (domain, spec), lambda: parse_workload(spec, domain))
    except ValueError as error:
        problem(error)
        return None
    st.markdown(describe(workload))
    return workload


def describe(workload: Workload) -> str:
    """What it amounts to before anything runs: how many questions, their cost, how many of them one record is in."""
    one = workload.sensitivity
    if workload.tabular:
        what = f"**{count(workload.parts, workload.family[:-1])}, {count(workload.size, 'cell')}**"
        touch = f"one record counts in {one:,.0f}"
    else:
        what = f"**{count(workload.size, 'query', 'queries')}** over {count(workload.cells, 'cell')}"
        touch = f"one record counts in up to {one:,.0f}"
    return f"{what} · {touch} (sensitivity)"


def _spec(family: str, domain: Domain) -> str:
    if family in ("Marginals", "Cuboids"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            k = _k()
            up_to = st.toggle("and all smaller ones", key=state.UP_TO_K, bind=state.BIND)
        return f"{family.lower()}:{'<=' if up_to else ''}{k}"
    if family == "Parities":
        return f"parities:{_k()}"
    if family == "Ranges":
        return _ranges_spec(domain)
    return _predicates_spec(domain)


def _k() -> int:
    k = st.number_input("k at a time", 1, 99, value=2, step=1, key=state.K, bind=state.BIND, width=150)
    return int(k or 0)


def _ranges_spec(domain: Domain) -> str:
    ordered = [attribute.name for attribute in domain.attributes if attribute.ordered]
    if not ordered:
        raise ValueError(
            "ranges need an attribute with an order: under Data, choose one with bins or whole numbers, such as an age"
        )
    held = st.session_state.get(state.RANGE_ATTRIBUTES)
    if held and not set(held) & set(ordered):
        st.session_state[state.RANGE_ATTRIBUTES] = ordered[:1]
    columns = st.multiselect(
        "Of",
        ordered,
        default=state.following(state.RANGE_ATTRIBUTES, ordered[:1]),
        key=state.RANGE_ATTRIBUTES,
        bind=state.BIND,
        max_selections=2,
        placeholder="one attribute, or two for boxes",
        label_visibility="collapsed",
    )
    if not columns:
        raise ValueError("no attribute is chosen to ask ranges of: choose one, or two for boxes")
    which = st.segmented_control(
        "Which",
        WHICH,
        key=state.RANGE_KIND,
        default="Random",
        required=True,
        bind=state.BIND,
        label_visibility="collapsed",
    )
    names = ",".join(columns)
    if which in ("All", "Prefixes"):
        return f"ranges:{names}:{which.lower()}"
    if which == "Listed":
        ends = "\n".join(" x ".join(_example_range(domain, name, part) for name in columns) for part in (2, 4))
        text = st.text_area(
            "One range a line",
            key=state.RANGE_LIST,
            value=state.following(state.RANGE_LIST, ends),
            bind=state.BIND,
            height=100,
            help="low..high, both ends included; for boxes low..high x low..high",
        )
        listed = ";".join(line for line in (text or "").splitlines() if line.strip())
        if not listed:
            raise ValueError("no range is listed: write one a line, as in 17..30")
        return f"ranges:{names}:{listed if '..' in listed else listed + '..'}"
    with st.container(horizontal=True):
        number = st.number_input("How many", 1, 10**7, value=2000, key=state.RANGE_COUNT, bind=state.BIND, width=140)
        draw = st.number_input("Drawn with seed", 0, 10**8, value=0, key=state.RANGE_SEED, bind=state.BIND, width=140)
    return f"ranges:{names}:{number or 0}@{draw or 0}"


def _example_range(domain: Domain, name: str, part: int) -> str:
    """The lower half, or quarter, of what the schema declares."""
    low, high, _ = domain.attributes[domain.names.index(name)].kind.cells()  # pyright: ignore[reportAttributeAccessIssue]
    return f"{low[0]:g}..{high[len(high) // part]:g}"


def _predicates_spec(domain: Domain) -> str:
    text = st.text_area(
        "One question a line",
        key=state.PREDICATES,
        value=state.following(state.PREDICATES, "\n".join(example_predicates(domain))),
        bind=state.BIND,
        height=130,
        help='Compare with == != < <= > >= or in ("a", "b"), joined by and, or, not and brackets.',
    )
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    if not lines:
        raise ValueError(f"no question is asked: write one a line, such as {example_predicates(domain)[0]}")
    return "where:" + ";".join(lines)


def example_predicates(domain: Domain) -> list[str]:
    """Questions that these attributes can answer, made of the schema alone."""
    single = [_example(domain, a) for a in sorted(range(len(domain)), key=domain.shape.__getitem__)[:MOST_EXAMPLES]]
    joined = [f"{one} and {two}" for one, two in pairwise(single)]
    return [*single[:1], *joined]


def _example(domain: Domain, a: int) -> str:
    attribute = domain.attributes[a]
    name = attribute.name if re.fullmatch(r"[^\W\d][\w.-]*", attribute.name) else f"`{attribute.name}`"
    if isinstance(attribute.kind, Values):
        value = attribute.kind.texts[-1]
        return f"{name} == '{value}'" if '"' in value else f'{name} == "{value}"'
    low, _, _ = attribute.kind.cells()
    return f"{name} >= {low[len(low) // 2]:g}"
