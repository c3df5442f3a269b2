"""The decision: a target for the error, and the ε that each system needs to reach it."""

from collections.abc import Iterable, Sequence

import streamlit as st

from mwem_app.compare.curves import Curve
from mwem_app.compare.decision import Need, answer, needs, spends
from mwem_app.compare.targets import Unit, default_target, units
from mwem_app.page import plain, problem
from mwem_app.session import state
from mwem_core.judge import Result, Trial, cheapest_first
from mwem_core.workload import Workload

UNIT_OF_TARGET = "_unit_of_target"  # the unit that the target was entered in


def choose_unit(workload: Workload, n: int) -> Unit:
    """Let the user choose the unit of the target, which is also that of the chart."""
    noun = "answers" if workload.family == "parities" else "counts"
    choices = units(n, tabular=workload.tabular, noun=noun)
    if st.session_state.get(state.UNIT) not in (None, *choices):
        st.session_state[state.UNIT] = next(iter(choices))
    name = st.segmented_control(
        "Unit", list(choices), default=next(iter(choices)), required=True, key=state.UNIT, bind=state.BIND
    )
    return choices[name]


def choose_target(unit: Unit, default: float) -> float | None:
    """Let the user enter a target in this unit; None, with a message, for one that no error could be."""
    text = f"{default:,.10g}"
    if st.session_state.setdefault(UNIT_OF_TARGET, unit.name) != unit.name:
        st.session_state[state.TARGET], st.session_state[UNIT_OF_TARGET] = text, unit.name
    entered = st.text_input(
        "Target", value=state.following(state.TARGET, text), key=state.TARGET, bind=state.BIND, width=130
    )
    try:
        return unit.read(entered or "")
    except ValueError as error:
        problem(error)
        return None


def first_target(results: Iterable[Result], trials: Sequence[Trial], unit: Unit) -> float | None:
    """The target to begin with, from the cheapest private system's first seed; None while that is running.

    It does not move when other systems or seeds follow, so the answer does not jump.
    """
    private = [trial for trial in cheapest_first(trials) if spends(trial.system)]
    first = [t for t in private if (t.system, t.seed, t.T) == (private[0].system, private[0].seed, private[0].T)]
    by_trial = {result.trial: result for result in results}
    if state.trials_running() and not all(trial in by_trial for trial in first):
        return None
    errors = unit.metric.values(by_trial[trial] for trial in first if trial in by_trial)
    return default_target(errors or unit.metric.values(by_trial.values()), unit.most)


def show_answer(curves: Sequence[Curve], target: float, unit: Unit) -> list[Need]:
    """The answer in a large sentence, and the other systems in a line each; returns what every system needs."""
    found = needs(curves, target)
    if not found:
        st.subheader("No system here spends any ε: choose a private one, such as MWEM.", anchor=False)
        return []
    sentence, others = answer(curves, found, target, unit)
    st.subheader(sentence, anchor=False)
    lines = [f"{plain(need.title)}: {need.words}" for need in others]
    ranges = "In brackets: the 95% interval over the seeds."
    if any(need.seeds < 2 for need in found):
        ranges = "One seed so far gives no range."
    st.caption(" · ".join([*lines, ranges]))
    return found
