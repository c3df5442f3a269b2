"""The systems of a comparison: the chosen ones in a line, and all of them by group."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import streamlit as st

from mwem_app.inputs import Data
from mwem_app.page import plain
from mwem_app.session import state
from mwem_core.domain import stand_in
from mwem_core.output import SCHEMA_REASONS
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload

START = "_start_stand_in"  # the button below asks to run the trials at once
STAND_IN_LABEL = "Sweep a public table of the same shape instead"
WHAT_IT_IS = (
    "It has the schema of your table and about as many records. They are drawn from a fixed random model: the values "
    "of an attribute are as uneven as in real tables, and a few pairs of attributes depend on each other strongly. On "
    "Adult, Czech car workers and Rochdale households, to which the model was fitted, the ε that it proposed was 0.5 "
    "to 2 times the true one. On NLTCS and mildew, to which it was not fitted, that was 0.46 to 1.9 times; on Class "
    "survey, up to 2.7 times."
)
CHOICE_IS_A_QUERY = (
    "Choosing ε or T by these errors is itself a query on the records, and no budget above counts it. Choose by a "
    "public rule, or on public data that resemble yours."
)
# Chosen at first: of each entry, the first system that can serve the workload.
DEFAULT_SYSTEMS = (("mwem",), ("automatic",), ("aim", "mwem-paper"), ("laplace-clean",), ("uniform",))


def choose_swept(data: Data) -> tuple[Data, bool]:
    """Let the user sweep a stand-in for the table; return the table to sweep, and whether it is the stand-in."""
    on = st.toggle("Sweep a public stand-in for the table", key=state.STAND_IN, bind=state.BIND, help=WHAT_IT_IS)
    if not on:
        return data, False
    domain, n = data.records.domain, int(float(f"{data.records.total:.1e}"))
    records = state.remember("stand-in", (domain, n), lambda: stand_in(domain, n))
    return replace(data, source=f"stand-in for {data.source}", records=records), True


def start_requested() -> bool:
    """Whether the button below has just been pressed."""
    return st.session_state.pop(START, False)


def offer_stand_in() -> None:
    """A button that sweeps the stand-in at once."""
    st.button(STAND_IN_LABEL, icon=":material/public:", on_click=_start, key="_stand_in_instead")


def _start() -> None:
    st.session_state[state.STAND_IN] = st.session_state[START] = True


def warn_of_choice() -> None:
    """Say that a choice by errors on the table itself is a query, and offer the way that is none."""
    with st.container(gap="small"):
        st.warning(CHOICE_IS_A_QUERY, icon=":material/warning:")
        offer_stand_in()


def tell_what_was_read(data: Data) -> None:
    """Say that no record was read for these results, and what their prediction is worth."""
    text = f"No record of the table was read. {WHAT_IT_IS}"
    if reason := SCHEMA_REASONS.get(data.provenance):
        text += f" {reason.text}: {reason.remedy}."
    st.info(text, icon=":material/public:")


@dataclass(frozen=True)
class Group:
    """Systems under one heading, with a sentence on what they have in common."""

    title: str
    names: tuple[str, ...]
    common: str

    @property
    def key(self) -> str:
        """The key of the group's pills."""
        return f"_systems {self.title}"


GROUPS = (
    Group(
        "MWEM",
        ("mwem", "automatic", "tables", "mwem-paper", "figure-1", "mwem-pgm"),
        "Rounds that select, as this program runs them; what is expected to err least; every table measured once; as "
        "published in 2012; Figure 1 to the letter; and with a graphical model.",
    ),
    Group(
        "Today's",
        ("aim", "privbayes", "planner", "planner-clean", "relaxed-projection", "dawa"),
        "Published after MWEM, from 2014 on.",
    ),
    Group(
        "Classics",
        ("barak", "barak-lp", "net", "boosting", "hierarchical"),
        "Published before MWEM, from 2007 to 2010.",
    ),
    Group(
        "Baselines",
        ("laplace", "laplace-clean", "laplace-cells", "gaussian", "gaussian-clean", "weights", "uniform"),
        "What a system must beat: noise on every answer, no noise at all, no data at all.",
    ),
)
ORDER = tuple(name for group in GROUPS for name in group.names)  # in the line


def choose_systems(refusal: Callable[[str], str]) -> list[str]:
    """Let the user choose systems: the usual ones in a line, all of them by group, with what they are."""
    default = state.follow(state.SYSTEMS, default_systems(refusal))
    chosen = st.pills(
        "Systems",
        _in_the_line(default),
        selection_mode="multi",
        default=default,
        format_func=lambda name: SYSTEMS[name].title,
        key=state.SYSTEMS,
        bind=state.BIND,
        width="content",
    )
    _choose_by_group(chosen)
    return chosen


def able_systems(chosen: list[str], refusal: Callable[[str], str]) -> list[str]:
    """Return the chosen systems that can serve the workload; for every other chosen system, say why it cannot."""
    for name in chosen:
        if why := refusal(name):
            st.caption(f":material/block: **{plain(SYSTEMS[name].title)}** cannot run here: {plain(why)}.")
    if not chosen:
        st.caption("No system is chosen: choose at least one.")
    return [name for name in SYSTEMS if name in chosen and not refusal(name)]


def _in_the_line(default: list[str]) -> list[str]:
    """The default systems and the chosen ones: an address may choose some before the pills exist."""
    titles = st.query_params.get_all(state.SYSTEMS)
    chosen = {*default, *st.session_state.get(state.SYSTEMS, ())}
    return [name for name in ORDER if name in chosen or SYSTEMS[name].title in titles]


def _choose_by_group(chosen: list[str]) -> None:
    """All systems, by group; a choice there changes the line."""
    with st.expander(f"All {len(SYSTEMS)} systems"):
        for group in GROUPS:
            st.session_state[group.key] = [name for name in group.names if name in chosen]
            st.pills(
                group.title,
                group.names,
                selection_mode="multi",
                format_func=lambda name: SYSTEMS[name].title,
                key=group.key,
                on_change=_take_over,
                args=(group,),
            )
            about = [group.common]
            for each in (SYSTEMS[name] for name in group.names):
                output = "rows and answers" if each.gives == "rows" else "answers only"
                about.append(f"**{plain(each.title)}** · {output} · privacy: {each.privacy} · {plain(each.differs)}")
            st.caption("  \n".join(about))


def _take_over(group: Group) -> None:
    """Make the chosen systems of a group those of its pills."""
    others = [name for name in st.session_state[state.SYSTEMS] if name not in group.names]
    chosen = {*others, *st.session_state[group.key]}
    st.session_state[state.SYSTEMS] = [name for name in ORDER if name in chosen]


def default_systems(refusal: Callable[[str], str]) -> list[str]:
    """The systems chosen at first, where some cannot serve the workload."""
    able = (next((name for name in names if not refusal(name)), None) for names in DEFAULT_SYSTEMS)
    return [name for name in able if name]


def refusals(workload: Workload, *, n: int, epsilon: float, delta: float) -> Callable[[str], str]:
    """For the name of a system: one sentence that says why it cannot serve this workload, or an empty text.

    A system is asked when its name is: loading the modules of all takes as long as showing a first chart.
    """

    @cache
    def refusal(name: str) -> str:
        try:
            SYSTEMS[name].settings(workload, n=n, epsilon=epsilon, delta=delta).check(workload)
        except ValueError as error:
            return str(error)
        return ""

    return refusal
