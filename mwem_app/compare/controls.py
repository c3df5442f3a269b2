"""Controls of trials: choose systems and seeds; run, stop and resume; show progress."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mwem_app.base import count, duration, waiting
from mwem_app.compare.committed_view import committed_results
from mwem_app.compare.system_choice import able_systems, choose_systems, describe_systems, refusals
from mwem_app.compare.trial_choices import choose_executor, choose_seeds
from mwem_app.inputs import Data
from mwem_app.page import count_work, may_start, plain, problem
from mwem_app.session import TRIALS, TrialsRunner, check_memory, state, unfinished
from mwem_core.judge import Result, Trial
from mwem_core.systems import check_bins, system
from mwem_core.workload import Workload


def stop_at_open_bins(workload: Workload | None) -> None:
    """End the page, with a sentence, where the schema leaves bins to be measured: each trial would have its own."""
    try:
        if workload:
            check_bins(workload.domain)
    except ValueError as error:
        problem(error)
        st.stop()


def choose_systems_row(
    workload: Workload, *, n: int, epsilon: float, delta: float
) -> tuple[list[str], int, Callable[[], Executor], DeltaGenerator]:
    """Systems, number of seeds and executor; and between them the place of the run button."""
    task = workload.domain, workload.spec, n, epsilon, delta
    refusal = state.remember("refusals", task, lambda: refusals(workload, n=n, epsilon=epsilon, delta=delta))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        chosen = choose_systems(refusal)
        seeds = choose_seeds()
        button_place = st.container(width="content")
        executor = choose_executor()
        describe_systems()
    if notes := [note for name in chosen if (note := system(name).unkept_rules(workload.domain))]:
        st.caption(" ".join(notes))
    return able_systems(chosen, refusal), seeds, executor, button_place


def run_button(
    data: Data,
    workload: Workload,
    trials: Sequence[Trial],
    executor: Callable[[], Executor],
    place: DeltaGenerator,
    *,
    allowed: bool,
    pressed: bool = False,
) -> bool:
    """A button that runs the unfinished trials, or stops the running ones; returns whether trials are running.

    Trials stop when the session ends. The button runs the trials that have only a committed result when there are no
    others. It is dead unless `allowed`; `pressed` says that another button has asked for the same.
    """
    runner, results = state.trials_runner(), state.trial_results(data.source, workload)
    missing = unfinished(trials, committed_results(data, workload, trials) | results)
    todo = missing or unfinished(trials, results)
    if runner is not None and runner.active:
        place.button("Stop", icon=":material/stop:", on_click=runner.stop, key="_stop_trials")
        return True
    if todo and all(trial in results for trial in todo):
        label = f"Try {len(todo):,} again"
    elif runner is not None and runner.status == "stopped" and len(todo) < len(trials):
        label = "Resume"
    elif len(todo) in (0, len(trials)):
        label = "Run"
    else:
        label = f"Run {len(todo):,} {'more' if missing else 'again'}"
    clicked = place.button(
        label,
        type="primary",
        icon=":material/play_arrow:",
        disabled=not todo or not allowed,
        help=None if todo or not trials else "All of these trials have run. Change a setting above, or add seeds.",
        key="_run_trials",
    )
    if clicked or (pressed and todo):
        try:
            check_memory(workload, rounds=1)
        except ValueError as error:
            problem(error)
            return False
        if not may_start(TRIALS):
            return False
        runner = TrialsRunner(data.records, workload, todo, results, executor)
        count_work(runner)
        st.session_state[state.TRIALS_RUNNER] = runner
        state.stop_at_end(runner)
        st.rerun()
    if runner is not None and runner.problem:
        problem(runner.problem)
    return False


def results_of(data: Data, workload: Workload, trials: Sequence[Trial]) -> list[Result]:
    """The results of those of the trials that have run here or, where they have not, that have a committed result."""
    results = committed_results(data, workload, trials) | state.trial_results(data.source, workload)
    return [results[trial] for trial in trials if trial in results]


def show_progress(data: Data, workload: Workload, trials: Sequence[Trial]) -> bool:
    """How many of the running trials are done, as a bar and in words, with the time that the others take.

    Once they have ended it stays, with the time they took, until other trials are chosen: nothing below it moves.
    Returns whether there is anything to show.
    """
    runner = state.trials_runner()
    if runner is None or not (runner.active or _belongs(runner, data, workload, trials)):
        return False
    share = runner.done / max(1, len(runner.todo))
    text = f"{runner.done:,} of {count(len(runner.todo), 'trial')} done"
    if not runner.active:
        text += f" in about {duration(runner.seconds)}"
    elif runner.before:
        text += f" · {waiting(runner.before, 'batch')}"
    else:
        text += "" if runner.workload.spec == workload.spec else f" (workload: {plain(runner.workload.name)})"
        if (left := runner.time_left()) and runner.done < len(runner.todo):
            text += f" · {'at least' if left.lower_bound else 'about'} {duration(left.seconds)} left"
    st.progress(share, text)
    return True


def _belongs(runner: TrialsRunner, data: Data, workload: Workload, trials: Sequence[Trial]) -> bool:
    """Whether it ran trials of this table and workload that are still chosen."""
    return runner.results is state.trial_results(data.source, workload) and set(runner.todo) <= set(trials)


def show_problems(problems: Sequence[tuple[str, str]]) -> None:
    """The (system, reason) of each trial that could not run, a line each."""
    for title, reason in problems:
        st.caption(f":material/block: **{plain(title)}**: {plain(reason)}.")


def tell_truth_is_hidden() -> None:
    """Say why a page of trials is empty while the truth is hidden."""
    st.info(
        "This page shows errors, which are measured against the records. Switch **Show the truth** on to see "
        "them. While it is off, none of them are sent to this browser.",
        icon=":material/lock:",
    )
