"""Trials on a page: the button that runs, stops and resumes them, and what is polled while they are on."""

import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Executor

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mwem_core.evaluation.trials import Result, Trial
from mwem_core.workload.workload import Workload
from ui.inputs.data import Data
from ui.page.wording import plain, problem
from ui.session import state
from ui.session.trials import TrialsRunner, unfinished
from ui.words.numbers import count

LIFE = "_life"
TICK = 1.0  # seconds: what is polled is drawn in place, and still costs a little


class _Life:
    """Held by a session alone, so it ends when nobody can come back to that: nor do its trials go on any longer."""


def control(
    data: Data,
    workload: Workload,
    trials: Sequence[Trial],
    executor: Callable[[], Executor],
    place: DeltaGenerator,
    *,
    show_truth: bool,
) -> None:
    """Run what is left of the trials, or stop what is on."""
    on, found = state.trials_runner(), state.trial_results(data.source, workload)
    todo = unfinished(trials, found)
    if on is not None and on.active:
        place.button("Stop", icon=":material/stop:", on_click=on.stop, key="_stop_sweep")
        return
    stopped = on is not None and on.status == "stopped" and len(todo) < len(trials)
    if todo and all(trial in found for trial in todo):
        label = f"Try {len(todo):,} again"
    else:
        label = "Resume" if stopped else "Run" if len(todo) in (0, len(trials)) else f"Run {len(todo):,} more"
    if place.button(
        label,
        type="primary",
        icon=":material/play_arrow:",
        disabled=not todo or not show_truth,
        help=None if todo or not trials else "All of these have run: change something above, or add seeds.",
        key="_run_sweep",
    ):
        st.session_state[state.TRIALS_RUNNER] = on = TrialsRunner(data.records, workload, todo, found, executor)
        weakref.finalize(st.session_state.setdefault(LIFE, _Life()), on.stop)
        st.rerun()
    if on is not None and on.problem:
        problem(on.problem)


def results_of(data: Data, workload: Workload, trials: Sequence[Trial]) -> list[Result]:
    """What these trials came to, as far as they ran."""
    found = state.trial_results(data.source, workload)
    return [found[trial] for trial in trials if trial in found]


def polled(show: Callable[[], None], waiting: Callable[[], bool], every: float = TICK) -> None:
    """Show it, again and again while there is something to wait for, and the whole page once there is no more."""
    going = waiting()
    st.fragment(_tick, run_every=every if going else None)(show, waiting, going)


def _tick(show: Callable[[], None], waiting: Callable[[], bool], going: bool) -> None:
    if going and not waiting():
        st.rerun()
    show()


def tell_progress(workload: Workload) -> None:
    """How far the sweep has come, in a line with a bar."""
    on = state.trials_runner()
    if on is None or not on.active:
        return
    elsewhere = "" if on.workload.spec == workload.spec else f" of {plain(on.workload.name)}"
    share = on.done / max(1, len(on.todo))
    st.progress(share, f"{on.done:,} of {count(len(on.todo), 'trial')}{elsewhere} done")


def tell_problems(found: Sequence[tuple[str, str]]) -> None:
    """What could not run, a line each."""
    for title, why in found:
        st.caption(f":material/block: **{plain(title)}**: {plain(why)}.")


def nothing_shown() -> None:
    """Where the truth is not to be shown, this page has nothing to say."""
    st.info(
        "Everything here is measured against the private data. Switch **Show the truth** on to see it: "
        "while it is off, none of it is sent to this browser.",
        icon=":material/lock:",
    )
