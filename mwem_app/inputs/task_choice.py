"""What every page asks first: the table, the workload, and whether to show the truth."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import takewhile
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mwem_app.base import EXPLORATION, ON_PUBLIC, PRIVATE_TABLE, count
from mwem_app.inputs.file_reading import check_encoding
from mwem_app.inputs.public_start_choice import public_start, starts_from
from mwem_app.inputs.query_choice import choose_queries
from mwem_app.inputs.schema_form import confirm_schema
from mwem_app.inputs.table_choice import OWN, Data, choose_table, unconfirmed_upload
from mwem_app.page import SettingLine, in_sight, plain, problem, set_page_badge
from mwem_app.session import check_memory, is_demo, state
from mwem_core.domain import Domain
from mwem_core.workload import Workload, mixture, parse_workload

WORKLOAD_FAMILIES = {
    "Marginals": "Every cell of every marginal over k attributes.",
    "Cuboids": "The same marginals, each asked as a whole: the data cubes of the paper.",
    "Ranges": "Numbers of records between two values of an attribute, or in a box of two attributes.",
    "Parities": "For each set of up to k binary attributes: records with an even number of ones, minus the rest.",
    "Predicates": "Your own conditions: each line counts the records that satisfy it.",
}
TITLE = "Queries"
HELP = "  \n".join(f"**{family}**: {meaning}" for family, meaning in WORKLOAD_FAMILIES.items())
HELP += "  \n**Sensitivity**: the sum of the answers' changes, at most, when one record is added or removed."
EXTRA_FAMILY = "Predicates"


def choose_workload(
    domain: Domain, default_family: str, *, ordered: Sequence[str], title: str = TITLE
) -> Workload | None:
    """Let the user choose the workload, in one part or several; None, with an error message, for invalid settings.

    `ordered`: the attributes of the whole table that have an order, chosen or not. A public demo takes small ones only.
    """
    workload = _choose_parts(domain, default_family, ordered, title)
    if workload is None or not is_demo():
        return workload
    try:
        check_memory(workload, rounds=1)  # before a page computes anything with it
    except ValueError as error:
        problem(error)
        return None
    return workload


def _choose_parts(domain: Domain, default_family: str, ordered: Sequence[str], title: str) -> Workload | None:
    shown = shown_parts()
    if len(shown) == 1:
        workload = _choose_part(1, domain, default_family, ordered, title)
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            if workload:
                st.markdown(describe(workload), width="content")
            _offer_part(shown, domain)
        return workload
    chosen = [_weighted_part(part, domain, default_family, ordered, title) for part in shown]
    _offer_part(shown, domain)
    try:
        found = [(Q, weight) for Q, weight in chosen if Q is not None]
        if len(found) < len(chosen):
            return None
        key = domain, tuple((Q.spec, weight) for Q, weight in found)
        workload = state.remember("workload", key, lambda: mixture(found))
    except ValueError as error:
        problem(error)
        return None
    st.markdown(describe(workload))
    return workload


def shown_parts() -> list[int]:
    """The numbers of the parts: as many as the address asks for without a gap, until some are added or removed."""
    if state.NUMBER_OF_PARTS not in st.session_state:
        keys = [state.of_part(state.FAMILY, part) for part in state.PARTS[1:]]
        asked = list(takewhile(st.query_params.__contains__, keys))
        st.session_state[state.NUMBER_OF_PARTS] = 1 + len(asked)
        for key in asked:
            if st.query_params[key] not in WORKLOAD_FAMILIES:
                st.session_state[key] = st.query_params[key] = EXTRA_FAMILY
    return list(state.PARTS[: st.session_state[state.NUMBER_OF_PARTS]])


def _weighted_part(
    part: int, domain: Domain, default_family: str, ordered: Sequence[str], title: str
) -> tuple[Workload | None, Fraction]:
    """One of several parts, with its weight, and a button that removes it."""
    if part == 1:
        st.markdown(title, help=HELP)
    with st.container(key=f"part_{part}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**Part {part}** · weight", width="content")
            weight = st.number_input(
                f"Weight of part {part}",
                0.1,
                100.0,
                value=1.0,
                step=1.0,
                format="%g",
                key=state.of_part(state.WEIGHT, part),
                bind=state.BIND,
                width=90,
                label_visibility="collapsed",
                help="How much the part's error counts beside the other parts' errors.",
            )
            st.button(
                "Remove",
                icon=":material/close:",
                type="tertiary",
                key=f"_remove_part_{part}",
                on_click=_remove_part,
                args=(part,),
                help=f"Leave part {part} out",
            )
        # Without a default, so that the address names the family of each part that was added.
        workload = _choose_part(part, domain, default_family if part == 1 else None, ordered, f"Part {part}")
        if workload:
            st.markdown(describe(workload))
    return workload, Fraction(f"{weight or 1:g}")


def _choose_part(
    part: int, domain: Domain, default_family: str | None, ordered: Sequence[str], title: str
) -> Workload | None:
    """Let the user choose one part of the workload."""
    key = state.of_part(state.FAMILY, part)
    chosen = st.segmented_control(
        title,
        list(WORKLOAD_FAMILIES),
        key=key,
        default=default_family and state.follow(key, default_family),
        required=True,
        bind=state.BIND,
        wrap=True,
        help=HELP,
        label_visibility="visible" if title != f"Part {part}" else "collapsed",
    )
    family = chosen or EXTRA_FAMILY
    try:
        spec = choose_queries(family, domain, part)
        return state.remember(f"workload {part}", (domain, spec), lambda: parse_workload(spec, domain))
    except ValueError as error:
        problem(error)
        with in_sight():
            _offer_remedy(family, domain, ordered, part)
        return None


def _offer_part(shown: Sequence[int], domain: Domain) -> None:
    """A button that adds a part of another kind: ranges where an attribute has an order, else predicates."""
    if len(shown) < len(state.PARTS):
        st.button(
            "Add a part",
            icon=":material/add:",
            type="tertiary",
            key="_add_part",
            on_click=_add_part,
            args=(len(shown) + 1, any(attribute.ordered for attribute in domain.attributes)),
            help="Ask for several kinds of queries at once, each with a weight: one run answers all of them.",
        )


def _add_part(part: int, has_order: bool) -> None:
    used = [st.session_state.get(state.of_part(state.FAMILY, before)) for before in range(1, part)]
    proposed = [family for family in ("Ranges", EXTRA_FAMILY, "Marginals") if has_order or family != "Ranges"]
    key, family = state.of_part(state.FAMILY, part), next((f for f in proposed if f not in used), EXTRA_FAMILY)
    st.session_state[key] = st.query_params[key] = family  # a value set in the session alone would not be a link
    st.session_state[state.NUMBER_OF_PARTS] = part


def _remove_part(part: int) -> None:
    """Forget a part; those after it move up, with all that was typed in them."""
    last = len(shown_parts())
    st.session_state[state.NUMBER_OF_PARTS] = last - 1
    for key in (*state.QUESTION, state.WEIGHT):
        for to in range(part, last + 1):
            value = st.session_state.pop(state.of_part(key, to + 1), None) if to < last else None
            if value is None:
                st.session_state.pop(state.of_part(key, to), None)
            else:
                st.session_state[state.of_part(key, to)] = value


def describe(workload: Workload) -> str:
    """Return the number of queries and their sensitivity, in words."""
    sensitivity = f"sensitivity {workload.sensitivity:,.0f}"
    if workload.terms:
        parts = count(len(workload.terms), "part")
        return f"Together **{parts}, {count(workload.size, 'query', 'queries')}** · {sensitivity}"
    if workload.tabular:
        queries = f"**{count(workload.parts, workload.family[:-1])}, {count(workload.size, 'cell')}**"
        return f"{queries} · {sensitivity}"
    queries = f"**{count(workload.size, 'query', 'queries')}** over {count(workload.cells, 'cell')}"
    return f"{queries} · {sensitivity}"


def _offer_remedy(family: str, domain: Domain, ordered: Sequence[str], part: int) -> None:
    """Offer, in one click, a setting that these attributes can serve, or an attribute that serves this one."""
    two_valued = [attribute.name for attribute in domain.attributes if attribute.size == 2]
    if family == "Parities" and not two_valued:
        st.caption("None of the chosen attributes has two values.")
        _remedy("Ask for marginals", state.of_part(state.FAMILY, part), "Marginals")
    elif family == "Parities" and len(two_valued) < len(domain):
        _remedy(f"Keep only {count(len(two_valued), 'two-valued attribute')}", state.ATTRIBUTES, two_valued)
    elif family == "Ranges" and not set(ordered) & set(domain.names):
        if ordered:
            _remedy(f"Add {plain(ordered[0])}", state.ATTRIBUTES, [*domain.names, ordered[0]])
        else:
            _remedy("Ask for marginals", state.of_part(state.FAMILY, part), "Marginals")
    elif family in ("Marginals", "Cuboids", "Parities") and st.session_state[state.of_part(state.K, part)] > len(
        domain
    ):
        _remedy(f"Use k = {len(domain)}", state.of_part(state.K, part), len(domain))


def _remedy(label: str, key: str, value: Any) -> None:
    """A button that sets the widget of this key."""
    st.button(
        label, icon=":material/build:", key=f"_remedy_{key}", on_click=lambda: st.session_state.update({key: value})
    )


def choose_task(
    purpose: str, *, may_start: bool = False
) -> tuple[Data | None, Workload | None, SettingLine, DeltaGenerator, bool]:
    """Say what the page is for, and let the user choose the table and the workload, the first parts of the line.

    Also return the line, the place of the page's badge, and whether to show the truth, a switch that all pages share.
    If the page `may_start` from a public table, the data has the one that was uploaded.
    """
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="purpose"):
        st.markdown(purpose, width="content")
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            badge_place = st.empty()
            show_truth = st.toggle(
                "Show the truth",
                value=True,
                key=state.TRUTH,
                bind=state.BIND,
                help="Comparisons with the truth are made from the records: publish them only if the records are "
                "public. With this switch off, none of them is sent to this browser.",
            )
    line = SettingLine()
    workload = None
    with line.part("table") as part:
        data = choose_table()
        part.says(f"{data.title}, {count(data.records.total, 'record')}" if data else st.session_state[state.TABLE])
        if data:
            start = starts_from() if may_start else ""
            st.caption(f"{data.dimensions} · {start}" if start else data.dimensions)
        if data and may_start:
            data = replace(data, public=public_start(data.records.domain, data.count))
    if data:
        with line.part("queries") as part:
            workload = choose_workload(data.records.domain, data.family, ordered=data.ordered)
            part.says(queries_in_words(workload) if workload else "queries")
    with badge_place:
        _show_page_badge(data, show_truth=show_truth)
    return data, workload, line, badge_place, show_truth


def _show_page_badge(data: Data | None, *, show_truth: bool) -> None:
    """What comes of a bundled table is public; not so while a run of an upload, or its cells, are shown beside it."""
    run = state.runner_of(data and data.source)
    shown = {each.provenance for each in (data, run and run.plan) if each}
    if shown == {"built in"}:
        set_page_badge(ON_PUBLIC)
    elif shown or (st.session_state[state.TABLE] == OWN and state.UPLOAD in st.session_state):
        set_page_badge(PRIVATE_TABLE if show_truth or not data else EXPLORATION)


SETS = {1: "each", 2: "all pairs", 3: "all triples"}


def queries_in_words(Q: Workload) -> str:
    """The workload in a few words: "all pairs of 8 attributes".

    >>> from mwem_core import Domain
    >>> from mwem_core.workload import parse_workload
    >>> domain = Domain.from_values(sex=["f", "m"], smoker=["yes", "no"], town=["A", "B", "C"])
    >>> [queries_in_words(parse_workload(spec, domain)) for spec in ("marginals:2", "cuboids:<=2")]
    ['all pairs of 3 attributes', 'cuboids of all sets of up to 2 of 3 attributes']
    """
    if Q.terms:
        return f"{len(Q.terms)} kinds of queries"
    if Q.family == "predicates":
        return count(Q.size, "predicate")
    family, _, k = Q.spec.partition(":")
    if family not in ("marginals", "cuboids") or ":" in k:
        return Q.name
    attributes = count(len(Q.domain), "attribute")
    sets = f"all sets of up to {k[2:]}" if k.startswith("<=") else SETS.get(int(k), f"all sets of {k}")
    return f"{'' if family == 'marginals' else 'cuboids of '}{sets} of {attributes}"


def confirm_upload() -> None:
    """Show the forms of an upload whose schema is not confirmed yet, if it is the chosen table."""
    if upload := unconfirmed_upload():
        check_encoding(upload)
        confirm_schema(upload)
